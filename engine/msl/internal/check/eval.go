package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Evaluate computes a constant expression. known holds the function constants that have a value. Integers wrap to their
// width, float is float32, half and bfloat are rounded after every operation.
//
// An expression that is not constant gives a diagnostic: with code diag.DependsOnFunctionConstant if a function constant
// that is not in known is all that stands in the way.
func Evaluate(x Expr, known map[*Var]Value) (Value, *diag.Error) { return evaluate(x, known) }

func evaluate(x Expr, known map[*Var]Value) (v Value, err *diag.Error) {
	ev := &evaluator{known: known}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*diag.Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	return ev.value(x), nil
}

// evaluator computes constant expressions, calls of constexpr functions included.
type evaluator struct {
	known map[*Var]Value
	frame map[*Var]*Value // locals and parameters of the function being run; a reference is what it is bound to
	steps int
	depth int
}

// fail ends the evaluation: the expression is not constant.
func (ev *evaluator) fail(at diag.Pos, format string, args ...any) {
	panic(diag.Errorf(at, diag.NotConstant, format, args...))
}

func (ev *evaluator) step(at diag.Pos, n int) {
	if ev.steps += n; ev.steps > maxEvaluationSteps || n < 0 {
		ev.fail(at, "constant expression takes more than %d steps", maxEvaluationSteps)
	}
}

// scalars is the number of scalars in a value of type t, no more than a little above the limit of steps.
func scalars(t types.Type) int {
	n := 1
	switch t := t.(type) {
	case *types.Vector:
		n = t.Len()
	case *types.Matrix:
		n = t.Cols() * t.Rows()
	case *types.Array:
		n = t.Len
		if n <= maxEvaluationSteps {
			n *= scalars(t.Elem)
		}
	case *types.Struct:
		for i := range t.Fields {
			n += scalars(t.Fields[i].Type)
		}
	}
	return min(n, maxEvaluationSteps+1)
}

func (ev *evaluator) zero(at diag.Pos, t types.Type) Value {
	if holdsPointer(t) {
		ev.fail(at, "a pointer is no constant")
	}
	if s, ok := t.(*types.Struct); ok && s.Union {
		ev.fail(at, "a union is no constant")
	}
	ev.step(at, scalars(t))
	return Zero(t)
}

// clone copies a value, so that changing one leaves the other.
func clone(v Value) Value {
	if v.Elems != nil {
		elems := make([]Value, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = clone(e)
		}
		v.Elems = elems
	}
	return v
}

// value computes a value.
func (ev *evaluator) value(x Expr) Value {
	ev.step(x.Pos(), 1)
	switch x := x.(type) {
	case *Const:
		return clone(x.Value)
	case *Load:
		return ev.load(x.X)
	case *Unary:
		return ev.each1(x.typ, ev.value(x.X), func(s *types.Scalar, a uint64) uint64 { return unaryBits(x.Op, s, a) })
	case *Binary:
		return ev.binary(x)
	case *Convert:
		if types.IsVoid(x.typ) {
			if _, isPlace := x.X.Place(); !isPlace {
				ev.value(x.X)
			}
			return Value{Type: types.Void}
		}
		return ev.convert(ev.value(x.X), x.typ)
	case *Splat:
		e := ev.value(x.X)
		return ev.each1(x.typ, Zero(x.typ), func(*types.Scalar, uint64) uint64 { return e.Bits })
	case *Bitcast:
		return fromBytes(x.typ, toBytes(ev.value(x.X)))
	case *Cond:
		if ev.value(x.C).Bool() {
			return ev.value(x.X)
		}
		return ev.value(x.Y)
	case *Comma:
		ev.effect(x.X)
		return ev.value(x.Y)
	case *Construct:
		out := Value{Type: x.typ}
		for _, a := range x.Args {
			v := ev.value(a)
			if v.Elems == nil {
				out.Elems = append(out.Elems, v)
			}
			out.Elems = append(out.Elems, v.Elems...)
		}
		return out
	case *Aggregate:
		out := ev.zero(x.at, x.typ)
		for i, e := range x.Elems {
			out.Elems[i] = ev.value(e)
		}
		return out
	case *Index:
		return ev.element(x.at, ev.value(x.X), ev.value(x.Index))
	case *Member:
		return ev.value(x.X).Elems[x.Field]
	case *Swizzle:
		return pickLanes(ev.value(x.X), x)
	case *Assign, *CompoundAssign, *IncDec:
		return ev.mutate(x)
	case *Call:
		return ev.call(x)
	case *Closure:
		if len(x.Vars) == 0 {
			return Value{Type: x.typ, Elems: []Value{}}
		}
	case *CallBuiltin:
		return ev.builtin(x)
	case *VarDefined:
		_, ok := ev.known[x.Var]
		if ev.known == nil {
			panic(diag.Errorf(x.at, diag.DependsOnFunctionConstant, "expression depends on function constant %q", x.Var.Name))
		}
		return BoolValue(ok)
	}
	ev.fail(x.Pos(), "expression is not constant")
	return Value{}
}

func (ev *evaluator) element(at diag.Pos, v, i Value) Value {
	n := i.Int()
	if n < 0 || n >= int64(len(v.Elems)) {
		ev.fail(at, "index %d is outside of %s", n, v.Type)
	}
	return v.Elems[n]
}

func pickLanes(v Value, x *Swizzle) Value {
	if len(x.Lanes) == 1 {
		return v.Elems[x.Lanes[0]]
	}
	out := Value{Type: x.typ, Elems: make([]Value, len(x.Lanes))}
	for i, l := range x.Lanes {
		out.Elems[i] = v.Elems[l]
	}
	return out
}

// load reads the place x.
func (ev *evaluator) load(x Expr) Value {
	if s, ok := x.(*Swizzle); ok && len(s.Lanes) > 1 {
		return pickLanes(ev.load(s.X), s)
	}
	p := ev.place(x)
	ev.step(x.Pos(), scalars(p.Type))
	return clone(*p)
}

// place finds the object that x denotes.
func (ev *evaluator) place(x Expr) *Value {
	ev.step(x.Pos(), 1)
	switch x := x.(type) {
	case *VarRef:
		return ev.variable(x.at, x.Var)
	case *View:
		ev.fail(x.at, "expression is not constant")
	case *Index:
		v, i := ev.place(x.X), ev.value(x.Index)
		if n := i.Int(); n < 0 || n >= int64(len(v.Elems)) {
			ev.fail(x.at, "index %d is outside of %s", n, v.Type)
		}
		return &v.Elems[i.Int()]
	case *Member:
		return &ev.place(x.X).Elems[x.Field]
	case *Swizzle:
		if len(x.Lanes) == 1 {
			return &ev.place(x.X).Elems[x.Lanes[0]]
		}
	case *Materialize:
		v := ev.value(x.X)
		return &v
	}
	ev.fail(x.Pos(), "expression is not constant")
	return nil
}

func (ev *evaluator) variable(at diag.Pos, v *Var) *Value {
	if p := ev.frame[v]; p != nil {
		return p
	}
	switch {
	case v.Value != nil:
		return v.Value
	case v.FunctionConstant >= 0:
		if k, ok := ev.known[v]; ok {
			return &k
		}
		panic(diag.Errorf(at, diag.DependsOnFunctionConstant, "expression depends on function constant %q", v.Name))
	case v.Global && v.Init != nil:
		ev.deeper(at)
		defer func() { ev.depth-- }()
		k := ev.value(v.Init)
		return &k
	}
	ev.fail(at, "%q is not a constant", v.Name)
	return nil
}

func (ev *evaluator) deeper(at diag.Pos) {
	if ev.depth++; ev.depth > maxInstanceDepth {
		ev.fail(at, "constant expression is nested more than %d deep", maxInstanceDepth)
	}
}

func (ev *evaluator) binary(x *Binary) Value {
	if x.Op == LogAnd || x.Op == LogOr {
		a := ev.value(x.X)
		if a.Bool() == (x.Op == LogOr) {
			return a
		}
		return ev.value(x.Y)
	}
	return ev.apply(x.at, x.Op, x.typ, ev.value(x.X), ev.value(x.Y))
}

// apply is a op b in each component; t is the type of the result.
func (ev *evaluator) apply(at diag.Pos, op Op, t types.Type, a, b Value) Value {
	s := elemScalar(a.Type)
	if s == nil {
		ev.fail(at, "expression is not constant")
	}
	one := func(x, y uint64) uint64 {
		if (op == Div || op == Rem) && s.IsInteger() && y == 0 {
			panic(diag.Errorf(at, diag.DivideByZero, "division by zero"))
		}
		return binaryBits(op, s, x, y)
	}
	if a.Elems == nil {
		return Value{Type: t, Bits: one(a.Bits, b.Bits)}
	}
	out := Value{Type: t, Elems: make([]Value, len(a.Elems))}
	for i := range a.Elems {
		out.Elems[i] = ev.apply(at, op, elementOf(t), a.Elems[i], b.Elems[i])
	}
	return out
}

// elemScalar is the type of the scalars that a scalar, vector or matrix is made of; nil for any other type.
func elemScalar(t types.Type) *types.Scalar {
	switch t := t.(type) {
	case *types.Matrix:
		return t.Elem()
	case *types.SimdMatrix:
		return t.Elem()
	}
	return types.ScalarOf(t)
}

// elementOf is the type of a vector's component, a matrix's column, or the elements a thread has of a simdgroup matrix.
func elementOf(t types.Type) types.Type {
	if m, ok := t.(*types.Matrix); ok {
		return m.Column()
	}
	return elemScalar(t)
}

func (ev *evaluator) each1(t types.Type, a Value, f func(*types.Scalar, uint64) uint64) Value {
	s := elemScalar(a.Type)
	if a.Elems == nil {
		return Value{Type: t, Bits: f(s, a.Bits)}
	}
	out := Value{Type: t, Elems: make([]Value, len(a.Elems))}
	for i := range a.Elems {
		out.Elems[i] = ev.each1(elementOf(t), a.Elems[i], f)
	}
	return out
}

func (ev *evaluator) convert(v Value, t types.Type) Value {
	to := elemScalar(t)
	return ev.each1(t, v, func(from *types.Scalar, a uint64) uint64 { return convertBits(from, to, a) })
}

// effect evaluates x and drops what it gives.
func (ev *evaluator) effect(x Expr) {
	if _, ok := x.Place(); ok {
		if _, isCall := x.(*Call); !isCall {
			return
		}
	}
	ev.value(x)
}

// mutate runs an assignment, inside of a constexpr function.
func (ev *evaluator) mutate(x Expr) Value {
	switch x := x.(type) {
	case *Assign:
		v := ev.value(x.R)
		ev.store(x.L, v)
		return v
	case *CompoundAssign:
		y := ev.value(x.Y)
		if _, ok := x.typ.(*types.Pointer); ok {
			ev.fail(x.at, "a pointer is no constant")
		}
		v := ev.convert(ev.apply(x.at, x.Op, y.Type, ev.convert(ev.load(x.L), y.Type), y), x.typ)
		ev.store(x.L, v)
		return v
	case *IncDec:
		if _, ok := x.typ.(*types.Pointer); ok {
			ev.fail(x.at, "a pointer is no constant")
		}
		old := ev.load(x.X)
		one := ev.each1(x.typ, old, func(s *types.Scalar, _ uint64) uint64 { return convertBits(types.Int, s, 1) })
		op := Add
		if x.Dec {
			op = Sub
		}
		v := ev.apply(x.at, op, x.typ, old, one)
		ev.store(x.X, v)
		if x.Post {
			return old
		}
		return v
	}
	panic("check: unknown assignment")
}

func (ev *evaluator) store(l Expr, v Value) {
	if s, ok := l.(*Swizzle); ok && len(s.Lanes) > 1 {
		p := ev.place(s.X)
		for i, lane := range s.Lanes {
			p.Elems[lane] = v.Elems[i]
		}
		return
	}
	*ev.place(l) = clone(v)
}
