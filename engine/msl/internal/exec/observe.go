package exec

import "github.com/octoryn/assay/engine/msl/internal/ir"

// Access tells an Observer what the active lanes of a simdgroup do to memory. Lanes act in rising order. An Access and
// what it points to are valid during the call only.
type Access struct {
	Root        *ir.Root
	Write, Read bool // both for an atomic
	Atomic      bool
	Mask        uint32
	Offset      [32]int64 // bytes from the start of the root; of active lanes
	Bytes       int
	Simdgroup   int
	Threadgroup [3]int
	Pos         ir.Pos
}

// Observer listens to a launch. With several workers its methods are called from several goroutines; ask for one worker
// if that matters.
type Observer interface {
	// Begin announces a threadgroup.
	Begin(threadgroup [3]int)
	// Access is called before each access, already found within bounds. A fault stops the launch.
	Access(a *Access) *Fault
	// Barrier is called when every simdgroup of a threadgroup has arrived.
	Barrier(threadgroup [3]int, flags uint64)
	// End announces that a threadgroup has finished.
	End(threadgroup [3]int)
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
