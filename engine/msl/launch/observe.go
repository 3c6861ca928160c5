package launch

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/sanitize"
)

// observe runs the dispatches once more, from fresh memory, under the sanitizers asked for.
func (r *Result) observe(all []*dispatch) {
	set := sanitize.New(r.spec.Checks)
	if set.Empty() {
		return
	}
	memory := r.spec.memory()
	for _, b := range r.spec.Buffers {
		if b.Poison {
			set.Fresh(memory[b.Index])
		}
	}
	for i, d := range all {
		if i > 0 && !d.Barrier {
			set.Overlap(true)
		}
	}
	for i, d := range all {
		l := r.spec.launch(d, memory)
		l.Schedule = r.spec.Schedule
		l.Observer, l.Concurrent = set, i > 0 && !d.Barrier
		kernel := d.kernel
		if set.NeedsProbes() {
			kernel = d.observed
		}
		if f := kernel.Launch(l); f != nil {
			r.Findings = append(r.Findings, found(set, f, d))
			return
		}
	}
	if f := set.Unwritten(); f != nil {
		r.Findings = append(r.Findings, found(set, f, all[len(all)-1]))
	}
}

// found makes a finding of a fault under sanitizers; what the executor itself finds has no sanitizer's name.
func found(set *sanitize.Set, f *exec.Fault, d *dispatch) Finding {
	x := executorFinding(f, d.Kernel, d.number)
	if set.Found != "" {
		x.Check = set.Found
	}
	return x
}

// schedules are the orders that a launch with n of them compares: in order, reversed, then shuffled with seeds from 1 on.
func schedules(n int) []exec.Schedule {
	out := []exec.Schedule{{}, {Kind: exec.Reversed}}
	for seed := 1; len(out) < n; seed++ {
		out = append(out, exec.Schedule{Kind: exec.Shuffled, Seed: uint64(seed)})
	}
	return out[:max(n, 1)]
}

// scheduleName is what --schedule takes.
func scheduleName(s exec.Schedule) string {
	switch s.Kind {
	case exec.InOrder:
		return "in-order"
	case exec.Reversed:
		return "reversed"
	}
	return fmt.Sprint(s.Seed)
}

// reschedule runs the dispatches under the other schedules; all must leave the same bits.
func (r *Result) reschedule(all []*dispatch) {
	for _, order := range schedules(r.spec.Schedules)[1:] {
		memory := r.spec.memory()
		for _, d := range all {
			l := r.spec.launch(d, memory)
			l.Schedule = order
			f := d.kernel.Launch(l)
			if f != nil {
				f.Summary += "; replay with --schedule " + scheduleName(order)
				r.Findings = append(r.Findings, executorFinding(f, d.Kernel, d.number))
				return
			}
		}
		for i := range r.spec.Buffers {
			b := &r.spec.Buffers[i]
			if at := firstDifference(b, r.memory[b.Index], memory[b.Index]); at >= 0 {
				n := b.Element.Bytes()
				r.Findings = append(r.Findings, Finding{Kind: "order dependence", Check: CheckSchedules, Kernel: all[len(all)-1].Kernel, Dispatch: all[len(all)-1].number,
					Summary: fmt.Sprintf("buffer %d: element %d is %s in order, and %s under the schedule %s; replay with --schedule %[5]s", b.Index, at/n,
						b.Element.Text(b.Element.get(r.memory[b.Index][at:])), b.Element.Text(b.Element.get(memory[b.Index][at:])), scheduleName(order))})
				return
			}
		}
	}
}

// firstDifference is the first byte of the first element that differs, or -1. One NaN is as good as another.
func firstDifference(b *Buffer, x, y []byte) int {
	if bytes.Equal(x, y) {
		return -1
	}
	n := b.Element.Bytes()
	for i := 0; i+n <= len(x); i += n {
		if bytes.Equal(x[i:i+n], y[i:i+n]) {
			continue
		}
		if b.Element.IsFloat() {
			if f, g := b.Element.toFloat(b.Element.get(x[i:])), b.Element.toFloat(b.Element.get(y[i:])); f != f && g != g {
				continue
			}
		}
		return i
	}
	return -1
}

// openBits lists each use of an operation whose bits MSL leaves to the device, by line.
func openBits(all []*dispatch) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for _, d := range all {
		for _, f := range usesOfOpenBits(d.f) {
			if key := f.Summary + strings.Join(f.Parties, ""); !seen[key] {
				seen[key] = true
				f.Kernel, f.Dispatch = d.Kernel, d.number
				out = append(out, f)
			}
		}
	}
	return out
}

func usesOfOpenBits(f *ir.Func) (out []Finding) {
	ir.Walk(f.Body.Body, func(n ir.Node) {
		v, ok := n.(*ir.Value)
		if ok && v.Op.Unordered() && v.Type.IsFloat() {
			out = append(out, Finding{Kind: "open bits", Check: CheckStrict, Kernel: f.Name, Summary: "MSL does not fix the bits of " + v.Op.String(), Parties: []string{"used at " + v.Pos.String()}})
		}
	})
	return out
}
