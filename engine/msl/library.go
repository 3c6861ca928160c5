package msl

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/lower"
)

// Compile reads and checks the sources. Its error names file, line and column, and a numbered rule.
func (d *Device) Compile(sources []device.Source) (device.Library, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	in := make([]check.Source, len(sources))
	for i, s := range sources {
		in[i] = check.Source{Name: s.Name, Text: s.Text}
	}
	prog, err := check.Check(in)
	if err != nil {
		return nil, fmt.Errorf("msl: compile: %w", err)
	}
	return &library{dev: d, prog: prog, made: map[string]*pipeline{}}, nil
}

type library struct {
	dev  *Device
	prog *check.Program
	mu   sync.Mutex
	made map[string]*pipeline // by kernel and constants
}

func (l *library) Kernels() []string {
	var names []string
	for _, k := range l.prog.Kernels {
		names = append(names, k.HostName)
	}
	slices.Sort(names)
	return names
}

// Pipeline lowers a kernel with its constants. Equal requests give the same pipeline.
func (l *library) Pipeline(kernel string, constants []device.Constant) (device.Pipeline, error) {
	values := map[int]lower.Constant{}
	for _, c := range constants {
		v, err := constant(c)
		if err != nil {
			return nil, fmt.Errorf("msl: kernel %q: %w", kernel, err)
		}
		if _, twice := values[c.Index]; twice {
			return nil, fmt.Errorf("msl: kernel %q: function constant %d is given twice", kernel, c.Index)
		}
		values[c.Index] = v
	}
	key := fmt.Sprint(kernel, values) // maps print in the order of their keys
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.made[key]; p != nil {
		return p, nil
	}
	f, err := lower.Kernel(l.prog, kernel, values)
	if err != nil {
		return nil, fmt.Errorf("msl: kernel %q: %w", kernel, err)
	}
	if err := ir.Verify(f); err != nil {
		return nil, fmt.Errorf("msl: kernel %q: %w", kernel, err)
	}
	k, err := exec.NewKernel(f)
	if err != nil {
		return nil, fmt.Errorf("msl: kernel %q: %w", kernel, err)
	}
	p := &pipeline{dev: l.dev, kernel: kernel, exec: k, observed: k, roots: f.Roots}
	if l.dev.checks.NeedsProbes() {
		f, err := lower.Observed(l.prog, kernel, values)
		if err != nil {
			return nil, fmt.Errorf("msl: kernel %q: %w", kernel, err)
		}
		if p.observed, err = exec.NewKernel(f); err != nil {
			return nil, fmt.Errorf("msl: kernel %q: %w", kernel, err)
		}
	}
	l.made[key] = p
	return p, nil
}

// constant puts a value into register form.
func constant(c device.Constant) (lower.Constant, error) {
	switch v := c.Value.(type) {
	case bool:
		if v {
			return lower.Constant{Type: ir.Bool, Bits: 1}, nil
		}
		return lower.Constant{Type: ir.Bool}, nil
	case int32:
		return lower.Constant{Type: ir.I32, Bits: uint64(uint32(v))}, nil
	case uint32:
		return lower.Constant{Type: ir.U32, Bits: uint64(v)}, nil
	case float32:
		return lower.Constant{Type: ir.F32, Bits: uint64(math.Float32bits(v))}, nil
	}
	return lower.Constant{}, fmt.Errorf("function constant %d: value of Go type %T, want bool, int32, uint32 or float32", c.Index, c.Value)
}

type pipeline struct {
	dev      *Device
	kernel   string
	exec     *exec.Kernel
	observed *exec.Kernel // for the checks
	roots    []*ir.Root
}

func (p *pipeline) Kernel() string                    { return p.kernel }
func (p *pipeline) MaxThreadsPerThreadgroup() int     { return p.exec.MaxThreads() }
func (p *pipeline) StaticThreadgroupMemoryBytes() int { return p.exec.StaticThreadgroupBytes() }
