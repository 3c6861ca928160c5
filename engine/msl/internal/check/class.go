package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// class is what a struct type does not say: members that are no data.
type class struct {
	typ           *types.Struct
	scope         *scope
	ctors         overloads
	elsewhere     overloads // constructors of objects in other address spaces
	convs         []*function
	convTemplates []*funcTemplate
	defaults      map[int]syntax.Expr // initialisers of fields
	anon          []anonymousField
	lazy          []*function  // members of an instance, checked when they are used
	busy          map[int]bool // fields whose initialiser is being worked out
	template      *classTemplate
	args          []templateArg
}

// anonymousField is a field of an anonymous member, reached as if it were a field of the class.
type anonymousField struct{ steps []int }

// anonymousBase numbers the fields of anonymous members after all real ones.
const anonymousBase = 1 << 20

// path returns the fields to follow to member i.
func (cl *class) path(i int) []int {
	if i >= anonymousBase {
		return cl.anon[i-anonymousBase].steps
	}
	return []int{i}
}

func (cl *class) hasDefaults() bool { return len(cl.defaults) > 0 }

func (c *checker) classOf(t *types.Struct) *class {
	cl := c.classes[t]
	if cl == nil {
		cl = &class{typ: t, scope: newScope(c.global), defaults: map[int]syntax.Expr{}}
		cl.scope.class = t
		c.classes[t] = cl
	}
	return cl
}

// structDecl declares a struct that is no template.
func (c *checker) structDecl(d *syntax.StructDecl) {
	name := d.Name.Last().Ident
	if len(d.Name.Parts) > 1 || d.Name.Last().HasArgs {
		c.errorf(d.At, diag.BadVariable, "a struct is defined in the scope it belongs to")
		return
	}
	var t *types.Struct
	if old, ok := c.scope.names[name].(*typeName); ok {
		t, _ = old.q.typ.(*types.Struct)
	}
	if t == nil {
		t = &types.Struct{Name: c.scope.path + name, Union: d.Key == "union"}
		c.declare(d.At, name, &typeName{qual{typ: t}})
	}
	if d.Forward {
		return
	}
	if t.IsComplete() || c.classes[t] != nil {
		c.errorf(d.At, diag.Redeclared, "struct %q is defined already", name)
		return
	}
	cl := c.classOf(t)
	c.classBody(cl, d)
}

// classBody checks the members of a struct. Bodies of member functions are checked when the outermost struct is done.
func (c *checker) classBody(cl *class, d *syntax.StructDecl) {
	t := cl.typ
	for i := range d.Attrs {
		switch a := &d.Attrs[i]; a.Name {
		case "packed":
			t.Packed = true
		case "alignas", "aligned":
			t.AlignAs = max(t.AlignAs, c.alignment(a))
		case "maybe_unused", "unused":
		default:
			c.errorf(a.At, diag.UnknownAttribute, "unknown attribute %q of a struct", a.Name)
		}
	}
	cl.scope.outer = c.scope
	cl.scope.path = t.Name + "::"
	cl.scope.block = c.scope.block
	fields := c.bases(cl, d)
	var bodies []*function
	c.in(cl.scope, func() {
		for _, m := range d.Members {
			switch m := m.(type) {
			case *syntax.VarDecl:
				if m.Specs.Static {
					if v := c.globalOf(m, cl.scope.path+m.Name); v != nil {
						c.declare(m.At, m.Name, v)
					}
					continue
				}
				fields = c.fieldDecl(cl, fields, m)
			case *syntax.FuncDecl:
				if f := c.memberFunction(cl, m); f != nil {
					bodies = append(bodies, f)
				}
			case *syntax.TemplateDecl:
				if fd, ok := m.Decl.(*syntax.FuncDecl); ok && fd.Ctor && !inThread(fd) {
					cl.elsewhere.templates = append(cl.elsewhere.templates, c.newTemplate(m, fd))
					continue
				} else if ok && fd.Ctor {
					cl.ctors.templates = append(cl.ctors.templates, c.newTemplate(m, fd))
					continue
				} else if ok && fd.Conv != nil {
					cl.convTemplates = append(cl.convTemplates, c.newTemplate(m, fd))
					continue
				}
				c.decl(m)
			default:
				c.decl(m)
			}
		}
	})
	bodies = append(bodies, cl.otherSpaces()...)
	t.Complete(fields)
	if c.scope.lazy {
		for _, f := range bodies {
			f.fromPrimary = true
		}
		cl.lazy, bodies = bodies, nil
	}
	c.queue = append(c.queue, bodies...)
	if c.scope.block && c.scope.class == nil {
		c.drain()
	}
}

// alignment is the argument of alignas or aligned: a power of two of at most 1024 bytes; 0 after a mistake.
func (c *checker) alignment(a *syntax.Attr) int {
	n, ok := c.attrInt(a, 1025)
	if ok && (n == 0 || n&(n-1) != 0) {
		c.errorf(a.At, diag.BadAttributeArg, "attribute %q got %d, want a power of two up to 1024", a.Name, n)
		return 0
	}
	return n
}

func (c *checker) fieldDecl(cl *class, fields []types.Field, m *syntax.VarDecl) []types.Field {
	q := c.resolve(m.Type)
	align := 0
	for i := range m.Attrs {
		switch a := &m.Attrs[i]; a.Name {
		case "alignas", "aligned":
			align = max(align, c.alignment(a))
		case "maybe_unused":
		default:
			c.errorf(a.At, diag.UnknownAttribute, "attribute %q of a field is not supported", a.Name)
		}
	}
	if types.IsInvalid(q.typ) && !q.auto {
		return fields
	}
	_, isFunc := q.typ.(*types.Func)
	switch {
	case q.auto || q.unsized || types.IsVoid(q.typ) || isFunc:
		c.errorf(m.At, diag.BadField, "field %q cannot have this type", m.Name)
		return fields
	case q.ref:
		c.errorf(m.At, diag.BadField, "field %q is a reference: references in structs are not supported", m.Name)
		return fields
	case q.hasSpace && q.space != types.Thread:
		c.errorf(m.At, diag.BadSpace, "field %q cannot be in an address space of its own", m.Name)
		return fields
	case !c.complete(m.At, q.typ):
		return fields
	}
	i := len(fields)
	fields = append(fields, types.Field{Name: m.Name, Type: q.typ, Const: q.isConst, Align: align})
	if m.Name == "" {
		c.anonymousMember(cl, m, i, q.typ)
		return fields
	}
	c.declare(m.At, m.Name, &fieldName{cl.typ, i})
	if m.Kind == syntax.InitAssign || m.Kind == syntax.InitBrace {
		cl.defaults[i] = m.Init
	}
	return fields
}

// anonymousMember makes the fields of an anonymous struct or union members of the class around it.
func (c *checker) anonymousMember(cl *class, m *syntax.VarDecl, i int, t types.Type) {
	s, ok := t.(*types.Struct)
	if !ok {
		c.errorf(m.At, diag.BadField, "declaration declares nothing")
		return
	}
	inner := c.classOf(s)
	for name, e := range inner.scope.names {
		f, ok := e.(*fieldName)
		if !ok {
			continue
		}
		cl.anon = append(cl.anon, anonymousField{append([]int{i}, inner.path(f.index)...)})
		c.declare(m.At, name, &fieldName{cl.typ, anonymousBase + len(cl.anon) - 1})
	}
}

// memberFunction declares a member function, constructor or conversion; it returns one whose body is due.
func (c *checker) memberFunction(cl *class, d *syntax.FuncDecl) *function {
	if d.Dtor {
		c.errorf(d.At, diag.Destructor, "destructors are not part of MSL")
		return nil
	}
	if d.Defaulted && (d.Ctor && len(d.Params) == 0 || d.Name.Last().Ident == "operator=" || d.Ctor) {
		return nil
	}
	f := c.signature(d, cl.typ)
	if f == nil {
		return nil
	}
	switch {
	case f.ctor && !inThread(d):
		cl.elsewhere.funcs = append(cl.elsewhere.funcs, f)
		return nil
	case f.ctor:
		if len(f.f.Params) == 1 && f.f.Params[0].Ref && types.Identical(f.f.Params[0].Type, cl.typ) {
			return nil // copying is what it always is
		}
		cl.ctors.funcs = append(cl.ctors.funcs, f)
	case f.conv:
		cl.convs = append(cl.convs, f)
	default:
		f = c.addFunction(d.At, d.Name.Last().Ident, f)
	}
	if f == nil || d.Body == nil {
		return nil
	}
	return f
}

// otherSpaces adds the constructors of objects in other address spaces that have no like among those of thread objects. It
// returns those with a body: an object in another address space is made in thread memory and copied.
func (cl *class) otherSpaces() []*function {
	var bodies []*function
	for _, f := range cl.elsewhere.funcs {
		fresh := true
		for _, old := range cl.ctors.funcs {
			fresh = fresh && !sameParams(old, f)
		}
		if fresh {
			cl.ctors.funcs = append(cl.ctors.funcs, f)
			if f.decl.Body != nil {
				bodies = append(bodies, f)
			}
		}
	}
	for _, t := range cl.elsewhere.templates {
		fresh := true
		for _, old := range cl.ctors.templates {
			fresh = fresh && !sameTemplate(old, t)
		}
		if fresh {
			cl.ctors.templates = append(cl.ctors.templates, t)
		}
	}
	return bodies
}

// inThread reports a constructor of thread objects.
func inThread(d *syntax.FuncDecl) bool { return d.This.Space == "" || d.This.Space == "thread" }

// memberDefinition checks a member function defined outside of its struct.
func (c *checker) memberDefinition(d *syntax.FuncDecl) {
	s := c.scopeOf(d.Name)
	if s == nil {
		return
	}
	name := d.Name.Last().Ident
	if s.class == nil {
		c.in(s, func() {
			inner := *d
			inner.Name = &syntax.Name{At: d.Name.At, Parts: d.Name.Parts[len(d.Name.Parts)-1:]}
			c.funcDecl(&inner)
		})
		return
	}
	set, _ := s.names[name].(*overloads)
	var due *function
	c.in(s, func() {
		static := *d // static is written inside the struct only
		static.Specs.Static = true
		for _, form := range []*syntax.FuncDecl{d, &static} {
			f := c.signature(form, s.class)
			if f == nil {
				return
			}
			if set == nil {
				break
			}
			for _, old := range set.funcs {
				if sameParams(old, f) {
					due = c.addFunction(d.At, name, f)
					return
				}
			}
		}
		c.errorf(d.At, diag.NoSuchMember, "%s has no member function %q with these parameters", s.class, name)
	})
	if due != nil && d.Body != nil {
		c.body(due)
	}
}

// fieldDefault is the initialiser of field i, nil for none.
func (c *checker) fieldDefault(at diag.Pos, t *types.Struct, i int) Expr {
	cl := c.classOf(t)
	def := cl.defaults[i]
	if def == nil {
		return c.defaultInit(at, t.Fields[i].Type)
	}
	if cl.busy[i] {
		c.errorf(at, diag.BadInit, "the initialiser of field %q needs itself", t.Fields[i].Name)
		return c.bad(at)
	}
	if cl.busy == nil {
		cl.busy = map[int]bool{}
	}
	cl.busy[i] = true
	defer delete(cl.busy, i)
	var x Expr
	c.in(cl.scope, func() { x = c.initFrom(def, t.Fields[i].Type, false) })
	return x
}

// constructorBody makes the body of a constructor: it makes the object, initialises the fields in order, runs the
// body with this bound to the object, and returns it.
func (c *checker) constructorBody(f *function) *Block {
	t, d := f.class, f.decl
	self := &Var{Name: "self", Type: t, Pos: d.At, FunctionConstant: -1}
	this := &Var{Name: "this", Type: t, Ref: true, Pos: d.At, FunctionConstant: -1, Init: varRef(d.At, self)}
	c.fn.self, c.fn.this = self, this
	out := &Block{At: d.At, Stmts: []Stmt{&Decl{d.At, []*Var{self}}, &Decl{d.At, []*Var{this}}}}
	for i, x := range c.memberInits(f) {
		if x == nil || isBad(x) {
			continue
		}
		at := x.Pos()
		place := &Member{node{at: at, typ: t.Fields[i].Type, lval: true}, varRef(at, self), i}
		out.Stmts = append(out.Stmts, &ExprStmt{at, &Assign{node{at: at, typ: t.Fields[i].Type}, place, x}})
	}
	if d.Body != nil {
		f.f.ContractOff = c.leadingContract(d.Body)
		c.stmts(d.Body.Stmts, &out.Stmts)
	}
	out.Stmts = append(out.Stmts, &Return{d.At, c.rvalue(varRef(d.At, self))})
	return out
}

// memberInits returns the initial value of each field, nil for none.
func (c *checker) memberInits(f *function) []Expr {
	t := f.class
	inits := make([]Expr, len(t.Fields)) // bases are fields too
	given := map[int]bool{}
	for _, m := range f.decl.Inits {
		i := t.Field(m.Name)
		if i < 0 || m.Type != nil {
			i = c.baseNamed(t, &m)
		}
		if i < 0 {
			c.errorf(m.At, diag.NoSuchMember, "%s has no field %q to initialise", t, m.Name)
			continue
		}
		if given[i] {
			c.errorf(m.At, diag.Redeclared, "field %q is initialised twice", m.Name)
			continue
		}
		given[i] = true
		if _, isArray := t.Fields[i].Type.(*types.Array); isArray || m.Brace {
			inits[i] = c.initFrom(&syntax.InitList{At: m.At, Elems: m.Args}, t.Fields[i].Type, true)
		} else {
			inits[i] = c.constructArgs(m.At, t.Fields[i].Type, c.expandArgs(m.Args), false)
		}
	}
	for i := range t.Fields {
		if !given[i] {
			inits[i] = c.fieldDefault(f.decl.At, t, i)
		}
	}
	return inits
}

// constructStruct is T(args) of a struct.
func (c *checker) constructStruct(at diag.Pos, t *types.Struct, args []syntax.Expr, brace bool) Expr {
	if !c.complete(at, t) {
		return c.bad(at)
	}
	if len(args) == 0 && c.classOf(t).ctors.none() {
		return c.initStruct(&syntax.InitList{At: at}, t)
	}
	vals := make([]Expr, len(args))
	for i, a := range args {
		if list, ok := a.(*syntax.InitList); ok && len(args) == 1 && c.classOf(t).ctors.none() {
			return c.initStruct(list, t)
		}
		vals[i] = c.expr(a)
		if isBad(vals[i]) {
			return c.bad(at)
		}
	}
	return c.constructValues(at, t, vals)
}

func (c *checker) constructValues(at diag.Pos, t *types.Struct, vals []Expr) Expr {
	if len(vals) == 1 && types.Identical(vals[0].Type(), t) {
		return c.rvalue(vals[0])
	}
	if len(vals) == 1 && derives(vals[0].Type(), t) {
		return c.rvalue(baseOf(vals[0], t))
	}
	cl := c.classOf(t)
	if cl.ctors.none() {
		if len(vals) == 1 {
			if f := c.conversionFunction(vals[0], t); f != nil {
				return c.callTo(at, f, vals[0], nil)
			}
		}
		c.errorf(at, diag.BadInit, "%s has no constructor; it is initialised with a list in braces", t)
		return c.bad(at)
	}
	f := c.pick(at, t.Name, &cl.ctors, vals)
	if f == nil {
		return c.bad(at)
	}
	return c.callTo(at, f, nil, vals)
}

// convertingConstructor finds the constructor of to that takes x alone, for an implicit conversion; nil if there is no
// single best one.
func (c *checker) convertingConstructor(x Expr, to types.Type) *function {
	t, ok := to.(*types.Struct)
	if !ok || !t.IsComplete() || types.Identical(x.Type(), to) {
		return nil
	}
	var best *function
	bestRank := rankUser
	ctors := c.classOf(t).ctors
	all := append([]*function(nil), ctors.funcs...)
	for _, tmpl := range ctors.templates {
		if f := c.deduceCall(tmpl, nil, []Expr{x}); f != nil {
			all = append(all, f)
		}
	}
	for _, f := range all {
		if f.explicit || f.deleted || f.least() > 1 || len(f.params()) < 1 {
			continue
		}
		p := f.params()[0]
		if isStructType(p.Type) && !types.Identical(x.Type(), p.Type) {
			continue
		}
		switch r := c.argRank(x, p); {
		case r < bestRank:
			best, bestRank = f, r
		case r == bestRank && r != rankUser:
			best = nil
		}
	}
	return best
}

// conversions are the conversion functions of a struct and its bases.
func (c *checker) conversions(s *types.Struct) []*function {
	all := c.classOf(s).convs
	for i := range s.Fields {
		if !s.Fields[i].Base {
			break
		}
		all = append(all[:len(all):len(all)], c.conversions(s.Fields[i].Type.(*types.Struct))...)
	}
	return all
}

// conversionFunction finds the conversion of the struct x that gives to, or something that converts to it.
func (c *checker) conversionFunction(x Expr, to types.Type) *function {
	s, ok := x.Type().(*types.Struct)
	if !ok {
		return nil
	}
	var best *function
	bestRank := rankUser
	all := append([]*function(nil), c.conversions(s)...)
	for _, t := range c.classOf(s).convTemplates {
		if f := c.deduceConversion(t, to); f != nil {
			all = append(all, f)
		}
	}
	for _, f := range all {
		if c.thisRank(x, f.f.Params[0]) == rankNone || f.explicit && !types.Identical(f.f.Ret, to) {
			continue
		}
		if r := rankTypes(f.f.Ret, to); r < bestRank {
			best, bestRank = f, r
		}
	}
	return best
}
