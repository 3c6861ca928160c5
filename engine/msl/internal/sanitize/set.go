package sanitize

import (
	"slices"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// makers are the sanitizers by name.
var makers = map[string]func() exec.Observer{
	"race":          func() exec.Observer { return NewRace() },
	"uninitialised": func() exec.Observer { return NewUninitialised() },
	"integer":       func() exec.Observer { return &Integer{} },
	"numeric":       func() exec.Observer { return &Numeric{} },
	"simdgroup":     func() exec.Observer { return &Simdgroup{} },
	"writes":        func() exec.Observer { return &Writes{} },
}

// Names lists the sanitizers, sorted.
func Names() []string {
	var out []string
	for name := range makers {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Set is several sanitizers that look on together. It lives as long as the memory it watches: through all dispatches of a launch
// or command buffer.
type Set struct {
	names []string
	all   []exec.Observer
	watch [][]exec.Observer // by root number
	Found string            // the name of the one that found the last fault
}

// New makes the named sanitizers.
func New(names []string) *Set {
	s := &Set{}
	for _, name := range names {
		if make := makers[name]; make != nil {
			s.names, s.all = append(s.names, name), append(s.all, make())
		}
	}
	return s
}

// Empty reports whether there is nothing to look on.
func (s *Set) Empty() bool { return len(s.all) == 0 }

// NeedsProbes reports whether the kernel must be lowered for an observer.
func (s *Set) NeedsProbes() bool {
	return slices.ContainsFunc(s.names, func(n string) bool { return n != "race" && n != "writes" })
}

// Fresh says that nothing has written to data yet.
func (s *Set) Fresh(data []byte) {
	for _, o := range s.all {
		if f, ok := o.(interface{ Fresh([]byte) }); ok {
			f.Fresh(data)
		}
	}
}

// HostWrote says that the host has written n bytes of data, from byte off on.
func (s *Set) HostWrote(data []byte, off, n int) {
	for _, o := range s.all {
		if u, ok := o.(*Uninitialised); ok {
			u.hostWrote(data, off, n)
		}
	}
}

// Forget says that data is no longer anybody's: another buffer may get its place.
func (s *Set) Forget(data []byte) {
	for _, o := range s.all {
		if f, ok := o.(interface{ forget([]byte) }); ok {
			f.forget(data)
		}
	}
}

// Overlap says whether dispatches may run at the same time: then reading matters too where a dispatch writes nothing.
func (s *Set) Overlap(may bool) {
	for _, o := range s.all {
		if r, ok := o.(*Race); ok {
			r.overlap = may
		}
	}
}

// found notes who found a fault.
func (s *Set) found(i int, f *exec.Fault) *exec.Fault {
	if f != nil {
		s.Found = s.names[i]
	}
	return f
}

func (s *Set) Start(l *exec.Launching) {
	s.watch = make([][]exec.Observer, len(l.Func.Roots))
	for _, o := range s.all {
		o.Start(l)
	}
}

func (s *Set) Watches(root *ir.Root) bool {
	s.watch[root.Number] = nil
	any := false
	for _, o := range s.all {
		if !o.Watches(root) {
			o = nil
		}
		s.watch[root.Number] = append(s.watch[root.Number], o)
		any = any || o != nil
	}
	return any
}

func (s *Set) Begin(g exec.Group) {
	for _, o := range s.all {
		o.Begin(g)
	}
}

func (s *Set) Access(a *exec.Access) *exec.Fault {
	if len(s.all) == 1 {
		return s.found(0, s.all[0].Access(a))
	}
	for i, o := range s.watch[a.Root.Number] {
		if o != nil {
			if f := o.Access(a); f != nil {
				return s.found(i, f)
			}
		}
	}
	return nil
}

func (s *Set) Barrier(g exec.Group, flags uint64) {
	for _, o := range s.all {
		o.Barrier(g, flags)
	}
}

func (s *Set) SimdBarrier(p exec.Place, flags uint64) {
	for _, o := range s.all {
		o.SimdBarrier(p, flags)
	}
}

func (s *Set) Probe(p *exec.Probe) *exec.Fault {
	for i, o := range s.all {
		if f := o.Probe(p); f != nil {
			return s.found(i, f)
		}
	}
	return nil
}

func (s *Set) End(g exec.Group) {
	for _, o := range s.all {
		o.End(g)
	}
}

func (s *Set) Finish() *exec.Fault {
	for i, o := range s.all {
		if f := o.Finish(); f != nil {
			return s.found(i, f)
		}
	}
	return nil
}
