package exec

import (
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Observer listens to a launch: the sanitizers are observers. Its methods are called from one goroutine, whatever Launch.Workers says.
// A fault that a method returns stops the launch.
type Observer interface {
	// Start announces a launch.
	Start(l *Launching)
	// Watches says whether accesses to the root are wanted; accesses to others cost nothing more than without an observer.
	Watches(root *ir.Root) bool
	// Begin announces a threadgroup.
	Begin(g Group)
	// Access is called before each access to a watched root, already found within bounds.
	Access(a *Access) *Fault
	// Barrier is called when every simdgroup of a threadgroup has arrived.
	Barrier(g Group, flags uint64)
	// SimdBarrier is called at a simdgroup barrier.
	SimdBarrier(at Place, flags uint64)
	// Probe is called for what an observed function tells.
	Probe(p *Probe) *Fault
	// End announces that a threadgroup has finished.
	End(g Group)
	// Finish announces that all threadgroups have.
	Finish() *Fault
}

// Launching is a launch that begins.
type Launching struct {
	Func *ir.Func
	// Concurrent says that the launch may run at the same time as the one before: no barrier stands between them.
	Concurrent bool
	Memory     []Memory // by root number
	// Granule is, by root number, the size of the smallest piece that an access of the kernel may take of it, in bytes.
	Granule []int
}

// Memory is where a root of the device or constant space lies.
type Memory struct {
	Address  uintptr // of byte 0; equal for equal memory, in any launch
	Data     []byte
	ReadOnly bool
}

// Group is a threadgroup in flight. Slot numbers those in flight at the same time.
type Group struct {
	ID   [3]int
	Slot int
}

// Place is a simdgroup, with its active lanes.
type Place struct {
	Group
	Simdgroup int
	Mask      uint32
	w         *simdgroup
}

// Thread names the thread of a lane.
func (p *Place) Thread(lane int) string { return p.w.threadName(lane) }

// Shape is the size of the threadgroup.
func (p *Place) Shape() Shape { return p.w.g.shape }

// Initial is the mask of the lanes that exist.
func (p *Place) Initial() uint32 { return p.w.initial }

func (w *simdgroup) place(mask uint32) Place {
	return Place{Group: w.g.group(), Simdgroup: w.index, Mask: mask, w: w}
}

func (g *group) group() Group { return Group{ID: g.id, Slot: g.slot} }

// Access tells an Observer what the active lanes of a simdgroup do to memory. Lanes act in rising order. An Access and
// what it points to are valid during the call only.
type Access struct {
	Place
	Root        *ir.Root
	Write, Read bool // both for an atomic that changes what it finds
	Atomic      bool
	Copy        bool // part of an aggregate that is being copied whole
	Bytes       int  // that each lane accesses
	Dense       bool // all lanes act, and lane i starts where lane i-1 ends
	Uniform     bool // all active lanes act on the same bytes
	Number      int  // of the instruction within the kernel
	Pos         ir.Pos
	base        int64
	diff        *[32]int64
	m           *memAccess
}

// Offset is where an active lane's access begins, in bytes from the start of the root.
func (a *Access) Offset(lane int) int64 { return a.base + a.diff[lane&31] }

// Length is the length of the memory in bytes; of an array of a thread, that of one thread's.
func (a *Access) Length() int64 { return a.w.lengthOf(a.Root) }

// Verb says what is done, in the past.
func (a *Access) Verb() string { return verb(a.m) }

// Value is what an active lane writes; or what it is about to read, or change.
func (a *Access) Value(lane int) string {
	if a.m.op != ir.OpStore {
		return PresentText(a, lane)
	}
	var s []string
	for k := range a.m.n {
		s = append(s, ir.ValueText(a.m.elem, a.w.read(a.m.vals[k], lane)))
	}
	return strings.Join(s, " ")
}

// PresentText renders what memory holds where an active lane acts, as the access sees it.
func PresentText(a *Access, lane int) string {
	mem, at := a.memory(lane)
	var s []string
	for k := range a.m.n {
		s = append(s, ir.ValueText(a.m.elem, loadOne(a.m.elem, unsafe.Add(mem.p, at+int64(k*a.m.size)))))
	}
	return strings.Join(s, " ")
}

// Written are the bytes that an active lane is about to write; nil for an atomic, whose result is not known yet.
func (a *Access) Written(lane int) []byte {
	if a.m.op != ir.OpStore {
		return nil
	}
	out := make([]byte, a.Bytes)
	for k := range a.m.n {
		storeOne(a.m.elem, unsafe.Pointer(&out[k*a.m.size]), a.w.read(a.m.vals[k], lane))
	}
	return out
}

// Present are the bytes that memory holds where an active lane acts.
func (a *Access) Present(lane int) []byte {
	mem, at := a.memory(lane)
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Add(mem.p, at)), a.Bytes)...)
}

func (a *Access) memory(lane int) (*memory, int64) {
	at := a.Offset(lane)
	if a.Root.Space == ir.Thread {
		m := a.w.threadMemory(a.Root)
		return &m, at + int64(lane)*m.lane
	}
	return &a.w.g.memories[a.Root.Number], at
}

// Element names the part of the root at a byte offset: an element if the root has some, else bytes.
func Element(r *ir.Root, off int64, bytes int) string {
	if n := int64(r.Elem.Bytes()); n > 0 {
		if off%n == 0 && int64(bytes) == n {
			return fmt.Sprintf("%s %q[%d]", r.Space, r.Name, off/n)
		}
		return fmt.Sprintf("%s %q[%d], bytes %d..%d", r.Space, r.Name, off/n, off, off+int64(bytes)-1)
	}
	return fmt.Sprintf("%s %q, bytes %d..%d", r.Space, r.Name, off, off+int64(bytes)-1)
}

// Probe is what an observed function tells.
type Probe struct {
	Place
	Kind ir.ProbeKind
	Note string
	Root *ir.Root // ProbeDeclare
	Pos  ir.Pos
	p    *probe
}

// Arg is operand i of an active lane, in register form, and its type.
func (p *Probe) Arg(i, lane int) (uint64, ir.Type) { return p.w.read(p.p.args[i], lane), p.p.types[i] }

// Args is the number of operands.
func (p *Probe) Args() int { return len(p.p.args) }

// Uniform reports whether all lanes see the same operands.
func (p *Probe) Uniform() bool {
	for _, a := range p.p.args {
		if a.kind != inScalar {
			return false
		}
	}
	return true
}

// probe is an opProbe.
type probe struct {
	kind  ir.ProbeKind
	note  string
	root  *ir.Root
	args  []value
	types []ir.Type
	pos   ir.Pos
}

func (w *simdgroup) probe(p *probe, mask uint32) bool {
	o := w.w.observer
	if o == nil || mask == 0 {
		return true
	}
	w.fault = o.Probe(&Probe{Place: w.place(mask), Kind: p.kind, Note: p.note, Root: p.root, Pos: p.pos, p: p})
	return w.fault == nil
}

// watched reports whether the observer wants the access.
func (w *simdgroup) watched(m *memAccess) bool {
	return w.w.watch != nil && (m.root < 0 || w.w.watch[m.root])
}

// announce tells the observer of an access. It reports false after a fault. What the access itself will find wrong is not announced.
func (w *simdgroup) announce(m *memAccess, mask uint32) bool {
	if mask == 0 {
		return true
	}
	a := &w.w.access // one for all: making one for each access would be half of the cost of looking on
	if a.w != w {
		a.w, a.Simdgroup = w, w.index
	}
	a.Mask = mask
	if a.m != m {
		atomic := m.op == ir.OpAtomic
		a.m, a.Atomic, a.Copy = m, atomic, m.copied
		a.Read = m.op == ir.OpLoad || atomic && m.atom != ir.AtomicStore
		a.Write = m.op == ir.OpStore || atomic && m.atom != ir.AtomicLoad
		a.Bytes, a.Number, a.Pos = int(m.bytes), m.number, m.pos
	}
	a.Dense, a.Uniform = false, false
	if m.root >= 0 && m.mode == addrPattern {
		if base, ok := w.baseOf(m); ok {
			a.Root, a.base, a.diff = w.g.roots[m.root], base, &m.pat.diff
			length := w.lengthOf(a.Root)
			for b := mask; b != 0; b &= b - 1 {
				if at := a.Offset(bits.TrailingZeros32(b)); at < 0 || at+m.bytes > length || at&m.align != 0 {
					return true
				}
				if mask == allLanes && m.pat.affine { // the ends speak for the rest
					b &= 1<<31 | 1
				}
			}
			a.Dense, a.Uniform = m.dense && mask == allLanes, m.uniform
			w.fault = w.w.observer.Access(a)
			return w.fault == nil
		}
	}
	at := &w.w.offsets
	var number [32]int
	w.addresses(m, mask, at, &number)
	a.base, a.diff = 0, at
	for b := mask; b != 0; {
		n := number[bits.TrailingZeros32(b)]
		a.Mask = 0
		for c := b; c != 0; c &= c - 1 {
			if i := bits.TrailingZeros32(c); number[i] == n {
				a.Mask |= 1 << i
			}
		}
		b &^= a.Mask
		if n < 0 || n >= len(w.g.roots) {
			return true
		}
		a.Root = w.g.roots[n]
		if !w.w.watch[n] {
			continue
		}
		length := w.lengthOf(a.Root)
		for c := a.Mask; c != 0; c &= c - 1 {
			if off := at[bits.TrailingZeros32(c)]; off < 0 || off+m.bytes > length || off&m.align != 0 {
				return true
			}
		}
		if w.fault = w.w.observer.Access(a); w.fault != nil {
			return false
		}
	}
	return true
}

func (w *simdgroup) lengthOf(r *ir.Root) int64 {
	if r.Space == ir.Thread {
		return int64(r.Bytes)
	}
	return w.g.memories[r.Number].length
}

// Count is what was done to one root, in lane accesses and bytes.
type Count struct {
	Loads, Stores, Atomics           uint64
	LoadBytes, StoreBytes, AtomBytes uint64
}

// Counters adds up what a launch did. An access by all lanes to one address counts once a lane.
type Counters struct {
	Roots    []Count // by root number
	Barriers uint64  // arrivals of simdgroups
	Steps    uint64  // instructions of 32 lanes, counted by the length of the code and of the loop bodies run
}

func (c *Counters) add(p *program, w *worker) {
	if len(c.Roots) < len(p.roots) {
		c.Roots = append(c.Roots, make([]Count, len(p.roots)-len(c.Roots))...)
	}
	for i, n := range w.counts {
		m := p.accesses[i]
		if m.root < 0 || n == 0 {
			continue
		}
		r := &c.Roots[m.root]
		switch m.op {
		case ir.OpLoad:
			r.Loads += n
			r.LoadBytes += n * uint64(m.bytes)
		case ir.OpStore:
			r.Stores += n
			r.StoreBytes += n * uint64(m.bytes)
		default:
			r.Atomics += n
			r.AtomBytes += n * uint64(m.bytes)
		}
	}
	c.Barriers += w.barriers
	c.Steps += w.steps
}
