package syntax

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// declaration parses one declaration at file, namespace or class scope, or in a block. It may declare several things.
func (p *parser) declaration() []Decl {
	defer p.enter()()
	t := p.peek()
	switch {
	case t.Kind == Pragma:
		p.next()
		return []Decl{&PragmaDecl{t.Pos, t.Text}}
	case t.Is(";"):
		p.next()
		return nil
	case t.Is("using"):
		return p.using()
	case t.Is("namespace"), t.Is("inline") && p.at(1).Is("namespace"):
		inline := p.got("inline")
		d := p.namespace()
		if !inline {
			return []Decl{d}
		}
		n := simpleName(d.Pos(), d.(*NamespaceDecl).Name) // its names are those of the scope around it
		p.openNamespace(n)
		return []Decl{d, &UsingNamespace{d.Pos(), n}}
	case t.Is("template"):
		return p.template()
	case t.Is("static_assert"):
		return []Decl{p.staticAssert()}
	}
	return p.simple(nil)
}

func (p *parser) staticAssert() Decl {
	s := &StaticAssert{At: p.next().Pos}
	p.want("(")
	s.X = p.unbracketed(p.assign)
	if p.got(",") {
		if p.peek().Kind != String {
			p.unexpected("a string")
		}
		s.Msg = p.stringLit()
	}
	p.want(")")
	p.want(";")
	return s
}

// stringLit takes adjacent strings as one, quotes kept.
func (p *parser) stringLit() string {
	s := p.next().Text
	for p.peek().Kind == String {
		s = s[:len(s)-1] + p.next().Text[1:]
	}
	return s
}

func (p *parser) using() []Decl {
	at := p.next().Pos
	if p.got("namespace") {
		n := p.typeNameParts()
		p.openNamespace(n)
		p.want(";")
		return []Decl{&UsingNamespace{at, n}}
	}
	if p.peek().Kind == Word && p.at(1).Is("=") {
		name := p.ident("a name")
		p.want("=")
		d := &AliasDecl{At: name.Pos, Name: name.Text}
		kind, inner := typeName, (*scope)(nil)
		if p.startsType(0) {
			_, inner, _ = p.nameAt(p.i)
		}
		d.Type = p.typeID()
		if at := p.peek().Pos; p.is("(") { // a function's type
			d.Type = &FuncType{At: at, Ret: d.Type, Params: p.funcSuffix().params}
		}
		p.declare(name.Text, kind, inner)
		p.want(";")
		return append(p.takeExtra(), d)
	}
	p.got("typename")
	save := p.i
	kind, inner, _ := p.nameAt(save)
	n := p.declaredName()
	p.want(";")
	p.declare(n.Last().Ident, kind, inner)
	return []Decl{&UsingDecl{at, n}}
}

// openNamespace makes the names of a namespace visible in the current scope.
func (p *parser) openNamespace(n *Name) {
	var e *entry
	for i, part := range n.Parts {
		if i == 0 {
			e = p.scope.lookup(part.Ident)
		} else {
			e = e.inner.local(part.Ident)
		}
		if e == nil || e.kind != namespaceName || e.inner == nil {
			return // package check reports it
		}
	}
	p.scope.using = append(p.scope.using, e.inner)
}

func (p *parser) namespace() Decl {
	d := &NamespaceDecl{At: p.next().Pos}
	var names []Token
	if p.peek().Kind == Word && !reserved[p.peek().Text] {
		for {
			names = append(names, p.ident("a namespace's name"))
			if !p.got("::") {
				break
			}
		}
	}
	if p.is("=") {
		panic(diag.Errorf(p.peek().Pos, diag.UnexpectedToken, "namespace aliases are not part of MSL"))
	}
	p.attributes()
	outer := p.scope
	defer func() { p.scope = outer }()
	if len(names) == 0 {
		names = []Token{{Pos: d.At}}
	}
	inner := d
	for i, t := range names {
		if i > 0 {
			n := &NamespaceDecl{At: t.Pos}
			inner.Decls = []Decl{n}
			inner = n
		}
		inner.Name = t.Text
		var s *scope
		e := p.scope.names[t.Text]
		if top := p.scope.outer; e == nil && top != nil && top.outer == nil {
			e = top.names[t.Text] // metal
		}
		if e != nil && e.kind == namespaceName {
			s = e.inner
			s.outer = p.scope
		} else {
			s = newScope(p.scope)
			p.scope.names[t.Text] = &entry{kind: namespaceName, inner: s}
			if t.Text == "" {
				p.scope.using = append(p.scope.using, s)
			}
		}
		p.scope = s
	}
	p.want("{")
	for !p.is("}") {
		if p.peek().Kind == EOF {
			p.unexpected("}")
		}
		inner.Decls = append(inner.Decls, p.declaration()...)
	}
	p.want("}")
	return d
}

// template parses a template or an explicit instantiation.
func (p *parser) template() []Decl {
	at := p.next().Pos
	local := p.local
	p.local = 0
	defer func() { p.local = local }()
	if !p.is("<") {
		decls := p.simple(&templateContext{instantiation: true})
		if len(decls) != 1 {
			panic(diag.Errorf(at, diag.UnexpectedToken, "an explicit instantiation wants one function or struct"))
		}
		return []Decl{&Instantiation{at, decls[0]}}
	}
	outer := p.scope
	p.scope = newScope(outer)
	t := &TemplateDecl{At: at, Params: p.templateParams()}
	params := p.scope
	p.scope = outer
	ctx := &templateContext{params: params, special: len(t.Params) == 0}
	var decls []Decl
	switch {
	case p.is("template"):
		p.scope = params
		decls = p.template()
		p.scope = outer
	case p.is("using"):
		p.scope = params
		decls = p.using()
		p.scope = outer
		if a, ok := decls[len(decls)-1].(*AliasDecl); ok {
			p.declare(a.Name, classTemplate, nil)
		}
	default:
		decls = p.simple(ctx)
	}
	if len(decls) != 1 {
		panic(diag.Errorf(at, diag.UnexpectedToken, "a template wants one declaration"))
	}
	t.Decl = decls[0]
	return []Decl{t}
}

// templateContext is what a declaration after template needs to know.
type templateContext struct {
	params        *scope
	special       bool
	instantiation bool
}

func (p *parser) templateParams() []TemplateParam {
	p.want("<")
	p.noGreater++
	defer func() { p.noGreater-- }()
	var out []TemplateParam
	for !p.is(">") && !p.is(">>") {
		tp := TemplateParam{At: p.peek().Pos}
		switch {
		case p.is("template"):
			p.templateTemplate(&tp)
		case (p.is("typename") || p.is("class")) && (p.at(1).Is(",") || p.at(1).Is(">") || p.at(1).Is("...") || p.at(1).Is("=") || p.at(1).Kind == Word && (p.at(2).Is(",") || p.at(2).Is(">") || p.at(2).Is(">>") || p.at(2).Is("="))):
			p.next()
			tp.Pack = p.got("...")
			if p.peek().Kind == Word {
				tp.Name = p.ident("a parameter's name").Text
				p.declare(tp.Name, typeName, nil)
			}
			if p.got("=") {
				tp.DefType = p.typeID()
			}
		default:
			v := p.specifiers()
			if v.base == nil {
				p.unexpected("a template parameter")
			}
			d := p.declarator(true)
			tp.Type = d.wrap(v.base)
			if pack, ok := tp.Type.(*PackType); ok {
				tp.Type, tp.Pack = pack.Elem, true
			}
			if d.name != nil {
				tp.Name, tp.At = d.name.Simple(), d.name.At
				p.declare(tp.Name, valueName, nil)
			}
			if p.got("=") {
				tp.DefValue = p.assign()
			}
		}
		out = append(out, tp)
		if !p.got(",") {
			break
		}
	}
	p.closeAngle()
	return out
}

// templateTemplate parses template <...> class Name.
func (p *parser) templateTemplate(tp *TemplateParam) {
	p.next()
	outer := p.scope
	p.scope = newScope(outer)
	tp.IsTmpl, tp.Template = true, p.templateParams()
	p.scope = outer
	if !p.got("class") && !p.got("typename") {
		p.unexpected("class or typename")
	}
	tp.Pack = p.got("...")
	if p.peek().Kind == Word {
		tp.Name = p.ident("a parameter's name").Text
		p.declare(tp.Name, classTemplate, nil)
	}
	if p.got("=") {
		tp.DefType = p.typeID()
	}
}

func (p *parser) takeExtra() []Decl {
	e := p.extra
	p.extra = nil
	return e
}

// simple parses specifiers and declarators: variables, functions, classes, enumerations, typedefs.
func (p *parser) simple(tc *templateContext) []Decl {
	outer := p.scope
	if tc != nil && tc.params != nil {
		p.scope = tc.params
		p.predeclareTemplate(outer, tc)
	}
	defer func() { p.scope = outer }()
	save := p.extra
	p.extra = nil
	d := p.specifiers()
	out := p.takeExtra()
	p.extra = save
	if d.friend {
		panic(diag.Errorf(d.at, diag.UnexpectedToken, "friend declarations are not supported"))
	}
	if d.base != nil && p.got(";") {
		return p.bare(d, out, outer, tc)
	}
	if d.base == nil && !p.isConstructor() && !p.is("~") && !p.is("operator") {
		p.unexpected("a declaration")
	}
	if conv := p.conversion(d); conv != nil {
		return append(out, conv)
	}
	for {
		dec := p.declarator(false)
		switch {
		case d.typedef && dec.fn != nil && dec.name.Simple() != "":
			out = append(out, &AliasDecl{At: dec.at, Name: dec.name.Simple(), Type: &FuncType{At: dec.at, Ret: dec.wrap(d.base), Params: dec.fn.params}})
			p.declare(dec.name.Simple(), typeName, nil)
		case dec.fn != nil || d.base == nil:
			if dec.fn == nil {
				dec.fn = p.funcSuffix()
			}
			f := p.function(d, dec, outer, tc)
			out = append(out, f)
			if f.Body != nil || f.Defaulted || f.Deleted {
				return out
			}
		case d.typedef:
			t := dec.wrap(d.base)
			name := dec.name.Simple()
			if n, ok := t.(*NamedType); !ok || n.Name.Simple() != name || n.Quals != (Quals{}) {
				out = append(out, &AliasDecl{At: dec.at, Name: name, Type: t})
			}
			p.declare(name, typeName, nil)
		case tc != nil && tc.instantiation:
			out = append(out, &FuncDecl{At: dec.at, Name: dec.name, Specs: d.specs, Attrs: append(d.attrs, dec.attrs...),
				Kernel: d.kernel || hasAttr(d.attrs, "kernel"), InstType: dec.wrap(d.base)})
		default:
			out = append(out, p.variable(d, dec, outer, tc))
		}
		if p.got(",") {
			continue
		}
		p.want(";")
		return out
	}
}

// predeclareTemplate makes the name of a template known before its own body is parsed, so that the body can use it.
func (p *parser) predeclareTemplate(outer *scope, tc *templateContext) {
	if t := p.at(1); (p.is("struct") || p.is("class") || p.is("union")) && t.Kind == Word && outer.names[t.Text] == nil {
		outer.names[t.Text] = &entry{kind: classTemplate}
	}
}

// bare ends a declaration without declarators.
func (p *parser) bare(d declSpecs, out []Decl, outer *scope, tc *templateContext) []Decl {
	if tc != nil && tc.instantiation {
		if _, ok := d.base.(*NamedType); ok && len(out) == 1 {
			return out
		}
	}
	if len(out) == 0 {
		if len(p.class) > 0 && p.local == 0 { // an anonymous member, printed by name
			return []Decl{&VarDecl{At: d.at, Type: d.base}}
		}
		panic(diag.Errorf(d.at, diag.BadDeclarator, "declaration declares nothing"))
	}
	last, ok := out[len(out)-1].(*StructDecl)
	if ok && tc != nil && tc.params != nil {
		name := last.Name.Last().Ident
		var inner *scope
		if e := p.scope.names[name]; e != nil {
			inner = e.inner
		}
		if e := outer.names[name]; e != nil && e.kind == classTemplate {
			if e.inner == nil {
				e.inner = inner
			}
		} else {
			outer.names[name] = &entry{kind: classTemplate, inner: inner}
		}
	}
	if ok && isAnonymous(last.Name) && len(p.class) > 0 && p.local == 0 {
		out = append(out, &VarDecl{At: d.at, Type: d.base})
	}
	return out
}

func isAnonymous(n *Name) bool {
	s := n.Simple()
	return len(s) > 11 && s[:11] == "__anonymous"
}

func hasAttr(attrs []Attr, name string) bool {
	for _, a := range attrs {
		if a.Name == name {
			return true
		}
	}
	return false
}

// conversion parses operator Type() in a class.
func (p *parser) conversion(d declSpecs) Decl {
	if d.base != nil || !p.is("operator") || !p.startsType(1) {
		return nil
	}
	t := p.next()
	f := &FuncDecl{At: t.Pos, Name: simpleName(t.Pos, "operator"), Specs: d.specs, Attrs: d.attrs}
	f.Conv = p.conversionType(t.Pos)
	suffix := p.funcSuffix()
	f.Params, f.This = suffix.params, suffix.this
	p.body(f)
	return f
}

// conversionType parses the type after operator: pointers and references to a named type and no more.
func (p *parser) conversionType(at diag.Pos) Type {
	t := p.specifiers().base
	if t == nil {
		p.unexpected("a type")
	}
	for p.is("*") || p.is("&") {
		if p.next().Is("*") {
			t = &PointerType{At: at, Elem: t}
		} else {
			t = &RefType{At: at, Elem: t}
		}
	}
	return t
}

// function finishes a function declaration, its body included.
func (p *parser) function(d declSpecs, dec declarator, outer *scope, tc *templateContext) *FuncDecl {
	f := &FuncDecl{At: dec.at, Name: dec.name, Params: dec.fn.params, Specs: d.specs, This: dec.fn.this,
		Attrs: append(d.attrs, dec.attrs...), Kernel: d.kernel, Stage: d.stage}
	last := dec.name.Last().Ident
	switch {
	case d.base != nil:
		f.Ret = dec.wrap(d.base)
	case last[0] == '~':
		f.Dtor = true
	case len(p.class) == 0 || last != p.class[len(p.class)-1]:
		panic(diag.Errorf(dec.at, diag.UnexpectedToken, "function %q needs a type that it returns", last))
	default:
		f.Ctor = true
	}
	f.Attrs = append(f.Attrs, p.attributes()...)
	f.Kernel = f.Kernel || hasAttr(f.Attrs, "kernel")
	for _, s := range []string{"vertex", "fragment", "mesh", "object", "intersection"} {
		if hasAttr(f.Attrs, s) {
			f.Stage = s
		}
	}
	if p.got("->") {
		f.Ret = p.typeID()
	}
	if s := dec.name.Simple(); s != "" && !f.Ctor && !f.Dtor && (tc == nil || !tc.instantiation) {
		inScope := p.scope
		p.scope = outer
		if tc != nil {
			p.declare(s, funcTemplate, nil)
		} else {
			p.declare(s, valueName, nil)
		}
		p.scope = inScope
	}
	p.body(f)
	return f
}

// body parses member initialisers and the body, if they follow.
func (p *parser) body(f *FuncDecl) {
	if p.is("=") {
		p.next()
		switch {
		case p.got("default"):
			f.Defaulted = true
		case p.got("delete"):
			f.Deleted = true
		default:
			p.unexpected("default or delete")
		}
		p.want(";")
		return
	}
	if !p.is("{") && !p.is(":") {
		if f.Conv != nil {
			p.want(";")
		}
		return
	}
	defer p.push()()
	for _, v := range f.Params {
		if v.Name != "" {
			p.declare(v.Name, valueName, nil)
		}
	}
	greater, class := p.noGreater, p.class
	p.local++
	p.noGreater = 0
	defer func() { p.local--; p.noGreater, p.class = greater, class }()
	if p.got(":") {
		for {
			t := p.peek()
			m := MemberInit{At: t.Pos, Name: t.Text}
			if after := p.at(1); after.Is("<") || after.Is("::") {
				m.Type = p.typeNameParts()
			} else {
				p.ident("a field's name")
			}
			switch {
			case p.got("("):
				m.Args = p.unbracketedList(")")
			case p.got("{"):
				m.Brace, m.Args = true, p.unbracketedList("}")
			default:
				p.unexpected("( or {")
			}
			f.Inits = append(f.Inits, m)
			if !p.got(",") {
				break
			}
		}
	}
	f.Body = p.block()
}

// variable finishes a variable or field.
func (p *parser) variable(d declSpecs, dec declarator, outer *scope, tc *templateContext) *VarDecl {
	v := &VarDecl{At: dec.at, Type: dec.wrap(d.base), Specs: d.specs, Attrs: append(d.attrs, dec.attrs...)}
	v.Name = dec.name.Last().Ident
	if len(dec.name.Parts) > 1 {
		v.Class = &Name{At: dec.name.At, Parts: dec.name.Parts[:len(dec.name.Parts)-1]}
	}
	if dec.name.Last().HasArgs && tc != nil {
		v.Part = dec.name.Last()
	} else if dec.name.Last().HasArgs {
		panic(diag.Errorf(dec.at, diag.BadDeclarator, "a variable's name cannot have template arguments here"))
	}
	if v.Class == nil && v.Part == nil {
		if tc != nil {
			inScope := p.scope
			p.scope = outer
			p.declare(v.Name, funcTemplate, nil)
			p.scope = inScope
		} else {
			p.declare(v.Name, valueName, nil)
		}
	}
	switch {
	case p.got("="):
		v.Kind, v.Init = InitAssign, p.initClause()
	case p.is("{"):
		v.Kind, v.Init = InitBrace, p.initClause()
	case p.got("("):
		v.Kind, v.Args = InitParen, p.unbracketedList(")")
	case p.is(":"):
		panic(diag.Errorf(p.peek().Pos, diag.BitField, "bit-fields are not part of MSL"))
	}
	return v
}
