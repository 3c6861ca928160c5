package exec

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/num"
)

// memory is what a root is bound to during a launch, or a threadgroup's run.
type memory struct {
	p        unsafe.Pointer
	length   int64
	readOnly bool
	lane     int64 // thread memory: distance between the lanes' copies
}

func bind(data []byte, readOnly bool) memory {
	if len(data) == 0 {
		return memory{readOnly: readOnly}
	}
	return memory{p: unsafe.Pointer(&data[0]), length: int64(len(data)), readOnly: readOnly}
}

// extend32 widens a register to a 64-bit index.
func extend32(x uint32, signed bool) int64 {
	if signed {
		return int64(int32(x))
	}
	return int64(x)
}

// memoryOf finds what the access addresses, if that is the same for all lanes.
func (w *simdgroup) memoryOf(m *memAccess) *memory {
	if m.root >= 0 {
		return &w.g.memories[m.root]
	}
	return nil
}

// baseOf is the byte offset of lane 0's pattern base. It reports false if the narrow part wraps within the simdgroup.
func (w *simdgroup) baseOf(m *memAccess) (int64, bool) {
	base := m.imm
	if m.base >= 0 {
		base += int64(w.scalars[m.base])
	}
	if m.narrow >= 0 {
		n := extend32(uint32(w.scalars[m.narrow]), m.signed)
		if m.wraps(n) {
			return 0, false
		}
		base += n * m.scale
	}
	return base, true
}

// wraps reports whether the 32-bit part of an address, n in lane 0, leaves its range in some lane.
func (m *memAccess) wraps(n int64) bool {
	lo, hi := n+m.narrowP.min, n+m.narrowP.max
	return m.signed && (lo < math.MinInt32 || hi > math.MaxInt32) || !m.signed && (lo < 0 || hi > math.MaxUint32)
}

// load executes a load; it reports false after a fault.
func (w *simdgroup) load(m *memAccess, mask uint32) bool {
	w.w.counts[m.number] += uint64(bits.OnesCount32(mask))
	if w.watched(m) && !w.announce(m, mask) {
		return false
	}
	mem := w.memoryOf(m)
	if mem == nil {
		return w.slow(m, mask)
	}
	if m.uniform {
		base, ok := w.baseOf(m)
		if !ok || base < 0 || base+m.bytes > mem.length || base&m.align != 0 {
			return w.slow(m, mask)
		}
		p := unsafe.Add(mem.p, base)
		for i := range m.vals {
			w.scalars[m.vals[i].id] = loadOne(m.elem, unsafe.Add(p, i*m.size))
		}
		return true
	}
	if mask != allLanes {
		return w.slow(m, mask)
	}
	switch m.mode {
	case addrPattern:
		base, ok := w.baseOf(m)
		if !ok || base+m.pat.min < 0 || base+m.pat.max+m.bytes > mem.length || base&m.align != 0 || !m.aligned || mem.lane != 0 {
			return w.slow(m, mask)
		}
		p := unsafe.Add(mem.p, base)
		if m.n == 1 && m.size == 4 {
			d := &w.vectors[m.vals[0].id]
			if m.dense {
				*d = *(*u32s)(p)
				return true
			}
			q := m.pat
			for i := range d {
				d[i] = *(*uint32)(unsafe.Add(p, q.diff[i]))
			}
			return true
		}
		if m.dense && w.dense(m, (*byte)(p)) {
			return true
		}
		w.gather(m, p, &m.pat.diff)
	case addrIndex:
		base := m.imm
		if m.base >= 0 {
			base += int64(w.scalars[m.base])
		}
		x := &w.vectors[m.index]
		limit := uint64(mem.length - m.bytes)
		if mem.length < m.bytes || mem.lane != 0 {
			return w.slow(m, mask)
		}
		if m.n == 1 && m.size == 4 && !m.signed {
			d := &w.vectors[m.vals[0].id]
			var t u32s
			for i, j := range x {
				a := base + int64(j)*m.scale
				if uint64(a) > limit || a&3 != 0 {
					return w.slow(m, mask)
				}
				t[i] = *(*uint32)(unsafe.Add(mem.p, a))
			}
			*d = t
			return true
		}
		var at [32]int64
		for i, j := range x {
			a := base + extend32(j, m.signed)*m.scale
			if uint64(a) > limit || a&m.align != 0 {
				return w.slow(m, mask)
			}
			at[i] = a
		}
		w.gather(m, mem.p, &at)
	default:
		return w.slow(m, mask)
	}
	return true
}

// halves finds the 32 float16 that a dense load of all lanes reads, or nil where the load needs care. It counts the load if it
// finds them.
func (w *simdgroup) halves(m *memAccess, mask uint32) *byte {
	mem := &w.g.memories[m.root]
	base, ok := w.baseOf(m)
	if !ok || mask != allLanes || base+m.pat.min < 0 || base+m.pat.max+m.bytes > mem.length || base&m.align != 0 || !m.aligned {
		return nil
	}
	if w.watched(m) && !w.announce(m, mask) {
		return nil // the load that follows finds the same fault
	}
	w.w.counts[m.number] += 32
	return (*byte)(unsafe.Add(mem.p, base))
}

// dense loads what follows lane after lane without gaps, if there is a lane kernel for it. All bytes were checked.
func (w *simdgroup) dense(m *memAccess, p *byte) bool {
	k := w.w.lanes
	d := func(i int) *u32s { return &w.vectors[m.vals[i].id] }
	switch {
	case m.elem == ir.F16 && m.n == 1:
		k.half(d(0), p)
	case m.elem == ir.F16 && m.n == 4:
		k.half4(d(0), d(1), d(2), d(3), p)
	case m.size == 4 && m.n == 2:
		k.words2(d(0), d(1), p)
	case m.size == 4 && m.n == 4:
		k.words4(d(0), d(1), d(2), d(3), p)
	default:
		return false
	}
	return true
}

// gather loads the elements at p+at[i] for all lanes; every address was checked.
func (w *simdgroup) gather(m *memAccess, p unsafe.Pointer, at *[32]int64) {
	for k := range m.vals {
		v := m.vals[k]
		q := unsafe.Add(p, k*m.size)
		if m.size == 8 {
			d := pairAt(unsafe.Pointer(&w.vectors[0]), uint16(v.id))
			for i := range d {
				d[i] = *(*uint64)(unsafe.Add(q, at[i]))
			}
			continue
		}
		d := &w.vectors[v.id]
		switch m.size {
		case 4:
			for i := range d {
				d[i] = *(*uint32)(unsafe.Add(q, at[i]))
			}
		case 2:
			for i := range d {
				d[i] = uint32(*(*uint16)(unsafe.Add(q, at[i])))
			}
		case 1:
			for i := range d {
				d[i] = uint32(*(*uint8)(unsafe.Add(q, at[i])))
			}
		}
		switch m.elem {
		case ir.F16:
			w.w.lanes.one[oneF16Bits](d, d)
		case ir.BF16:
			w.w.lanes.one[oneBF16Bits](d, d)
		case ir.I8:
			w.w.lanes.one[oneExt8](d, d)
		case ir.I16:
			w.w.lanes.one[oneExt16](d, d)
		}
	}
}

func loadOne(t ir.Type, p unsafe.Pointer) uint64 {
	switch t {
	case ir.F32, ir.U32, ir.I32:
		return uint64(*(*uint32)(p))
	case ir.F16:
		return uint64(fb(num.F16ToF32(*(*uint16)(p))))
	case ir.BF16:
		return uint64(*(*uint16)(p)) << 16
	case ir.U8:
		return uint64(*(*uint8)(p))
	case ir.I8:
		return uint64(uint32(*(*int8)(p)))
	case ir.U16:
		return uint64(*(*uint16)(p))
	case ir.I16:
		return uint64(uint32(*(*int16)(p)))
	}
	return *(*uint64)(p)
}

func storeOne(t ir.Type, p unsafe.Pointer, v uint64) {
	switch t.Bytes() {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(ir.ToMemory(t, v))
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// store executes a store; it reports false after a fault.
func (w *simdgroup) store(m *memAccess, mask uint32) bool {
	w.w.counts[m.number] += uint64(bits.OnesCount32(mask))
	if w.watched(m) && !w.announce(m, mask) {
		return false
	}
	mem := w.memoryOf(m)
	if mem == nil || mem.readOnly || m.mode != addrPattern || mem.lane != 0 {
		return w.slow(m, mask)
	}
	base, ok := w.baseOf(m)
	if !ok || base&m.align != 0 || !m.aligned {
		return w.slow(m, mask)
	}
	if m.uniform {
		if base < 0 || base+m.bytes > mem.length {
			return w.slow(m, mask)
		}
		last := 31 - bits.LeadingZeros32(mask) // lanes store in rising order
		for k := range m.vals {
			storeOne(m.elem, unsafe.Add(mem.p, base+int64(k*m.size)), w.read(m.vals[k], last))
		}
		return true
	}
	if mask == allLanes && base+m.pat.min >= 0 && base+m.pat.max+m.bytes <= mem.length {
		p := unsafe.Add(mem.p, base)
		if m.n == 1 && m.dense && m.size == 4 && m.vals[0].kind == inVector {
			*(*u32s)(p) = w.vectors[m.vals[0].id]
			return true
		}
		for i := range 32 {
			q := unsafe.Add(p, m.pat.diff[i])
			for k := range m.vals {
				storeOne(m.elem, unsafe.Add(q, k*m.size), w.read(m.vals[k], i))
			}
		}
		return true
	}
	// Some lanes: check the active ones, then store.
	for b := mask; b != 0; b &= b - 1 {
		a := base + m.pat.diff[bits.TrailingZeros32(b)&31]
		if a < 0 || a+m.bytes > mem.length {
			return w.slow(m, mask)
		}
	}
	for b := mask; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b) & 31
		for k := range m.vals {
			storeOne(m.elem, unsafe.Add(mem.p, base+m.pat.diff[i]+int64(k*m.size)), w.read(m.vals[k], i))
		}
	}
	return true
}

// addresses works out, for the active lanes, the offset of an access and the number of the root.
func (w *simdgroup) addresses(m *memAccess, mask uint32, at *[32]int64, number *[32]int) {
	base := m.imm
	if m.base >= 0 {
		base += int64(w.scalars[m.base])
	}
	for b := mask; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b)
		switch m.mode {
		case addrPattern:
			at[i] = base + m.pat.diff[i]
			if m.narrow >= 0 { // the pattern includes the narrow one, which may wrap here
				n := uint32(w.scalars[m.narrow]) + uint32(m.narrowP.diff[i])
				at[i] = base + m.pat.diff[i] - m.narrowP.diff[i]*m.scale + extend32(n, m.signed)*m.scale
			}
		case addrIndex:
			at[i] = base + extend32(w.vectors[m.index][i], m.signed)*m.scale
		case addrWide:
			at[i] = int64(pairAt(unsafe.Pointer(&w.vectors[0]), uint16(m.index))[i])
		}
		number[i] = m.root
		if m.rootS >= 0 {
			number[i] = int(uint32(w.scalars[m.rootS]))
		} else if m.rootV >= 0 {
			number[i] = int(w.vectors[m.rootV][i])
		}
	}
}

// slow carries out any access lane by lane: divergence, pointers chosen at run time, thread memory, observers, and whatever
// is wrong. It reports false after a fault.
func (w *simdgroup) slow(m *memAccess, mask uint32) bool {
	if mask == 0 {
		return true
	}
	var at [32]int64
	var mems [32]*memory
	var own [32]memory // thread arrays; a variable of the loop would go to the heap
	var number [32]int
	w.addresses(m, mask, &at, &number)
	for b := mask; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b)
		number := number[i]
		if number < 0 || number >= len(w.g.roots) {
			w.fault = w.accessFault("null pointer", m, nil, 0, at[i], i)
			return false
		}
		root := w.g.roots[number]
		p := &w.g.memories[number]
		if root.Space == ir.Thread {
			own[i] = w.threadMemory(root)
			p = &own[i]
		}
		mems[i] = p
		switch {
		case p.p == nil && root.Slot >= 0:
			w.fault = w.accessFault("null pointer", m, root, 0, at[i], i)
			return false
		case at[i] < 0 || at[i]+m.bytes > p.length:
			w.fault = w.accessFault("out of bounds", m, root, p.length, at[i], i)
			return false
		case at[i]&m.align != 0:
			w.fault = w.accessFault("misaligned", m, root, p.length, at[i], i)
			return false
		case p.readOnly && m.op != ir.OpLoad:
			w.fault = w.accessFault("write to read-only memory", m, root, p.length, at[i], i)
			return false
		}
		if root.Space == ir.Thread {
			at[i] += int64(i) * p.lane
		}
	}
	switch m.op {
	case ir.OpLoad:
		if m.uniform {
			i := firstLane(mask)
			for k := range m.vals {
				w.scalars[m.vals[k].id] = loadOne(m.elem, unsafe.Add(mems[i].p, at[i]+int64(k*m.size)))
			}
			return true
		}
		for k := range m.vals {
			var t u64s
			for b := mask; b != 0; b &= b - 1 {
				i := bits.TrailingZeros32(b)
				t[i] = loadOne(m.elem, unsafe.Add(mems[i].p, at[i]+int64(k*m.size)))
			}
			w.writeAll(m.vals[k], &t)
		}
	case ir.OpStore:
		for b := mask; b != 0; b &= b - 1 {
			i := bits.TrailingZeros32(b)
			for k := range m.vals {
				storeOne(m.elem, unsafe.Add(mems[i].p, at[i]+int64(k*m.size)), w.read(m.vals[k], i))
			}
		}
	case ir.OpAtomic:
		var t u64s
		for b := mask; b != 0; b &= b - 1 {
			i := bits.TrailingZeros32(b)
			var x, y uint64
			if len(m.vals) > 0 {
				x = w.read(m.vals[0], i)
			}
			if len(m.vals) > 1 {
				y = w.read(m.vals[1], i)
			}
			t[i] = atomicOne(m.atom, m.elem, unsafe.Add(mems[i].p, at[i]), x, y)
		}
		w.writeAll(m.out, &t)
	}
	return true
}

// threadMemory is a thread array of this simdgroup: lane i's copy starts lane bytes after that of lane i-1.
func (w *simdgroup) threadMemory(r *ir.Root) memory {
	if len(w.thread) == 0 {
		return memory{}
	}
	return memory{p: unsafe.Pointer(&w.thread[r.Start]), length: int64(r.Bytes), lane: int64(w.w.threadBytes)}
}

// atomic executes an atomic operation, lanes in rising order.
func (w *simdgroup) atomic(m *memAccess, mask uint32) bool {
	w.w.counts[m.number] += uint64(bits.OnesCount32(mask))
	if w.watched(m) && !w.announce(m, mask) {
		return false
	}
	return w.slow(m, mask)
}
