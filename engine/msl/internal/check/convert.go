package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Bad stands for an expression already reported as wrong; a program that has one is never returned.
type bad struct{ node }

func (c *checker) bad(at diag.Pos) Expr { return &bad{node{at: at, typ: types.Invalid}} }

// isBad reports an expression already reported as wrong.
func isBad(x Expr) bool { return types.IsInvalid(x.Type()) }

func constant(at diag.Pos, v Value) Expr { return &Const{node{at: at, typ: v.Type}, v} }

// plain returns the type of a value loaded from a place of type t: a packed vector is loaded as a plain one only by
// arithmetic, so only functions and initialisers see packed values.
func plain(t types.Type) types.Type {
	if v, ok := t.(*types.Vector); ok {
		return v.Plain()
	}
	return t
}

// rvalue makes a value of x: places are loaded, arrays become pointers to their first element, named constants their
// value.
func (c *checker) rvalue(x Expr) Expr {
	p, ok := x.Place()
	if !ok || isBad(x) {
		return x
	}
	switch t := x.Type().(type) {
	case *types.Array:
		return &Decay{node{at: x.Pos(), typ: &types.Pointer{Elem: t.Elem, Space: p.Space, Const: p.Const}}, x}
	case *types.Atomic:
		c.errorf(x.Pos(), diag.AtomicValue, "%s is read with atomic_load_explicit", t)
		return c.bad(x.Pos())
	}
	if ref, ok := x.(*VarRef); ok && ref.Var.Value != nil && !ref.Var.Ref && types.IsNumeric(ref.Var.Type) {
		return constant(x.Pos(), *ref.Var.Value)
	}
	if types.HasAtomic(x.Type()) {
		c.errorf(x.Pos(), diag.AtomicValue, "%s holds an atomic and cannot be copied", x.Type())
		return c.bad(x.Pos())
	}
	t := x.Type()
	if s, ok := x.(*Swizzle); ok && len(s.Lanes) > 1 {
		t = plain(t)
	}
	return &Load{node{at: x.Pos(), typ: t}, x}
}

// rank orders implicit conversions, best first.
type rank int

// The ranks. rankQualified is an exact match but for a const added behind a pointer.
const (
	rankExact rank = iota
	rankQualified
	rankPromotion
	rankConversion
	rankUser
	rankNone
)

// rankOf says how x, a place or a value, converts implicitly to the type to.
func (c *checker) rankOf(x Expr, to types.Type) rank {
	from := x.Type()
	if p, ok := x.Place(); ok {
		if a, isArray := from.(*types.Array); isArray {
			from = &types.Pointer{Elem: a.Elem, Space: p.Space, Const: p.Const}
		}
	}
	if types.IsInvalid(from) || types.IsInvalid(to) {
		return rankExact
	}
	if r := rankTypes(from, to); r != rankNone {
		return r
	}
	if _, ok := to.(*types.Struct); ok && c.convertingConstructor(x, to) != nil {
		return rankUser
	}
	if _, ok := from.(*types.Struct); ok && c.conversionFunction(x, to) != nil {
		return rankUser
	}
	return rankNone
}

// rankTypes is rankOf for types alone, conversions defined by the program left out.
func rankTypes(from, to types.Type) rank {
	if types.Identical(from, to) {
		return rankExact
	}
	if derives(from, to) {
		return rankConversion
	}
	switch t := to.(type) {
	case *types.Scalar:
		return rankScalar(from, t)
	case *types.Vector:
		if f, ok := from.(*types.Vector); ok {
			if f.Elem() == t.Elem() && f.Len() == t.Len() {
				return rankConversion // packed to plain or back
			}
			return rankNone
		}
		if rankScalar(from, t.Elem()) != rankNone {
			return rankConversion
		}
	case *types.Pointer:
		return rankPointer(from, t)
	}
	return rankNone
}

// rankScalar is rankTypes to a scalar. A bfloat converts to float, integers and bool implicitly; neither float nor half
// converts to it.
func rankScalar(from types.Type, to *types.Scalar) rank {
	if !to.IsNumeric() {
		return rankNone
	}
	switch f := from.(type) {
	case *types.Scalar:
		switch {
		case !f.IsNumeric():
			return rankNone
		case mixes16(f, to), to == types.Bfloat && f.IsFloat():
			return rankNone
		case promoted(f) == to:
			return rankPromotion
		}
		return rankConversion
	case *types.Enum:
		if f.Scoped {
			return rankNone
		}
		if promoted(f.Underlying) == to {
			return rankPromotion
		}
		return rankConversion
	case *types.Pointer:
		if to == types.Bool {
			return rankConversion
		}
	}
	return rankNone
}

// mixes16 reports half and bfloat, which do not convert into each other implicitly.
func mixes16(a, b *types.Scalar) bool {
	return a == types.Half && b == types.Bfloat || a == types.Bfloat && b == types.Half
}

func rankPointer(from types.Type, to *types.Pointer) rank {
	if from == types.Type(types.Null) {
		return rankConversion
	}
	f, ok := from.(*types.Pointer)
	if !ok || f.Space != to.Space || f.Const && !to.Const || f.Volatile && !to.Volatile {
		return rankNone
	}
	if types.Identical(f.Elem, to.Elem) {
		return rankQualified
	}
	if types.IsVoid(to.Elem) || derives(f.Elem, to.Elem) {
		return rankConversion
	}
	return rankNone
}

// promoted is the type integral promotion gives.
func promoted(s *types.Scalar) *types.Scalar {
	if s == types.Bool || s.IsInteger() && s.Size() < 4 {
		return types.Int
	}
	return s
}

// convert makes x a value of the type to by an implicit conversion, or reports that there is none.
func (c *checker) convert(x Expr, to types.Type) Expr {
	if isBad(x) || types.IsInvalid(to) {
		return c.bad(x.Pos())
	}
	if s, ok := to.(*types.Struct); ok && !types.Identical(x.Type(), to) {
		if derives(x.Type(), s) {
			return c.rvalue(baseOf(x, s))
		}
		if f := c.convertingConstructor(x, s); f != nil {
			return c.callTo(x.Pos(), f, nil, []Expr{x})
		}
	}
	if _, ok := x.Type().(*types.Struct); ok && !types.Identical(x.Type(), to) {
		if f := c.conversionFunction(x, to); f != nil {
			return c.convert(c.callTo(x.Pos(), f, x, nil), to)
		}
	}
	v := c.rvalue(x)
	if isBad(v) {
		return v
	}
	if rankTypes(v.Type(), to) == rankNone {
		c.noConversion(x.Pos(), v.Type(), to)
		return c.bad(x.Pos())
	}
	return cast(v, to)
}

func (c *checker) noConversion(pos diag.Pos, from, to types.Type) {
	f, fok := from.(*types.Pointer)
	t, tok := to.(*types.Pointer)
	switch {
	case fok && tok && f.Space != t.Space:
		c.errorf(pos, diag.BadSpace, "cannot convert %s to %s: the address spaces differ", from, to)
	case fok && tok && f.Const && !t.Const:
		c.errorf(pos, diag.ConstViolation, "cannot convert %s to %s: const would be lost", from, to)
	case types.Width(from) > 1 && types.Width(from) == types.Width(to):
		c.errorf(pos, diag.NoConversion, "cannot convert %s to %s without a constructor", from, to)
	default:
		c.errorf(pos, diag.NoConversion, "cannot convert %s to %s implicitly", from, to)
	}
}

// cast makes the value x, which converts to the type to, a value of it.
func cast(x Expr, to types.Type) Expr {
	from := x.Type()
	if types.Identical(from, to) {
		return x
	}
	at := x.Pos()
	switch t := to.(type) {
	case *types.Scalar, *types.Enum:
		if p, ok := from.(*types.Pointer); ok { // to bool: p != nullptr
			return &Binary{node{at: at, typ: types.Bool}, Ne, x, &Null{node{at: at, typ: p}}}
		}
		return fold(&Convert{node: node{at: at, typ: to}, X: x})
	case *types.Vector:
		if _, ok := from.(*types.Vector); !ok {
			return fold(&Splat{node{at: at, typ: to}, cast(x, t.Elem())})
		}
		return fold(&Convert{node: node{at: at, typ: to}, X: x})
	case *types.Pointer:
		if from == types.Type(types.Null) {
			return &Null{node{at: at, typ: to}}
		}
		if f, ok := from.(*types.Pointer); ok && derives(f.Elem, t.Elem) {
			return basePointer(x, t)
		}
		return &PointerCast{node{at: at, typ: to}, x}
	}
	return x
}

// fold replaces a conversion of a constant by the constant it gives.
func fold(x Expr) Expr {
	var inner Expr
	switch x := x.(type) {
	case *Convert:
		inner = x.X
	case *Splat:
		inner = x.X
	}
	if _, ok := inner.(*Const); ok {
		if v, err := evaluate(x, nil); err == nil {
			return constant(x.Pos(), v)
		}
	}
	return x
}

// boolCond makes x a bool.
func (c *checker) boolCond(x Expr) Expr {
	if v, ok := x.Type().(*types.Vector); ok {
		c.errorf(x.Pos(), diag.NoConversion, "%s is no condition: use all or any", v)
		return c.bad(x.Pos())
	}
	return c.convert(x, types.Bool)
}

// arithmetic returns the type that both operands of an arithmetic operator are converted to, nil if there is none.
func arithmetic(a, b types.Type) types.Type {
	a, b = plain(a), plain(b)
	va, aok := a.(*types.Vector)
	vb, bok := b.(*types.Vector)
	switch {
	case aok && bok:
		if va == vb {
			return va
		}
		return nil
	case aok:
		if rankTypes(b, va) == rankNone {
			return nil
		}
		return va
	case bok:
		if rankTypes(a, vb) == rankNone {
			return nil
		}
		return vb
	}
	sa, sb := arithScalar(a), arithScalar(b)
	if sa == nil || sb == nil || mixes16(sa, sb) {
		return nil
	}
	return usual(sa, sb)
}

// arithScalar returns the scalar type that t computes as, nil if it does not compute.
func arithScalar(t types.Type) *types.Scalar {
	switch t := t.(type) {
	case *types.Scalar:
		if t.IsNumeric() {
			return t
		}
	case *types.Enum:
		if !t.Scoped {
			return t.Underlying
		}
	}
	return nil
}

// usual are the usual arithmetic conversions: a floating-point operand wins, float over half and bfloat; else both are
// promoted, and the higher rank wins, unsigned over signed of the same rank.
func usual(a, b *types.Scalar) *types.Scalar {
	if a.IsFloat() || b.IsFloat() {
		switch {
		case a == types.Float || b == types.Float:
			return types.Float
		case a.IsFloat():
			return a
		}
		return b
	}
	a, b = promoted(a), promoted(b)
	if a.Kind() > b.Kind() {
		return a
	}
	return b
}
