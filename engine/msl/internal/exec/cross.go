package exec

import "github.com/octoryn/assay/engine/msl/internal/ir"

// shuffleBy moves values by a distance or mask equal in all lanes.
func shuffleBy(op uint8, d, a *u32s, by uint32) {
	var t u32s
	for i := range t {
		t[i] = a[source(ir.Op(op), uint32(i), by)]
	}
	*d = t
}

// source is the lane that lane i reads. Shuffles that would leave the simdgroup keep the lane's own value.
func source(op ir.Op, i, by uint32) uint32 {
	switch op {
	case ir.OpShuffleXor:
		return (i ^ by) & 31
	case ir.OpShuffle:
		return by & 31
	case ir.OpShuffleUp:
		if by > i {
			return i
		}
		return i - by
	case ir.OpShuffleDown:
		if by > 31-i {
			return i
		}
		return i + by
	case ir.OpRotateUp:
		return (i - by) & 31
	case ir.OpRotateDown:
		return (i + by) & 31
	}
	panic("exec: not a shuffle")
}

// cross carries out a cross-lane operation described by g: shuffles of any width, reductions, prefixes.
func (w *simdgroup) cross(g *generic, mask uint32) {
	var x, t u64s
	for i := range x {
		x[i] = w.read(g.args[0], i)
	}
	switch {
	case g.op >= ir.OpShuffle && g.op <= ir.OpRotateDown:
		for i := range t {
			t[i] = x[source(g.op, uint32(i), uint32(w.read(g.args[1], i)))]
		}
	case g.op == ir.OpBroadcastFirst:
		for i := range t {
			t[i] = x[firstLane(mask)&31]
		}
	case g.op >= ir.OpPrefixSumExclusive && g.op <= ir.OpPrefixProductInclusive:
		acc := uint64(0)
		if g.op >= ir.OpPrefixProductExclusive {
			acc = 1
			if g.t.IsFloat() {
				acc = 0x3f800000
			}
		}
		inclusive := g.op == ir.OpPrefixSumInclusive || g.op == ir.OpPrefixProductInclusive
		for i := range t {
			if mask>>i&1 == 0 {
				continue
			}
			t[i] = acc
			acc = g.f(acc, x[i], 0)
			if inclusive {
				t[i] = acc
			}
		}
	default: // a reduction over the active lanes in rising order
		first := firstLane(mask)
		acc := x[first&31]
		for i := first + 1; i < 32; i++ {
			if mask>>i&1 != 0 {
				acc = g.f(acc, x[i], 0)
			}
		}
		for i := range t {
			t[i] = acc
		}
	}
	w.writeAll(g.d, &t)
}
