package check

import (
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

var binaryOps = map[string]Op{
	"+": Add, "-": Sub, "*": Mul, "/": Div, "%": Rem, "&": And, "|": Or, "^": Xor, "<<": Shl, ">>": Shr,
	"<": Lt, "<=": Le, ">": Gt, ">=": Ge, "==": Eq, "!=": Ne, "&&": LogAnd, "||": LogOr,
}

// unary checks an operator with one operand.
func (c *checker) unary(e *syntax.Unary) Expr {
	x := c.expr(e.X)
	if isBad(x) {
		return c.bad(e.At)
	}
	if _, ok := x.Type().(*types.Struct); ok && e.Op != "&" {
		var args []Expr
		if e.Postfix {
			args = []Expr{constant(e.At, IntValue(types.Int, 0))}
		}
		y := c.asNumber(x)
		if y == nil || e.Op == "++" || e.Op == "--" || e.Op == "*" {
			return c.operatorCall(e.At, "operator"+e.Op, x, args, false)
		}
		if z := c.operatorOverload(e.At, "operator"+e.Op, x, nil); z != nil {
			return z
		}
		x = y
		if e.Op == "!" { // a condition: any conversion to bool will do
			x = c.boolCond(x)
		}
	}
	switch e.Op {
	case "++", "--":
		return c.incDec(e, x)
	case "&":
		return c.address(e, x)
	case "*":
		return c.deref(e.At, c.rvalue(x))
	}
	x = c.rvalue(x)
	if isBad(x) {
		return x
	}
	if isMatrix(x.Type()) && (e.Op == "-" || e.Op == "+") {
		if e.Op == "+" {
			return x
		}
		return &Unary{node{at: e.At, typ: x.Type()}, Neg, x}
	}
	if e.Op == "!" {
		if v, ok := x.Type().(*types.Vector); ok {
			if v.Elem() != types.Bool {
				c.errorf(e.At, diag.BadOperand, "! is not defined for %s", v)
				return c.bad(e.At)
			}
			return &Unary{node{at: e.At, typ: v}, Not, x}
		}
		x = c.boolCond(x)
		if isBad(x) {
			return x
		}
		return foldOp(&Unary{node{at: e.At, typ: types.Bool}, Not, x})
	}
	if _, ok := x.Type().(*types.Pointer); ok && e.Op == "+" {
		return x
	}
	t := plain(x.Type())
	if s := arithScalar(t); s != nil {
		t = promoted(s)
	}
	if !types.IsNumeric(t) || e.Op == "~" && types.IsFloat(t) || types.ScalarOf(t) == types.Bool {
		c.errorf(e.At, diag.BadOperand, "%s is not defined for %s", e.Op, x.Type())
		return c.bad(e.At)
	}
	x = cast(x, t)
	switch e.Op {
	case "-":
		return foldOp(&Unary{node{at: e.At, typ: t}, Neg, x})
	case "~":
		return foldOp(&Unary{node{at: e.At, typ: t}, BitNot, x})
	}
	return x
}

// foldOp replaces an operator on constants by what it gives.
func foldOp(x Expr) Expr {
	switch e := x.(type) {
	case *Unary:
		if _, ok := e.X.(*Const); !ok {
			return x
		}
	case *Binary:
		if _, ok := e.X.(*Const); !ok {
			return x
		}
		if _, ok := e.Y.(*Const); !ok {
			return x
		}
	}
	if v, err := evaluate(x, nil); err == nil {
		return constant(x.Pos(), v)
	}
	return x
}

// writable reports a place that cannot be written.
func (c *checker) writable(at diag.Pos, x Expr, what string) bool {
	p, ok := x.Place()
	switch {
	case !ok:
		c.errorf(at, diag.NotAPlace, "%s needs a variable or something in memory, not a value", what)
	case p.Const:
		c.errorf(at, diag.ConstViolation, "%s would change a const object", what)
	case p.Space == types.Constant:
		c.errorf(at, diag.ConstViolation, "%s would change the constant address space", what)
	default:
		return true
	}
	return false
}

func (c *checker) incDec(e *syntax.Unary, x Expr) Expr {
	if !c.writable(e.At, x, e.Op) {
		return c.bad(e.At)
	}
	t := x.Type()
	_, isPointer := t.(*types.Pointer)
	if isPointer && types.IsVoid(t.(*types.Pointer).Elem) {
		isPointer = false
	}
	if vec, ok := t.(*types.Vector); !isPointer && (!types.IsNumeric(t) || types.ScalarOf(t) == types.Bool || ok && vec.Packed()) {
		c.errorf(e.At, diag.BadOperand, "%s is not defined for %s", e.Op, t)
		return c.bad(e.At)
	}
	return &IncDec{node{at: e.At, typ: t}, x, e.Op == "--", e.Postfix}
}

func (c *checker) address(e *syntax.Unary, x Expr) Expr {
	if _, ok := x.Place(); !ok {
		c.errorf(e.At, diag.NotAPlace, "& needs a variable or something in memory, not a value")
		return c.bad(e.At)
	}
	if _, ok := x.(*Swizzle); ok {
		c.errorf(e.At, diag.NotAPlace, "& cannot be applied to components of a vector")
		return c.bad(e.At)
	}
	if ix, ok := x.(*Index); ok {
		if _, isVec := ix.X.Type().(*types.Vector); isVec {
			c.errorf(e.At, diag.NotAPlace, "& cannot be applied to components of a vector")
			return c.bad(e.At)
		}
	}
	return addressOf(e.At, x)
}

// binary checks an operator with two operands.
func (c *checker) binary(e *syntax.Binary) Expr {
	switch e.Op {
	case "=":
		return c.assign(e)
	case ",":
		x, y := c.expr(e.X), c.rvalue(c.expr(e.Y))
		if isBad(x) || isBad(y) {
			return c.bad(e.At)
		}
		return &Comma{node{at: e.At, typ: y.Type()}, x, y}
	}
	if op, ok := strings.CutSuffix(e.Op, "="); ok && !isComparison(e.Op) {
		return c.compound(e, op)
	}
	// A chain of operators leans left; walking down it in a loop keeps the stack small.
	var chain []*syntax.Binary
	var left syntax.Expr = e
	for {
		b, ok := left.(*syntax.Binary)
		if !ok || isAssignment(b.Op) || b.Op == "," {
			break
		}
		chain = append(chain, b)
		left = b.X
	}
	x := c.expr(left)
	for i := len(chain) - 1; i >= 0; i-- {
		k, isConst := x.(*Const)
		op := chain[i].Op
		decided := isConst && k.Type() == types.Type(types.Bool) && (op == "&&" && !k.Value.Bool() || op == "||" && k.Value.Bool())
		var y Expr
		c.unless(decided, func() { y = c.expr(chain[i].Y) })
		x = c.binaryOp(chain[i], x, y)
	}
	return x
}

func isComparison(op string) bool { return op == "<=" || op == ">=" || op == "==" || op == "!=" }

func isAssignment(op string) bool { return strings.HasSuffix(op, "=") && !isComparison(op) }

func (c *checker) binaryOp(e *syntax.Binary, x, y Expr) Expr {
	if isBad(x) || isBad(y) {
		return c.bad(e.At)
	}
	if isStruct(x) || isStruct(y) {
		if z := c.operatorOverload(e.At, "operator"+e.Op, x, y); z != nil {
			return z
		}
	}
	if isStruct(x) || isStruct(y) {
		nx, ny := x, y
		if isStruct(x) {
			nx = c.asNumber(x)
		}
		if isStruct(y) {
			ny = c.asNumber(y)
		}
		if nx != nil && ny != nil {
			x, y = nx, ny
		}
	}
	return c.operate(e.At, binaryOps[e.Op], c.rvalue(x), c.rvalue(y))
}

// asNumber converts a struct to the number that its one fitting conversion gives, for an operator that is not defined for
// the struct itself; nil if there is none or more than one.
func (c *checker) asNumber(x Expr) Expr {
	s, ok := x.Type().(*types.Struct)
	if !ok || !s.IsComplete() {
		return nil
	}
	var found *function
	for _, f := range c.conversions(s) {
		if f.explicit || c.thisRank(x, f.f.Params[0]) == rankNone || !types.IsNumeric(f.f.Ret) {
			continue
		}
		if found != nil {
			return nil
		}
		found = f
	}
	if found == nil {
		return nil
	}
	return c.callTo(x.Pos(), found, x, nil)
}

func isStruct(x Expr) bool {
	_, ok := x.Type().(*types.Struct)
	return ok
}

// operate applies a binary operator to two values.
func (c *checker) operate(at diag.Pos, op Op, x, y Expr) Expr {
	if isBad(x) || isBad(y) {
		return c.bad(at)
	}
	if op == LogAnd || op == LogOr {
		return c.logical(at, op, x, y)
	}
	if z := c.matrixOperate(at, op, x, y); z != nil {
		return z
	}
	if z := c.pointerOperate(at, op, x, y); z != nil {
		return z
	}
	if z := c.enumOperate(at, op, x, y); z != nil {
		return z
	}
	var t types.Type
	if op == Shl || op == Shr {
		t = c.shiftType(x.Type(), y.Type())
		if t != nil {
			y = shiftCount(y, t)
		}
	} else {
		t = arithmetic(x.Type(), y.Type())
	}
	if t == nil || !allowed(op, t) {
		c.badOperands(at, op, x, y)
		return c.bad(at)
	}
	x, y = c.convert(x, t), c.convert(y, t)
	if isBad(x) || isBad(y) {
		return c.bad(at)
	}
	result := t
	if op.IsComparison() {
		result = types.WithElem(t, types.Bool)
	}
	if c.divides(op, t, y) {
		c.errorf(at, diag.DivideByZero, "division by zero")
		return c.bad(at)
	}
	return foldOp(&Binary{node{at: at, typ: result}, op, x, y})
}

// divides reports a division of integers by a constant 0, where it can be reached.
func (c *checker) divides(op Op, t types.Type, y Expr) bool {
	k, ok := y.(*Const)
	return ok && c.dead == 0 && (op == Div || op == Rem) && types.IsInteger(t) && k.Value.Elems == nil && k.Value.Bits == 0
}

// unless checks something that a constant condition may keep from being reached.
func (c *checker) unless(dead bool, f func()) {
	if dead {
		c.dead++
		defer func() { c.dead-- }()
	}
	f()
}

func (c *checker) badOperands(at diag.Pos, op Op, x, y Expr) {
	c.errorf(at, diag.BadOperand, "%s is not defined for %s and %s", op, x.Type(), y.Type())
}

// allowed reports whether op is defined for operands of type t.
func allowed(op Op, t types.Type) bool {
	s := types.ScalarOf(t)
	switch op {
	case Rem, Shl, Shr:
		return s.IsInteger()
	case And, Or, Xor:
		return !s.IsFloat()
	case Add, Sub, Mul, Div:
		return s != types.Bool
	case Lt, Le, Gt, Ge:
		return s != types.Bool || types.Width(t) == 1
	}
	return true
}

// shiftType is the type of a shift: the left operand's, promoted.
func (c *checker) shiftType(x, y types.Type) types.Type {
	x, y = plain(x), plain(y)
	xv, xIsVec := x.(*types.Vector)
	yv, yIsVec := y.(*types.Vector)
	if xIsVec {
		if yIsVec && yv.Len() != xv.Len() || !yIsVec && (arithScalar(y) == nil || arithScalar(y).IsFloat()) || yIsVec && !yv.Elem().IsInteger() {
			return nil
		}
		return xv
	}
	xs, ys := arithScalar(x), arithScalar(y)
	if xs == nil || xs.IsFloat() {
		return nil
	}
	if yIsVec {
		if !yv.Elem().IsInteger() {
			return nil
		}
		return yv
	}
	if ys == nil || ys.IsFloat() {
		return nil
	}
	return promoted(xs)
}

// shiftCount brings a count to the type of what is shifted; only its low bits count.
func shiftCount(y Expr, t types.Type) Expr {
	if v, ok := t.(*types.Vector); ok {
		if _, isVec := y.Type().(*types.Vector); !isVec {
			return cast(cast(y, v.Elem()), v)
		}
	}
	return cast(y, t)
}

// logical checks && and ||: of vectors of bool in each component, of anything else as conditions.
func (c *checker) logical(at diag.Pos, op Op, x, y Expr) Expr {
	vx, xok := x.Type().(*types.Vector)
	vy, yok := y.Type().(*types.Vector)
	if xok || yok {
		t := arithmetic(x.Type(), y.Type())
		if t == nil || xok && vx.Elem() != types.Bool || yok && vy.Elem() != types.Bool {
			c.badOperands(at, op, x, y)
			return c.bad(at)
		}
		bit := And
		if op == LogOr {
			bit = Or
		}
		return &Binary{node{at: at, typ: t}, bit, c.convert(x, t), c.convert(y, t)}
	}
	x, y = c.boolCond(x), c.boolCond(y)
	if isBad(x) || isBad(y) {
		return c.bad(at)
	}
	if k, ok := x.(*Const); ok && k.Value.Bool() == (op == LogOr) { // y is not evaluated
		return constant(at, k.Value)
	}
	return foldOp(&Binary{node{at: at, typ: types.Bool}, op, x, y})
}

// pointerOperate applies + - and comparisons to pointers; nil if neither operand is one.
func (c *checker) pointerOperate(at diag.Pos, op Op, x, y Expr) Expr {
	px, xok := x.Type().(*types.Pointer)
	py, yok := y.Type().(*types.Pointer)
	null := x.Type() == types.Type(types.Null) || y.Type() == types.Type(types.Null)
	if !xok && !yok && !null {
		return nil
	}
	isInt := func(e Expr) bool { s := arithScalar(e.Type()); return s != nil && !s.IsFloat() }
	switch {
	case xok && (op == Add || op == Sub) && isInt(y) && c.sized(at, px):
		i := indexValue(y)
		if op == Sub {
			i = c.negate(at, i)
		}
		return &PointerAdd{node{at: at, typ: px}, x, i}
	case yok && op == Add && isInt(x) && c.sized(at, py):
		return &PointerAdd{node{at: at, typ: py}, y, indexValue(x)}
	case xok && yok && op == Sub && px.Space == py.Space && types.Identical(px.Elem, py.Elem) && c.sized(at, px):
		return &PointerDiff{node{at: at, typ: types.Long}, x, y}
	case op.IsComparison() && (xok && yok || null && (op == Eq || op == Ne)):
		t := c.common(x, y)
		if t == nil && null {
			if xok {
				t = px
			} else if yok {
				t = py
			}
		}
		if t != nil && t != types.Type(types.Null) {
			return &Binary{node{at: at, typ: types.Bool}, op, c.convert(x, t), c.convert(y, t)}
		}
	}
	c.badOperands(at, op, x, y)
	return c.bad(at)
}

func (c *checker) sized(at diag.Pos, p *types.Pointer) bool {
	return !types.IsVoid(p.Elem) && c.complete(at, p.Elem)
}

// indexValue makes an integer, a bool or an enumerator an integer.
func indexValue(x Expr) Expr {
	if s, ok := x.Type().(*types.Scalar); ok && s.IsInteger() {
		return x
	}
	return cast(x, promoted(arithScalar(x.Type())))
}

// negate is -i in 64 bits.
func (c *checker) negate(at diag.Pos, i Expr) Expr {
	return foldOp(&Unary{node{at: at, typ: types.Long}, Neg, cast(i, types.Long)})
}

// enumOperate compares enumerators of one scoped type, and joins mem_flags; nil for other operands.
func (c *checker) enumOperate(at diag.Pos, op Op, x, y Expr) Expr {
	e, ok := x.Type().(*types.Enum)
	if !ok || !e.Scoped || !types.Identical(e, y.Type()) {
		return nil
	}
	flags := e == c.memFlags && (op == And || op == Or || op == Xor)
	if !flags && !op.IsComparison() {
		return nil
	}
	u := e.Underlying
	z := foldOp(&Binary{node{at: at, typ: u}, op, cast(x, u), cast(y, u)})
	if flags {
		return cast(z, e)
	}
	if b, ok := z.(*Binary); ok {
		b.typ = types.Bool
	}
	return z
}

// assign checks L = R.
func (c *checker) assign(e *syntax.Binary) Expr {
	l := c.expr(e.X)
	if isStruct(l) {
		if list, ok := e.Y.(*syntax.InitList); ok {
			return c.store(e.At, l, c.initFrom(list, l.Type(), true))
		}
		r := c.expr(e.Y)
		if !isBad(r) && !types.Identical(r.Type(), l.Type()) {
			if z := c.operatorOverload(e.At, "operator=", l, r); z != nil {
				return z
			}
		}
		return c.store(e.At, l, r)
	}
	if list, ok := e.Y.(*syntax.InitList); ok && !isBad(l) {
		return c.store(e.At, l, c.initFrom(list, l.Type(), true))
	}
	return c.store(e.At, l, c.expr(e.Y))
}

func (c *checker) store(at diag.Pos, l, r Expr) Expr {
	if isBad(l) || isBad(r) || !c.writable(at, l, "assignment") {
		return c.bad(at)
	}
	switch l.Type().(type) {
	case *types.Array:
		c.errorf(at, diag.BadOperand, "arrays cannot be assigned")
		return c.bad(at)
	case *types.Atomic:
		c.errorf(at, diag.AtomicValue, "%s is written with atomic_store_explicit", l.Type())
		return c.bad(at)
	}
	r = c.convert(r, l.Type())
	if isBad(r) {
		return r
	}
	return &Assign{node{at: at, typ: l.Type()}, l, r}
}

// compound checks L op= Y.
func (c *checker) compound(e *syntax.Binary, opText string) Expr {
	l, y := c.expr(e.X), c.expr(e.Y)
	if isBad(l) || isBad(y) {
		return c.bad(e.At)
	}
	if isStruct(l) {
		if z := c.operatorOverload(e.At, "operator"+e.Op, l, y); z != nil {
			return z
		}
	}
	if !c.writable(e.At, l, e.Op) {
		return c.bad(e.At)
	}
	y = c.rvalue(y)
	op := binaryOps[opText]
	lt := l.Type()
	if p, ok := lt.(*types.Pointer); ok {
		if isStruct(y) {
			if n := c.asNumber(y); n != nil {
				y = c.rvalue(n)
			}
		}
		s := arithScalar(y.Type())
		if (op == Add || op == Sub) && s != nil && !s.IsFloat() && c.sized(e.At, p) {
			return &CompoundAssign{node{at: e.At, typ: p}, op, l, indexValue(y)}
		}
		c.badOperands(e.At, op, l, y)
		return c.bad(e.At)
	}
	if isStruct(y) {
		if f := c.conversionFunction(y, lt); f != nil {
			y = c.convert(y, lt)
		}
	}
	if isBad(y) {
		return y
	}
	if isMatrix(lt) {
		return c.matrixCompound(e.At, op, l, y)
	}
	var t types.Type
	if op == Shl || op == Shr {
		if t = c.shiftType(lt, y.Type()); t != nil {
			y = shiftCount(y, t)
		}
	} else {
		t = arithmetic(lt, y.Type())
	}
	if t == nil || !allowed(op, t) || types.Width(t) != types.Width(lt) {
		c.badOperands(e.At, op, l, y)
		return c.bad(e.At)
	}
	if _, isEnum := lt.(*types.Enum); isEnum {
		c.badOperands(e.At, op, l, y)
		return c.bad(e.At)
	}
	if rankTypes(t, lt) == rankNone {
		c.noConversion(e.At, t, lt)
		return c.bad(e.At)
	}
	y = c.convert(y, t)
	if c.divides(op, t, y) {
		c.errorf(e.At, diag.DivideByZero, "division by zero")
		return c.bad(e.At)
	}
	if isBad(y) {
		return y
	}
	return &CompoundAssign{node{at: e.At, typ: lt}, op, l, y}
}
