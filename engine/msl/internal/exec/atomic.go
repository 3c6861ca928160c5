package exec

import (
	"sync/atomic"
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// atomicOne applies an atomic operation to the word at p and returns the old value. Threadgroups of several workers may meet
// at one address, so it goes through the machine's own atomics; the order between threadgroups is then not fixed.
func atomicOne(op ir.AtomicOp, t ir.Type, p unsafe.Pointer, x, y uint64) uint64 {
	if t.Bytes() == 8 {
		q := (*uint64)(p)
		for {
			old := atomic.LoadUint64(q)
			next, write := combine(op, t, old, x, y)
			if !write || atomic.CompareAndSwapUint64(q, old, next) {
				return old
			}
		}
	}
	q := (*uint32)(p)
	for {
		old := atomic.LoadUint32(q)
		next, write := combine(op, t, uint64(old), x, y)
		if !write || atomic.CompareAndSwapUint32(q, old, uint32(next)) {
			return uint64(old)
		}
	}
}

var atomicOps = map[ir.AtomicOp]ir.Op{ir.AtomicAdd: ir.OpAdd, ir.AtomicSub: ir.OpSub, ir.AtomicAnd: ir.OpAnd, ir.AtomicOr: ir.OpOr,
	ir.AtomicXor: ir.OpXor, ir.AtomicMin: ir.OpMin, ir.AtomicMax: ir.OpMax}

// combine gives the new value, and whether there is one.
func combine(op ir.AtomicOp, t ir.Type, old, x, y uint64) (uint64, bool) {
	switch op {
	case ir.AtomicLoad:
		return 0, false
	case ir.AtomicStore, ir.AtomicExchange:
		return x, true
	case ir.AtomicCompareExchange:
		return y, old == x
	}
	return ir.Eval(atomicOps[op], t, t)(old, x, 0), true
}
