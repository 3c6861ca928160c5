package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// scoped is an expression looked up in a scope other than the current one: an element of an expanded pack.
type scoped struct {
	syntax.Expr
	scope *scope
}

// braced is an argument that is a list in braces: its type is the parameter's.
type braced struct {
	node
	list *syntax.InitList
}

// args checks arguments. ok is false if one of them is wrong.
func (c *checker) args(in []syntax.Expr) (out []Expr, ok bool) {
	ok = true
	for _, a := range c.expandArgs(in) {
		if list, isList := a.(*syntax.InitList); isList {
			out = append(out, &braced{node{at: list.At, typ: types.Null}, list})
			continue
		}
		x := c.expr(a)
		ok = ok && !isBad(x)
		if types.IsVoid(x.Type()) {
			c.errorf(x.Pos(), diag.BadOperand, "an argument cannot be void")
			ok = false
		}
		out = append(out, x)
	}
	return out, ok
}

// call checks Fun(Args).
func (c *checker) call(e *syntax.Call) Expr {
	switch f := unparen(e.Fun).(type) {
	case *syntax.Ident:
		return c.callName(e, f.Name)
	case *syntax.Member:
		if x, ok := c.callMember(e, f); ok {
			return x
		}
	}
	x := c.expr(e.Fun)
	args, ok := c.args(e.Args)
	if isBad(x) || !ok {
		return c.bad(e.At)
	}
	return c.callObject(e.At, x, args)
}

func unparen(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// callObject calls operator() of x.
func (c *checker) callObject(at diag.Pos, x Expr, args []Expr) Expr {
	if !isStruct(x) {
		c.errorf(at, diag.NotCallable, "%s is not a function", x.Type())
		return c.bad(at)
	}
	return c.operatorCall(at, "operator()", x, args, true)
}

// callName checks a call of a named function.
func (c *checker) callName(e *syntax.Call, n *syntax.Name) Expr {
	if x, ok := c.libraryConstant(n); ok {
		if len(e.Args) > 0 {
			c.errorf(e.At, diag.NoMatch, "%q takes no arguments", nameString(n))
		}
		return x
	}
	ent, ok := c.find(n)
	if !ok {
		c.args(e.Args)
		return c.bad(e.At)
	}
	var part *syntax.NamePart
	if n.Last().HasArgs {
		part = n.Last()
	}
	set, lib := functionsOf(ent)
	if t, ok := ent.(*libraryType); ok && t.name == "make_uniform" { // a hint that changes no value
		args, ok := c.args(e.Args)
		if !ok || len(args) != 1 {
			if ok {
				c.errorf(e.At, diag.NoMatch, "\"make_uniform\" got %d arguments, want 1", len(args))
			}
			return c.bad(e.At)
		}
		return c.rvalue(args[0])
	}
	if t, ok := ent.(*libraryType); ok && (t.name == "make_filled_simdgroup_matrix" || t.name == "make_diagonal_simdgroup_matrix") {
		return c.makeSimdMatrix(e, t.name, n.Last())
	}
	if set == nil && lib == nil {
		switch ent := ent.(type) {
		case *typeName, *classTemplate, *libraryType, *aliasTemplate:
			q, ok := c.typeOfEntity(ent, n.Last())
			if !ok || types.IsInvalid(q.typ) || !c.complete(e.At, q.typ) {
				c.args(e.Args)
				return c.bad(e.At)
			}
			return c.constructArgs(e.At, q.typ, c.expandArgs(e.Args), false)
		}
		x := c.entityExpr(n, ent)
		args, ok := c.args(e.Args)
		if isBad(x) || !ok {
			return c.bad(e.At)
		}
		return c.callObject(e.At, x, args)
	}
	if lib != nil && lib.id == FnIsFunctionConstantDefined {
		return c.isDefined(e)
	}
	args, ok := c.args(e.Args)
	if !ok {
		return c.bad(e.At)
	}
	var this Expr
	if c.fn != nil && c.fn.this != nil {
		this = varRef(n.At, c.fn.this)
	}
	return c.callSet(n.At, nameString(n), set, lib, part, this, args)
}

// functionsOf returns the functions that an entity stands for.
func functionsOf(e entity) (*overloads, *librarySet) {
	switch e := e.(type) {
	case *overloads:
		return e, nil
	case *librarySet:
		return nil, e
	case *mixed:
		return e.user, e.lib
	}
	return nil, nil
}

// callSet calls the best of the functions of one name; this is the object of an implicit member call.
func (c *checker) callSet(at diag.Pos, name string, set *overloads, lib *librarySet, part *syntax.NamePart, this Expr, args []Expr) Expr {
	if set == nil {
		if part != nil {
			c.errorf(at, diag.BadTemplateArgs, "%q takes no template arguments", name)
			return c.bad(at)
		}
		return c.callLibrary(at, lib, args)
	}
	cands := c.candidates(set, part, this, args)
	if lib != nil && part == nil {
		if best, r := c.libraryMatch(lib, args); best != nil {
			cands = append(cands, &candidate{lib: best, ranks: r})
		}
	}
	best := c.best(at, name, cands, set, args)
	if best == nil {
		return c.bad(at)
	}
	if best.lib != nil {
		return c.callLibrary(at, lib, args)
	}
	return c.callTo(at, best.f, this, args)
}

// callMember checks X.f(Args); ok is false if the member is no function.
func (c *checker) callMember(e *syntax.Call, m *syntax.Member) (Expr, bool) {
	x := c.object(m)
	if isBad(x) {
		c.args(e.Args)
		return x, true
	}
	if t, ok := x.Type().(*types.SimdMatrix); ok && m.Part.Ident == "thread_elements" {
		return c.threadElements(m.At, x, t, e.Args), true
	}
	s, ok := x.Type().(*types.Struct)
	if !ok {
		return nil, false
	}
	if !c.complete(m.At, s) {
		return c.bad(m.At), true
	}
	if m.Conv != nil {
		return c.callConversion(e, m, x, s), true
	}
	set, _ := c.classOf(s).scope.local(m.Part.Ident).(*overloads)
	if set == nil {
		return nil, false
	}
	args, ok := c.args(e.Args)
	if !ok {
		return c.bad(e.At), true
	}
	var part *syntax.NamePart
	if m.Part.HasArgs {
		part = &m.Part
	}
	return c.callSet(m.Part.At, m.Part.Ident, set, nil, part, x, args), true
}

// callConversion checks X.operator Type().
func (c *checker) callConversion(e *syntax.Call, m *syntax.Member, x Expr, s *types.Struct) Expr {
	to := c.valueType(m.Conv)
	if types.IsInvalid(to) {
		return c.bad(m.At)
	}
	if f := c.conversionFunction(x, to); f != nil && types.Identical(f.f.Ret, to) && len(e.Args) == 0 {
		return c.callTo(m.At, f, x, nil)
	}
	c.errorf(m.Part.At, diag.NoSuchMember, "%s has no member %q", s, m.Part.Ident)
	return c.bad(m.At)
}

// operatorCall calls a member operator of the struct x, and reports if there is none.
func (c *checker) operatorCall(at diag.Pos, name string, x Expr, args []Expr, memberOnly bool) Expr {
	if !c.complete(at, x.Type()) {
		return c.bad(at)
	}
	if !memberOnly {
		var y Expr
		if len(args) > 0 {
			y = args[0]
		}
		if z := c.operatorOverload(at, name, x, y); z != nil {
			return z
		}
		c.errorf(at, diag.BadOperand, "%s is not defined for %s", name[len("operator"):], x.Type())
		return c.bad(at)
	}
	set, _ := c.classOf(x.Type().(*types.Struct)).scope.local(name).(*overloads)
	if set == nil {
		c.errorf(at, diag.NotCallable, "%s has no %s", x.Type(), name)
		return c.bad(at)
	}
	return c.callSet(at, name, set, nil, nil, x, args)
}

// operatorOverload calls an operator the program defines for x and y (nil for a unary one); nil if none fits.
func (c *checker) operatorOverload(at diag.Pos, name string, x, y Expr) Expr {
	var cands []*candidate
	args := []Expr{x}
	if y != nil {
		args = append(args, y)
	}
	if s, ok := x.Type().(*types.Struct); ok && s.IsComplete() {
		if set, ok := c.classOf(s).scope.local(name).(*overloads); ok {
			for _, k := range c.candidates(set, nil, x, args[1:]) {
				k.member = true
				cands = append(cands, k)
			}
		}
	}
	if set, _ := functionsOf(c.lookupOperator(name)); set != nil {
		for _, k := range c.candidates(set, nil, nil, args) {
			if !k.f.hasThis {
				cands = append(cands, k)
			}
		}
	}
	if len(cands) == 0 {
		return nil
	}
	best := c.best(at, name, cands, nil, args)
	if best == nil {
		return c.bad(at)
	}
	if best.member {
		return c.callTo(at, best.f, x, args[1:])
	}
	return c.callTo(at, best.f, nil, args)
}

// lookupOperator finds the operators outside of classes; class scopes do not hide them.
func (c *checker) lookupOperator(name string) entity {
	var e entity
	for s := c.scope; s != nil; s = s.outer {
		if s.class == nil {
			e = merge(e, s.local(name))
		}
	}
	return e
}

// callTo calls f with arguments that fit.
func (c *checker) callTo(at diag.Pos, f *function, this Expr, args []Expr) Expr {
	fn := f.f
	if fn.Kernel {
		c.errorf(at, diag.NotCallable, "kernel %q cannot be called", fn.Name)
		return c.bad(at)
	}
	if f.deleted {
		c.errorf(at, diag.NoMatch, "%q is deleted", fn.Name)
		return c.bad(at)
	}
	if f.autoRet {
		if f.checking {
			c.errorf(at, diag.BadAuto, "%q is called before what it returns is known", fn.Name)
			return c.bad(at)
		}
		c.body(f)
	}
	var vals []Expr
	if f.hasThis {
		this = baseOf(this, f.class)
		if _, isPlace := this.Place(); !isPlace {
			this = c.materialize(this)
			vals = append(vals, this)
		} else {
			vals = append(vals, c.bindRef(this, fn.Params[0]))
		}
	}
	params := f.params()
	for i, p := range params {
		switch {
		case i < len(args):
			vals = append(vals, c.bindArg(args[i], p))
		default:
			vals = append(vals, c.defaultArg(f, i, p))
		}
		if isBad(vals[len(vals)-1]) {
			return c.bad(at)
		}
	}
	c.uses(f, at)
	if !fn.RetRef && fn.Ret != nil && !c.complete(at, fn.Ret) {
		return c.bad(at)
	}
	if types.IsInvalid(orInvalid(fn.Ret)) {
		return c.bad(at)
	}
	n := node{at: at, typ: fn.Ret}
	if fn.RetRef {
		n.lval, n.place = true, Place{fn.RetSpace, fn.RetConst}
	}
	return &Call{node: n, Func: fn, Args: vals}
}

func (c *checker) bindArg(x Expr, p *Var) Expr {
	if b, ok := x.(*braced); ok {
		x = c.initFrom(b.list, p.Type, false)
	}
	if p.Ref {
		return c.bindRef(x, p)
	}
	return c.convert(x, p.Type)
}

func (c *checker) defaultArg(f *function, i int, p *Var) (x Expr) {
	fn := c.fn
	c.fn = nil
	defer func() { c.fn = fn }()
	c.in(f.scope, func() {
		if list, ok := f.defaults[i].(*syntax.InitList); ok {
			x = c.initFrom(list, p.Type, false)
			return
		}
		x = c.bindArg(c.expr(f.defaults[i]), p)
	})
	return x
}

// uses notes that the current function calls f.
func (c *checker) uses(f *function, at diag.Pos) {
	f.f.ensure = func() { c.body(f) }
	if f.fromPrimary && !f.checked && !f.checking {
		c.queue = append(c.queue, f)
	}
	if c.fn == nil {
		return
	}
	fn := c.fn.f.f
	for _, k := range fn.calls {
		if k.f == f.f {
			return
		}
	}
	fn.calls = append(fn.calls, call{f.f, at})
}

// isDefined checks is_function_constant_defined(NAME).
func (c *checker) isDefined(e *syntax.Call) Expr {
	if len(e.Args) == 1 {
		x := c.expr(e.Args[0])
		if isBad(x) {
			return x
		}
		if ref, ok := x.(*VarRef); ok && ref.Var.FunctionConstant >= 0 {
			return &VarDefined{node{at: e.At, typ: types.Bool}, ref.Var}
		}
	}
	c.errorf(e.At, diag.BadFunctionConstant, "is_function_constant_defined wants the name of a function constant")
	return c.bad(e.At)
}
