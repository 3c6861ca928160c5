package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// composed lists the library functions that are a few operations on each component. Where MSL fixes no order of operations
// the one written here is ours.
var composed map[check.BuiltinFunc]func(b *ir.Builder, x []*ir.Value) *ir.Value

func init() {
	type builder = *ir.Builder
	type vals = []*ir.Value
	same := func(b builder, op ir.Op, x ...*ir.Value) *ir.Value { return b.Op(op, x[0].Type, x...) }
	test := func(b builder, op ir.Op, x ...*ir.Value) *ir.Value { return b.Op(op, ir.Bool, x...) }
	pick := func(b builder, c, x, y *ir.Value) *ir.Value { return b.Op(ir.OpSelect, x.Type, c, x, y) }
	three := func(op ir.Op) func(b builder, x vals) *ir.Value {
		return func(b builder, x vals) *ir.Value { return same(b, op, same(b, op, x[0], x[1]), x[2]) }
	}
	median := func(b builder, x vals) *ir.Value {
		lo, hi := same(b, ir.OpMin, x[0], x[1]), same(b, ir.OpMax, x[0], x[1])
		return same(b, ir.OpMax, lo, same(b, ir.OpMin, hi, x[2]))
	}
	pi := func(op ir.Op) func(b builder, x vals) *ir.Value {
		return func(b builder, x vals) *ir.Value {
			// x mod 2 is exact, so the product keeps its accuracy.
			r := same(b, ir.OpMod, x[0], b.ConstF(x[0].Type, 2))
			return same(b, op, same(b, ir.OpMul, r, b.ConstF(x[0].Type, 3.14159265358979)))
		}
	}
	// wide computes in 64 bits and saturates to the type.
	wide := func(b builder, x vals, f func(w ir.Type, y vals) *ir.Value) *ir.Value {
		t := x[0].Type
		if t.Wide() {
			return f(t, x)
		}
		y := make(vals, len(x))
		for i := range x {
			y[i] = b.Convert(x[i], ir.I64)
		}
		return f(ir.I64, y)
	}
	saturate := func(b builder, t ir.Type, v *ir.Value) *ir.Value {
		if t.Wide() {
			return v
		}
		bits := uint(8 * t.Bytes())
		lo, hi := int64(0), int64(1)<<bits-1
		if t.IsSigned() {
			lo, hi = -1<<(bits-1), 1<<(bits-1)-1
		}
		return b.Convert(same(b, ir.OpMin, same(b, ir.OpMax, v, b.ConstI(ir.I64, lo)), b.ConstI(ir.I64, hi)), t)
	}
	addSat := func(b builder, x vals) *ir.Value {
		t := x[0].Type
		if !t.Wide() {
			return saturate(b, t, wide(b, x, func(w ir.Type, y vals) *ir.Value { return b.Op(ir.OpAdd, w, y...) }))
		}
		s := same(b, ir.OpAdd, x...)
		if t == ir.U64 {
			return pick(b, test(b, ir.OpLt, s, x[0]), b.Const(t, ^uint64(0)), s)
		}
		zero := b.ConstI(t, 0)
		over := test(b, ir.OpLt, same(b, ir.OpAnd, same(b, ir.OpXor, s, x[0]), same(b, ir.OpXor, s, x[1])), zero)
		limit := pick(b, test(b, ir.OpLt, x[0], zero), b.ConstI(t, -1<<63), b.ConstI(t, 1<<63-1))
		return pick(b, over, limit, s)
	}
	subSat := func(b builder, x vals) *ir.Value {
		t := x[0].Type
		if !t.Wide() {
			return saturate(b, t, wide(b, x, func(w ir.Type, y vals) *ir.Value { return b.Op(ir.OpSub, w, y...) }))
		}
		s := same(b, ir.OpSub, x...)
		if t == ir.U64 {
			return pick(b, test(b, ir.OpLt, x[0], x[1]), b.Const(t, 0), s)
		}
		zero := b.ConstI(t, 0)
		over := test(b, ir.OpLt, same(b, ir.OpAnd, same(b, ir.OpXor, x[0], x[1]), same(b, ir.OpXor, s, x[0])), zero)
		limit := pick(b, test(b, ir.OpLt, x[0], zero), b.ConstI(t, -1<<63), b.ConstI(t, 1<<63-1))
		return pick(b, over, limit, s)
	}
	madSat := func(b builder, x vals) *ir.Value {
		t := x[0].Type
		switch {
		case t == ir.U64: // the high half of the product and the carry of the sum are what is too much
			sum := b.Op(ir.OpAdd, t, same(b, ir.OpMul, x[0], x[1]), x[2])
			over := b.Op(ir.OpOr, ir.Bool, test(b, ir.OpNe, same(b, ir.OpMulHi, x[0], x[1]), b.Const(t, 0)), test(b, ir.OpLt, sum, x[2]))
			return pick(b, over, b.Const(t, ^uint64(0)), sum)
		case t == ir.I64: // a sum of 128 bits, which fits if its high half is the sign of its low half
			u := func(v *ir.Value) *ir.Value { return b.Convert(v, ir.U64) }
			sum := b.Op(ir.OpAdd, ir.U64, u(same(b, ir.OpMul, x[0], x[1])), u(x[2]))
			carry := pick(b, test(b, ir.OpLt, sum, u(x[2])), b.ConstI(t, 1), b.ConstI(t, 0))
			sign := func(v *ir.Value) *ir.Value { return same(b, ir.OpShr, v, b.ConstI(t, 63)) }
			high := same(b, ir.OpAdd, same(b, ir.OpAdd, same(b, ir.OpMulHi, x[0], x[1]), sign(x[2])), carry)
			low := b.Convert(sum, t)
			limit := pick(b, test(b, ir.OpLt, high, b.ConstI(t, 0)), b.ConstI(t, -1<<63), b.ConstI(t, 1<<63-1))
			return pick(b, test(b, ir.OpEq, high, sign(low)), low, limit)
		case t.IsSigned():
			return saturate(b, t, wide(b, x, func(w ir.Type, y vals) *ir.Value {
				return b.Op(ir.OpAdd, w, b.Op(ir.OpMul, w, y[0], y[1]), y[2])
			}))
		}
		w := func(i int) *ir.Value { return b.Convert(x[i], ir.U64) }
		sum := b.Op(ir.OpAdd, ir.U64, b.Op(ir.OpMul, ir.U64, w(0), w(1)), w(2))
		return b.Convert(b.Op(ir.OpMin, ir.U64, sum, b.Const(ir.U64, 1<<(8*t.Bytes())-1)), t)
	}
	extract := func(b builder, x vals) *ir.Value {
		t := x[0].Type
		width := b.ConstI(ir.U32, int64(8*t.Bytes()))
		off, n := b.Convert(x[1], ir.U32), b.Convert(x[2], ir.U32)
		up := b.Op(ir.OpSub, ir.U32, width, b.Op(ir.OpAdd, ir.U32, off, n))
		down := b.Op(ir.OpSub, ir.U32, width, n)
		w := t
		v := x[0]
		v = b.Convert(b.Op(ir.OpShl, w, v, b.Convert(up, w)), t)
		v = b.Op(ir.OpShr, w, v, b.Convert(down, w))
		return pick(b, test(b, ir.OpEq, n, b.ConstI(ir.U32, 0)), b.ConstI(t, 0), v)
	}
	insert := func(b builder, x vals) *ir.Value {
		t := x[0].Type
		width := b.ConstI(ir.U32, int64(8*t.Bytes()))
		off, n := b.Convert(x[2], ir.U32), b.Convert(x[3], ir.U32)
		all := b.ConstI(t.Unsigned(), -1)
		u := t.Unsigned()
		low := b.Op(ir.OpShr, u, all, b.Convert(b.Op(ir.OpSub, ir.U32, width, n), u))
		low = pick(b, test(b, ir.OpEq, n, b.ConstI(ir.U32, 0)), b.ConstI(u, 0), low)
		mask := b.Convert(b.Op(ir.OpShl, u, low, b.Convert(off, u)), t)
		val := b.Op(ir.OpShl, t, x[1], b.Convert(off, t))
		return same(b, ir.OpOr, same(b, ir.OpAnd, x[0], same(b, ir.OpNot, mask)), same(b, ir.OpAnd, val, mask))
	}
	finite := func(b builder, x *ir.Value) *ir.Value {
		return b.Op(ir.OpNot, ir.Bool, b.Op(ir.OpOr, ir.Bool, test(b, ir.OpIsNan, x), test(b, ir.OpIsInf, x)))
	}
	low24 := func(b builder, v *ir.Value) *ir.Value {
		k := b.ConstI(v.Type, 8)
		return b.Op(ir.OpShr, v.Type, b.Op(ir.OpShl, v.Type, v, k), k)
	}
	ordered := func(b builder, x vals) *ir.Value {
		return b.Op(ir.OpAnd, ir.Bool, test(b, ir.OpEq, x[0], x[0]), test(b, ir.OpEq, x[1], x[1]))
	}
	clamp01 := func(b builder, v *ir.Value) *ir.Value {
		return same(b, ir.OpMin, same(b, ir.OpMax, v, b.ConstF(v.Type, 0)), b.ConstF(v.Type, 1))
	}
	nextafter := func(b builder, x vals) *ir.Value {
		t := x[0].Type
		if t == ir.F32 {
			return same(b, ir.OpNextafter, x...)
		}
		zero, one := b.ConstF(t, 0), b.Const(ir.U16, 1)
		bits := b.Bitcast(x[0], ir.U16)
		away := test(b, ir.OpEq, test(b, ir.OpLt, x[0], x[1]), test(b, ir.OpLt, zero, x[0])) // from zero
		next := b.Bitcast(pick(b, away, same(b, ir.OpAdd, bits, one), same(b, ir.OpSub, bits, one)), t)
		next = pick(b, test(b, ir.OpEq, x[0], zero), same(b, ir.OpCopysign, b.Bitcast(one, t), x[1]), next)
		next = pick(b, test(b, ir.OpEq, x[0], x[1]), x[1], next)
		for _, v := range x {
			next = pick(b, test(b, ir.OpIsNan, v), v, next)
		}
		return next
	}
	composed = map[check.BuiltinFunc]func(b builder, x vals) *ir.Value{
		check.FnCospi: pi(ir.OpCos), check.FnSinpi: pi(ir.OpSin), check.FnTanpi: pi(ir.OpTan),
		check.FnFract: func(b builder, x vals) *ir.Value {
			f := same(b, ir.OpSub, x[0], same(b, ir.OpFloor, x[0]))
			last := b.ConstF(x[0].Type, map[ir.Type]float32{ir.F32: 0x1.fffffep-1, ir.F16: 0x1.ffcp-1, ir.BF16: 0x1.fep-1}[x[0].Type])
			return same(b, ir.OpMin, f, last)
		},
		check.FnSaturate: func(b builder, x vals) *ir.Value { return clamp01(b, x[0]) },
		check.FnSign: func(b builder, x vals) *ir.Value {
			t := x[0].Type
			zero := b.ConstF(t, 0)
			r := pick(b, test(b, ir.OpLt, zero, x[0]), b.ConstF(t, 1), pick(b, test(b, ir.OpLt, x[0], zero), b.ConstF(t, -1), x[0]))
			return pick(b, test(b, ir.OpIsNan, x[0]), zero, r)
		},
		check.FnFdim: func(b builder, x vals) *ir.Value {
			return pick(b, test(b, ir.OpLe, x[0], x[1]), b.ConstF(x[0].Type, 0), same(b, ir.OpSub, x[0], x[1]))
		},
		check.FnStep: func(b builder, x vals) *ir.Value {
			t := x[0].Type
			return pick(b, test(b, ir.OpLt, x[1], x[0]), b.ConstF(t, 0), b.ConstF(t, 1))
		},
		check.FnFmax3: three(ir.OpMax), check.FnFmin3: three(ir.OpMin), check.FnMax3: three(ir.OpMax), check.FnMin3: three(ir.OpMin),
		check.FnFmedian3: median, check.FnMedian3: median,
		check.FnMix: func(b builder, x vals) *ir.Value {
			return same(b, ir.OpAdd, x[0], same(b, ir.OpMul, same(b, ir.OpSub, x[1], x[0]), x[2]))
		},
		check.FnSmoothstep: func(b builder, x vals) *ir.Value {
			t := x[0].Type
			s := clamp01(b, same(b, ir.OpDiv, same(b, ir.OpSub, x[2], x[0]), same(b, ir.OpSub, x[1], x[0])))
			k := same(b, ir.OpSub, b.ConstF(t, 3), same(b, ir.OpMul, b.ConstF(t, 2), s))
			return same(b, ir.OpMul, same(b, ir.OpMul, s, s), k)
		},
		check.FnClamp: func(b builder, x vals) *ir.Value { return same(b, ir.OpMin, same(b, ir.OpMax, x[0], x[1]), x[2]) },
		check.FnAbsdiff: func(b builder, x vals) *ir.Value {
			d := same(b, ir.OpSub, same(b, ir.OpMax, x...), same(b, ir.OpMin, x...))
			return b.Convert(d, x[0].Type.Unsigned())
		},
		check.FnAddsat: addSat, check.FnSubsat: subSat,
		check.FnHadd: func(b builder, x vals) *ir.Value { // (x + y) >> 1 without overflow
			return same(b, ir.OpAdd, same(b, ir.OpAnd, x...), same(b, ir.OpShr, same(b, ir.OpXor, x...), b.ConstI(x[0].Type, 1)))
		},
		check.FnRhadd: func(b builder, x vals) *ir.Value { // (x + y + 1) >> 1 without overflow
			return same(b, ir.OpSub, same(b, ir.OpOr, x...), same(b, ir.OpShr, same(b, ir.OpXor, x...), b.ConstI(x[0].Type, 1)))
		},
		check.FnRotate: func(b builder, x vals) *ir.Value {
			t := x[0].Type
			u := t.Unsigned()
			width := int64(8 * t.Bytes())
			n := b.Op(ir.OpAnd, u, b.Convert(x[1], u), b.ConstI(u, width-1))
			v := b.Convert(x[0], u)
			back := b.Op(ir.OpAnd, u, b.Op(ir.OpSub, u, b.ConstI(u, width), n), b.ConstI(u, width-1))
			return b.Convert(b.Op(ir.OpOr, u, b.Op(ir.OpShl, u, v, n), b.Op(ir.OpShr, u, v, back)), t)
		},
		check.FnMadhi:  func(b builder, x vals) *ir.Value { return same(b, ir.OpAdd, same(b, ir.OpMulHi, x[0], x[1]), x[2]) },
		check.FnMadsat: madSat,
		check.FnMul24:  func(b builder, x vals) *ir.Value { return same(b, ir.OpMul, low24(b, x[0]), low24(b, x[1])) },
		check.FnMad24: func(b builder, x vals) *ir.Value {
			return same(b, ir.OpAdd, same(b, ir.OpMul, low24(b, x[0]), low24(b, x[1])), x[2])
		},
		check.FnExtractBits: extract, check.FnInsertBits: insert,
		check.FnIsfinite: func(b builder, x vals) *ir.Value { return finite(b, x[0]) },
		check.FnIsnormal: func(b builder, x vals) *ir.Value {
			t := x[0].Type
			least := b.ConstF(t, map[ir.Type]float32{ir.F32: 0x1p-126, ir.F16: 0x1p-14, ir.BF16: 0x1p-126}[t])
			return b.Op(ir.OpAnd, ir.Bool, finite(b, x[0]), test(b, ir.OpLe, least, same(b, ir.OpAbs, x[0])))
		},
		check.FnNextafter:   nextafter,
		check.FnIsordered:   ordered,
		check.FnIsunordered: func(b builder, x vals) *ir.Value { return b.Op(ir.OpNot, ir.Bool, ordered(b, x)) },
	}
}
