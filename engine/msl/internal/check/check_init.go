package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// zero is the value of t with all bits zero.
func zero(at diag.Pos, t types.Type) Expr {
	switch t := t.(type) {
	case *types.Pointer:
		return &Null{node{at: at, typ: t}}
	case *types.Array, *types.Struct, *types.Matrix, *types.SimdMatrix:
		return &Aggregate{node{at: at, typ: t}, nil}
	}
	return constant(at, Zero(t))
}

// initFrom is the value that the initialiser x gives an object of type t. direct is T v{...}, not T v = {...}.
func (c *checker) initFrom(x syntax.Expr, t types.Type, direct bool) Expr {
	list, ok := x.(*syntax.InitList)
	if !ok {
		y := c.expr(x)
		if _, isArray := t.(*types.Array); isArray && !isBad(y) {
			c.errorf(x.Pos(), diag.BadInit, "an array is initialised with a list in braces")
			return c.bad(x.Pos())
		}
		return c.convert(y, t)
	}
	switch t := t.(type) {
	case *types.Array:
		return c.initArray(list, t)
	case *types.Struct:
		return c.initStruct(list, t)
	case *types.Vector:
		return c.initVector(list, t)
	case *types.Matrix:
		return c.initMatrix(list, t)
	case *types.SimdMatrix:
		return c.constructSimdMatrix(list.At, t, list.Elems)
	}
	switch len(list.Elems) {
	case 0:
		return zero(list.At, t)
	case 1:
		return c.initFrom(list.Elems[0], t, direct) // narrowing is only warned of by Metal, and allowed here
	}
	c.errorf(list.At, diag.BadInit, "%s is initialised with %d values", t, len(list.Elems))
	for _, e := range list.Elems {
		c.initOnly(e)
	}
	return c.bad(list.At)
}

// defaultInit is the value of an object declared without initialiser: nil leaves it uninitialised.
func (c *checker) defaultInit(at diag.Pos, t types.Type) Expr {
	s, ok := t.(*types.Struct)
	if !ok || !s.IsComplete() {
		return nil
	}
	cl := c.classOf(s)
	if !cl.ctors.none() {
		return c.constructArgs(at, s, nil, false)
	}
	if !cl.hasDefaults() {
		return nil
	}
	return c.initStruct(&syntax.InitList{At: at}, s)
}

// constructArgs is T(args) or T{args}.
func (c *checker) constructArgs(at diag.Pos, t types.Type, args []syntax.Expr, brace bool) Expr {
	if types.IsInvalid(t) {
		for _, a := range args {
			c.initOnly(a)
		}
		return c.bad(at)
	}
	switch t := t.(type) {
	case *types.Vector:
		return c.constructVector(at, t, args)
	case *types.Struct:
		return c.constructStruct(at, t, args, brace)
	case *types.Matrix:
		return c.constructMatrix(at, t, args)
	case *types.SimdMatrix:
		return c.constructSimdMatrix(at, t, args)
	case *types.Array:
		c.errorf(at, diag.BadInit, "an array is initialised with a list in braces")
		for _, a := range args {
			c.initOnly(a)
		}
		return c.bad(at)
	}
	switch len(args) {
	case 0:
		if types.IsVoid(t) {
			return &Convert{node: node{at: at, typ: t}, X: constant(at, IntValue(types.Int, 0))}
		}
		return zero(at, t)
	case 1:
		if list, ok := args[0].(*syntax.InitList); ok {
			return c.initFrom(list, t, true)
		}
		return c.explicit(at, c.expr(args[0]), t, false)
	}
	c.errorf(at, diag.BadInit, "%s is made of one value, not %d", t, len(args))
	for _, a := range args {
		c.initOnly(a)
	}
	return c.bad(at)
}

// initVector initialises a vector from a list: components that are left out are zero.
func (c *checker) initVector(list *syntax.InitList, t *types.Vector) Expr {
	args := c.expandArgs(list.Elems)
	if len(args) == 0 {
		return zero(list.At, t)
	}
	n := 0
	vals := make([]syntax.Expr, len(args))
	for i, a := range args {
		x := c.initElement(a, t)
		if isBad(x) {
			return x
		}
		n += types.Width(x.Type())
		vals[i] = &known{x: x}
	}
	if len(args) == 1 && n == t.Len() || n == t.Len() {
		return c.constructArgs(list.At, t, vals, true)
	}
	for ; n < t.Len(); n++ {
		vals = append(vals, &known{x: zero(list.At, t.Elem())})
	}
	return c.constructArgs(list.At, t, vals, true)
}

// initElement is one element of a vector's list.
func (c *checker) initElement(a syntax.Expr, t *types.Vector) Expr {
	if l, ok := a.(*syntax.InitList); ok {
		return c.initFrom(l, t.Elem(), false)
	}
	x := c.expr(a)
	if isBad(x) || types.IsNumeric(x.Type()) {
		return c.rvalue(x)
	}
	return x
}

// constructVector is float4(args): one scalar for every component, one vector to convert, or components in order.
func (c *checker) constructVector(at diag.Pos, t *types.Vector, args []syntax.Expr) Expr {
	var vals []Expr
	n := 0
	for _, a := range args {
		x := c.rvalue(c.expr(a))
		if isBad(x) {
			return c.bad(at)
		}
		if isStruct(x) && len(args) == 1 {
			return c.convert(x, t)
		}
		if isStruct(x) {
			x = c.convert(x, t.Elem())
			if isBad(x) {
				return x
			}
		}
		s := types.ScalarOf(x.Type())
		if _, isEnum := x.Type().(*types.Enum); s == nil || !s.IsNumeric() || isEnum && x.Type().(*types.Enum).Scoped {
			c.errorf(x.Pos(), diag.NoConversion, "%s cannot be a component of %s", x.Type(), t)
			return c.bad(at)
		}
		n += types.Width(x.Type())
		vals = append(vals, x)
	}
	switch {
	case len(vals) == 0:
		return zero(at, t)
	case len(vals) == 1 && n == 1:
		return fold(&Splat{node{at: at, typ: t}, cast(vals[0], t.Elem())})
	case len(vals) == 1 && n == t.Len():
		return cast(vals[0], t)
	case n != t.Len():
		c.errorf(at, diag.BadInit, "%s is made of %d components, not %d", t, t.Len(), n)
		return c.bad(at)
	}
	for i, x := range vals {
		vals[i] = cast(x, types.WithElem(x.Type(), t.Elem()))
	}
	return foldConstruct(&Construct{node{at: at, typ: t}, vals})
}

func foldConstruct(x *Construct) Expr {
	for _, a := range x.Args {
		if _, ok := a.(*Const); !ok {
			return x
		}
	}
	if v, err := evaluate(x, nil); err == nil {
		return constant(x.at, v)
	}
	return x
}

// typeCall checks T(args) and T{args}.
func (c *checker) typeCall(e *syntax.TypeCall) Expr {
	q := c.resolve(e.Type)
	if q.auto || q.ref || q.unsized {
		c.errorf(e.At, diag.BadAuto, "this type cannot be constructed")
		q = invalid
	}
	args := c.expandArgs(e.Args)
	if types.IsInvalid(q.typ) || !c.complete(e.At, q.typ) {
		for _, a := range args {
			c.initOnly(a)
		}
		return c.bad(e.At)
	}
	if e.Brace {
		return c.initFrom(&syntax.InitList{At: e.At, Elems: args}, q.typ, true)
	}
	return c.constructArgs(e.At, q.typ, args, false)
}

// castExpr checks (T)x and the named casts.
func (c *checker) castExpr(e *syntax.Cast) Expr {
	q := c.resolve(e.Type)
	x := c.expr(e.X)
	if types.IsInvalid(q.typ) || isBad(x) {
		if q.auto {
			c.errorf(e.At, diag.BadAuto, "auto cannot stand here")
		}
		return c.bad(e.At)
	}
	switch {
	case q.ref:
		return c.castRef(e, x, q)
	case !c.complete(e.At, q.typ):
		return c.bad(e.At)
	case e.Word == "as_type":
		return c.asType(e.At, x, q.typ)
	case e.Word == "reinterpret_cast":
		v := c.rvalue(x)
		_, fromPtr := v.Type().(*types.Pointer)
		_, toPtr := q.typ.(*types.Pointer)
		if !isBad(v) && !fromPtr && !toPtr {
			c.errorf(e.At, diag.NoConversion, "reinterpret_cast does not convert %s to %s; as_type reads bits", v.Type(), q.typ)
			return c.bad(e.At)
		}
	case e.Word == "const_cast":
		v := c.rvalue(x)
		if p, ok := v.Type().(*types.Pointer); ok {
			if t, ok := q.typ.(*types.Pointer); ok && p.Space == t.Space && types.Identical(p.Elem, t.Elem) {
				return cast(v, t)
			}
		}
		if !isBad(v) {
			c.errorf(e.At, diag.NoConversion, "const_cast does not convert %s to %s", v.Type(), q.typ)
		}
		return c.bad(e.At)
	}
	return c.explicit(e.At, x, q.typ, e.Word == "static_cast")
}

// castRef checks a cast to a reference: the same object seen as another type.
func (c *checker) castRef(e *syntax.Cast, x Expr, q qual) Expr {
	p, ok := x.Place()
	if !ok || !q.hasSpace || p.Space != q.space {
		c.errorf(e.At, diag.BadReference, "cannot cast %s to a reference to %s", x.Type(), q.typ)
		return c.bad(e.At)
	}
	if p.Const && !q.isConst && e.Word != "" && e.Word != "const_cast" {
		c.errorf(e.At, diag.ConstViolation, "a cast would lose const")
		return c.bad(e.At)
	}
	if types.Identical(x.Type(), q.typ) && p.Const == q.isConst {
		return x
	}
	ptr := &PointerCast{node{at: e.At, typ: &types.Pointer{Elem: q.typ, Space: q.space, Const: q.isConst}}, addressOf(e.At, x)}
	return c.deref(e.At, ptr)
}

// asType reinterprets the bits of a value.
func (c *checker) asType(at diag.Pos, x Expr, t types.Type) Expr {
	x = c.rvalue(x)
	if isBad(x) {
		return x
	}
	if !types.IsNumeric(x.Type()) || !types.IsNumeric(t) || types.ScalarOf(t) == types.Bool || types.ScalarOf(x.Type()) == types.Bool {
		c.errorf(at, diag.BadBitcast, "as_type does not apply to %s and %s", x.Type(), t)
		return c.bad(at)
	}
	if x.Type().Size() != t.Size() {
		c.errorf(at, diag.BadBitcast, "as_type wants types of one size: %s has %d bytes, %s has %d", x.Type(), x.Type().Size(), t, t.Size())
		return c.bad(at)
	}
	if types.Identical(x.Type(), t) {
		return x
	}
	b := &Bitcast{node{at: at, typ: t}, x}
	if _, ok := x.(*Const); ok {
		if v, err := evaluate(b, nil); err == nil {
			return constant(at, v)
		}
	}
	return b
}

// explicitly marks a conversion as asked for.
func explicitly(x Expr) Expr {
	switch e := x.(type) {
	case *Convert:
		e.Explicit = true
	case *Splat:
		explicitly(e.X)
	}
	return x
}

// explicit converts x to t as a cast does: everything implicit, numbers and enumerations into each other, vectors
// component by component, pointers within an address space, pointers to 64-bit integers.
func (c *checker) explicit(at diag.Pos, x Expr, t types.Type, static bool) Expr {
	if isBad(x) {
		return x
	}
	if types.IsVoid(t) {
		return &Convert{node: node{at: at, typ: t}, X: x}
	}
	if isStruct(x) || isStructType(t) {
		if s, ok := t.(*types.Struct); ok && !types.Identical(x.Type(), t) {
			return c.constructValues(at, s, []Expr{x})
		}
		return c.convert(x, t)
	}
	v := c.rvalue(x)
	if isBad(v) {
		return v
	}
	if rankTypes(v.Type(), t) != rankNone {
		return explicitly(at1(cast(v, t), at))
	}
	if m, ok := v.Type().(*types.Matrix); ok {
		if n, ok := t.(*types.Matrix); ok && m.Cols() == n.Cols() && m.Rows() == n.Rows() {
			return &Convert{node: node{at: at, typ: t}, X: v}
		}
	}
	from, to := types.ScalarOf(v.Type()), types.ScalarOf(t)
	if m, ok := t.(*types.Matrix); ok && from != nil && from.IsNumeric() && types.Width(v.Type()) == 1 {
		return c.diagonal(at, m, v)
	}
	if from != nil && to != nil && from.IsNumeric() && to.IsNumeric() && types.Width(v.Type()) == types.Width(t) {
		return explicitly(fold(&Convert{node: node{at: at, typ: t}, X: v}))
	}
	if from != nil && to != nil && from.IsNumeric() && types.Width(v.Type()) == 1 && types.Width(t) > 1 {
		return fold(&Splat{node{at: at, typ: t}, fold(&Convert{node: node{at: at, typ: to}, X: v})})
	}
	p, fromPtr := v.Type().(*types.Pointer)
	q, toPtr := t.(*types.Pointer)
	switch {
	case fromPtr && toPtr && p.Space == q.Space:
		if static && p.Const && !q.Const {
			c.noConversion(at, p, q)
			return c.bad(at)
		}
		return &PointerCast{node{at: at, typ: t}, v}
	case fromPtr && to != nil && to.IsInteger() && to.Size() == 8 && types.Width(t) == 1:
		return &PointerInt{node{at: at, typ: t}, v}
	}
	c.noConversion(at, v.Type(), t)
	return c.bad(at)
}

func isStructType(t types.Type) bool { _, ok := t.(*types.Struct); return ok }

// at1 moves a constant to the position of the cast that made it.
func at1(x Expr, at diag.Pos) Expr {
	if k, ok := x.(*Const); ok {
		return constant(at, k.Value)
	}
	return x
}
