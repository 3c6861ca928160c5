package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// direct lists the library functions that are one operation on each component.
var direct = map[check.BuiltinFunc]ir.Op{
	check.FnAcos: ir.OpAcos, check.FnAcosh: ir.OpAcosh, check.FnAsin: ir.OpAsin, check.FnAsinh: ir.OpAsinh, check.FnAtan: ir.OpAtan,
	check.FnAtanh: ir.OpAtanh, check.FnCeil: ir.OpCeil, check.FnCos: ir.OpCos, check.FnCosh: ir.OpCosh, check.FnExp: ir.OpExp,
	check.FnExp2: ir.OpExp2, check.FnExp10: ir.OpExp10, check.FnFabs: ir.OpAbs, check.FnFloor: ir.OpFloor, check.FnLog: ir.OpLog,
	check.FnLog2: ir.OpLog2, check.FnLog10: ir.OpLog10, check.FnRint: ir.OpRint, check.FnRound: ir.OpRound, check.FnRsqrt: ir.OpRsqrt,
	check.FnSin: ir.OpSin, check.FnSinh: ir.OpSinh, check.FnSqrt: ir.OpSqrt, check.FnTan: ir.OpTan, check.FnTanh: ir.OpTanh, check.FnTrunc: ir.OpTrunc,
	check.FnAtan2: ir.OpAtan2, check.FnCopysign: ir.OpCopysign, check.FnFmax: ir.OpMax, check.FnFmin: ir.OpMin, check.FnFmod: ir.OpMod,
	check.FnPow: ir.OpPow, check.FnPowr: ir.OpPow, check.FnDivide: ir.OpDiv, check.FnFma: ir.OpFma,
	check.FnMin: ir.OpMin, check.FnMax: ir.OpMax, check.FnPopcount: ir.OpPopcount, check.FnClz: ir.OpClz, check.FnCtz: ir.OpCtz,
	check.FnReverseBits: ir.OpReverseBits, check.FnMulhi: ir.OpMulHi, check.FnLdexp: ir.OpLdexp,
}

// relations give a bool for each component.
var relations = map[check.BuiltinFunc]ir.Op{check.FnIsinf: ir.OpIsInf, check.FnIsnan: ir.OpIsNan, check.FnSignbit: ir.OpSignbit}

// crossLane lists the simdgroup functions that are one operation on each component.
var crossLane = map[check.BuiltinFunc]ir.Op{
	check.FnSimdBroadcast: ir.OpShuffle, check.FnSimdShuffle: ir.OpShuffle, check.FnSimdShuffleXor: ir.OpShuffleXor, check.FnSimdShuffleUp: ir.OpShuffleUp,
	check.FnSimdShuffleDown: ir.OpShuffleDown, check.FnSimdShuffleRotateUp: ir.OpRotateUp, check.FnSimdShuffleRotateDown: ir.OpRotateDown,
	check.FnSimdSum: ir.OpSimdSum, check.FnSimdProduct: ir.OpSimdProduct, check.FnSimdMin: ir.OpSimdMin, check.FnSimdMax: ir.OpSimdMax,
	check.FnSimdPrefixInclusiveSum: ir.OpPrefixSumInclusive, check.FnSimdPrefixExclusiveSum: ir.OpPrefixSumExclusive,
	check.FnSimdPrefixInclusiveProduct: ir.OpPrefixProductInclusive, check.FnSimdPrefixExclusiveProduct: ir.OpPrefixProductExclusive,
	check.FnSimdBroadcastFirst: ir.OpBroadcastFirst, check.FnSimdAnd: ir.OpSimdAnd, check.FnSimdOr: ir.OpSimdOr, check.FnSimdXor: ir.OpSimdXor,
}

var atomics = map[check.BuiltinFunc]ir.AtomicOp{
	check.FnAtomicLoadExplicit: ir.AtomicLoad, check.FnAtomicStoreExplicit: ir.AtomicStore, check.FnAtomicExchangeExplicit: ir.AtomicExchange,
	check.FnAtomicFetchAddExplicit: ir.AtomicAdd, check.FnAtomicFetchSubExplicit: ir.AtomicSub, check.FnAtomicFetchMinExplicit: ir.AtomicMin,
	check.FnAtomicFetchMaxExplicit: ir.AtomicMax, check.FnAtomicFetchAndExplicit: ir.AtomicAnd, check.FnAtomicFetchOrExplicit: ir.AtomicOr,
	check.FnAtomicFetchXorExplicit: ir.AtomicXor, check.FnAtomicMinExplicit: ir.AtomicMin, check.FnAtomicMaxExplicit: ir.AtomicMax,
}

// callBuiltin lowers a call of the library.
func (l *lowerer) callBuiltin(e *check.CallBuiltin) []*ir.Value {
	b := l.b
	args := make([][]*ir.Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = l.value(a)
	}
	l.at(e.Pos())
	t := elemType(e.Type())
	if op, ok := direct[e.ID]; ok {
		return l.each(args, func(x []*ir.Value) *ir.Value {
			r := x[0].Type
			if op == ir.OpLdexp {
				x[1] = b.Convert(x[1], ir.I32)
			}
			return b.Op(op, r, x...)
		})
	}
	if op, ok := relations[e.ID]; ok {
		return l.each(args, func(x []*ir.Value) *ir.Value { return b.Op(op, ir.Bool, x[0]) })
	}
	if isSimdgroup(e.ID) {
		l.probeSimdgroup(e.ID.String())
	}
	if op, ok := crossLane[e.ID]; ok {
		if op.Unordered() && t.IsFloat() && l.b.F.Observed {
			b.Probe(ir.ProbeUnordered, e.ID.String(), nil)
		}
		l.probeShuffle(op, e.ID.String(), []*ir.Value{args[0][0], args[len(args)-1][0]})
		return l.each(args, func(x []*ir.Value) *ir.Value { return l.crossLane(op, x) })
	}
	if op, ok := atomics[e.ID]; ok {
		return l.atomic(op, e, args)
	}
	if f, ok := composed[e.ID]; ok {
		return l.each(args, func(x []*ir.Value) *ir.Value { return f(b, x) })
	}
	switch e.ID {
	case check.FnAbs:
		return l.each(args, func(x []*ir.Value) *ir.Value { return b.Convert(b.Op(ir.OpAbs, x[0].Type, x[0]), t) })
	case check.FnIlogb:
		return l.each(args, func(x []*ir.Value) *ir.Value { // of 0 and NaN as FP_ILOGB0 and FP_ILOGBNAN say
			e := b.Op(ir.OpSub, ir.I32, b.Op(ir.OpFrexpExponent, ir.I32, x[0]), b.ConstI(ir.I32, 1))
			e = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpIsInf, ir.Bool, x[0]), b.ConstI(ir.I32, 1<<31-1), e)
			none := b.Op(ir.OpOr, ir.Bool, b.Op(ir.OpIsNan, ir.Bool, x[0]), b.Op(ir.OpEq, ir.Bool, x[0], b.ConstF(x[0].Type, 0)))
			return b.Op(ir.OpSelect, ir.I32, none, b.ConstI(ir.I32, -1<<31), e)
		})
	case check.FnFrexp, check.FnModf, check.FnSincos:
		return l.twoResults(e, args)
	case check.FnSelect:
		return l.each(args, func(x []*ir.Value) *ir.Value { return b.Op(ir.OpSelect, x[0].Type, x[2], x[1], x[0]) })
	case check.FnNot:
		return l.each(args, func(x []*ir.Value) *ir.Value { return b.Op(ir.OpNot, ir.Bool, x[0]) })
	case check.FnAll, check.FnAny:
		op := ir.OpAnd
		if e.ID == check.FnAny {
			op = ir.OpOr
		}
		r := b.Convert(args[0][0], ir.Bool)
		for _, x := range args[0][1:] {
			r = b.Op(op, ir.Bool, r, b.Convert(x, ir.Bool))
		}
		return []*ir.Value{r}
	case check.FnDot, check.FnDistance, check.FnDistanceSquared, check.FnLength, check.FnLengthSquared, check.FnNormalize,
		check.FnCross, check.FnFaceforward, check.FnReflect, check.FnRefract:
		return l.geometry(e.ID, args)
	case check.FnSimdAll, check.FnSimdAny:
		op := ir.OpSimdAll
		if e.ID == check.FnSimdAny {
			op = ir.OpSimdAny
		}
		return []*ir.Value{b.Cross(op, ir.Bool, args[0][0])}
	case check.FnSimdIsFirst:
		return []*ir.Value{b.Cross(ir.OpSimdIsFirst, ir.Bool)}
	case check.FnSimdBallotBits:
		return []*ir.Value{b.Cross(ir.OpBallot, ir.U64, args[0][0])}
	case check.FnSimdShuffleAndFillUp:
		return l.shuffleFill(true, 32, args)
	case check.FnSimdShuffleAndFillDown:
		return l.shuffleFill(false, 32, args)
	case check.FnThreadgroupBarrier, check.FnSimdgroupBarrier:
		op := ir.OpBarrier
		if e.ID == check.FnSimdgroupBarrier {
			op = ir.OpSimdBarrier
		}
		flags := uint64(2)
		if len(args) > 0 && args[0][0].IsConst() {
			flags = args[0][0].Bits
		}
		b.Barrier(op, flags)
		return nil
	case check.FnAtomicThreadFence:
		b.Barrier(ir.OpFence, args[0][0].Bits)
		return nil
	case check.FnAtomicCompareExchangeWeakExplicit:
		return l.compareExchange(args, e)
	case check.FnSimdgroupSize:
		return []*ir.Value{b.Convert(b.Builtin(ir.SimdgroupSize), t)}
	case check.FnThreadIndexInSimdgroup:
		return []*ir.Value{b.Convert(b.Builtin(ir.Lane), t)}
	}
	if r, ok := l.matrix(e, args); ok {
		return r
	}
	if r, ok := l.quad(e, args); ok {
		return r
	}
	l.fail(e.Pos(), "library function %q", e.ID)
	return nil
}

// each applies f to the components; a scalar argument goes with every one.
func (l *lowerer) each(args [][]*ir.Value, f func(x []*ir.Value) *ir.Value) []*ir.Value {
	n := 1
	for _, a := range args {
		n = max(n, len(a))
	}
	out := make([]*ir.Value, n)
	for i := range out {
		x := make([]*ir.Value, len(args))
		for j, a := range args {
			x[j] = a[min(i, len(a)-1)]
		}
		out[i] = f(x)
	}
	return out
}

// crossLane appends a simdgroup operation; bools and narrow integers travel as 32 bits.
func (l *lowerer) crossLane(op ir.Op, x []*ir.Value) *ir.Value {
	b := l.b
	v := x[0]
	t := v.Type
	if t == ir.Bool {
		v = b.Convert(v, ir.U32)
	}
	args := []*ir.Value{v}
	if len(x) > 1 {
		args = append(args, b.Convert(x[1], ir.U32))
	}
	return b.Convert(b.Cross(op, v.Type, args...), t)
}

// shuffleFill takes what a shuffle would fetch from outside of so many lanes from the other argument, whose lanes continue the first's.
func (l *lowerer) shuffleFill(up bool, lanes uint64, args [][]*ir.Value) []*ir.Value {
	b := l.b
	lane := b.Builtin(ir.Lane)
	return l.each(args, func(x []*ir.Value) *ir.Value {
		delta := b.Convert(x[2], ir.U32)
		width := b.Const(ir.U32, lanes)
		if len(x) > 3 {
			width = b.Convert(x[3], ir.U32)
		}
		in := b.Op(ir.OpRem, ir.U32, lane, width)
		start := b.Op(ir.OpSub, ir.U32, lane, in)
		var from *ir.Value
		var inside *ir.Value
		if up {
			inside = b.Op(ir.OpLe, ir.Bool, delta, in)
			from = b.Op(ir.OpSub, ir.U32, b.Op(ir.OpAdd, ir.U32, in, width), delta)
		} else {
			from = b.Op(ir.OpAdd, ir.U32, in, delta)
			inside = b.Op(ir.OpLt, ir.Bool, from, width)
		}
		at := b.Op(ir.OpAdd, ir.U32, start, b.Op(ir.OpRem, ir.U32, from, width))
		v := b.Cross(ir.OpShuffle, x[0].Type, x[0], at)
		f := b.Cross(ir.OpShuffle, x[1].Type, x[1], at)
		return b.Op(ir.OpSelect, x[0].Type, inside, v, f)
	})
}

func (l *lowerer) atomic(op ir.AtomicOp, e *check.CallBuiltin, args [][]*ir.Value) []*ir.Value {
	ptr := e.Args[0].Type().(*types.Pointer)
	t := elemType(ptr.Elem)
	a := l.pointerAddr(args[0])
	var vals []*ir.Value
	if op != ir.AtomicLoad {
		vals = append(vals, l.b.Convert(args[1][0], t))
	}
	old := l.b.Atomic(op, a, t, vals...)
	if types.IsVoid(e.Type()) {
		return nil
	}
	return []*ir.Value{old}
}

func (l *lowerer) compareExchange(args [][]*ir.Value, e *check.CallBuiltin) []*ir.Value {
	b := l.b
	t := elemType(e.Args[0].Type().(*types.Pointer).Elem)
	expected := &place{t: e.Args[1].Type().(*types.Pointer).Elem, addr: l.pointerAddr(args[1])}
	want := l.load(expected)[0]
	old := b.Atomic(ir.AtomicCompareExchange, l.pointerAddr(args[0]), t, b.Convert(want, t), b.Convert(args[2][0], t))
	u := t.Unsigned()
	same := b.Op(ir.OpEq, ir.Bool, b.Bitcast(old, u), b.Bitcast(want, u))
	l.store(expected, []*ir.Value{old})
	return []*ir.Value{same}
}

// twoResults lowers functions that store a second result through a pointer.
func (l *lowerer) twoResults(e *check.CallBuiltin, args [][]*ir.Value) []*ir.Value {
	b := l.b
	second := &place{t: e.Args[1].Type().(*types.Pointer).Elem, addr: l.pointerAddr(args[1])}
	var a, c []*ir.Value
	for _, x := range args[0] {
		switch e.ID {
		case check.FnFrexp:
			a = append(a, b.Op(ir.OpFrexpMantissa, x.Type, x))
			c = append(c, b.Op(ir.OpFrexpExponent, ir.I32, x))
		case check.FnModf:
			whole := b.Op(ir.OpTrunc, x.Type, x)
			part := b.Op(ir.OpSelect, x.Type, b.Op(ir.OpIsInf, ir.Bool, x), b.ConstF(x.Type, 0), b.Op(ir.OpSub, x.Type, x, whole))
			a = append(a, b.Op(ir.OpCopysign, x.Type, part, x))
			c = append(c, whole)
		default:
			a = append(a, b.Op(ir.OpSin, x.Type, x))
			c = append(c, b.Op(ir.OpCos, x.Type, x))
		}
	}
	l.store(second, c)
	return a
}

// geometry sums in rising order of the components, products first rounded, then added.
func (l *lowerer) geometry(id check.BuiltinFunc, args [][]*ir.Value) []*ir.Value {
	b := l.b
	t := args[0][0].Type
	op := func(o ir.Op, x ...*ir.Value) *ir.Value { return b.Op(o, t, x...) }
	dot := func(x, y []*ir.Value) *ir.Value {
		sum := op(ir.OpMul, x[0], y[0])
		for i := 1; i < len(x); i++ {
			sum = op(ir.OpAdd, sum, op(ir.OpMul, x[i], y[i]))
		}
		return sum
	}
	x := args[0]
	var y []*ir.Value
	if len(args) > 1 {
		y = args[1]
	}
	minus := func(x, y []*ir.Value) []*ir.Value {
		out := make([]*ir.Value, len(x))
		for i := range x {
			out[i] = op(ir.OpSub, x[i], y[i])
		}
		return out
	}
	switch id {
	case check.FnDot:
		return []*ir.Value{dot(x, y)}
	case check.FnLengthSquared:
		return []*ir.Value{dot(x, x)}
	case check.FnLength:
		return []*ir.Value{op(ir.OpSqrt, dot(x, x))}
	case check.FnDistanceSquared:
		d := minus(x, y)
		return []*ir.Value{dot(d, d)}
	case check.FnDistance:
		d := minus(x, y)
		return []*ir.Value{op(ir.OpSqrt, dot(d, d))}
	case check.FnNormalize:
		s := op(ir.OpSqrt, dot(x, x))
		out := make([]*ir.Value, len(x))
		for i := range x {
			out[i] = op(ir.OpDiv, x[i], s)
		}
		return out
	case check.FnCross:
		part := func(i, j int) *ir.Value { return op(ir.OpSub, op(ir.OpMul, x[i], y[j]), op(ir.OpMul, x[j], y[i])) }
		return []*ir.Value{part(1, 2), part(2, 0), part(0, 1)}
	case check.FnFaceforward:
		d := b.Op(ir.OpLt, ir.Bool, dot(args[2], y), b.ConstF(t, 0))
		out := make([]*ir.Value, len(x))
		for i := range x {
			out[i] = op(ir.OpSelect, d, x[i], op(ir.OpNeg, x[i]))
		}
		return out
	}
	if id == check.FnRefract {
		eta, d := args[2][0], dot(y, x)
		k := op(ir.OpSub, b.ConstF(t, 1), op(ir.OpMul, op(ir.OpMul, eta, eta), op(ir.OpSub, b.ConstF(t, 1), op(ir.OpMul, d, d))))
		all := b.Op(ir.OpLt, ir.Bool, k, b.ConstF(t, 0)) // is reflected
		along := op(ir.OpAdd, op(ir.OpMul, eta, d), op(ir.OpSqrt, k))
		out := make([]*ir.Value, len(x))
		for i := range x {
			out[i] = op(ir.OpSelect, all, b.ConstF(t, 0), op(ir.OpSub, op(ir.OpMul, eta, x[i]), op(ir.OpMul, along, y[i])))
		}
		return out
	}
	// reflect
	k := op(ir.OpMul, b.ConstF(t, 2), dot(y, x))
	out := make([]*ir.Value, len(x))
	for i := range x {
		out[i] = op(ir.OpSub, x[i], op(ir.OpMul, k, y[i]))
	}
	return out
}
