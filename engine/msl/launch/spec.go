package launch

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/lower"
)

// Limits of an Apple GPU (Metal feature set tables, June 2025): what runs here must not fail there for its size.
const (
	maxThreads          = 1024
	maxThreadgroupBytes = 32 << 10
	maxBufferBytes      = 1<<31 - 1<<14
	maxArguments        = 31
	maxInlineBytes      = 4096
)

// maxGridThreads keeps a grid countable; no machine runs one of this size in a lifetime.
const maxGridThreads = 1 << 48

// maxSchedules bounds the runs of one launch.
const maxSchedules = 1 << 16

// Spec describes a launch; README.md in this folder shows one with every field.
type Spec struct {
	Kernel     string // in errors and findings: of the first dispatch
	Dispatches []Dispatch
	Constants  map[int]lower.Constant // function constants
	Shared     []Shared               // dynamic threadgroup memory
	Buffers    []Buffer
	Bytes      []Bytes
	Checks     []string
	Schedules  int           // runs under different orders, all of which must give the same bits; at least 1
	Lanes      exec.Lanes    // kinds of lane kernels give the same bits
	Schedule   exec.Schedule // of the run itself
	Expect     []Expect
	Fault      string // the finding that is wanted; "" for none
}

// Dispatch is one launch of a kernel. Dispatches run under a concurrent encoder: only Barrier orders them.
type Dispatch struct {
	Kernel       string
	Threads      [3]int // the grid in threads, or
	Threadgroups [3]int // in threadgroups
	PerGroup     [3]int // threads per threadgroup
	Barrier      bool   // before it
	field        string // for errors
}

// Shared is dynamic threadgroup memory for an argument.
type Shared struct{ Index, Bytes int }

// Buffer is a buffer and what it holds at the start.
type Buffer struct {
	Index    int
	Element  Element
	Count    int
	Data     []byte
	Poison   bool // nothing was written to it yet
	ReadOnly bool
}

// Bytes are inline bytes, as setBytes binds them.
type Bytes struct {
	Index   int
	Element Element
	Data    []byte
}

// Expect is what the first elements of a buffer must hold at the end.
type Expect struct {
	Index int
	Bits  []uint64
	ULP   uint64
}

// ReadSpec reads a launch from a file. Files that it names are found from its folder.
func ReadSpec(path string) (*Spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, inputFile(path, err)
	}
	s, err := ParseSpec(text, filepath.Dir(path))
	if e, ok := err.(*InputError); ok {
		e.File = path
	}
	return s, err
}

// ParseSpec reads a launch from JSON; dir is where files that it names are found.
func ParseSpec(text []byte, dir string) (*Spec, error) {
	v, err := parseValue(text)
	if err != nil {
		return nil, err
	}
	s := &Spec{Constants: map[int]lower.Constant{}, Schedules: 1, Checks: DefaultChecks()}
	single := Dispatch{}
	alone := false
	var dispatches, expect value
	err = v.object(func(key string, x value) (known bool, err error) {
		if ok, err := single.parse(key, x); ok || err != nil {
			alone = true
			return ok, err
		}
		switch key {
		case "constants":
			err = s.parseConstants(x)
		case "threadgroup_memory":
			err = x.list(func(_ int, x value) error { return s.parseShared(x) })
		case "buffers":
			err = x.list(func(_ int, x value) error { return s.parseBuffer(x, dir) })
		case "bytes":
			err = x.list(func(_ int, x value) error { return s.parseBytes(x) })
		case "dispatches":
			dispatches = x
		case "checks":
			s.Checks, err = parseChecks(x)
		case "schedules":
			s.Schedules, err = x.integer(1, maxSchedules)
		case "expect":
			expect = x
		case "expect_fault":
			s.Fault, err = x.text()
			if err == nil && s.Fault == "" {
				err = x.want("part of a fault's kind, such as \"race\"")
			}
		default:
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	switch {
	case dispatches.raw != nil && alone:
		return nil, dispatches.errorf("got a single kernel or grid beside it, want one or the other")
	case dispatches.raw != nil:
		err = dispatches.list(func(_ int, x value) error { return s.parseDispatch(x) })
		if err == nil && len(s.Dispatches) == 0 {
			err = dispatches.errorf("got none, want at least one")
		}
	default:
		if err = single.complete(""); err == nil {
			s.Dispatches = []Dispatch{single}
		}
	}
	if err == nil && expect.raw != nil {
		err = expect.list(func(_ int, x value) error { return s.parseExpect(x) })
	}
	if err != nil {
		return nil, err
	}
	s.Kernel = s.Dispatches[0].Kernel
	return s, s.distinct()
}

// parse reads a field of a dispatch.
func (d *Dispatch) parse(key string, x value) (known bool, err error) {
	switch key {
	case "kernel":
		if d.Kernel, err = x.text(); err == nil && d.Kernel == "" {
			err = x.want("a kernel's name")
		}
	case "threads":
		d.Threads, err = x.size()
	case "threadgroups":
		d.Threadgroups, err = x.size()
	case "threads_per_threadgroup":
		d.PerGroup, err = x.size()
	default:
		return false, nil
	}
	return true, err
}

// complete refuses a dispatch that says too little or too much.
func (d *Dispatch) complete(path string) error {
	d.field = path
	missing := func(name, want string) error {
		if path != "" {
			name = path + "." + name
		}
		return &InputError{Field: name, Msg: "missing; want " + want}
	}
	switch {
	case d.Kernel == "":
		return missing("kernel", "a kernel's name")
	case d.Threads == [3]int{} && d.Threadgroups == [3]int{}:
		return missing("threads", "a grid: threads, or threadgroups")
	case d.Threads != [3]int{} && d.Threadgroups != [3]int{}:
		return &InputError{Field: strings.TrimPrefix(path+".threads", "."), Msg: "got threads and threadgroups, want one of them"}
	case d.PerGroup == [3]int{}:
		return missing("threads_per_threadgroup", "one to three sizes")
	}
	threads := 1.0
	for i := range d.PerGroup {
		n := max(float64(d.Threads[i]), float64(d.Threadgroups[i])*float64(d.PerGroup[i]))
		if n > math.MaxUint32 {
			return &InputError{Field: strings.TrimPrefix(path+".threads", "."), Msg: fmt.Sprintf("got %.0f threads in dimension %d, want at most %d: positions have 32 bits", n, i, uint32(math.MaxUint32))}
		}
		threads *= n
	}
	if threads > maxGridThreads {
		return &InputError{Field: strings.TrimPrefix(path+".threads", "."), Msg: fmt.Sprintf("got %.0f threads, want at most %d", threads, int64(maxGridThreads))}
	}
	return nil
}

func (s *Spec) parseDispatch(v value) error {
	var d Dispatch
	err := v.object(func(key string, x value) (known bool, err error) {
		if key == "barrier_before" {
			d.Barrier, err = x.boolean()
			return true, err
		}
		return d.parse(key, x)
	})
	if err == nil {
		err = d.complete(v.path)
	}
	s.Dispatches = append(s.Dispatches, d)
	return err
}

func (s *Spec) parseConstants(v value) error {
	return v.object(func(key string, x value) (bool, error) {
		n, err := strconv.Atoi(key)
		if err != nil || n < 0 || n > 1<<16 || strconv.Itoa(n) != key {
			return true, x.errorf("got index %q, want that of a function constant", key)
		}
		var e *Element
		var data value
		err = x.object(func(key string, x value) (known bool, err error) {
			switch key {
			case "type":
				var t Element
				t, err = x.element()
				e = &t
			case "value":
				data = x
			default:
				return false, nil
			}
			return true, err
		})
		switch {
		case err != nil:
		case e == nil:
			err = x.errorf("type is missing")
		case data.raw == nil:
			err = x.errorf("value is missing")
		}
		if err != nil {
			return true, err
		}
		bits, err := e.bits(data)
		if err != nil {
			return true, err
		}
		s.Constants[n] = lower.Constant{Type: e.t, Bits: ir.FromMemory(e.t, bits)}
		return true, nil
	})
}

func argumentIndex(x value) (int, error) { return x.integer(0, 1<<16) }

func (s *Spec) parseShared(v value) error {
	m := Shared{Index: -1, Bytes: -1}
	err := v.object(func(key string, x value) (known bool, err error) {
		switch key {
		case "index":
			m.Index, err = argumentIndex(x)
		case "bytes":
			m.Bytes, err = x.integer(1, 1<<31)
		default:
			return false, nil
		}
		return true, err
	})
	switch {
	case err != nil:
		return err
	case m.Index < 0:
		return v.errorf("index is missing")
	case m.Bytes < 0:
		return v.errorf("bytes is missing")
	}
	s.Shared = append(s.Shared, m)
	return nil
}

// elementsOf reads a list of elements into memory.
func elementsOf(v value, e Element) ([]byte, error) {
	var out []byte
	err := v.list(func(_ int, x value) error {
		bits, err := e.bits(x)
		if err != nil {
			return err
		}
		n := len(out)
		out = append(out, make([]byte, e.Bytes())...)
		e.put(out[n:], bits)
		return nil
	})
	return out, err
}

func (s *Spec) parseBytes(v value) error {
	b := Bytes{Index: -1}
	var typ, data value
	err := v.object(func(key string, x value) (known bool, err error) {
		switch key {
		case "index":
			b.Index, err = argumentIndex(x)
		case "type":
			typ = x
		case "data":
			data = x
		default:
			return false, nil
		}
		return true, err
	})
	switch {
	case err != nil:
		return err
	case b.Index < 0:
		return v.errorf("index is missing")
	case typ.raw == nil:
		return v.errorf("type is missing")
	case data.raw == nil:
		return v.errorf("data is missing")
	}
	if b.Element, err = typ.element(); err != nil {
		return err
	}
	if b.Data, err = elementsOf(data, b.Element); err != nil {
		return err
	}
	if len(b.Data) == 0 {
		return data.errorf("got no values, want at least one")
	}
	s.Bytes = append(s.Bytes, b)
	return nil
}

func (s *Spec) parseExpect(v value) error {
	e := Expect{Index: -1}
	var data, ulp value
	err := v.object(func(key string, x value) (known bool, err error) {
		switch key {
		case "index":
			e.Index, err = argumentIndex(x)
			if err == nil && s.buffer(e.Index) == nil {
				err = x.errorf("got %d, want the index of one of the buffers", e.Index)
			}
		case "data":
			data = x
		case "ulp":
			var n int
			n, err = x.integer(0, 1<<31)
			e.ULP, ulp = uint64(n), x
		default:
			return false, nil
		}
		return true, err
	})
	switch {
	case err != nil:
		return err
	case e.Index < 0:
		return v.errorf("index is missing")
	case data.raw == nil:
		return v.errorf("data is missing")
	}
	b := s.buffer(e.Index)
	if e.ULP > 0 && !b.Element.IsFloat() {
		return ulp.errorf("got %d for a buffer of %s, want 0: integers must be equal", e.ULP, b.Element.Name)
	}
	memory, err := elementsOf(data, b.Element)
	if err != nil {
		return err
	}
	n := b.Element.Bytes()
	if len(memory) == 0 || len(memory)/n > b.Count {
		return data.errorf("got %d values, want 1 to %d, as many as the buffer has", len(memory)/n, b.Count)
	}
	for i := 0; i < len(memory); i += n {
		e.Bits = append(e.Bits, b.Element.get(memory[i:]))
	}
	s.Expect = append(s.Expect, e)
	return nil
}

func (s *Spec) buffer(index int) *Buffer {
	for i := range s.Buffers {
		if s.Buffers[i].Index == index {
			return &s.Buffers[i]
		}
	}
	return nil
}

// distinct refuses two things bound to one index.
func (s *Spec) distinct() error {
	seen := map[int]string{}
	twice := func(index int, field string) error {
		if other, ok := seen[index]; ok {
			return &InputError{Field: field + ".index", Msg: fmt.Sprintf("got %d, which %s has too; want distinct indices", index, other)}
		}
		seen[index] = field
		return nil
	}
	for i, b := range s.Buffers {
		if err := twice(b.Index, fmt.Sprintf("buffers[%d]", i)); err != nil {
			return err
		}
	}
	for i, b := range s.Bytes {
		if err := twice(b.Index, fmt.Sprintf("bytes[%d]", i)); err != nil {
			return err
		}
	}
	clear(seen)
	for i, m := range s.Shared {
		if err := twice(m.Index, fmt.Sprintf("threadgroup_memory[%d]", i)); err != nil {
			return err
		}
	}
	for i, e := range s.Expect {
		for _, f := range s.Expect[:i] {
			if e.Index == f.Index {
				return &InputError{Field: fmt.Sprintf("expect[%d].index", i), Msg: fmt.Sprintf("got %d twice, want each buffer once", e.Index)}
			}
		}
	}
	return nil
}

func parseChecks(v value) ([]string, error) {
	var out []string
	err := v.list(func(_ int, x value) error {
		s, err := x.text()
		if err != nil {
			return err
		}
		switch {
		case s == "all":
			out = append(out, AllChecks()...)
		case slices.Contains(NamedChecks(), s):
			out = append(out, s)
		default:
			return x.want("\"all\" or one of " + strings.Join(NamedChecks(), ", "))
		}
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out), err
}

// SetSchedule makes the run follow one order: "in-order", "reversed", or the seed of a shuffled one, as a finding names it.
func (s *Spec) SetSchedule(name string) error {
	switch name {
	case "in-order":
		s.Schedule = exec.Schedule{}
	case "reversed":
		s.Schedule = exec.Schedule{Kind: exec.Reversed}
	default:
		seed, err := strconv.ParseUint(name, 10, 64)
		if err != nil {
			return &InputError{Field: "--schedule", Msg: fmt.Sprintf("got %q, want in-order, reversed, or the seed of a shuffled schedule", name)}
		}
		s.Schedule = exec.Schedule{Kind: exec.Shuffled, Seed: seed}
	}
	return nil
}

// inputFile is the error for a file that cannot be read.
func inputFile(path string, err error) error {
	if e, ok := err.(*os.PathError); ok {
		err = e.Err
	}
	return &InputError{File: path, Msg: err.Error()}
}
