package check

import (
	"math"
	"strconv"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/num"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// expr checks an expression: a place or a value, or after a mistake a bad one.
func (c *checker) expr(e syntax.Expr) Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		return c.ident(e.Name)
	case *syntax.Literal:
		return c.literal(e)
	case *syntax.Paren:
		return c.expr(e.X)
	case *syntax.Unary:
		return c.unary(e)
	case *syntax.Binary:
		return c.binary(e)
	case *syntax.Cond:
		return c.cond(e)
	case *syntax.Call:
		return c.call(e)
	case *syntax.Index:
		return c.index(e)
	case *syntax.Member:
		return c.member(e)
	case *syntax.Cast:
		return c.castExpr(e)
	case *syntax.TypeCall:
		return c.typeCall(e)
	case *syntax.SizeOf:
		return c.sizeOf(e)
	case *syntax.InitList:
		c.errorf(e.At, diag.BadInit, "a list in braces cannot stand here")
		for _, x := range e.Elems {
			c.initOnly(x)
		}
		return c.bad(e.At)
	case *known:
		return e.x
	case *scoped:
		var x Expr
		c.in(e.scope, func() { x = c.expr(e.Expr) })
		return x
	case *syntax.Designated:
		c.errorf(e.At, diag.DesignatedInit, "a designator stands in the list that initialises an array or struct")
		c.initOnly(e.X)
		return c.bad(e.At)
	case *syntax.Lambda:
		return c.lambda(e)
	case *syntax.PackExpansion:
		c.errorf(e.At, diag.Pack, "a pack cannot be expanded here")
		return c.bad(e.At)
	}
	panic("check: unknown expression")
}

// varRef is the place of v.
func varRef(at diag.Pos, v *Var) Expr {
	return &VarRef{node{at: at, typ: v.Type, lval: true, place: Place{v.Space, v.Const}}, v}
}

// ident checks a name used as a value.
func (c *checker) ident(n *syntax.Name) Expr {
	if x, ok := c.libraryConstant(n); ok {
		return x
	}
	e, ok := c.find(n)
	if !ok {
		return c.bad(n.At)
	}
	return c.entityExpr(n, e)
}

func (c *checker) entityExpr(n *syntax.Name, e entity) Expr {
	last := n.Last()
	if last.HasArgs {
		if t, ok := e.(*varTemplate); ok {
			if v := c.varInstance(t, last); v != nil {
				return varRef(n.At, v)
			}
			return c.bad(n.At)
		}
	}
	switch e := e.(type) {
	case nil:
		c.errorf(n.At, diag.Undeclared, "%q is not declared", nameString(n))
	case *Var:
		if types.IsInvalid(e.Type) {
			return c.bad(n.At)
		}
		if c.fn != nil && e.Space == types.Thread && e.Global {
			break
		}
		return varRef(n.At, e)
	case *constName:
		return constant(n.At, e.value)
	case *fieldName:
		if c.fn == nil || c.fn.this == nil || !types.Identical(c.fn.this.Type, e.class) && !derives(c.fn.this.Type, e.class) {
			c.errorf(n.At, diag.NotAValue, "%q is a member, and there is no object here", nameString(n))
			return c.bad(n.At)
		}
		return c.field(n.At, baseOf(varRef(n.At, c.fn.this), e.class), e.index)
	case *overloads, *mixed, *librarySet:
		c.errorf(n.At, diag.NotAValue, "function %q is not called", nameString(n))
	case *packName:
		c.errorf(n.At, diag.Pack, "pack %q is not expanded", nameString(n))
	case *notCaptured:
		c.errorf(n.At, diag.Lambda, "the lambda does not capture %q", nameString(n))
	default:
		c.errorf(n.At, diag.NotAValue, "%q is not a value", nameString(n))
	}
	return c.bad(n.At)
}

// literal checks a number, a character or one of the words.
func (c *checker) literal(e *syntax.Literal) Expr {
	switch e.Kind {
	case syntax.Number:
		return c.number(e)
	case syntax.Char:
		n, ok := syntax.CharValue(e.Text)
		if !ok {
			c.errorf(e.At, diag.BadLiteral, "bad character %s", e.Text)
			return c.bad(e.At)
		}
		return constant(e.At, IntValue(types.Char, int64(n)))
	case syntax.String:
		return c.stringLiteral(e)
	}
	switch e.Text {
	case "true", "false":
		return constant(e.At, BoolValue(e.Text == "true"))
	case "nullptr":
		return &Null{node{at: e.At, typ: types.Null}}
	}
	if c.fn == nil || c.fn.this == nil {
		c.errorf(e.At, diag.NotAValue, "this can only stand in a member function")
		return c.bad(e.At)
	}
	return addressOf(e.At, varRef(e.At, c.fn.this))
}

// stringLiteral is an array of char in the constant address space, with a zero at its end.
func (c *checker) stringLiteral(e *syntax.Literal) Expr {
	s, err := strconv.Unquote(e.Text)
	if err != nil {
		c.errorf(e.At, diag.BadLiteral, "bad string %s", e.Text)
		return c.bad(e.At)
	}
	t := &types.Array{Elem: types.Char, Len: len(s) + 1}
	v := &Var{Name: "string", Type: t, Space: types.Constant, Const: true, Pos: e.At, FunctionConstant: -1, Global: true, Value: &Value{Type: t}}
	for _, b := range append([]byte(s), 0) {
		v.Value.Elems = append(v.Value.Elems, IntValue(types.Char, int64(int8(b))))
	}
	v.Init = constant(e.At, *v.Value)
	c.prog.Globals = append(c.prog.Globals, v)
	return varRef(e.At, v)
}

func (c *checker) number(e *syntax.Literal) Expr {
	lit, err := syntax.ParseNumber(e.Text)
	if err != nil {
		c.errorf(e.At, diag.BadNumber, "bad number %s", e.Text)
		return c.bad(e.At)
	}
	if lit.Float {
		return constant(e.At, floatLiteral(lit))
	}
	n := lit.Int
	var t *types.Scalar
	long := lit.Suffix == "l" || lit.Suffix == "ul"
	switch {
	case !lit.Unsigned && !long && n <= math.MaxInt32:
		t = types.Int
	case (lit.Unsigned || !lit.Decimal) && !long && n <= math.MaxUint32:
		t = types.Uint
	case !lit.Unsigned && n <= math.MaxInt64:
		t = types.Long
	case lit.Unsigned || !lit.Decimal:
		t = types.Ulong
	default:
		c.errorf(e.At, diag.BadNumber, "%s does not fit in 64 bits with a sign", e.Text)
		return c.bad(e.At)
	}
	return constant(e.At, Value{Type: t, Bits: n})
}

// floatLiteral rounds a literal once, to its type: float unless the suffix says half or bfloat.
func floatLiteral(lit syntax.NumberLit) Value {
	switch lit.Suffix {
	case "h", "bf":
		d, _ := strconv.ParseFloat(lit.Digits, 64)
		odd := roundToOdd(d)
		if lit.Suffix == "h" {
			return Value{Type: types.Half, Bits: uint64(num.F32ToF16(odd))}
		}
		return Value{Type: types.Bfloat, Bits: uint64(num.F32ToBF16(odd))}
	}
	f, _ := strconv.ParseFloat(lit.Digits, 32)
	return FloatValue(float32(f))
}

// roundToOdd narrows d so that rounding the result again, to a shorter format, rounds d once.
func roundToOdd(d float64) float32 {
	f := float32(d)
	if float64(f) == d || math.IsInf(float64(f), 0) || math.IsNaN(d) || math.Float32bits(f)&1 == 1 {
		return f
	}
	if float64(f) < d {
		return math.Nextafter32(f, float32(math.Inf(1)))
	}
	return math.Nextafter32(f, float32(math.Inf(-1)))
}

// addressOf is &x.
func addressOf(at diag.Pos, x Expr) Expr {
	if d, ok := x.(*Deref); ok {
		return d.X
	}
	p, _ := x.Place()
	return &AddrOf{node{at: at, typ: &types.Pointer{Elem: x.Type(), Space: p.Space, Const: p.Const}}, x}
}

// deref is *x of a pointer value.
func (c *checker) deref(at diag.Pos, x Expr) Expr {
	p, ok := x.Type().(*types.Pointer)
	if !ok {
		if !isBad(x) {
			c.errorf(at, diag.BadOperand, "%s is no pointer", x.Type())
		}
		return c.bad(at)
	}
	if types.IsVoid(p.Elem) || !c.complete(at, p.Elem) {
		if types.IsVoid(p.Elem) {
			c.errorf(at, diag.BadOperand, "a pointer to void cannot be followed")
		}
		return c.bad(at)
	}
	if a, ok := x.(*AddrOf); ok {
		return a.X
	}
	return &Deref{node{at: at, typ: p.Elem, lval: true, place: Place{p.Space, p.Const}}, x}
}

// index checks X[I] of a pointer, an array, a vector or a struct with an operator.
func (c *checker) index(e *syntax.Index) Expr {
	x, i := c.expr(e.X), c.expr(e.I)
	if isBad(x) || isBad(i) {
		return c.bad(e.At)
	}
	if _, ok := x.Type().(*types.Struct); ok {
		return c.operatorCall(e.At, "operator[]", x, []Expr{i}, true)
	}
	i = c.rvalue(i)
	if en, ok := i.Type().(*types.Enum); ok && !en.Scoped {
		i = cast(i, promoted(en.Underlying))
	}
	if s, ok := i.Type().(*types.Scalar); !ok || !s.IsInteger() && s != types.Bool {
		c.errorf(i.Pos(), diag.BadOperand, "an index is an integer, not %s", i.Type())
		return c.bad(e.At)
	} else if s == types.Bool {
		i = cast(i, types.Int)
	}
	if _, ok := x.(*Swizzle); ok {
		x = c.rvalue(x)
	}
	place, isPlace := x.Place()
	switch t := x.Type().(type) {
	case *types.Pointer:
		if types.IsVoid(t.Elem) || !c.complete(e.At, t.Elem) {
			c.errorf(e.At, diag.BadOperand, "a pointer to void cannot be indexed")
			return c.bad(e.At)
		}
		return c.deref(e.At, &PointerAdd{node{at: e.At, typ: t}, c.rvalue(x), i})
	case *types.Array:
		if !c.indexInRange(i, t.Len, x.Type()) {
			return c.bad(e.At)
		}
		return &Index{node{at: e.At, typ: t.Elem, lval: isPlace, place: place}, x, i}
	case *types.Matrix:
		if !c.indexInRange(i, t.Cols(), x.Type()) {
			return c.bad(e.At)
		}
		return &Index{node{at: e.At, typ: t.Column(), lval: isPlace, place: place}, x, i}
	case *types.Vector:
		if !c.indexInRange(i, t.Len(), x.Type()) {
			return c.bad(e.At)
		}
		return &Index{node{at: e.At, typ: t.Elem(), lval: isPlace, place: place}, x, i}
	}
	c.errorf(e.At, diag.BadOperand, "%s cannot be indexed", x.Type())
	return c.bad(e.At)
}

// indexInRange reports a constant index outside of a vector or array.
func (c *checker) indexInRange(i Expr, n int, t types.Type) bool {
	if k, ok := i.(*Const); ok && (k.Value.Int() < 0 || k.Value.Int() >= int64(n)) {
		c.errorf(i.Pos(), diag.IndexRange, "index %s is outside of %s", k.Value, t)
		return false
	}
	return true
}

// member checks X.name and X->name: a field, a static member, or components of a vector.
func (c *checker) member(e *syntax.Member) Expr {
	x := c.object(e)
	if isBad(x) {
		return c.bad(e.At)
	}
	switch t := x.Type().(type) {
	case *types.Vector:
		return c.swizzle(e, x, t)
	case *types.Struct:
		if !c.complete(e.At, t) {
			return c.bad(e.At)
		}
		switch m := c.classOf(t).scope.local(e.Part.Ident).(type) {
		case *fieldName:
			if m.class == t || derives(t, m.class) {
				return c.field(e.At, baseOf(x, m.class), m.index)
			}
		case *Var:
			return varRef(e.At, m)
		case *constName:
			return constant(e.At, m.value)
		case *overloads:
			c.errorf(e.Part.At, diag.NotAValue, "member function %q is not called", e.Part.Ident)
			return c.bad(e.At)
		}
		c.errorf(e.Part.At, diag.NoSuchMember, "%s has no member %q", t, e.Part.Ident)
		return c.bad(e.At)
	}
	c.errorf(e.At, diag.NoSuchMember, "%s has no members", x.Type())
	return c.bad(e.At)
}

// object checks the object of a member access; an arrow follows its pointer.
func (c *checker) object(e *syntax.Member) Expr {
	x := c.expr(e.X)
	if isBad(x) {
		return x
	}
	if e.Arrow {
		return c.deref(e.At, c.rvalue(x))
	}
	if _, ok := x.Type().(*types.Pointer); ok {
		c.errorf(e.At, diag.NoSuchMember, "%s is a pointer: use ->", x.Type())
		return c.bad(e.At)
	}
	return x
}

// field is member number i of the struct x. Members of anonymous members are reached through them.
func (c *checker) field(at diag.Pos, x Expr, i int) Expr {
	s := x.Type().(*types.Struct)
	place, isPlace := x.Place()
	for _, step := range c.classOf(s).path(i) {
		f := s.Fields[step]
		place.Const = place.Const || f.Const
		x = &Member{node{at: at, typ: f.Type, lval: isPlace, place: place}, x, step}
		s, _ = f.Type.(*types.Struct)
	}
	return x
}

// swizzle checks components of a vector: up to four letters of xyzw or of rgba.
func (c *checker) swizzle(e *syntax.Member, x Expr, t *types.Vector) Expr {
	name := e.Part.Ident
	lanes := make([]int, 0, 4)
	sets := 0
	distinct := map[int]bool{}
	for i := 0; i < len(name); i++ {
		lane, set := -1, 0
		for k := 0; k < 4; k++ {
			if name[i] == "xyzw"[k] {
				lane, set = k, 1
			} else if name[i] == "rgba"[k] {
				lane, set = k, 2
			}
		}
		if lane < 0 || lane >= t.Len() || len(name) > 4 || sets != 0 && sets != set {
			c.errorf(e.Part.At, diag.NoSuchMember, "%s has no components %q", t, name)
			return c.bad(e.At)
		}
		sets = set
		distinct[lane] = true
		lanes = append(lanes, lane)
	}
	if inner, ok := x.(*Swizzle); ok { // components of components
		for i, l := range lanes {
			lanes[i] = inner.Lanes[l]
		}
		x, t = inner.X, inner.X.Type().(*types.Vector)
	}
	var typ types.Type = t.Elem()
	if len(lanes) > 1 {
		typ = types.VectorOf(t.Elem(), len(lanes), false)
	}
	place, isPlace := x.Place()
	return &Swizzle{node{at: e.At, typ: typ, lval: isPlace && len(distinct) == len(lanes), place: place}, c.unlessPlace(x, isPlace && len(distinct) == len(lanes)), lanes}
}

// unlessPlace is x, loaded if the result is to be a value.
func (c *checker) unlessPlace(x Expr, place bool) Expr {
	if place {
		return x
	}
	return c.rvalue(x)
}

// cond checks C ? X : Y.
func (c *checker) cond(e *syntax.Cond) Expr {
	cond := c.boolCond(c.rvalue(c.expr(e.C)))
	k, decided := cond.(*Const)
	var xl, yl Expr
	c.unless(decided && !k.Value.Bool(), func() { xl = c.expr(e.X) })
	c.unless(decided && k.Value.Bool(), func() { yl = c.expr(e.Y) })
	if isBad(cond) || isBad(xl) || isBad(yl) {
		return c.bad(e.At)
	}
	x, y := c.rvalue(xl), c.rvalue(yl)
	if isBad(x) || isBad(y) {
		return c.bad(e.At)
	}
	t := c.common(x, y)
	if t == nil {
		c.errorf(e.At, diag.BadOperand, "? has operands of types %s and %s, which have no type in common", x.Type(), y.Type())
		return c.bad(e.At)
	}
	x, y = c.convert(x, t), c.convert(y, t)
	if types.IsVoid(t) {
		return &Cond{node{at: e.At, typ: t}, cond, x, y}
	}
	if decided {
		if k.Value.Bool() {
			return x
		}
		return y
	}
	return &Cond{node{at: e.At, typ: t}, cond, x, y}
}

// common is the type that two values are brought to.
func (c *checker) common(x, y Expr) types.Type {
	a, b := x.Type(), y.Type()
	if types.Identical(a, b) {
		return a
	}
	if t := arithmetic(a, b); t != nil {
		return t
	}
	if p, ok := a.(*types.Pointer); ok {
		if q, ok := b.(*types.Pointer); ok && p.Space == q.Space {
			u := *p
			u.Const, u.Volatile = p.Const || q.Const, p.Volatile || q.Volatile
			if !types.Identical(p.Elem, q.Elem) {
				if !types.IsVoid(p.Elem) && !types.IsVoid(q.Elem) {
					return nil
				}
				u.Elem = types.Void
			}
			return &u
		}
	}
	switch toB, toA := c.rankOf(x, b), c.rankOf(y, a); {
	case toB != rankNone && toA == rankNone:
		return b
	case toA != rankNone && toB == rankNone:
		return a
	}
	return nil
}

func (c *checker) sizeOf(e *syntax.SizeOf) Expr {
	var t types.Type
	if e.Type != nil {
		q := c.resolve(e.Type)
		t = q.typ
		if !types.IsInvalid(t) && !c.complete(e.At, t) {
			return c.bad(e.At)
		}
	} else {
		t = c.expr(e.X).Type()
	}
	if types.IsInvalid(t) {
		return c.bad(e.At)
	}
	if _, ok := t.(*types.Func); ok || types.IsVoid(t) {
		c.errorf(e.At, diag.BadOperand, "%s has no size", t)
		return c.bad(e.At)
	}
	n := t.Size()
	if e.Word == "alignof" {
		n = t.Align()
	}
	return constant(e.At, Value{Type: types.Ulong, Bits: uint64(n)})
}
