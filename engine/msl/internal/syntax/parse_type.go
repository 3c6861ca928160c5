package syntax

import (
	"sort"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// isQualifier reports a word that qualifies a type.
func isQualifier(s string) bool {
	switch s {
	case "const", "volatile", "device", "constant", "threadgroup", "thread", "restrict", "__restrict", "__restrict__", "coherent":
		return true
	}
	return false
}

func (q *Quals) add(p *parser, t Token) {
	switch t.Text {
	case "const":
		q.Const = true
	case "volatile":
		q.Volatile = true
	case "device", "constant", "threadgroup", "thread":
		if q.Space != "" && q.Space != t.Text {
			panic(diag.Errorf(t.Pos, diag.DuplicateSpecifier, "address space %s after %s", t.Text, q.Space))
		}
		q.Space = t.Text
	}
}

// memoryScope skips the scope of coherent(device).
func (p *parser) memoryScope(t Token) {
	if t.Is("coherent") && p.is("(") && p.at(1).Kind == Word && p.at(2).Is(")") {
		p.i += 3
	}
}

// startsType reports whether the tokens from n on start a type.
func (p *parser) startsType(n int) bool {
	t := p.at(n)
	if t.Is("::") {
		kind, _, _ := p.nameAt(p.i + n)
		return kind == typeName || kind == classTemplate
	}
	if t.Kind != Word {
		return false
	}
	switch t.Text {
	case "unsigned", "signed", "auto", "typename", "decltype", "struct", "class", "union", "enum":
		return true
	}
	if isQualifier(t.Text) || builtinTypes[t.Text] != "" && p.scope.lookup(t.Text) == nil || foreignSpaces[t.Text] && p.startsType(n+1) {
		return true
	}
	kind, _, _ := p.nameAt(p.i + n)
	return kind == typeName || kind == classTemplate
}

// declSpecs are the words before the declarators.
type declSpecs struct {
	at      diag.Pos
	specs   Specs
	attrs   []Attr
	typedef bool
	friend  bool
	kernel  bool
	stage   string
	base    Type // nil when there was none: a constructor
}

// setQuals puts qualifiers on a type.
func setQuals(t Type, q Quals) {
	var to *Quals
	switch t := t.(type) {
	case *NamedType:
		to = &t.Quals
	case *AutoType:
		to = &t.Quals
	case *DecltypeType:
		to = &t.Quals
	default:
		return
	}
	to.Const = to.Const || q.Const
	to.Volatile = to.Volatile || q.Volatile
	if q.Space != "" {
		to.Space = q.Space
	}
}

// specifiers parses declaration specifiers, base type included.
func (p *parser) specifiers() declSpecs {
	d := declSpecs{at: p.peek().Pos}
	var q Quals
	var words []string
	var wordsAt diag.Pos
	for {
		t := p.peek()
		if t.Is("[") && p.at(1).Is("[") || t.Is("__attribute__") || t.Is("alignas") {
			d.attrs = append(d.attrs, p.attributes()...)
			continue
		}
		if t.Kind != Word && !t.Is("::") {
			break
		}
		if p.specifierWord(&d, t) {
			p.next()
			continue
		}
		if isQualifier(t.Text) {
			q.add(p, p.next())
			p.memoryScope(t)
			continue
		}
		if d.base != nil {
			break
		}
		if w := t.Text; w == "unsigned" || w == "signed" || builtinWord(w) {
			if len(words) == 0 {
				wordsAt = t.Pos
			}
			words = append(words, w)
			p.next()
			continue
		}
		if len(words) > 0 {
			if t.Is("double") {
				panic(diag.Errorf(t.Pos, diag.UnsupportedType, "type double is not supported"))
			}
			break
		}
		if p.isConstructor() {
			break
		}
		d.base = p.baseType(&d)
		if d.base == nil {
			break
		}
	}
	if len(words) > 0 {
		d.base = &NamedType{At: wordsAt, Name: simpleName(wordsAt, p.joinWords(words, wordsAt))}
	}
	if d.base != nil {
		setQuals(d.base, q)
	} else if q != (Quals{}) {
		p.unexpected("a type")
	}
	return d
}

// builtinWord reports a word that a type's name of several words is made of.
func builtinWord(s string) bool {
	switch s {
	case "int", "char", "short", "long":
		return true
	}
	return false
}

func (p *parser) joinWords(words []string, at diag.Pos) string {
	sorted := append([]string(nil), words...)
	sort.Strings(sorted)
	s := strings.Join(sorted, " ")
	names := map[string]string{
		"int": "int", "char": "char", "short": "short", "long": "long", "signed": "int", "unsigned": "uint",
		"int unsigned": "uint", "int signed": "int", "char unsigned": "uchar", "char signed": "char",
		"short unsigned": "ushort", "short signed": "short", "int short": "short", "int short unsigned": "ushort",
		"int short signed": "short", "long unsigned": "ulong", "long signed": "long", "int long": "long",
		"int long unsigned": "ulong", "int long signed": "long", "long long": "long", "long long unsigned": "ulong",
		"int long long": "long", "int long long unsigned": "ulong",
	}
	if n := names[s]; n != "" {
		return n
	}
	panic(diag.Errorf(at, diag.BadDeclarator, "no type is called %q", strings.Join(words, " ")))
}

func simpleName(at diag.Pos, s string) *Name {
	return &Name{At: at, Parts: []NamePart{{At: at, Ident: s}}}
}

// specifierWord notes a specifier that is no part of the type.
func (p *parser) specifierWord(d *declSpecs, t Token) bool {
	switch t.Text {
	case "static":
		d.specs.Static = true
	case "constexpr":
		d.specs.Constexpr = true
	case "inline", "__inline", "__inline__":
		d.specs.Inline = true
	case "__extension__":
	case "extern":
		d.specs.Extern = true
	case "mutable":
		d.specs.Mutable = true
	case "explicit":
		d.specs.Explicit = true
	case "typedef":
		d.typedef = true
	case "virtual", "thread_local", "register", "asm":
		if p.userEntry(t.Text) != nil || t.Text == "asm" && !p.at(1).Is("(") {
			return false
		}
		panic(diag.Errorf(t.Pos, diag.NotInMSL, "%s is not part of MSL", t.Text))
	case "friend":
		d.friend = true
	case "kernel":
		d.kernel = true
	case "vertex", "fragment":
		if d.base != nil || !p.startsType(1) {
			return false
		}
		d.stage = t.Text
	default:
		if foreignSpaces[t.Text] && d.base == nil && p.startsType(1) {
			panic(diag.Errorf(t.Pos, diag.UnsupportedType, "address space %s is not supported: it is of graphics functions", t.Text))
		}
		return false
	}
	return true
}

// isConstructor reports whether a class's own name followed by a parenthesis comes next.
func (p *parser) isConstructor() bool {
	return len(p.class) > 0 && p.local == 0 && p.peek().Kind == Word && p.peek().Text == p.class[len(p.class)-1] && p.at(1).Is("(")
}

// baseType parses the type named in specifiers; nil if no type comes next.
func (p *parser) baseType(d *declSpecs) Type {
	t := p.peek()
	switch t.Text {
	case "auto":
		p.next()
		return &AutoType{At: t.Pos}
	case "decltype":
		return &DecltypeType{At: t.Pos, X: p.decltype()}
	case "typename":
		p.next()
		return &NamedType{At: t.Pos, Name: p.typeNameParts(), Typename: true}
	case "struct", "class", "union":
		return p.structSpecifier(d)
	case "enum":
		return p.enumSpecifier()
	}
	if !p.startsType(0) {
		return nil
	}
	n := p.typeNameParts()
	if s := n.Simple(); builtinTypes[s] != "" && p.userEntry(s) == nil {
		n.Parts[0].Ident = builtinTypes[s]
	}
	return &NamedType{At: t.Pos, Name: n}
}

// decltype parses decltype(X).
func (p *parser) decltype() Expr {
	p.want("decltype")
	p.want("(")
	x := p.unbracketed(p.expr)
	p.want(")")
	return x
}

// decltypeMember reports whether decltype(...)::name comes next.
func (p *parser) decltypeMember() bool {
	if !p.is("decltype") || !p.at(1).Is("(") {
		return false
	}
	depth := 0
	for i := p.i + 1; p.toks[i].Kind != EOF; i++ {
		switch {
		case p.toks[i].Is("("):
			depth++
		case p.toks[i].Is(")"):
			if depth--; depth == 0 {
				return p.toks[i+1].Is("::")
			}
		}
	}
	return false
}

// userEntry returns what the program declared name to be, builtin meanings left out.
func (p *parser) userEntry(name string) *entry {
	for s := p.scope; s != nil && s.outer != nil; s = s.outer {
		if e := s.names[name]; e != nil && !e.builtin {
			return e
		}
	}
	return nil
}

// typeNameParts parses a qualified name with template arguments.
func (p *parser) typeNameParts() *Name {
	n := &Name{At: p.peek().Pos, Global: p.got("::")}
	if p.is("decltype") {
		n.Decltype = p.decltype()
		p.want("::")
	}
	for {
		t := p.peek()
		if t.Kind != Word || reserved[t.Text] && !isBuiltinWord(t.Text) {
			p.unexpected("a name")
		}
		p.next()
		part := NamePart{At: t.Pos, Ident: t.Text}
		if p.is("<") {
			part.HasArgs, part.Args = true, p.templateArgs()
		}
		n.Parts = append(n.Parts, part)
		if !p.is("::") || p.at(1).Is("*") {
			return n
		}
		p.next()
		p.got("template")
	}
}

// templateArgs parses <...>.
func (p *parser) templateArgs() []TemplateArg {
	defer p.enter()()
	p.want("<")
	p.noGreater++
	defer func() { p.noGreater-- }()
	var args []TemplateArg
	for !p.is(">") && !p.is(">>") {
		var a TemplateArg
		if p.startsType(0) && (!p.callsType() || p.functionTypeFollows()) {
			a.Type = p.typeID()
			if at := p.peek().Pos; p.is("(") {
				a.Type = &FuncType{At: at, Ret: a.Type, Params: p.funcSuffix().params}
			}
			if pack, ok := a.Type.(*PackType); ok {
				a.Type, a.Pack = pack.Elem, true
			}
		} else {
			a.X = p.assign()
			a.Pack = p.got("...")
		}
		args = append(args, a)
		if !p.got(",") {
			break
		}
	}
	p.closeAngle()
	return args
}

// callsType reports a type name followed by ( or {, or naming a member: an expression.
func (p *parser) callsType() bool {
	t := p.peek()
	if isQualifier(t.Text) || t.Is("typename") || t.Is("decltype") || t.Is("unsigned") || t.Is("signed") || t.Is("auto") {
		return false
	}
	_, _, next := p.nameAt(p.i)
	after := p.toks[next]
	return after.Is("(") || after.Is("{")
}

// functionTypeFollows reports a type name followed by parameters that start with a type: a function's type, int(int).
func (p *parser) functionTypeFollows() bool {
	_, _, next := p.nameAt(p.i)
	return p.toks[next].Is("(") && p.startsType(next+1-p.i) && !p.toks[next+2].Is("(") && !p.toks[next+2].Is("{")
}

// typeID parses a type without a name.
func (p *parser) typeID() Type {
	d := p.specifiers()
	if d.base == nil {
		p.unexpected("a type")
	}
	if d.specs != (Specs{}) || d.typedef || d.kernel || d.friend {
		panic(diag.Errorf(d.at, diag.BadDeclarator, "a type takes no storage specifier"))
	}
	decl := p.declarator(true)
	if decl.name != nil {
		panic(diag.Errorf(decl.name.At, diag.BadDeclarator, "unexpected name in a type"))
	}
	return decl.wrap(d.base)
}

// declarator is the part of a declaration around and after the name.
type declarator struct {
	at    diag.Pos
	name  *Name // nil when abstract
	wrap  func(Type) Type
	attrs []Attr
	fn    *funcSuffix // the declarator is a function's
	pack  bool
	ptr   bool // has pointer operators
}

// funcSuffix is the parameter list of a function declarator and what follows it.
type funcSuffix struct {
	params []*VarDecl
	this   Quals
}

// declarator parses pointer operators, a name and suffixes. An abstract one has no name.
func (p *parser) declarator(abstract bool) declarator {
	defer p.enter()()
	d := declarator{at: p.peek().Pos}
	var ops []func(Type) Type
	for {
		t := p.peek()
		switch {
		case t.Is("*"):
			p.next()
			var q Quals
			for isQualifier(p.peek().Text) && p.peek().Kind == Word {
				q.add(p, p.next())
			}
			ops = append(ops, func(e Type) Type { return &PointerType{At: t.Pos, Elem: e, Quals: q} })
			continue
		case t.Is("&"), t.Is("&&"):
			p.next()
			ops = append(ops, func(e Type) Type { return &RefType{At: t.Pos, Elem: e, RValue: t.Text == "&&"} })
			continue
		case t.Is("..."):
			p.next()
			d.pack = true
			ops = append(ops, func(e Type) Type { return &PackType{At: t.Pos, Elem: e} })
			continue
		}
		break
	}
	inner := func(e Type) Type { return e }
	t := p.peek()
	d.ptr = len(ops) > 0
	toFunc := false // a group with a pointer operator: what follows are the parameters of what it points at
	switch {
	case t.Is("(") && (p.at(1).Is("*") || p.at(1).Is("&") || p.at(1).Is("&&")), !abstract && t.Is("(") && p.isGroupedName():
		p.next()
		g := p.declarator(abstract)
		p.want(")")
		inner, d.name, d.attrs, d.at, toFunc = g.wrap, g.name, g.attrs, g.at, g.ptr
	case t.Kind == Word && (!reserved[t.Text] || t.Text == "operator") && t.Text != "__attribute__", t.Is("~"), t.Is("::"):
		d.at = t.Pos
		d.name = p.declaredName()
	case !abstract:
		p.unexpected("a name")
	}
	d.attrs = append(d.attrs, p.attributes()...)
	var lens []Expr
	var at []diag.Pos
	for p.is("[") && !p.at(1).Is("[") {
		at = append(at, p.next().Pos)
		var n Expr
		if !p.is("]") {
			n = p.unbracketed(p.cond)
		}
		p.want("]")
		lens = append(lens, n)
	}
	var params []*VarDecl
	paramsAt := p.peek().Pos
	isFunc := false
	switch {
	case len(lens) > 0:
		d.attrs = append(d.attrs, p.attributes()...)
	case p.is("(") && toFunc:
		isFunc, params = true, p.funcSuffix().params
	case p.is("(") && p.functionFollows(d.name):
		d.fn = p.funcSuffix()
	}
	d.wrap = func(e Type) Type {
		for _, op := range ops {
			e = op(e)
		}
		if isFunc {
			e = &FuncType{At: paramsAt, Ret: e, Params: params}
		}
		for i := len(lens) - 1; i >= 0; i-- {
			e = &ArrayType{At: at[i], Elem: e, Len: lens[i]}
		}
		return inner(e)
	}
	return d
}

// isGroupedName reports ( NAME ): a name in parentheses of its own.
func (p *parser) isGroupedName() bool {
	t := p.at(1)
	return t.Kind == Word && !reserved[t.Text] && p.at(2).Is(")")
}

// functionFollows reports whether the ( after a declared name opens parameters rather than an initialiser.
func (p *parser) functionFollows(name *Name) bool {
	if name == nil {
		return false
	}
	if strings.HasPrefix(name.Last().Ident, "operator") || name.Last().Ident[0] == '~' {
		return true
	}
	if p.local > 0 {
		return p.at(1).Is(")")
	}
	return p.at(1).Is(")") || p.at(1).Is("...") || p.at(1).Is("[") || p.startsType(1)
}

// funcSuffix parses (parameters) and the qualifiers after it.
func (p *parser) funcSuffix() *funcSuffix {
	f := &funcSuffix{params: p.parameters()}
	for {
		t := p.peek()
		switch {
		case t.Kind == Word && isQualifier(t.Text):
			f.this.add(p, p.next())
		case t.Is("noexcept"), t.Is("override"), t.Is("final"):
			p.next()
		default:
			return f
		}
	}
}

// parameters parses (parameters).
func (p *parser) parameters() []*VarDecl {
	p.want("(")
	save := p.noGreater
	p.noGreater = 0
	defer func() { p.noGreater = save }()
	var out []*VarDecl
	if p.is("void") && p.at(1).Is(")") {
		p.next()
	}
	for !p.is(")") {
		if p.is("...") {
			panic(diag.Errorf(p.peek().Pos, diag.BadDeclarator, "MSL has no functions of a variable number of arguments"))
		}
		out = append(out, p.parameter())
		if !p.got(",") {
			break
		}
	}
	p.want(")")
	return out
}

func (p *parser) parameter() *VarDecl {
	d := p.specifiers()
	if d.base == nil {
		p.unexpected("a type")
	}
	if d.specs != (Specs{}) || d.typedef || d.kernel || d.friend {
		panic(diag.Errorf(d.at, diag.BadDeclarator, "a parameter takes no storage specifier"))
	}
	decl := p.declarator(true)
	v := &VarDecl{At: decl.at, Type: decl.wrap(d.base), Specs: d.specs, Attrs: append(d.attrs, decl.attrs...)}
	if decl.name != nil {
		v.Name = decl.name.Simple()
		if v.Name == "" {
			panic(diag.Errorf(decl.name.At, diag.BadDeclarator, "a parameter's name cannot be qualified"))
		}
	}
	if p.got("=") {
		v.Kind, v.Init = InitAssign, p.initClause()
	}
	return v
}

// declaredName parses the name in a declarator: possibly qualified, an operator's, or a destructor's.
func (p *parser) declaredName() *Name {
	n := &Name{At: p.peek().Pos, Global: p.got("::")}
	for {
		t := p.next()
		part := NamePart{At: t.Pos, Ident: t.Text}
		switch {
		case t.Is("~"):
			part.Ident = "~" + p.ident("a class name").Text
		case t.Is("operator"):
			part.Ident = p.operatorName()
		case t.Kind != Word || reserved[t.Text]:
			p.i--
			p.unexpected("a name")
		}
		if p.is("<") {
			part.HasArgs, part.Args = true, p.templateArgs()
		}
		n.Parts = append(n.Parts, part)
		if !p.got("::") {
			return n
		}
	}
}

// operatorName parses what follows the word operator, but for a conversion's type.
func (p *parser) operatorName() string {
	t := p.next()
	switch {
	case t.Is("(") && p.is(")"), t.Is("[") && p.is("]"):
		return "operator" + t.Text + p.next().Text
	case t.Kind == Punct && strings.Contains(" + - * / % ^ & | ~ ! = < > += -= *= /= %= ^= &= |= << >> <<= >>= == != <= >= && || ++ -- , -> ", " "+t.Text+" "):
		return "operator" + t.Text
	}
	p.i--
	p.unexpected("an operator")
	return ""
}
