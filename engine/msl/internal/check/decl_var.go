package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// globalVar declares a program-scope variable.
func (c *checker) globalVar(d *syntax.VarDecl) {
	if d.Class != nil {
		c.staticMember(d)
		return
	}
	v := c.globalOf(d, c.scope.path+d.Name)
	if v != nil {
		c.declare(d.At, d.Name, v)
	}
}

// staticMember checks a static member defined outside of its struct, where it was initialised: nothing is left to do.
func (c *checker) staticMember(d *syntax.VarDecl) {
	name := &syntax.Name{At: d.Class.At, Global: d.Class.Global, Parts: append(append([]syntax.NamePart(nil), d.Class.Parts...), syntax.NamePart{At: d.At, Ident: d.Name})}
	s := c.scopeOf(name)
	if s == nil {
		return
	}
	v, ok := s.names[d.Name].(*Var)
	switch {
	case !ok || s.class == nil:
		c.errorf(d.At, diag.NoSuchMember, "%q is no static member", nameString(name))
	case d.Kind != syntax.InitNone:
		c.errorf(d.At, diag.StaticMember, "a static member is initialised inside its struct")
	default:
		if t := c.resolve(d.Type).typ; !types.IsInvalid(t) && !types.Identical(t, v.Type) {
			c.errorf(d.At, diag.Redeclared, "%q is of type %s, before %s", d.Name, t, v.Type)
		}
	}
}

// globalOf makes a variable in the constant address space.
func (c *checker) globalOf(d *syntax.VarDecl, name string) *Var {
	q := c.resolve(d.Type)
	index := c.functionConstant(d)
	if types.IsInvalid(q.typ) && !q.auto {
		return &Var{Name: name, Type: types.Invalid, Space: types.Constant, Const: true, Pos: d.At, FunctionConstant: -1, Global: true}
	}
	if !q.hasSpace || q.space != types.Constant || q.ref {
		c.errorf(d.At, diag.BadSpace, "program-scope variable %q must be in the constant address space", d.Name)
		return &Var{Name: name, Type: q.typ, Space: types.Constant, Const: true, Pos: d.At, FunctionConstant: -1, Global: true}
	}
	v := &Var{Name: name, Type: q.typ, Space: types.Constant, Const: true, Pos: d.At, FunctionConstant: index, Global: true}
	switch {
	case index >= 0:
		if d.Kind != syntax.InitNone {
			c.errorf(d.At, diag.BadFunctionConstant, "function constant %q cannot have an initialiser", d.Name)
		}
		c.functionConstantType(v)
		for _, o := range c.prog.FunctionConstants {
			if o.FunctionConstant == index && !types.Identical(o.Type, v.Type) {
				c.errorf(d.At, diag.BadFunctionConstant, "function constant %d is %q of type %s already", index, o.Name, o.Type)
			}
		}
		c.prog.FunctionConstants = append(c.prog.FunctionConstants, v)
	case d.Kind == syntax.InitNone:
		if d.Specs.Extern {
			c.errorf(d.At, diag.BadVariable, "extern variables are not supported")
		} else {
			c.errorf(d.At, diag.BadVariable, "constant %q has no initialiser", d.Name)
		}
	default:
		c.initialise(v, q, d)
		if v.Init != nil && !types.IsInvalid(v.Init.Type()) {
			v.Value = c.globalValue(v)
		}
	}
	c.prog.Globals = append(c.prog.Globals, v)
	return v
}

// functionConstantType checks that a function constant is a scalar or vector that a host can set.
func (c *checker) functionConstantType(v *Var) {
	if types.IsNumeric(v.Type) {
		if vec, ok := v.Type.(*types.Vector); !ok || !vec.Packed() {
			return
		}
	}
	c.errorf(v.Pos, diag.BadFunctionConstant, "function constant %q is of type %s, want a scalar or vector", v.Name, v.Type)
}

// globalValue evaluates the initialiser of a global. One that depends on function constants stays without value.
func (c *checker) globalValue(v *Var) *Value {
	if s, ok := v.Type.(*types.Struct); ok && s.IsEmpty() { // whatever its constructor does, there is nothing to see
		return &Value{Type: s, Elems: []Value{}}
	}
	val, err := evaluate(v.Init, nil)
	if err == nil {
		return &val
	}
	if err.Code == diag.DependsOnFunctionConstant {
		if types.IsNumeric(v.Type) {
			return nil
		}
		err = diag.Errorf(err.Pos, diag.NotConstant, "a constant of type %s cannot depend on a function constant", v.Type)
	}
	c.report(err)
	return nil
}

// localVar declares a variable in a block. It returns nil for one that is no local: a static constant becomes a global.
func (c *checker) localVar(d *syntax.VarDecl) *Var {
	q := c.resolve(d.Type)
	align := 0
	for i := range d.Attrs {
		switch a := &d.Attrs[i]; a.Name {
		case "alignas", "aligned":
			align = max(align, c.alignment(a))
		case "maybe_unused", "unused":
		default:
			c.errorf(a.At, diag.UnknownAttribute, "unknown attribute %q of a variable", a.Name)
		}
	}
	if q.hasSpace && q.space == types.Constant && !q.ref {
		c.fn.staticVars++
		if v := c.globalOf(d, c.fn.f.f.Name+"::"+d.Name); v != nil {
			c.declare(d.At, d.Name, v)
		}
		return nil
	}
	v := &Var{Name: d.Name, Type: q.typ, Ref: q.ref, Space: q.space, Const: q.isConst || d.Specs.Constexpr, Pos: d.At, FunctionConstant: -1, Align: align}
	if d.Specs.Static {
		c.errorf(d.At, diag.BadVariable, "static local %q must be in the constant address space", d.Name)
	}
	if d.Specs.Extern {
		c.errorf(d.At, diag.BadVariable, "extern variables are not supported")
	}
	if types.IsInvalid(q.typ) && !q.auto {
		if d.Init != nil {
			c.initOnly(d.Init)
		}
		c.declare(d.At, d.Name, v)
		return nil
	}
	switch {
	case q.rvalue && !q.auto:
		c.errorf(d.At, diag.RValueReference, "rvalue references are not supported")
	case q.ref && !q.hasSpace && !q.auto:
		c.errorf(d.At, diag.NoAddressSpace, "reference to %s needs an address space: device, constant, threadgroup or thread", q.typ)
	case isFuncType(q.typ):
		c.errorf(d.At, diag.FunctionPointer, "pointers to functions are not supported: variable %q is %s", d.Name, q.typ)
		v.Type = types.Invalid
	case q.ref:
	case types.IsVoid(q.typ):
		c.errorf(d.At, diag.BadVariable, "variable %q cannot be void", d.Name)
		v.Type = types.Invalid
	case q.hasSpace && q.space == types.Threadgroup:
		if !c.fn.f.f.Kernel {
			c.errorf(d.At, diag.BadSpace, "threadgroup variable %q can only be declared in a kernel", d.Name)
		}
		if d.Kind != syntax.InitNone && !isZeroList(d) {
			c.errorf(d.At, diag.BadVariable, "threadgroup variable %q cannot have an initialiser other than {} or {0}, which does nothing", d.Name)
		}
	case q.hasSpace && q.space != types.Thread:
		c.errorf(d.At, diag.BadSpace, "local variable %q cannot be in the %s address space", d.Name, q.space)
	}
	if !types.IsInvalid(v.Type) && !c.complete(d.At, v.Type) {
		v.Type = types.Invalid
	}
	if types.HasAtomic(v.Type) && v.Space == types.Thread && !v.Ref {
		c.errorf(d.At, diag.BadVariable, "atomic %q must be in device or threadgroup memory", d.Name)
	}
	if v.Space != types.Threadgroup || v.Ref || q.auto {
		c.initialise(v, q, d)
	} else if q.unsized {
		c.errorf(d.At, diag.BadArray, "array %q needs a length", d.Name)
		v.Type = types.Invalid
	}
	c.declare(d.At, d.Name, v)
	if d.Specs.Constexpr && v.Init != nil && !types.IsInvalid(v.Type) && !v.Ref {
		if val, ok := c.constant(v.Init); ok {
			v.Value = &val
		}
	} else if v.Const && !v.Ref && v.Init != nil && types.IsNumeric(v.Type) {
		if val, err := evaluate(v.Init, nil); err == nil {
			v.Value = &val
		}
	}
	return v
}

// isZeroList reports {} and {0}. Metal's compiler lets them stand on threadgroup variables, and promises nothing: here
// they do nothing, so that relying on them is a read of uninitialised memory.
func isZeroList(d *syntax.VarDecl) bool {
	list, ok := d.Init.(*syntax.InitList)
	if !ok || len(list.Elems) > 1 {
		return false
	}
	if len(list.Elems) == 0 {
		return true
	}
	n, ok := list.Elems[0].(*syntax.Literal)
	return ok && n.Kind == syntax.Number && (n.Text == "0" || n.Text == "0.0f" || n.Text == "0.0" || n.Text == "0.f")
}

// initOnly checks an initialiser of a variable whose type is wrong.
func (c *checker) initOnly(x syntax.Expr) {
	if l, ok := x.(*syntax.InitList); ok {
		for _, e := range l.Elems {
			c.initOnly(e)
		}
		return
	}
	c.expr(x)
}

// initialise sets v.Init, and v.Type where the initialiser decides it.
func (c *checker) initialise(v *Var, q qual, d *syntax.VarDecl) {
	if q.auto {
		c.initAuto(v, q, d)
		return
	}
	if q.ref {
		c.initRef(v, d)
		return
	}
	if q.unsized {
		c.sizeByInit(v, d)
	}
	if types.IsInvalid(v.Type) {
		if d.Init != nil {
			c.initOnly(d.Init)
		}
		return
	}
	switch d.Kind {
	case syntax.InitNone:
		if v.Const && !v.Global {
			if _, isStruct := v.Type.(*types.Struct); !isStruct {
				c.errorf(d.At, diag.BadVariable, "const variable %q has no initialiser", d.Name)
			}
		}
		v.Init = c.defaultInit(d.At, v.Type)
	case syntax.InitAssign, syntax.InitBrace:
		v.Init = c.initFrom(d.Init, v.Type, d.Kind == syntax.InitBrace)
	case syntax.InitParen:
		v.Init = c.constructArgs(d.At, v.Type, d.Args, false)
	}
	if v.Init != nil && types.IsInvalid(v.Init.Type()) {
		v.Init = nil
	}
}

// sizeByInit gives an array without a length as many elements as its initialiser has.
func (c *checker) sizeByInit(v *Var, d *syntax.VarDecl) {
	l, ok := d.Init.(*syntax.InitList)
	if !ok || len(l.Elems) == 0 {
		c.errorf(d.At, diag.BadArray, "array %q needs a length or a list of elements", d.Name)
		v.Type = types.Invalid
		return
	}
	elem := v.Type.(*types.Array).Elem
	n, most := int64(0), int64(0)
	for _, e := range c.expandArgs(l.Elems) { // a designator says where its list goes on
		if d, ok := e.(*syntax.Designated); ok && d.Index != nil {
			last := d.Index
			if d.Last != nil {
				last = d.Last
			}
			if n, ok = c.constInt(last, "a designated element"); !ok || n < 0 || n >= 1<<31 {
				v.Type = types.Invalid
				return
			}
		}
		n++
		most = max(most, n)
	}
	v.Type = &types.Array{Elem: elem, Len: int(most)}
}

// initAuto deduces v's type.
func (c *checker) initAuto(v *Var, q qual, d *syntax.VarDecl) {
	var x Expr
	switch {
	case d.Kind == syntax.InitAssign:
		x = c.expr(d.Init)
	case d.Kind == syntax.InitParen && len(d.Args) == 1:
		x = c.expr(d.Args[0])
	case d.Kind == syntax.InitBrace && len(d.Init.(*syntax.InitList).Elems) == 1:
		x = c.expr(d.Init.(*syntax.InitList).Elems[0])
	default:
		c.errorf(d.At, diag.BadAuto, "auto variable %q needs one initialiser", d.Name)
		return
	}
	if types.IsInvalid(x.Type()) {
		return
	}
	if q.ref {
		p, ok := x.Place()
		if !ok {
			if q.rvalue || q.isConst {
				v.Type, v.Space, v.Init = x.Type(), types.Thread, c.materialize(x)
				return
			}
			c.errorf(d.At, diag.BadReference, "reference %q cannot be bound to a value", d.Name)
			return
		}
		if q.hasSpace && q.space != p.Space {
			c.errorf(d.At, diag.BadSpace, "reference %q to %s memory is bound to %s memory", d.Name, q.space, p.Space)
			return
		}
		v.Type, v.Space, v.Const, v.Init = x.Type(), p.Space, v.Const || p.Const, x
		return
	}
	x = c.rvalue(x)
	if types.IsVoid(x.Type()) {
		c.errorf(d.At, diag.BadVariable, "variable %q cannot be void", d.Name)
		return
	}
	if _, isPointer := pointerDeclarator(d.Type); isPointer {
		if _, ok := x.Type().(*types.Pointer); !ok {
			c.errorf(d.At, diag.BadAuto, "%q is declared a pointer but its initialiser is of type %s", d.Name, x.Type())
			return
		}
	}
	v.Type, v.Init = x.Type(), x
	if types.IsInvalid(v.Type) {
		v.Init = nil
	}
}

// pointerDeclarator reports auto *.
func pointerDeclarator(t syntax.Type) (*syntax.PointerType, bool) {
	p, ok := t.(*syntax.PointerType)
	return p, ok
}

// initRef binds a reference.
func (c *checker) initRef(v *Var, d *syntax.VarDecl) {
	var x syntax.Expr
	switch {
	case d.Kind == syntax.InitAssign:
		x = d.Init
	case d.Kind == syntax.InitParen && len(d.Args) == 1:
		x = d.Args[0]
	case d.Kind == syntax.InitBrace && len(d.Init.(*syntax.InitList).Elems) == 1:
		x = d.Init.(*syntax.InitList).Elems[0]
	default:
		c.errorf(d.At, diag.BadReference, "reference %q needs one initialiser", d.Name)
		v.Type = types.Invalid
		return
	}
	v.Init = c.bindRef(c.expr(x), v)
}

// bindRef binds the reference v to x: a place of v's type in v's space, or, if v is a const thread reference, a value.
func (c *checker) bindRef(x Expr, v *Var) Expr {
	if types.IsInvalid(x.Type()) || types.IsInvalid(v.Type) {
		return c.bad(x.Pos())
	}
	p, isPlace := x.Place()
	if isPlace && derives(x.Type(), v.Type) {
		x = baseOf(x, v.Type.(*types.Struct))
	}
	if isPlace && types.Identical(x.Type(), v.Type) {
		switch {
		case p.Space != v.Space:
			c.errorf(x.Pos(), diag.BadSpace, "reference to %s memory is bound to %s memory", v.Space, p.Space)
			return c.bad(x.Pos())
		case p.Const && !v.Const:
			c.errorf(x.Pos(), diag.ConstViolation, "reference to %s is bound to a const object", v.Type)
			return c.bad(x.Pos())
		}
		if s, ok := x.(*Swizzle); ok && len(s.Lanes) > 1 && !v.Const {
			c.errorf(x.Pos(), diag.BadReference, "a reference cannot be bound to several components of a vector")
			return c.bad(x.Pos())
		}
		return x
	}
	if v.Const && v.Space == types.Thread {
		return c.materialize(c.convert(x, v.Type))
	}
	if isPlace {
		c.errorf(x.Pos(), diag.BadReference, "reference to %s cannot be bound to %s", v.Type, x.Type())
	} else {
		c.errorf(x.Pos(), diag.BadReference, "reference to %s cannot be bound to a value", v.Type)
	}
	return c.bad(x.Pos())
}

func (c *checker) materialize(x Expr) Expr {
	x = c.rvalue(x)
	return &Materialize{node{at: x.Pos(), typ: x.Type(), lval: true, place: Place{Space: types.Thread, Const: true}}, x}
}
