package syntax

import (
	"strings"
)

// Print writes a translation unit as text that parses to the same tree.
func Print(f *File) string {
	p := &printer{}
	for _, d := range f.Decls {
		p.decl(d)
	}
	return p.String()
}

// NameString spells a name.
func NameString(n *Name) string { return (&printer{}).name(n) }

// TypeString spells a type.
func TypeString(t Type) string { return (&printer{}).typ(t, "") }

// printer collects lines, indented by depth.
type printer struct {
	strings.Builder
	depth int
}

func (p *printer) line(s string) {
	p.WriteString(strings.Repeat("    ", p.depth))
	p.WriteString(s)
	p.WriteByte('\n')
}

// pragma writes a pragma on a line of its own.
func (p *printer) pragma(text string) {
	p.WriteString("#pragma " + text + "\n")
}

func (p *printer) name(n *Name) string {
	var b strings.Builder
	if n.Decltype != nil {
		b.WriteString("decltype(" + p.expr(n.Decltype) + ")")
	}
	for i := range n.Parts {
		if i > 0 || n.Global || n.Decltype != nil {
			b.WriteString("::")
		}
		b.WriteString(p.part(&n.Parts[i]))
	}
	return b.String()
}

func (p *printer) part(n *NamePart) string {
	if !n.HasArgs {
		return n.Ident
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		switch {
		case a.Type != nil:
			args[i] = p.typ(a.Type, "")
		default:
			args[i] = p.targ(a.X)
		}
		if a.Pack {
			args[i] += "..."
		}
	}
	word := ""
	if n.Template {
		word = "template "
	}
	return word + n.Ident + "<" + strings.Join(args, ", ") + ">"
}

// targ spells an expression among template arguments: parentheses keep a > from closing them.
func (p *printer) targ(x Expr) string {
	s := p.expr(x)
	if b, ok := x.(*Binary); ok && strings.Contains(b.Op, ">") {
		return "(" + s + ")"
	}
	return s
}

func quals(q Quals) string {
	s := ""
	if q.Space != "" {
		s += q.Space + " "
	}
	if q.Const {
		s += "const "
	}
	if q.Volatile {
		s += "volatile "
	}
	return s
}

// typ spells a declaration of inner with type t; inner is "" for the type alone.
func (p *printer) typ(t Type, inner string) string {
	base, decl := p.declarator(t, inner)
	if decl == "" {
		return base
	}
	return base + " " + decl
}

// declarator splits a declaration in the specifiers and the declarator.
func (p *printer) declarator(t Type, inner string) (base, decl string) {
	switch t := t.(type) {
	case *NamedType:
		s := quals(t.Quals)
		if t.Typename {
			s += "typename "
		}
		if t.Key != "" {
			s += t.Key + " "
		}
		return s + p.name(t.Name), inner
	case *AutoType:
		return quals(t.Quals) + "auto", inner
	case *DecltypeType:
		return quals(t.Quals) + "decltype(" + p.expr(t.X) + ")", inner
	case *PointerType:
		q := quals(t.Quals)
		if inner == "" {
			q = strings.TrimSuffix(q, " ")
		}
		return p.declarator(t.Elem, p.around(t.Elem, "*"+q+inner))
	case *RefType:
		op := "&"
		if t.RValue {
			op = "&&"
		}
		return p.declarator(t.Elem, p.around(t.Elem, op+inner))
	case *PackType:
		return p.declarator(t.Elem, "..."+inner)
	case *ArrayType:
		n := ""
		if t.Len != nil {
			n = p.expr(t.Len)
		}
		return p.declarator(t.Elem, inner+"["+n+"]")
	case *FuncType:
		return p.declarator(t.Ret, inner+"("+p.params(t.Params)+")")
	}
	panic("syntax: unknown type")
}

// around puts a pointer's declarator in parentheses if what it points at has a suffix.
func (p *printer) around(elem Type, s string) string {
	switch elem.(type) {
	case *ArrayType, *FuncType:
		return "(" + s + ")"
	}
	return s
}

func (p *printer) params(ps []*VarDecl) string {
	out := make([]string, len(ps))
	for i, v := range ps {
		out[i] = specs(v.Specs) + p.typ(v.Type, v.Name) + p.attrs(v.Attrs, true) + p.initOf(v)
	}
	return strings.Join(out, ", ")
}

func specs(s Specs) string {
	out := ""
	for _, w := range []struct {
		on   bool
		word string
	}{{s.Static, "static "}, {s.Extern, "extern "}, {s.Inline, "inline "}, {s.Explicit, "explicit "}, {s.Mutable, "mutable "}, {s.Constexpr, "constexpr "}} {
		if w.on {
			out += w.word
		}
	}
	return out
}

// attrs spells attributes, with a space before or after them.
func (p *printer) attrs(as []Attr, before bool) string {
	if len(as) == 0 {
		return ""
	}
	out := make([]string, len(as))
	for i, a := range as {
		out[i] = a.Name
		if a.HasArgs {
			out[i] += "(" + p.exprs(a.Args) + ")"
		}
	}
	s := "[[" + strings.Join(out, ", ") + "]]"
	if before {
		return " " + s
	}
	return s + " "
}

func (p *printer) initOf(v *VarDecl) string {
	switch v.Kind {
	case InitAssign:
		return " = " + p.expr(v.Init)
	case InitBrace:
		return p.expr(v.Init)
	case InitParen:
		return "(" + p.exprs(v.Args) + ")"
	}
	return ""
}

// vars spells variables declared together: they share their specifiers.
func (p *printer) vars(ds []Decl) string {
	var b strings.Builder
	for i, d := range ds {
		v := d.(*VarDecl)
		name := v.Name
		if v.Part != nil {
			name = p.part(v.Part)
		}
		if v.Class != nil {
			name = p.name(v.Class) + "::" + name
		}
		base, decl := p.declarator(v.Type, name)
		if i == 0 {
			b.WriteString(specs(v.Specs) + base + " ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(decl + p.attrs(v.Attrs, true) + p.initOf(v))
	}
	return strings.TrimSuffix(b.String(), " ") + ";"
}

func (p *printer) decl(d Decl) {
	switch d := d.(type) {
	case *VarDecl:
		p.line(p.vars([]Decl{d}))
	case *FuncDecl:
		p.function("", d)
	case *StructDecl:
		p.structure("", d)
	case *EnumDecl:
		p.enum(d)
	case *UsingNamespace:
		p.line("using namespace " + p.name(d.Name) + ";")
	case *UsingDecl:
		p.line("using " + p.name(d.Name) + ";")
	case *AliasDecl:
		p.line("using " + d.Name + " = " + p.typ(d.Type, "") + ";")
	case *NamespaceDecl:
		s := "namespace "
		if d.Name != "" {
			s += d.Name + " "
		}
		p.line(s + "{")
		p.depth++
		for _, x := range d.Decls {
			p.decl(x)
		}
		p.depth--
		p.line("}")
	case *TemplateDecl:
		p.line("template <" + p.templateParams(d.Params) + ">")
		p.decl(d.Decl)
	case *Instantiation:
		switch x := d.Decl.(type) {
		case *FuncDecl:
			p.function("template ", x)
		case *StructDecl:
			p.structure("template ", x)
		}
	case *StaticAssert:
		s := "static_assert(" + p.expr(d.X)
		if d.Msg != "" {
			s += ", " + d.Msg
		}
		p.line(s + ");")
	case *PragmaDecl:
		p.pragma(d.Text)
	}
}

func (p *printer) templateParams(ps []TemplateParam) string {
	out := make([]string, len(ps))
	for i, t := range ps {
		dots := ""
		if t.Pack {
			dots = "..."
		}
		if t.IsTmpl {
			out[i] = strings.TrimSuffix("template <"+p.templateParams(t.Template)+"> class "+dots+t.Name, " ")
			if t.DefType != nil {
				out[i] += " = " + p.typ(t.DefType, "")
			}
			continue
		}
		if t.Type == nil {
			out[i] = strings.TrimSuffix("typename "+dots+t.Name, " ")
			if t.DefType != nil {
				out[i] += " = " + p.typ(t.DefType, "")
			}
			continue
		}
		out[i] = p.typ(t.Type, dots+t.Name)
		if t.DefValue != nil {
			out[i] += " = " + p.targ(t.DefValue)
		}
	}
	return strings.Join(out, ", ")
}

func (p *printer) function(prefix string, d *FuncDecl) {
	s := prefix + p.attrs(d.Attrs, false) + specs(d.Specs)
	if d.Kernel && !hasAttr(d.Attrs, "kernel") {
		s += "kernel "
	}
	if d.Stage != "" && !hasAttr(d.Attrs, d.Stage) {
		s += d.Stage + " "
	}
	if d.InstType != nil {
		p.line(s + p.typ(d.InstType, p.name(d.Name)) + ";")
		return
	}
	sig := p.name(d.Name)
	if d.Conv != nil {
		sig += " " + p.typ(d.Conv, "")
	}
	sig += "(" + p.params(d.Params) + ")"
	if d.Ret != nil {
		sig = p.typ(d.Ret, sig)
	}
	s += sig
	if q := quals(d.This); q != "" {
		s += " " + strings.TrimSuffix(q, " ")
	}
	switch {
	case d.Defaulted:
		p.line(s + " = default;")
		return
	case d.Deleted:
		p.line(s + " = delete;")
		return
	case d.Body == nil:
		p.line(s + ";")
		return
	}
	for i, m := range d.Inits {
		sep := ", "
		if i == 0 {
			sep = " : "
		}
		name := m.Name
		if m.Type != nil {
			name = p.name(m.Type)
		}
		if m.Brace {
			s += sep + name + "{" + p.exprs(m.Args) + "}"
		} else {
			s += sep + name + "(" + p.exprs(m.Args) + ")"
		}
	}
	p.line(s + " {")
	p.body(d.Body)
	p.line("}")
}

func (p *printer) structure(prefix string, d *StructDecl) {
	s := prefix + d.Key + " " + p.attrs(d.Attrs, false) + p.name(d.Name)
	if d.Forward {
		p.line(s + ";")
		return
	}
	for i, b := range d.Bases {
		sep := ", "
		if i == 0 {
			sep = " : "
		}
		s += sep + p.typ(b, "")
	}
	p.line(s + " {")
	p.depth++
	for i, m := range d.Members {
		if v, ok := m.(*VarDecl); ok && v.Name == "" && i > 0 {
			if _, follows := d.Members[i-1].(*StructDecl); follows && isAnonymousType(v.Type) {
				continue // the parser adds it
			}
		}
		p.decl(m)
	}
	p.depth--
	p.line("};")
}

func isAnonymousType(t Type) bool {
	n, ok := t.(*NamedType)
	return ok && isAnonymous(n.Name)
}

func (p *printer) enum(d *EnumDecl) {
	s := "enum "
	if d.Scoped {
		s += "class "
	}
	s += d.Name
	if d.Underlying != nil {
		s += " : " + p.typ(d.Underlying, "")
	}
	p.line(s + " {")
	p.depth++
	for _, e := range d.Items {
		if e.X != nil {
			p.line(e.Name + " = " + p.expr(e.X) + ",")
		} else {
			p.line(e.Name + ",")
		}
	}
	p.depth--
	p.line("};")
}
