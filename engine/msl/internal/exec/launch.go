package exec

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// DefaultSteps bounds the instructions of one simdgroup, each for 32 lanes: some seconds.
const DefaultSteps = 1 << 28

// Launch describes one run of a kernel over a grid.
type Launch struct {
	Threadgroups          [3]int
	ThreadsPerThreadgroup [3]int
	Threads               [3]int    // if set, the grid in threads, instead of Threadgroups: the last threadgroups may be smaller
	Bindings              []Binding // by root number; roots without a slot are ignored
	Workers               int       // goroutines that share the threadgroups; at least one
	Lanes                 Lanes
	MaxSteps              int64    // instructions a simdgroup may execute; 0: DefaultSteps
	Observer              Observer // if set, one worker runs everything
	Schedule              Schedule
	Concurrent            bool      // for the observer: no barrier stands between this launch and the one before
	Counters              *Counters // added to, if set
}

// Binding is what an argument is bound to.
type Binding struct {
	Data             []byte // device and constant: from the offset of the binding on
	ReadOnly         bool   // a write is a fault
	ThreadgroupBytes int    // threadgroup arguments
}

// group is a threadgroup being run.
type group struct {
	id       [3]int
	slot     int // among the threadgroups in flight
	shape    Shape
	memories []memory // by root number
	roots    []*ir.Root
	shared   []byte // threadgroup memory
}

// worker owns the state in which it runs one threadgroup after the other.
type worker struct {
	lanes       *laneKernels
	observer    Observer
	watch       []bool // by root number; nil without an observer
	access      Access // being announced
	offsets     [32]int64
	counts      []uint64 // lane accesses by access number
	barriers    uint64
	steps       uint64
	threadBytes int
	g           group
	sims        []simdgroup
	p           *program
}

// part is a box of threadgroups of one shape.
type part struct {
	first, count [3]int
	shapes       shapes
}

// parts cuts the grid into boxes of threadgroups of one shape, eight at most, and completes l.
func (l *Launch) parts() []part {
	var full Shape
	for i := range full {
		full[i] = max(l.ThreadsPerThreadgroup[i], 1)
		l.Threadgroups[i] = max(l.Threadgroups[i], 1)
	}
	if l.Threads == [3]int{} {
		return []part{{count: l.Threadgroups, shapes: whole(full)}}
	}
	ragged := false
	for i := range full {
		l.Threads[i] = max(l.Threads[i], 1)
		l.Threadgroups[i] = (l.Threads[i] + full[i] - 1) / full[i]
		ragged = ragged || l.Threads[i]%full[i] != 0
	}
	out := []part{{shapes: shapes{full: full, ragged: ragged}}}
	for i := range full {
		var next []part
		for _, p := range out {
			if n := l.Threads[i] / full[i]; n > 0 {
				q := p
				q.count[i], q.shapes.actual[i] = n, full[i]
				next = append(next, q)
			}
			if rest := l.Threads[i] % full[i]; rest > 0 {
				q := p
				q.first[i], q.count[i], q.shapes.actual[i] = l.Threadgroups[i]-1, 1, rest
				next = append(next, q)
			}
		}
		out = next
	}
	return out
}

// Launch runs the kernel and returns when all threadgroups have finished, or one has gone wrong: then the fault of the first of
// these in the order in which they run (of the part of the grid, where threadgroups at the edges are smaller).
func (k *Kernel) Launch(l Launch) *Fault {
	parts := l.parts()
	if l.Observer != nil {
		l.Observer.Start(k.launching(&l))
	}
	if l.Schedule.Kind == Reversed {
		slices.Reverse(parts)
	}
	for _, part := range parts {
		if f := k.launch(l, part); f != nil {
			return f
		}
	}
	if l.Observer != nil {
		return l.Observer.Finish()
	}
	return nil
}

// launch runs one part of the grid.
func (k *Kernel) launch(l Launch, part part) *Fault {
	p, err := k.program(part.shapes)
	if err != nil {
		return &Fault{Kind: "limit", Summary: err.Error()}
	}
	if l.Observer == nil && l.Schedule.Kind == InOrder {
		return k.share(p, &l, part)
	}
	return k.schedule(p, &l, part)
}

// share runs the threadgroups in order on several workers.
func (k *Kernel) share(p *program, l *Launch, part part) *Fault {
	total := part.total()
	workers := int(min(int64(max(l.Workers, 1)), total))
	var next atomic.Int64
	var first atomic.Int64 // the lowest threadgroup with a fault
	first.Store(total)
	faults := make([]*Fault, workers)
	at := make([]int64, workers)
	all := make([]*worker, workers)
	work := func(n int) {
		w := k.worker(p, part.shapes.actual, l)
		all[n] = w
		for {
			i := next.Add(1) - 1
			if i >= first.Load() || i >= total {
				return
			}
			if f := w.run(l, part.threadgroup(i)); f != nil {
				faults[n], at[n] = f, i
				for {
					old := first.Load()
					if i >= old || first.CompareAndSwap(old, i) {
						return
					}
				}
			}
		}
	}
	if workers == 1 {
		work(0)
	} else {
		var wg sync.WaitGroup
		for n := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				work(n)
			}()
		}
		wg.Wait()
	}
	for _, w := range all {
		k.release(w, l)
	}
	for n, f := range faults {
		if f != nil && at[n] == first.Load() {
			return f
		}
	}
	return nil
}

// launching describes the launch to its observer.
func (k *Kernel) launching(l *Launch) *Launching {
	out := &Launching{Func: k.f, Concurrent: l.Concurrent, Memory: make([]Memory, len(k.f.Roots)), Granule: make([]int, len(k.f.Roots))}
	any := 8 // smallest access through a pointer chosen at run time
	ir.Walk(k.f.Body.Body, func(n ir.Node) {
		if v, ok := n.(*ir.Value); ok && v.IsMem() {
			size := min(v.Mem.Bytes(), v.Align)
			if v.Root == nil {
				any = min(any, size)
			} else if g := &out.Granule[v.Root.Number]; *g == 0 || size < *g {
				*g = size
			}
		}
	})
	for i, r := range k.f.Roots {
		if g := &out.Granule[i]; *g == 0 || any < *g {
			*g = any
		}
		if r.Slot >= 0 && i < len(l.Bindings) && len(l.Bindings[i].Data) > 0 {
			b := l.Bindings[i]
			out.Memory[i] = Memory{Address: uintptr(unsafe.Pointer(&b.Data[0])), Data: b.Data, ReadOnly: b.ReadOnly}
		}
	}
	return out
}

func (k *Kernel) worker(p *program, shape Shape, l *Launch) *worker {
	w, _ := k.pool.Get().(*worker)
	if w == nil {
		w = &worker{}
	}
	w.lanes = l.Lanes.kernels()
	w.g.slot = 0
	w.observer, w.watch = l.Observer, nil
	if w.observer != nil {
		w.watch = make([]bool, len(p.roots))
		for i, r := range p.roots {
			w.watch[i] = w.observer.Watches(r)
		}
	}
	w.barriers, w.steps = 0, 0
	w.threadBytes = k.f.ThreadBytes
	n := 1
	if p.hasBarrier || l.Schedule.Kind != InOrder || l.Observer != nil {
		n = shape.simdgroups()
	}
	if w.p != p || len(w.sims) < n {
		w.p = p
		w.counts = make([]uint64, len(p.accesses))
		w.sims = make([]simdgroup, n)
		for i := range w.sims {
			w.sims[i] = simdgroup{w: w, g: &w.g, scalars: make([]uint64, p.numScalars), vectors: make([]u32s, p.numVectors+1), thread: make([]byte, 32*w.threadBytes)}
		}
	}
	clear(w.counts)
	g := &w.g
	g.shape, g.roots = shape, p.roots
	if len(g.memories) != len(p.roots) {
		g.memories = make([]memory, len(p.roots))
	}
	size := k.f.ThreadgroupBytes
	for i, r := range p.roots {
		var b Binding
		if r.Slot >= 0 && i < len(l.Bindings) {
			b = l.Bindings[i]
		}
		switch {
		case r.Space == ir.Threadgroup && r.Slot >= 0:
			size = (size+15)&^15 + b.ThreadgroupBytes
		case r.Space == ir.Constant && r.Slot < 0:
			g.memories[i] = bind(r.Data, true)
		case r.Space == ir.Device || r.Space == ir.Constant:
			g.memories[i] = bind(b.Data, b.ReadOnly || r.ReadOnly)
		}
	}
	if cap(g.shared) < size {
		g.shared = make([]byte, size)
	}
	g.shared = g.shared[:size]
	off := k.f.ThreadgroupBytes
	for i, r := range p.roots {
		switch {
		case r.Space != ir.Threadgroup:
		case r.Slot >= 0:
			n := l.Bindings[i].ThreadgroupBytes
			off = (off + 15) &^ 15
			g.memories[i] = bind(g.shared[off:off+n], false)
			off += n
		default:
			g.memories[i] = bind(g.shared[r.Start:r.Start+r.Bytes], false)
		}
	}
	return w
}

func (k *Kernel) release(w *worker, l *Launch) {
	if l.Counters != nil {
		l.Counters.add(w.p, w)
	}
	w.observer, w.watch, w.access = nil, nil, Access{}
	clear(w.g.memories)
	k.pool.Put(w)
}

// poison is what fresh memory holds: NaN as a float, a large number as an index.
const poison = 0xff

// threadgroup is the position of number i.
func (p *part) threadgroup(i int64) [3]int {
	x, y := int64(p.count[0]), int64(p.count[1])
	return [3]int{p.first[0] + int(i%x), p.first[1] + int(i/x%y), p.first[2] + int(i/(x*y))}
}

func (p *part) total() int64 {
	return int64(p.count[0]) * int64(p.count[1]) * int64(p.count[2])
}

// begin prepares the worker for a threadgroup.
func (w *worker) begin(l *Launch, id [3]int) (steps int64) {
	g := &w.g
	g.id = id
	for j := range g.shared {
		g.shared[j] = poison
	}
	if w.observer != nil {
		w.access.Group, w.access.w, w.access.m = g.group(), nil, nil
		w.observer.Begin(g.group())
	}
	if l.MaxSteps == 0 {
		return DefaultSteps
	}
	return l.MaxSteps
}

// run executes a threadgroup, its simdgroups in order from barrier to barrier.
func (w *worker) run(l *Launch, id [3]int) *Fault {
	steps := w.begin(l, id)
	n := w.g.shape.simdgroups()
	if !w.p.hasBarrier {
		sg := &w.sims[0]
		for j := range n {
			sg.start(l, j, steps)
			sg.run(w.p)
			w.steps += uint64(steps-sg.fuel) + uint64(len(w.p.code))
			if sg.fault != nil {
				return sg.fault
			}
		}
		return nil
	}
	for j := range n {
		w.sims[j].start(l, j, steps)
	}
	for {
		waiting := 0
		for j := range n {
			sg := &w.sims[j]
			if sg.done {
				continue
			}
			if sg.run(w.p) {
				waiting++
			}
			if sg.fault != nil {
				return sg.fault
			}
		}
		if waiting == 0 {
			break
		}
		if f := w.arrive(n); f != nil {
			return f
		}
	}
	for j := range n {
		w.steps += uint64(steps-w.sims[j].fuel) + uint64(len(w.p.code))
	}
	return nil
}

// arrive lets all simdgroups of a threadgroup through a barrier, or finds that they do not stand at the same one.
func (w *worker) arrive(n int) *Fault {
	first := &w.sims[0]
	for j := 1; j < n; j++ {
		sg := &w.sims[j]
		if sg.done == first.done && (sg.done || sg.pc == first.pc) {
			continue
		}
		state := func(s *simdgroup) string {
			if s.done {
				return s.threadName(0) + " has returned"
			}
			return fmt.Sprintf("%s waits at %s", s.threadName(0), w.p.pos[s.pc])
		}
		return &Fault{Kind: "missing barrier", Summary: "not every simdgroup of the threadgroup reaches the barrier", Parties: []string{state(first), state(sg)}}
	}
	if w.observer != nil {
		w.observer.Barrier(w.g.group(), uint64(w.p.code[first.pc].imm))
	}
	for j := range n {
		w.sims[j].pc++
		w.sims[j].waits = false
	}
	return nil
}

// start puts a simdgroup at the beginning.
func (w *simdgroup) start(l *Launch, index int, steps int64) {
	p := w.w.p
	w.w.access.w = nil
	w.index, w.pc, w.done, w.waits, w.fault, w.fuel, w.slice = index, 0, false, false, nil, steps, 0
	w.initial = allLanes
	if left := w.g.shape.threads() - index*32; left < 32 {
		w.initial = 1<<left - 1
	}
	w.mask = w.initial
	copy(w.scalars, p.init)
	for _, b := range p.builtins {
		w.scalars[b.slot] = uint64(w.builtin(l, b.b))
	}
	for i := range w.thread {
		w.thread[i] = poison
	}
}

// builtin is the value of a builtin, for lane 0 if it differs.
func (w *simdgroup) builtin(l *Launch, b ir.Builtin) uint32 {
	switch b {
	case ir.SimdgroupIndex:
		return uint32(w.index)
	case ir.ThreadIndex:
		return uint32(w.index * 32)
	case ir.GroupX, ir.GroupY, ir.GroupZ:
		return uint32(w.g.id[b-ir.GroupX])
	case ir.NumGroupsX, ir.NumGroupsY, ir.NumGroupsZ:
		return uint32(l.Threadgroups[b-ir.NumGroupsX])
	case ir.GridSizeX, ir.GridSizeY, ir.GridSizeZ:
		return uint32(l.Threads[b-ir.GridSizeX])
	}
	panic("exec: builtin " + b.String() + " was not specialised")
}

func (w *simdgroup) endless(p *program, pc int) {
	w.fault = &Fault{Kind: "endless loop", Summary: "a simdgroup executed more instructions than a launch allows",
		Parties: []string{fmt.Sprintf("%s in the loop at %s", w.threadName(firstLane(w.initial)), p.pos[pc])}}
}

func (w *simdgroup) divergentBarrier(p *program, pc int, mask uint32) {
	missing := firstLane(w.initial &^ mask)
	w.fault = &Fault{Kind: "divergent barrier", Summary: "only some threads of a simdgroup reach the barrier", Parties: []string{
		fmt.Sprintf("%s arrives at %s", w.threadName(firstLane(mask)), p.pos[pc]),
		fmt.Sprintf("%s does not", w.threadName(missing))}}
}
