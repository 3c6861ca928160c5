package launch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Result is what a launch gave.
type Result struct {
	Findings   []Finding
	Mismatches []string // expectations that do not hold, and a fault that was wanted and did not come
	Counts     []Counts // by dispatch; of those that ran to their end
	spec       *Spec
	memory     map[int][]byte // what the buffers hold at the end
}

// Counts is what one dispatch did, in the default order and without checks.
type Counts struct {
	Kernel         string          `json:"kernel"`
	Threadgroups   [3]int          `json:"threadgroups"`
	Arguments      []ArgumentCount `json:"arguments"` // those that were reached
	Barriers       uint64          `json:"barriers"`  // arrivals of simdgroups
	LaneOperations uint64          `json:"lane_operations"`
}

// ArgumentCount counts accesses of single threads to one argument, threadgroup variable, table or array of the kernel.
type ArgumentCount struct {
	Space       string `json:"space"`
	Name        string `json:"name"`
	Index       int    `json:"index"` // -1: no argument
	Loads       uint64 `json:"loads"`
	LoadBytes   uint64 `json:"load_bytes"`
	Stores      uint64 `json:"stores"`
	StoreBytes  uint64 `json:"store_bytes"`
	Atomics     uint64 `json:"atomics"`
	AtomicBytes uint64 `json:"atomic_bytes"`
}

// OK reports that everything was as expected: no finding but the one wanted, no mismatch.
func (r *Result) OK() bool { return len(r.Mismatches) == 0 && len(r.Unexpected()) == 0 }

// Unexpected are the findings that the specification does not want.
func (r *Result) Unexpected() []Finding {
	var out []Finding
	for _, f := range r.Findings {
		if !r.spec.wants(&f) {
			out = append(out, f)
		}
	}
	return out
}

// wants reports whether the finding is of the kind, or from the check, that the specification expects.
func (s *Spec) wants(f *Finding) bool {
	return s.Fault != "" && (strings.Contains(f.Kind, s.Fault) || f.Check == s.Fault)
}

// Run compiles the file and executes the launch. Errors are about the input: *InputError, or *SourceError for what does not compile.
func Run(file string, o Sources, s *Spec) (*Result, error) {
	prog, err := o.compile(file)
	if err != nil {
		return nil, rendered(err)
	}
	all, err := s.prepare(file, prog)
	if err != nil {
		return nil, err
	}
	r := &Result{spec: s, Findings: []Finding{}, Mismatches: []string{}, Counts: []Counts{}}
	r.Findings = append(r.Findings, s.limits(all)...)
	for _, pass := range []func([]*dispatch){r.execute, r.observe, r.reschedule} {
		if len(r.Findings) == 0 {
			pass(all)
		}
	}
	if s.strict() {
		r.Findings = append(r.Findings, openBits(all)...)
	}
	r.judge()
	return r, nil
}

// memory is a fresh copy of what the arguments are bound to.
func (s *Spec) memory() map[int][]byte {
	m := map[int][]byte{}
	for _, b := range s.Buffers {
		m[b.Index] = bytes.Clone(b.Data)
	}
	for _, b := range s.Bytes {
		m[b.Index] = bytes.Clone(b.Data)
	}
	return m
}

// execute runs the dispatches in order, without sanitizers.
func (r *Result) execute(all []*dispatch) {
	memory := r.spec.memory()
	for _, d := range all {
		l := r.spec.launch(d, memory)
		l.Schedule = r.spec.Schedule
		var c exec.Counters
		l.Counters = &c
		if f := d.kernel.Launch(l); f != nil {
			r.Findings = append(r.Findings, executorFinding(f, d.Kernel, d.number))
			return
		}
		r.Counts = append(r.Counts, counts(d, &l, &c))
	}
	r.memory = memory
}

func counts(d *dispatch, l *exec.Launch, c *exec.Counters) Counts {
	out := Counts{Kernel: d.Kernel, Threadgroups: d.groups(), Arguments: []ArgumentCount{}, Barriers: c.Barriers, LaneOperations: 32 * c.Steps}
	for i, n := range c.Roots {
		if n == (exec.Count{}) {
			continue
		}
		root := d.f.Roots[i]
		out.Arguments = append(out.Arguments, ArgumentCount{root.Space.String(), root.Name, root.Slot, n.Loads, n.LoadBytes, n.Stores, n.StoreBytes, n.Atomics, n.AtomBytes})
	}
	order := map[string]int{}
	for i := range ir.Thread + 1 {
		order[i.String()] = int(i)
	}
	slices.SortStableFunc(out.Arguments, func(a, b ArgumentCount) int { return order[a.Space] - order[b.Space] })
	return out
}

// groups is the grid in threadgroups.
func (d *dispatch) groups() [3]int {
	if d.Threads == [3]int{} {
		return d.Threadgroups
	}
	var out [3]int
	for i := range out {
		out[i] = (d.Threads[i] + d.PerGroup[i] - 1) / d.PerGroup[i]
	}
	return out
}

// judge compares with what the specification expects.
func (r *Result) judge() {
	s := r.spec
	if s.Fault != "" && !slices.ContainsFunc(r.Findings, func(f Finding) bool { return s.wants(&f) }) {
		r.Mismatches = append(r.Mismatches, fmt.Sprintf("no fault, want one of kind %q", s.Fault))
	}
	if r.memory == nil {
		return // what a kernel that faulted has written is not defined
	}
	for _, e := range s.Expect {
		if m := e.compare(s.buffer(e.Index), r.memory[e.Index]); m != "" {
			r.Mismatches = append(r.Mismatches, m)
		}
	}
}

// compare reports the worst element outside what is allowed, and how many there are.
func (e *Expect) compare(b *Buffer, memory []byte) string {
	outside, worst := 0, -1
	var far uint64
	for i, want := range e.Bits {
		got := b.Element.get(memory[i*b.Element.Bytes():])
		n, ok := e.distance(b.Element, got, want)
		if ok && n <= e.ULP {
			continue
		}
		outside++
		if !ok {
			n = ^uint64(0)
		}
		if worst < 0 || n > far {
			worst, far = i, n
		}
	}
	if worst < 0 {
		return ""
	}
	got := b.Element.get(memory[worst*b.Element.Bytes():])
	s := fmt.Sprintf("buffer %d: element %d: got %s, want %s", b.Index, worst, b.Element.Text(got), b.Element.Text(e.Bits[worst]))
	if b.Element.IsFloat() && far != ^uint64(0) {
		s += fmt.Sprintf(" (%d ULP of %s, %d allowed)", far, b.Element.Name, e.ULP)
	}
	return s + fmt.Sprintf("; %d of %d outside", outside, len(e.Bits))
}

// distance is 0 for equal bits, and for a NaN where one is wanted; ok is false where no number of ULP makes them equal.
func (e *Expect) distance(t Element, got, want uint64) (n uint64, ok bool) {
	if got == want {
		return 0, true
	}
	if !t.IsFloat() {
		return 0, false
	}
	if g, w := t.toFloat(got), t.toFloat(want); g != g && w != w {
		return 0, true
	}
	n, ok = t.ulps(got, want)
	if n == 0 && ok && e.ULP == 0 {
		return 0, false // zeros of different sign
	}
	return n, ok
}

// HasBuffer refuses an index that no buffer has.
func (s *Spec) HasBuffer(index int) error {
	if s.buffer(index) == nil {
		return &InputError{Field: "--out", Msg: fmt.Sprintf("got %d, want the index of one of the buffers", index)}
	}
	return nil
}

// Buffer gives what a buffer holds at the end: raw bytes, and its elements as JSON values. It reports false if the launch did not
// run to its end.
func (r *Result) Buffer(index int) (raw []byte, elements []string, ok bool) {
	if r.memory == nil {
		return nil, nil, false
	}
	b := r.spec.buffer(index)
	raw = r.memory[index]
	for i := 0; i < len(raw); i += b.Element.Bytes() {
		elements = append(elements, string(b.Element.JSON(b.Element.get(raw[i:]))))
	}
	return raw, elements, true
}

// Text renders findings, mismatches and counts for people.
func (r *Result) Text() string {
	var b strings.Builder
	for _, c := range r.Counts {
		c.text(&b)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		b.WriteString(f.Error())
		if r.spec.wants(f) {
			b.WriteString("\n    as expected")
		}
		b.WriteByte('\n')
	}
	for _, m := range r.Mismatches {
		b.WriteString("mismatch: " + m + "\n")
	}
	switch n := len(r.Unexpected()); {
	case r.OK() && r.spec.Fault != "":
		b.WriteString("ok: the expected fault came\n")
	case r.OK():
		b.WriteString("ok\n")
	default:
		fmt.Fprintf(&b, "%d %s, %d %s\n", n, plural(n, "fault"), len(r.Mismatches), plural(len(r.Mismatches), "mismatch"))
	}
	return b.String()
}

func plural(n int, word string) string {
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "h"):
		return word + "es"
	}
	return word + "s"
}

func (c *Counts) text(b *strings.Builder) {
	g := c.Threadgroups
	fmt.Fprintf(b, "kernel %q: %dx%dx%d threadgroups, %d lane operations, %d barrier arrivals\n", c.Kernel, g[0], g[1], g[2], c.LaneOperations, c.Barriers)
	line := func(a *ArgumentCount, name string) {
		fmt.Fprintf(b, "    %-11s %-16s", a.Space, name)
		for _, x := range []struct {
			n, bytes uint64
			what     string
		}{{a.Loads, a.LoadBytes, "load"}, {a.Stores, a.StoreBytes, "store"}, {a.Atomics, a.AtomicBytes, "atomic"}} {
			if x.n > 0 {
				fmt.Fprintf(b, "  %d %s (%d B)", x.n, plural(int(min(x.n, 2)), x.what), x.bytes)
			}
		}
		b.WriteByte('\n')
	}
	for i := 0; i < len(c.Arguments); {
		sum, first := ArgumentCount{Space: c.Arguments[i].Space}, i
		for ; i < len(c.Arguments) && c.Arguments[i].Space == sum.Space; i++ {
			a := &c.Arguments[i]
			name := a.Name
			if a.Index >= 0 {
				name = fmt.Sprintf("%d %s", a.Index, a.Name)
			}
			line(a, name)
			sum.add(a)
		}
		if i-first > 1 {
			line(&sum, "together")
		}
	}
}

func (a *ArgumentCount) add(x *ArgumentCount) {
	a.Loads += x.Loads
	a.LoadBytes += x.LoadBytes
	a.Stores += x.Stores
	a.StoreBytes += x.StoreBytes
	a.Atomics += x.Atomics
	a.AtomicBytes += x.AtomicBytes
}
