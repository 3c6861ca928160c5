package launch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/lower"
	"github.com/octoryn/assay/engine/msl/internal/sanitize"
)

// dispatch is a Dispatch with its kernel made.
type dispatch struct {
	*Dispatch
	number     int
	source     *check.Func
	f          *ir.Func
	kernel     *exec.Kernel
	observed   *exec.Kernel // lowered for an observer; nil unless a check needs it
	maxThreads int
}

// prepare makes the kernels of all dispatches and refuses a specification that does not fit the program.
func (s *Spec) prepare(file string, prog *check.Program) ([]*dispatch, error) {
	if err := s.checkConstants(prog); err != nil {
		return nil, err
	}
	var out []*dispatch
	made := map[string]*dispatch{}
	for i := range s.Dispatches {
		d := &dispatch{Dispatch: &s.Dispatches[i], number: i}
		if m := made[d.Kernel]; m != nil {
			d.source, d.f, d.kernel, d.observed, d.maxThreads = m.source, m.f, m.kernel, m.observed, m.maxThreads
		} else if err := d.make(s, file, prog); err != nil {
			return nil, err
		}
		made[d.Kernel] = d
		out = append(out, d)
	}
	return out, s.checkBindings(out)
}

func (d *dispatch) make(s *Spec, file string, prog *check.Program) error {
	for _, k := range prog.Kernels {
		if k.HostName == d.Kernel {
			d.source = k
		}
	}
	if d.source == nil {
		err := noKernel(file, d.Kernel, prog).(*InputError)
		if d.field != "" {
			err.Field = d.field + ".kernel"
		}
		return err
	}
	var err error
	d.f, err = lower.Kernel(prog, d.Kernel, s.Constants)
	var one *diag.Error
	switch {
	case errors.As(err, &one):
		return rendered(err)
	case err != nil:
		return &InputError{Field: "constants", Msg: err.Error()}
	}
	if err := ir.Verify(d.f); err != nil {
		return err
	}
	if d.kernel, err = exec.NewKernel(d.f); err != nil {
		return &SourceError{err.Error()}
	}
	if sanitize.New(s.Checks).NeedsProbes() {
		f, err := lower.Observed(prog, d.Kernel, s.Constants)
		if err == nil {
			err = ir.Verify(f)
		}
		if err != nil {
			return err
		}
		if d.observed, err = exec.NewKernel(f); err != nil {
			return &SourceError{err.Error()}
		}
	}
	d.maxThreads = d.kernel.MaxThreads()
	if n := d.source.MaxThreads; n > 0 {
		d.maxThreads = min(d.maxThreads, n)
	}
	return nil
}

// checkConstants refuses values for function constants that the program does not have, or of another type.
func (s *Spec) checkConstants(prog *check.Program) error {
	for _, i := range sortedKeys(s.Constants) {
		var v *check.Var
		for _, x := range prog.FunctionConstants {
			if x.FunctionConstant == i {
				v = x
			}
		}
		field := fmt.Sprintf("constants.%d", i)
		if v == nil {
			return &InputError{Field: field, Msg: "the program has no function constant of this index"}
		}
		var got Element
		for _, e := range elements {
			if e.t == s.Constants[i].Type {
				got = e
			}
		}
		if got.Name != v.Type.String() {
			return &InputError{Field: field + ".type", Msg: fmt.Sprintf("got %s, want %s, the type of %q", got.Name, v.Type, v.Name)}
		}
	}
	return nil
}

func sortedKeys[V any](m map[int]V) []int {
	var out []int
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// checkBindings refuses what no kernel has an argument for.
func (s *Spec) checkBindings(all []*dispatch) error {
	has := map[check.BindingKind][]int{}
	for _, d := range all {
		for _, p := range d.source.Params {
			has[p.Binding.Kind] = append(has[p.Binding.Kind], p.Binding.Index)
		}
	}
	refuse := func(kind check.BindingKind, index int, field string) error {
		if index >= maxArguments || slices.Contains(has[kind], index) {
			return nil // an index past the limit is a finding
		}
		list := has[kind]
		slices.Sort(list)
		return &InputError{Field: field + ".index", Msg: fmt.Sprintf("got %d, want that of an argument of the kernel: %v", index, slices.Compact(list))}
	}
	for i, b := range s.Buffers {
		if err := refuse(check.BindBuffer, b.Index, fmt.Sprintf("buffers[%d]", i)); err != nil {
			return err
		}
	}
	for i, b := range s.Bytes {
		if err := refuse(check.BindBuffer, b.Index, fmt.Sprintf("bytes[%d]", i)); err != nil {
			return err
		}
	}
	for i, m := range s.Shared {
		if err := refuse(check.BindThreadgroup, m.Index, fmt.Sprintf("threadgroup_memory[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// limits finds where the launch asks for more than a device has.
func (s *Spec) limits(all []*dispatch) []Finding {
	var out []Finding
	add := func(d *dispatch, format string, args ...any) {
		f := Finding{Kind: "launch limit", Check: CheckMemory, Kernel: d.Kernel, Dispatch: d.number, Summary: fmt.Sprintf(format, args...)}
		out = append(out, f)
	}
	first := all[0]
	for _, b := range s.Buffers {
		if b.Index >= maxArguments {
			add(first, "buffer index %d, a kernel has arguments 0 to %d", b.Index, maxArguments-1)
		}
		if n := b.Count * b.Element.Bytes(); n > maxBufferBytes {
			add(first, "buffer %d has %d bytes, at most %d are possible", b.Index, n, maxBufferBytes)
		}
	}
	for _, b := range s.Bytes {
		if b.Index >= maxArguments {
			add(first, "inline bytes at index %d, a kernel has arguments 0 to %d", b.Index, maxArguments-1)
		}
		if len(b.Data) > maxInlineBytes {
			add(first, "%d inline bytes for argument %d, at most %d are possible", len(b.Data), b.Index, maxInlineBytes)
		}
	}
	for _, d := range all {
		if n := product(d.PerGroup); n > float64(d.maxThreads) {
			add(d, "%.0f threads per threadgroup, at most %d are possible", n, d.maxThreads)
		}
		shared := d.kernel.StaticThreadgroupBytes()
		for _, r := range d.f.Roots {
			if r.Slot < 0 {
				continue
			}
			if r.Space == ir.Threadgroup {
				n := s.shared(r.Slot)
				if n%16 != 0 {
					add(d, "%d bytes of threadgroup memory for %q, the length must be a multiple of 16", n, r.Name)
				}
				shared = (shared+15)&^15 + n
				continue
			}
			if n := s.length(r.Slot); n > 0 && r.Bytes >= 0 && n < r.Bytes {
				add(d, "argument %d, %q, is bound to %d bytes, its type has %d", r.Slot, r.Name, n, r.Bytes)
			}
		}
		if shared > maxThreadgroupBytes {
			add(d, "%d bytes of threadgroup memory, a threadgroup has %d", shared, maxThreadgroupBytes)
		}
	}
	return out
}

// shared is the dynamic threadgroup memory of an argument, 0 if none is bound.
func (s *Spec) shared(index int) int {
	for _, m := range s.Shared {
		if m.Index == index {
			return m.Bytes
		}
	}
	return 0
}

// length is what is bound to a buffer argument, in bytes; 0 if nothing is.
func (s *Spec) length(index int) int {
	if b := s.buffer(index); b != nil {
		return len(b.Data)
	}
	for _, b := range s.Bytes {
		if b.Index == index {
			return len(b.Data)
		}
	}
	return 0
}

// launch binds a dispatch to memory.
func (s *Spec) launch(d *dispatch, memory map[int][]byte) exec.Launch {
	l := exec.Launch{Lanes: s.Lanes, ThreadsPerThreadgroup: d.PerGroup, Threadgroups: d.Threadgroups, Threads: d.Threads, Bindings: make([]exec.Binding, len(d.f.Roots))}
	for i, r := range d.f.Roots {
		if r.Slot < 0 {
			continue
		}
		b := &l.Bindings[i]
		if r.Space == ir.Threadgroup {
			b.ThreadgroupBytes = s.shared(r.Slot)
			continue
		}
		b.Data, b.ReadOnly = memory[r.Slot], true
		if x := s.buffer(r.Slot); x != nil {
			b.ReadOnly = x.ReadOnly
		}
	}
	return l
}

// product multiplies sizes without wrapping.
func product(s [3]int) float64 { return float64(s[0]) * float64(s[1]) * float64(s[2]) }
