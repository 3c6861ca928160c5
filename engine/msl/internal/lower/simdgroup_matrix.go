package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// A simdgroup matrix is two scalars in each lane. Apple documents no layout; this is the one that public kernels which
// compute with thread_elements rely on. With the lane number written in bits 43210, a lane holds row 4 2 1 and the two
// columns 3 0 x:
//
//	row    = 4*bit4 + 2*bit2 + bit1
//	column = 4*bit3 + 2*bit0, and the next
const (
	rowLanes = 1<<4 | 1<<2 | 1<<1
	colLanes = 1<<3 | 1<<0
)

// rowLane is the bits of the lanes that hold a row, colLane of those that hold a column.
func rowLane(row int) uint64 { return uint64(row>>2<<4 | row>>1&1<<2 | row&1<<1) }
func colLane(col int) uint64 { return uint64(col>>2<<3 | col>>1&1) }

// shareOf is the row and the first column that this lane holds.
func (l *lowerer) shareOf() (row, col *ir.Value) {
	b := l.b
	lane := b.Builtin(ir.Lane)
	k := func(n uint64) *ir.Value { return b.Const(ir.U32, n) }
	bit := func(n, to uint64) *ir.Value { // bit n of the lane, worth to
		return b.Op(ir.OpMul, ir.U32, b.Op(ir.OpAnd, ir.U32, b.Op(ir.OpShr, ir.U32, lane, k(n)), k(1)), k(to))
	}
	or := func(x ...*ir.Value) *ir.Value {
		r := x[0]
		for _, y := range x[1:] {
			r = b.Op(ir.OpOr, ir.U32, r, y)
		}
		return r
	}
	return or(bit(4, 4), bit(2, 2), bit(1, 1)), or(bit(3, 4), bit(0, 2))
}

// elementAddr is where element (row, col) lies: args are the pointer, elements a row, origin and transposition.
func (l *lowerer) elementAddr(e *types.Scalar, args [][]*ir.Value, row, col *ir.Value) ir.Addr {
	b := l.b
	stride, swap := args[1][0], args[3][0]
	r, c := b.Convert(row, ir.U64), b.Convert(col, ir.U64)
	if !swap.IsConst() || swap.Bits != 0 {
		r, c = b.Op(ir.OpSelect, ir.U64, swap, c, r), b.Op(ir.OpSelect, ir.U64, swap, r, c)
	}
	r = b.Op(ir.OpAdd, ir.U64, r, args[2][1])
	c = b.Op(ir.OpAdd, ir.U64, c, args[2][0])
	i := b.Op(ir.OpAdd, ir.U64, b.Op(ir.OpMul, ir.U64, r, b.Convert(stride, ir.U64)), c)
	return l.moved(l.pointerAddr(args[0]), i, e.Size())
}

// eachElement calls f with the address of a lane's elements: once for both if they are neighbours in memory.
func (l *lowerer) eachElement(e *types.Scalar, args [][]*ir.Value, f func(a ir.Addr, first, n int)) {
	row, col := l.shareOf()
	if swap := args[3][0]; swap.IsConst() && swap.Bits == 0 {
		f(l.elementAddr(e, args, row, col), 0, 2)
		return
	}
	next := l.b.Op(ir.OpAdd, ir.U32, col, l.b.Const(ir.U32, 1))
	f(l.elementAddr(e, args, row, col), 0, 1)
	f(l.elementAddr(e, args, row, next), 1, 1)
}

func (l *lowerer) simdMatrixLoad(e *check.CallBuiltin, args [][]*ir.Value) []*ir.Value {
	m := e.Type().(*types.SimdMatrix)
	var out []*ir.Value
	l.eachElement(m.Elem(), args, func(a ir.Addr, _, n int) {
		out = append(out, l.b.Load(a, scalarType(m.Elem()), n)...)
	})
	return out
}

func (l *lowerer) simdMatrixStore(e *check.CallBuiltin, args [][]*ir.Value) {
	m := e.Args[0].Type().(*types.SimdMatrix)
	l.eachElement(m.Elem(), args[1:], func(a ir.Addr, first, n int) {
		l.b.Store(a, scalarType(m.Elem()), args[0][first:first+n]...)
	})
}

// simdMatrixMultiply is A * B, or A * B + C: each element starts at C (at 0 for Multiply) and adds its eight products in
// rising order, fused, in float32; a matrix of half or bfloat is rounded once, at the end. On Apple hardware this is
// measured for half times half accumulated in float, where the products are exact, and for nothing else.
func (l *lowerer) simdMatrixMultiply(e *check.CallBuiltin, args [][]*ir.Value) []*ir.Value {
	b := l.b
	to := elemType(e.Type())
	lane := b.Builtin(ir.Lane)
	wide := func(v *ir.Value) *ir.Value { return b.Convert(v, ir.F32) }
	fetch := func(v *ir.Value, keep, bits uint64) *ir.Value {
		from := b.Op(ir.OpOr, ir.U32, b.Op(ir.OpAnd, ir.U32, lane, b.Const(ir.U32, keep)), b.Const(ir.U32, bits))
		return b.Cross(ir.OpShuffle, v.Type, v, from)
	}
	sum := [2]*ir.Value{b.ConstF(ir.F32, 0), b.ConstF(ir.F32, 0)}
	if e.ID == check.FnSimdgroupMultiplyAccumulate {
		sum = [2]*ir.Value{wide(args[2][0]), wide(args[2][1])}
	}
	for k := range 8 {
		x := wide(fetch(args[0][k&1], rowLanes, colLane(k)))
		for i := range sum {
			y := wide(fetch(args[1][i], colLanes, rowLane(k)))
			sum[i] = b.Op(ir.OpFma, ir.F32, x, y, sum[i])
		}
	}
	return []*ir.Value{b.Convert(sum[0], to), b.Convert(sum[1], to)}
}
