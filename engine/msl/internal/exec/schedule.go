package exec

import "math/rand/v2"

// Schedule is an order in which simdgroups and threadgroups take their turns. A kernel without races gives the same bits under all.
type Schedule struct {
	Kind ScheduleKind
	Seed uint64 // of Shuffled
}

// ScheduleKind is a family of schedules.
type ScheduleKind uint8

const (
	InOrder  ScheduleKind = iota // threadgroups in rising order, simdgroups in rising order from barrier to barrier
	Reversed                     // both falling
	Shuffled                     // several threadgroups in flight, picked at random; a turn ends after a random number of memory operations
)

// inFlight is how many threadgroups a shuffled schedule mixes, and maxTurn how many memory operations a turn has at most.
const (
	inFlight = 4
	maxTurn  = 48
)

// turn counts a memory operation and, at the end of the turn, notes where to go on.
func (w *simdgroup) turn(pc int, mask uint32) bool {
	if w.slice--; w.slice > 0 {
		return false
	}
	w.pc, w.mask = pc, mask
	return true
}

// schedule runs a part of the grid in one goroutine, in the order of the schedule.
func (k *Kernel) schedule(p *program, l *Launch, part part) *Fault {
	order := rand.New(rand.NewPCG(l.Schedule.Seed, 0x5eed))
	left := make([]int64, part.total())
	for i := range left {
		left[i] = int64(i)
	}
	slots := 1
	switch l.Schedule.Kind {
	case Reversed:
		for i := range left {
			left[i] = int64(len(left) - 1 - i)
		}
	case Shuffled:
		order.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		slots = min(inFlight, len(left))
	}
	var flying []*worker
	defer func() {
		for _, w := range flying {
			k.release(w, l)
		}
	}()
	for slot := range slots {
		w := k.worker(p, part.shapes.actual, l)
		w.g.slot = slot
		flying = append(flying, w)
		if l.Schedule.Kind != Shuffled {
			continue
		}
		w.enter(l, part.threadgroup(left[0]))
		left = left[1:]
	}
	if l.Schedule.Kind != Shuffled {
		for _, i := range left {
			if f := flying[0].runThrough(l, part.threadgroup(i), l.Schedule.Kind == Reversed); f != nil {
				return f
			}
		}
		return nil
	}
	busy := append([]*worker(nil), flying...)
	for len(busy) > 0 {
		at := order.IntN(len(busy))
		w := busy[at]
		over, f := w.step(order)
		if f != nil {
			return f
		}
		switch {
		case over && len(left) > 0:
			w.leave(l)
			w.enter(l, part.threadgroup(left[0]))
			left = left[1:]
		case over:
			w.leave(l)
			busy = append(busy[:at], busy[at+1:]...)
		}
	}
	return nil
}

// enter puts a threadgroup at its beginning.
func (w *worker) enter(l *Launch, id [3]int) {
	steps := w.begin(l, id)
	for j := range w.g.shape.simdgroups() {
		w.sims[j].start(l, j, steps)
	}
}

// leave counts a threadgroup that has finished.
func (w *worker) leave(l *Launch) {
	steps := l.MaxSteps
	if steps == 0 {
		steps = DefaultSteps
	}
	for j := range w.g.shape.simdgroups() {
		w.steps += uint64(steps-w.sims[j].fuel) + uint64(len(w.p.code))
	}
	if w.observer != nil {
		w.observer.End(w.g.group())
	}
}

// step gives one simdgroup of the threadgroup a turn, or lets all through a barrier. It reports whether the threadgroup has finished.
func (w *worker) step(order *rand.Rand) (over bool, f *Fault) {
	n := w.g.shape.simdgroups()
	var ready []int
	waiting := 0
	for j := range n {
		switch {
		case w.sims[j].done:
		case w.sims[j].waits:
			waiting++
		default:
			ready = append(ready, j)
		}
	}
	if len(ready) == 0 {
		if waiting == 0 {
			return true, nil
		}
		return false, w.arrive(n)
	}
	sg := &w.sims[ready[order.IntN(len(ready))]]
	sg.slice = 1 + order.IntN(maxTurn)
	sg.run(w.p)
	return false, sg.fault
}

// runThrough executes a threadgroup from barrier to barrier, its simdgroups in rising or falling order.
func (w *worker) runThrough(l *Launch, id [3]int, reversed bool) *Fault {
	w.enter(l, id)
	n := w.g.shape.simdgroups()
	for {
		waiting := 0
		for j := range n {
			if reversed {
				j = n - 1 - j
			}
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
	w.leave(l)
	return nil
}
