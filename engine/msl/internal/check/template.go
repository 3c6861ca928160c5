package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

type (
	// funcTemplate is a function template.
	funcTemplate struct {
		decl      *syntax.FuncDecl
		params    []syntax.TemplateParam
		scope     *scope
		class     *types.Struct // of a member template
		contract  bool
		instances map[string]*function
		special   map[string]*syntax.FuncDecl // full specialisations
		broken    map[string]bool             // arguments that give no signature
		lambda    *funcState                  // of a generic lambda's operator(): the function around it
	}

	// classTemplate is a struct template.
	classTemplate struct {
		name      string
		decl      *syntax.StructDecl // nil if only declared
		params    []syntax.TemplateParam
		scope     *scope
		instances map[string]*types.Struct
		special   map[string]*syntax.StructDecl
		partial   []*partialClass
	}

	// partialClass is a partial specialisation.
	partialClass struct {
		specialisation
		decl *syntax.StructDecl
	}

	// aliasTemplate is template <...> using Name = Type.
	aliasTemplate struct {
		decl   *syntax.AliasDecl
		params []syntax.TemplateParam
		scope  *scope
	}

	// varTemplate is a variable template.
	varTemplate struct {
		decl      *syntax.VarDecl
		params    []syntax.TemplateParam
		scope     *scope
		instances map[string]*Var
		partial   []*partialVar // specialisations, full ones without parameters
	}

	// partialVar is a specialisation of a variable template.
	partialVar struct {
		specialisation
		decl *syntax.VarDecl
	}

	// specialisation is the head of a specialisation: its own parameters, and the arguments it stands for.
	specialisation struct {
		params []syntax.TemplateParam
		args   []syntax.TemplateArg
		scope  *scope
	}
)

// weight orders templates that fit equally well: the more of the parameters' types is spelled out, the better.
func (t *funcTemplate) weight() int {
	w := newWeigher(t.params)
	n := 0
	for _, p := range t.decl.Params {
		n += w.typ(p.Type)
	}
	for _, p := range t.params {
		if p.Pack {
			n -= 100
		}
	}
	return n
}

// weigher counts what a type spells out beyond the template parameters it names.
type weigher map[string]bool

func newWeigher(params []syntax.TemplateParam) weigher {
	w := weigher{}
	for _, p := range params {
		w[p.Name] = true
	}
	return w
}

func (w weigher) typ(t syntax.Type) int {
	switch t := t.(type) {
	case *syntax.PointerType:
		return 1 + w.typ(t.Elem)
	case *syntax.ArrayType:
		return 1 + w.typ(t.Elem) + w.value(t.Len)
	case *syntax.RefType:
		return w.typ(t.Elem)
	case *syntax.NamedType:
		n := 0
		if !w[t.Name.Simple()] {
			n++
		}
		if t.Quals.Const {
			n++
		}
		for _, p := range t.Name.Parts {
			for _, a := range p.Args {
				n += w.arg(a)
			}
		}
		return n
	}
	return 0
}

func (w weigher) arg(a syntax.TemplateArg) int {
	if a.Type != nil {
		return 1 + w.typ(a.Type)
	}
	return 1 + w.value(a.X)
}

func (w weigher) value(x syntax.Expr) int {
	if id, ok := x.(*syntax.Ident); ok && w[id.Name.Simple()] {
		return 0
	}
	return 1
}

// templateDecl declares a template or a specialisation.
func (c *checker) templateDecl(d *syntax.TemplateDecl) {
	special := len(d.Params) == 0
	switch x := d.Decl.(type) {
	case *syntax.FuncDecl:
		if x.Stage != "" {
			c.errorf(x.At, diag.NotCompute, "%s functions are not supported: this is a compute front end", x.Stage)
			return
		}
		if special {
			c.specialFunction(x)
			return
		}
		c.funcTemplate(d, x)
	case *syntax.StructDecl:
		c.classTemplate(d, x)
	case *syntax.AliasDecl:
		c.declare(x.At, x.Name, &aliasTemplate{x, d.Params, c.scope})
	case *syntax.VarDecl:
		if x.Part != nil {
			c.specialVar(d, x)
			return
		}
		if special {
			c.errorf(x.At, diag.Specialisation, "a specialised variable needs template arguments")
			return
		}
		c.declare(x.At, x.Name, &varTemplate{decl: x, params: d.Params, scope: c.scope, instances: map[string]*Var{}})
	default:
		c.errorf(d.At, diag.Specialisation, "this template is not supported")
	}
}

func (c *checker) funcTemplate(d *syntax.TemplateDecl, fd *syntax.FuncDecl) {
	if len(fd.Name.Parts) > 1 {
		c.errorf(fd.At, diag.Specialisation, "member templates defined outside of their struct are not supported")
		return
	}
	t := c.newTemplate(d, fd)
	name := fd.Name.Last().Ident
	set, ok := c.declared(name)
	if !ok {
		if c.scope.names[name] != nil && !c.isLibrary(c.scope.names[name]) {
			c.errorf(fd.At, diag.Redeclared, "%q is declared already in this scope, and not as a function", name)
			return
		}
		set = &overloads{}
		c.scope.names[name] = merge(c.scope.names[name], set)
	}
	for _, old := range set.templates {
		if old.decl.Body == nil && fd.Body != nil && sameTemplate(old, t) {
			c.defineTemplate(old, t)
			return
		}
	}
	set.templates = append(set.templates, t)
}

// defineTemplate gives a template that was only declared its body, and its instances too.
func (c *checker) defineTemplate(old, t *funcTemplate) {
	for i := range t.params { // defaults may stand on the declaration
		if t.params[i].DefType == nil && t.params[i].DefValue == nil {
			t.params[i].DefType, t.params[i].DefValue = old.params[i].DefType, old.params[i].DefValue
		}
	}
	old.decl, old.params = t.decl, t.params
	for _, f := range old.instances {
		if f.hasBody {
			continue
		}
		fresh := c.newInstance(old, f.args)
		if fresh == nil {
			continue
		}
		fresh.f.ensure = f.f.ensure
		used := f.f.ensure != nil
		to := f.f
		*to = *fresh.f
		fresh.f = to
		*f = *fresh
		if used {
			c.queue = append(c.queue, f)
		}
	}
}

// newTemplate makes a function template that belongs to the current scope.
func (c *checker) newTemplate(d *syntax.TemplateDecl, fd *syntax.FuncDecl) *funcTemplate {
	return &funcTemplate{decl: fd, params: d.Params, scope: c.scope, class: c.scope.class, contract: c.contractOff,
		instances: map[string]*function{}, special: map[string]*syntax.FuncDecl{}, broken: map[string]bool{}}
}

// sameTemplate compares two declarations by their text.
func sameTemplate(a, b *funcTemplate) bool {
	if len(a.params) != len(b.params) || len(a.decl.Params) != len(b.decl.Params) {
		return false
	}
	for i := range a.decl.Params {
		if syntax.TypeString(a.decl.Params[i].Type) != syntax.TypeString(b.decl.Params[i].Type) {
			return false
		}
	}
	return true
}

func (c *checker) templateArg(a syntax.TemplateArg) (templateArg, bool) {
	if a.Type != nil {
		if n, ok := a.Type.(*syntax.NamedType); ok && n.Name.Simple() != "" && !n.Name.Last().HasArgs && n.Key == "" {
			switch e := c.scope.lookup(n.Name.Simple()).(type) {
			case *classTemplate, *aliasTemplate:
				return templateArg{tmpl: e}, true
			}
		}
		q := c.resolve(a.Type)
		if q.auto || types.IsInvalid(q.typ) {
			return templateArg{}, false
		}
		return templateArg{typ: &q}, true
	}
	if id, ok := a.X.(*syntax.Ident); ok { // a type that the parser did not know, a function or a template
		if e, found := c.find(id.Name); found {
			if set, _ := functionsOf(e); set != nil {
				arg := templateArg{name: &functionArg{set: set}}
				if part := id.Name.Last(); part.HasArgs {
					if arg.name.written = c.templateArgs(part.Args); arg.name.written == nil {
						return templateArg{}, false
					}
				}
				return arg, true
			}
			switch e.(type) {
			case *classTemplate, *libraryType, *aliasTemplate:
				if _, isConst := c.libraryConstant(id.Name); !isConst && !id.Name.Last().HasArgs {
					return templateArg{tmpl: e}, true
				}
			}
			switch e.(type) {
			case *typeName, *classTemplate, *libraryType, *aliasTemplate:
				if x, isConst := c.libraryConstant(id.Name); isConst {
					v, ok := c.constant(x)
					return templateArg{value: v}, ok
				}
				q, ok := c.typeOfEntity(e, id.Name.Last())
				return templateArg{typ: &q}, ok
			}
		}
	}
	v, ok := c.constant(c.rvalue(c.expr(a.X)))
	if ok && (v.Elems != nil || types.ScalarOf(v.Type) == nil) {
		c.errorf(a.X.Pos(), diag.BadTemplateArgs, "a template argument cannot be of type %s", v.Type)
		return templateArg{}, false
	}
	return templateArg{value: v}, ok
}

// count limits the number of instances.
func (c *checker) count(at diag.Pos) {
	if c.instances++; c.instances > maxInstances {
		c.fatalf(at, diag.TooManyInstances, "more than %d template instances", maxInstances)
	}
}

// deeper counts how deep templates instantiate each other; the caller defers the result.
func (c *checker) deeper(at diag.Pos) func() {
	if c.depth++; c.depth > maxInstanceDepth {
		c.fatalf(at, diag.TooManyInstances, "templates instantiate each other more than %d deep", maxInstanceDepth)
	}
	return func() { c.depth-- }
}

// quietly runs f and drops what it reports. It returns whether f reported nothing.
func (c *checker) quietly(f func()) bool {
	outer, quiet := c.sink, newSink()
	c.sink = quiet
	defer func() { c.sink = outer }()
	ok := true
	func() {
		defer func() {
			if r := recover(); r != nil {
				if _, many := r.(tooMany); !many || c.fatal != nil || len(c.base.errs) >= maxErrors {
					panic(r)
				}
				ok = false
			}
		}()
		f()
	}()
	return ok && len(quiet.errs) == 0
}

// instance makes the instance of a function template for complete arguments; nil if they give no signature.
func (c *checker) instance(t *funcTemplate, args []templateArg) *function {
	key := argsKey(args)
	if f := t.instances[key]; f != nil {
		return f
	}
	if t.broken[key] {
		return nil
	}
	f := c.newInstance(t, args)
	if f == nil {
		t.broken[key] = true
		return nil
	}
	t.instances[key] = f
	return f
}

// newInstance works out the signature of an instance; nil if the arguments give none.
func (c *checker) newInstance(t *funcTemplate, args []templateArg) *function {
	key := argsKey(args)
	c.count(t.decl.At)
	defer c.deeper(t.decl.At)()
	decl := t.decl
	outer := t.scope
	if s := t.special[key]; s != nil {
		decl = s
	}
	var f *function
	contract, fn := c.contractOff, c.fn
	c.contractOff, c.fn = t.contract, t.lambda
	ok := c.quietly(func() {
		c.in(c.bindParams(outer, t.params, args), func() {
			bodyless := *decl // a signature that fails must not check the body
			bodyless.Body = nil
			if _, auto := decl.Ret.(*syntax.AutoType); auto {
				bodyless.Body = decl.Body
			}
			f = c.signature(&bodyless, t.class)
		})
	})
	c.contractOff, c.fn = contract, fn
	if !ok || f == nil {
		return nil
	}
	f.args = args
	f.decl, f.hasBody, f.fromPrimary, f.lambda = decl, decl.Body != nil, true, t.lambda
	f.f.Lambda = t.lambda != nil
	f.f.Name = t.scope.path + decl.Name.Last().Ident + argsString(args)
	if decl.Body == nil {
		f.fromPrimary = false
	}
	return f
}

// specialFunction registers template <> of a function.
func (c *checker) specialFunction(d *syntax.FuncDecl) {
	e, ok := c.find(d.Name)
	if !ok {
		return
	}
	set, _ := functionsOf(e)
	if len(d.Name.Parts) > 1 && set != nil && c.specialMember(d, set) {
		return
	}
	if set != nil {
		f := c.signature(stripped(d), c.scope.class)
		if f == nil {
			return
		}
		for _, t := range set.templates {
			args := c.matchSignature(t, d.Name.Last(), f)
			if args == nil {
				continue
			}
			key := argsKey(args)
			if t.special[key] != nil || t.instances[key] != nil && t.instances[key].checked {
				c.errorf(d.At, diag.Redeclared, "%q is specialised or used already with these arguments", nameString(d.Name))
				return
			}
			delete(t.instances, key)
			t.special[key] = d
			return
		}
	}
	c.errorf(d.At, diag.NoMatch, "no function template %q fits this specialisation", nameString(d.Name))
}

// specialMember gives a member function of one instance of a struct template another body; false if d names no such
// function.
func (c *checker) specialMember(d *syntax.FuncDecl, set *overloads) bool {
	s := c.scopeOf(d.Name)
	if s == nil || s.class == nil || d.Name.Last().HasArgs {
		return false
	}
	var f *function
	c.in(s, func() { f = c.signature(stripped(d), s.class) })
	if f == nil {
		return true
	}
	for _, old := range set.funcs {
		if !sameParams(old, f) || old.class != s.class {
			continue
		}
		if old.checked || old.checking {
			c.errorf(d.At, diag.Redeclared, "%q is specialised or used already with these arguments", nameString(d.Name))
			return true
		}
		for i, p := range old.f.Params { // the body names the parameters as this declaration does
			p.Name = f.f.Params[i].Name
		}
		if d.Body != nil {
			old.decl, old.hasBody, old.special = d, true, true
			c.queue = append(c.queue, old)
		}
		return true
	}
	return false
}

// stripped is a declaration without its body and template arguments, to work out what it declares.
func stripped(d *syntax.FuncDecl) *syntax.FuncDecl {
	u := *d
	u.Body = nil
	u.Kernel = false
	u.Attrs = nil
	part := d.Name.Parts[len(d.Name.Parts)-1]
	part.HasArgs, part.Args = false, nil
	u.Name = &syntax.Name{At: d.Name.At, Parts: []syntax.NamePart{part}}
	return &u
}

// matchSignature returns the arguments with which t has the signature of f, nil if there are none.
func (c *checker) matchSignature(t *funcTemplate, part *syntax.NamePart, f *function) []templateArg {
	args := make([]Expr, 0, len(f.f.Params))
	for _, p := range f.params() {
		n := node{at: p.Pos, typ: p.Type}
		if p.Ref {
			n.lval, n.place = true, Place{p.Space, p.Const}
		}
		args = append(args, &bad{n})
	}
	var written *syntax.NamePart
	if part.HasArgs {
		written = part
	}
	bound := c.deduce(t, written, args)
	if bound == nil {
		return nil
	}
	g := c.instance(t, bound)
	if g == nil || !sameParams(g, f) || !types.Identical(orInvalid(g.f.Ret), orInvalid(f.f.Ret)) && !g.autoRet {
		return nil
	}
	return bound
}
