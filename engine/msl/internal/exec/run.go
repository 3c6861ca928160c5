package exec

import (
	"math"
	"math/bits"
	"unsafe"
)

const allLanes = math.MaxUint32

// simdgroup is the resumable state of 32 threads.
type simdgroup struct {
	g       *group
	w       *worker
	index   int
	pc      int
	mask    uint32
	initial uint32 // lanes that exist
	scalars []uint64
	vectors []u32s
	thread  []byte // thread memory, lane after lane
	done    bool
	waits   bool // at a barrier
	slice   int  // memory operations until a turn ends; 0: none
	fuel    int64
	fault   *Fault
}

func lanesAt(base unsafe.Pointer, r uint16) *u32s {
	return (*u32s)(unsafe.Add(base, uintptr(r)*unsafe.Sizeof(u32s{})))
}
func floatsAt(base unsafe.Pointer, r uint16) *f32s {
	return (*f32s)(unsafe.Add(base, uintptr(r)*unsafe.Sizeof(u32s{})))
}
func pairAt(base unsafe.Pointer, r uint16) *u64s {
	return (*u64s)(unsafe.Add(base, uintptr(r)*unsafe.Sizeof(u32s{})))
}

// run executes until the end, a barrier, the end of a turn or a fault. It reports whether it stopped at a barrier; the program
// counter then is at the barrier.
//
// Register numbers were checked against the sizes of the files when the program was built, so the vectors are reached
// through a pointer without another check.
func (w *simdgroup) run(p *program) bool {
	k := w.w.lanes
	v := unsafe.Pointer(&w.vectors[0])
	s := w.scalars
	mask := w.mask
	code := p.code
	pc := w.pc
	for {
		in := &code[pc]
		pc++
		switch in.op {
		case opOne:
			k.one[in.fn](lanesAt(v, in.d), lanesAt(v, in.a))
		case opTwo:
			k.two[in.fn](lanesAt(v, in.d), lanesAt(v, in.a), lanesAt(v, in.b))
		case opTwoS:
			k.twoS[in.fn](lanesAt(v, in.d), lanesAt(v, in.a), uint32(s[in.b]))
		case opCmp:
			s[in.d] = uint64(k.cmp[in.fn](lanesAt(v, in.a), lanesAt(v, in.b)))
		case opCmpS:
			s[in.d] = uint64(k.cmpS[in.fn](lanesAt(v, in.a), uint32(s[in.b])))
		case opFma:
			k.fma(floatsAt(v, in.d), floatsAt(v, in.a), floatsAt(v, in.b), floatsAt(v, in.c))
		case opFmaS:
			k.fmaS(floatsAt(v, in.d), floatsAt(v, in.a), fv(uint32(s[in.b])), floatsAt(v, in.c))
		case opFmaC:
			k.fmaC(floatsAt(v, in.d), floatsAt(v, in.a), floatsAt(v, in.b), fv(uint32(s[in.c])))
		case opFmaSC:
			k.fmaSC(floatsAt(v, in.d), floatsAt(v, in.a), fv(uint32(s[in.b])), fv(uint32(s[in.c])))
		case opField:
			f := &p.fields[in.imm]
			k.fieldF32(floatsAt(v, in.d), lanesAt(v, in.a), f.shift, f.mask, uint32(f.bias))
		case opFieldFma:
			f := &p.fields[in.imm]
			k.fieldFma(floatsAt(v, in.d), lanesAt(v, in.a), f.shift, f.mask, uint32(f.bias), floatsAt(v, in.b), floatsAt(v, in.c))
		case opXorAdd:
			k.xorAdd(floatsAt(v, in.d), floatsAt(v, in.a), uint32(in.imm))
		case opTreeSum:
			s[in.d] = uint64(fb(k.treeSum(floatsAt(v, in.a))))
		case opSel:
			k.sel(lanesAt(v, in.d), uint32(s[in.a]), lanesAt(v, in.b), lanesAt(v, in.c))
		case opSelVS:
			k.selS(lanesAt(v, in.d), uint32(s[in.a]), lanesAt(v, in.b), uint32(s[in.c]))
		case opSelSV:
			k.selS(lanesAt(v, in.d), ^uint32(s[in.a]), lanesAt(v, in.c), uint32(s[in.b]))
		case opSelSS:
			selectSS(lanesAt(v, in.d), uint32(s[in.a]), uint32(s[in.b]), uint32(s[in.c]))
		case opSplat:
			k.splat(lanesAt(v, in.d), uint32(s[in.a]))
		case opSplatW:
			d, x := pairAt(v, in.d), s[in.a]
			for i := range d {
				d[i] = x
			}
		case opPattern:
			d, x, q := lanesAt(v, in.d), uint32(s[in.a]), p.patterns[in.imm]
			for i := range d {
				d[i] = x + uint32(q.diff[i])
			}
		case opPatternW:
			d, x, q := pairAt(v, in.d), s[in.a], p.patterns[in.imm]
			for i := range d {
				d[i] = x + uint64(q.diff[i])
			}
		case opMove:
			*lanesAt(v, in.d) = *lanesAt(v, in.a)
		case opMoveW:
			*pairAt(v, in.d) = *pairAt(v, in.a)
		case opBlend:
			d, a := lanesAt(v, in.d), lanesAt(v, in.a)
			if mask == allLanes {
				*d = *a
			} else {
				k.sel(d, mask, a, d)
			}
		case opBlendW:
			d, a := pairAt(v, in.d), pairAt(v, in.a)
			for i := range d {
				if mask>>i&1 != 0 {
					d[i] = a[i]
				}
			}
		case opGeneric:
			w.generic(p.generics[in.imm])

		case opS1:
			s[in.d] = p.scalarFns[in.imm](s[in.a], 0, 0)
		case opS2:
			s[in.d] = p.scalarFns[in.imm](s[in.a], s[in.b], 0)
		case opS3:
			s[in.d] = p.scalarFns[in.imm](s[in.a], s[in.b], s[in.c])
		case opMoveS:
			s[in.d] = s[in.a]
		case opAdd32:
			s[in.d] = uint64(uint32(s[in.a]) + uint32(s[in.b]))
		case opMul32:
			s[in.d] = uint64(uint32(s[in.a]) * uint32(s[in.b]))
		case opAdd64:
			s[in.d] = s[in.a] + s[in.b]
		case opMul64:
			s[in.d] = s[in.a] * s[in.b]
		case opMaskOf:
			s[in.d] = -(s[in.a] & 1) & allLanes
		case opBlendM:
			s[in.d] = s[in.d]&^uint64(mask) | s[in.a]&uint64(mask)
		case opSelM:
			s[in.d] = s[in.a]&s[in.b] | ^s[in.a]&s[in.c]
		case opNotM:
			s[in.d] = ^s[in.a] & allLanes

		case opLoad:
			if !w.load(p.accesses[in.imm], mask) {
				return false
			}
			if w.slice > 0 && w.turn(pc, mask) {
				return false
			}
		case opStore:
			if !w.store(p.accesses[in.imm], mask) {
				return false
			}
			if w.slice > 0 && w.turn(pc, mask) {
				return false
			}
		case opHalfFma:
			m := p.accesses[in.imm]
			if h := w.halves(m, mask); h != nil {
				k.halfFma(floatsAt(v, in.d), lanesAt(v, in.a), h, fv(uint32(s[in.b])), floatsAt(v, in.c))
				continue
			}
			if !w.load(m, mask) {
				return false
			}
			k.fmaS(floatsAt(v, in.d), floatsAt(v, in.a), fv(uint32(s[in.b])), floatsAt(v, in.c))
		case opAtomic:
			if !w.atomic(p.accesses[in.imm], mask) {
				return false
			}
			if w.slice > 0 && w.turn(pc, mask) {
				return false
			}

		case opShuffleXor:
			k.xorLane(lanesAt(v, in.d), lanesAt(v, in.a), uint32(in.imm))
		case opShuffle:
			d, a, b := lanesAt(v, in.d), lanesAt(v, in.a), lanesAt(v, in.b)
			var t u32s
			for i := range t {
				t[i] = a[b[i]&31]
			}
			*d = t
		case opLane:
			s[in.d] = uint64(lanesAt(v, in.a)[s[in.b]&31])
		case opCross:
			shuffleBy(in.fn, lanesAt(v, in.d), lanesAt(v, in.a), uint32(s[in.b]))
		case opCrossGeneric:
			w.cross(p.generics[in.imm], mask)
		case opReduceM:
			x := uint32(s[in.a]) & mask
			switch in.fn {
			case reduceAll:
				s[in.d] = uint64(one(x == mask))
			case reduceAny:
				s[in.d] = uint64(one(x != 0))
			case reduceBallot:
				s[in.d] = uint64(x)
			case reduceFirst:
				s[in.d] = uint64(mask & -mask)
			}

		case opJump:
			pc = int(in.imm)
		case opJumpBack:
			w.fuel -= int64(pc) - int64(in.imm)
			if w.fuel < 0 {
				w.endless(p, pc-1)
				return false
			}
			pc = int(in.imm)
		case opJumpZero:
			if s[in.a] == 0 {
				pc = int(in.imm)
			}
		case opIf:
			c := uint32(s[in.a])
			s[in.d] = uint64(mask)
			if mask &= c; mask == 0 {
				pc = int(in.imm)
			}
		case opElse:
			if mask = uint32(s[in.d] &^ s[in.a]); mask == 0 {
				pc = int(in.imm)
			}
		case opSave:
			s[in.d] = uint64(mask)
		case opRestore:
			mask = uint32(s[in.a])
		case opJumpEmpty:
			if mask == 0 {
				pc = int(in.imm)
			}
		case opStrip:
			s[in.d] &^= uint64(mask)
		case opKill:
			mask = 0
			pc = int(in.imm)
		case opBreakIf:
			if mask &^= uint32(s[in.a]); mask == 0 {
				pc = int(in.imm)
			}
		case opLoopEnd:
			if mask != 0 {
				w.fuel -= int64(pc) - int64(in.imm)
				if w.fuel < 0 {
					w.endless(p, pc-1)
					return false
				}
				pc = int(in.imm)
			}
		case opBarrier:
			if mask != w.initial {
				w.divergentBarrier(p, pc-1, mask)
				return false
			}
			w.w.barriers++
			w.pc, w.mask, w.waits = pc-1, mask, true
			return true
		case opSimdBarrier:
			if o := w.w.observer; o != nil {
				o.SimdBarrier(w.place(mask), uint64(in.imm))
			}
		case opProbe:
			if !w.probe(p.probes[in.imm], mask) {
				return false
			}
		case opEnd:
			w.done = true
			return false
		default:
			panic("exec: unknown instruction")
		}
	}
}

func selectSS(d *u32s, m, a, b uint32) {
	for i := range d {
		t := -(m >> i & 1)
		d[i] = a&t | b&^t
	}
}

// read gives lane i of an operand.
func (w *simdgroup) read(v value, i int) uint64 {
	switch v.kind {
	case inScalar:
		return w.scalars[v.id]
	case inMask:
		return w.scalars[v.id] >> i & 1
	case inPair:
		return pairAt(unsafe.Pointer(&w.vectors[0]), uint16(v.id))[i]
	}
	return uint64(w.vectors[v.id][i])
}

// writeAll stores the lanes of a result; a scalar takes lane 0, a mask the low bits.
func (w *simdgroup) writeAll(v value, t *u64s) {
	switch v.kind {
	case inScalar:
		w.scalars[v.id] = t[0]
	case inMask:
		m := uint64(0)
		for i, x := range t {
			m |= x & 1 << i
		}
		w.scalars[v.id] = m
	case inPair:
		*pairAt(unsafe.Pointer(&w.vectors[0]), uint16(v.id)) = *t
	default:
		d := &w.vectors[v.id]
		for i, x := range t {
			d[i] = uint32(x)
		}
	}
}

// generic computes through the scalar meaning. The result is collected first: it may overlap an operand of another width.
func (w *simdgroup) generic(g *generic) {
	var t u64s
	var x [3]uint64
	for i := range t {
		for j, a := range g.args {
			x[j] = w.read(a, i)
		}
		t[i] = g.f(x[0], x[1], x[2])
	}
	w.writeAll(g.d, &t)
}

// firstLane is the lowest active lane.
func firstLane(mask uint32) int { return bits.TrailingZeros32(mask) }
