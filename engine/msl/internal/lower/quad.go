package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// quadgroup is the four lanes around this one.
type quadgroup struct {
	l     *lowerer
	lane  *ir.Value // in the simdgroup
	first *ir.Value // its lane of number 0
	in    *ir.Value // 0 to 3
}

func (l *lowerer) quadgroup() *quadgroup {
	lane := l.b.Builtin(ir.Lane)
	return &quadgroup{l: l, lane: lane, first: l.b.Op(ir.OpAnd, ir.U32, lane, l.u32(28)), in: l.b.Op(ir.OpAnd, ir.U32, lane, l.u32(3))}
}

func (l *lowerer) u32(n uint64) *ir.Value { return l.b.Const(ir.U32, n) }

// at is the simdgroup's lane of the quadgroup's lane i modulo 4.
func (q *quadgroup) at(i *ir.Value) *ir.Value {
	b := q.l.b
	return b.Op(ir.OpOr, ir.U32, q.first, b.Op(ir.OpAnd, ir.U32, i, q.l.u32(3)))
}

func (q *quadgroup) fetch(v, lane *ir.Value) *ir.Value {
	return q.l.crossLane(ir.OpShuffle, []*ir.Value{v, lane})
}

// votes has bit i set if c holds in the quadgroup's lane i and that lane is active.
func (q *quadgroup) votes(c *ir.Value) *ir.Value {
	b := q.l.b
	all := b.Convert(b.Cross(ir.OpBallot, ir.U64, c), ir.U32)
	return b.Op(ir.OpAnd, ir.U32, b.Op(ir.OpShr, ir.U32, all, q.first), q.l.u32(15))
}

func (q *quadgroup) active() *ir.Value { return q.votes(q.l.b.Const(ir.Bool, 1)) }

// fold combines v of the active lanes, and of those only that among holds for, in rising order; none gives start.
func (q *quadgroup) fold(op ir.Op, v, start *ir.Value, among func(i uint64) *ir.Value) *ir.Value {
	b := q.l.b
	active := q.active()
	r, any := start, b.Const(ir.Bool, 0)
	for i := range uint64(4) {
		x := q.fetch(v, q.at(q.l.u32(i)))
		in := b.Op(ir.OpNe, ir.Bool, b.Op(ir.OpAnd, ir.U32, active, q.l.u32(1<<i)), q.l.u32(0))
		if among != nil {
			in = b.Op(ir.OpAnd, ir.Bool, in, among(i))
		}
		next := b.Op(ir.OpSelect, v.Type, any, b.Op(op, v.Type, r, x), x)
		r = b.Op(ir.OpSelect, v.Type, in, next, r)
		any = b.Op(ir.OpOr, ir.Bool, any, in)
	}
	return r
}

// quadReductions are over the active lanes, in rising order where that matters.
var quadReductions = map[check.BuiltinFunc]ir.Op{check.FnQuadSum: ir.OpAdd, check.FnQuadProduct: ir.OpMul, check.FnQuadMin: ir.OpMin,
	check.FnQuadMax: ir.OpMax, check.FnQuadAnd: ir.OpAnd, check.FnQuadOr: ir.OpOr, check.FnQuadXor: ir.OpXor}

// quadPrefix is what a prefix function combines with, what it starts from, and whether a lane's own value counts.
type quadPrefix struct {
	op    ir.Op
	start float32
	own   bool
}

var quadPrefixes = map[check.BuiltinFunc]quadPrefix{
	check.FnQuadPrefixInclusiveSum: {ir.OpAdd, 0, true}, check.FnQuadPrefixExclusiveSum: {ir.OpAdd, 0, false},
	check.FnQuadPrefixInclusiveProduct: {ir.OpMul, 1, true}, check.FnQuadPrefixExclusiveProduct: {ir.OpMul, 1, false},
}

// quad lowers the quadgroup functions.
func (l *lowerer) quad(e *check.CallBuiltin, args [][]*ir.Value) ([]*ir.Value, bool) {
	b, q := l.b, l.quadgroup()
	shuffle := func(at func(k *ir.Value) *ir.Value) ([]*ir.Value, bool) {
		return l.each(args, func(x []*ir.Value) *ir.Value { return q.fetch(x[0], at(b.Convert(x[1], ir.U32))) }), true
	}
	kept := func(ok, lane *ir.Value) *ir.Value { return b.Op(ir.OpSelect, ir.U32, ok, q.at(lane), q.lane) } // its own, if not ok
	if op, ok := quadReductions[e.ID]; ok {
		return l.each(args, func(x []*ir.Value) *ir.Value { return q.fold(op, x[0], x[0], nil) }), true
	}
	if p, ok := quadPrefixes[e.ID]; ok {
		return l.each(args, func(x []*ir.Value) *ir.Value {
			start := b.ConstI(x[0].Type, int64(p.start))
			if x[0].Type.IsFloat() {
				start = b.ConstF(x[0].Type, p.start)
			}
			return q.fold(p.op, x[0], start, func(i uint64) *ir.Value {
				if p.own {
					return b.Op(ir.OpLe, ir.Bool, l.u32(i), q.in)
				}
				return b.Op(ir.OpLt, ir.Bool, l.u32(i), q.in)
			})
		}), true
	}
	switch e.ID {
	case check.FnQuadBroadcast, check.FnQuadShuffle:
		return shuffle(q.at)
	case check.FnQuadShuffleXor:
		return shuffle(func(k *ir.Value) *ir.Value { return q.at(b.Op(ir.OpXor, ir.U32, q.in, k)) })
	case check.FnQuadShuffleUp:
		return shuffle(func(k *ir.Value) *ir.Value {
			return kept(b.Op(ir.OpLe, ir.Bool, k, q.in), b.Op(ir.OpSub, ir.U32, q.in, k))
		})
	case check.FnQuadShuffleDown:
		return shuffle(func(k *ir.Value) *ir.Value {
			to := b.Op(ir.OpAdd, ir.U32, q.in, k)
			return kept(b.Op(ir.OpLt, ir.Bool, to, l.u32(4)), to)
		})
	case check.FnQuadShuffleRotateUp:
		return shuffle(func(k *ir.Value) *ir.Value { return q.at(b.Op(ir.OpSub, ir.U32, q.in, k)) })
	case check.FnQuadShuffleRotateDown:
		return shuffle(func(k *ir.Value) *ir.Value { return q.at(b.Op(ir.OpAdd, ir.U32, q.in, k)) })
	case check.FnQuadShuffleAndFillUp:
		return l.shuffleFill(true, 4, args), true
	case check.FnQuadShuffleAndFillDown:
		return l.shuffleFill(false, 4, args), true
	case check.FnQuadBroadcastFirst:
		least := b.Op(ir.OpCtz, ir.U32, q.active())
		return l.each(args, func(x []*ir.Value) *ir.Value { return q.fetch(x[0], q.at(least)) }), true
	case check.FnQuadIsFirst:
		return []*ir.Value{b.Op(ir.OpEq, ir.Bool, b.Op(ir.OpCtz, ir.U32, q.active()), q.in)}, true
	case check.FnQuadAny:
		return []*ir.Value{b.Op(ir.OpNe, ir.Bool, q.votes(args[0][0]), l.u32(0))}, true
	case check.FnQuadAll:
		return []*ir.Value{b.Op(ir.OpEq, ir.Bool, q.votes(args[0][0]), q.active())}, true
	case check.FnQuadBallotBits:
		return []*ir.Value{q.votes(args[0][0])}, true
	}
	return nil, false
}
