package msl

import (
	"fmt"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// slot is an argument's place: buffers and threadgroup memory are numbered apart.
type slot struct {
	threadgroup bool
	index       int
}

func (s slot) String() string {
	if s.threadgroup {
		return fmt.Sprintf("threadgroup memory %d", s.index)
	}
	return fmt.Sprintf("argument %d", s.index)
}

// bind checks a dispatch and makes an executor launch of it.
func (c *commandBuffer) bind(p *pipeline, d device.Dispatch) (launch, error) {
	l := launch{pipeline: p, tag: d.Tag}
	var err error
	if l.exec.Threadgroups, err = dimensions("threadgroups", d.Threadgroups); err != nil {
		return l, err
	}
	if l.exec.ThreadsPerThreadgroup, err = dimensions("threads per threadgroup", d.ThreadsPerThreadgroup); err != nil {
		return l, err
	}
	if n := d.ThreadsPerThreadgroup.Count(); n > p.MaxThreadsPerThreadgroup() {
		return l, fmt.Errorf("%d threads a threadgroup, the pipeline allows %d", n, p.MaxThreadsPerThreadgroup())
	}
	args := map[slot]device.Arg{}
	for _, a := range d.Args {
		s := slot{threadgroup: a.Buffer == nil && a.Bytes == nil, index: a.Index}
		if err := checkArg(a, s); err != nil {
			return l, fmt.Errorf("%s: %w", s, err)
		}
		if _, twice := args[s]; twice {
			return l, fmt.Errorf("%s is bound twice", s)
		}
		args[s] = a
	}
	l.exec.Bindings = make([]exec.Binding, len(p.roots))
	shared := p.StaticThreadgroupMemoryBytes()
	for i, r := range p.roots {
		if r.Slot < 0 {
			continue
		}
		s := slot{threadgroup: r.Space == ir.Threadgroup, index: r.Slot}
		a, ok := args[s]
		if !ok {
			return l, fmt.Errorf("%s, %q, is not bound", s, r.Name)
		}
		b, used, err := c.bindRoot(r, a)
		if err != nil {
			return l, fmt.Errorf("%s, %q: %w", s, r.Name, err)
		}
		shared = (shared+15)&^15 + b.ThreadgroupBytes
		l.exec.Bindings[i] = b
		if used != nil {
			l.buffers = append(l.buffers, used)
		}
	}
	if shared > maxThreadgroupBytes {
		return l, fmt.Errorf("%d bytes of threadgroup memory, the device has %d", shared, maxThreadgroupBytes)
	}
	return l, nil
}

// bindRoot binds one argument of the kernel.
func (c *commandBuffer) bindRoot(r *ir.Root, a device.Arg) (b exec.Binding, used *buffer, err error) {
	if r.Space == ir.Threadgroup {
		return exec.Binding{ThreadgroupBytes: a.ThreadgroupBytes}, nil, nil
	}
	if a.Buffer == nil {
		if r.Written {
			return b, nil, fmt.Errorf("inline bytes, but the kernel writes it")
		}
		b = exec.Binding{Data: append([]byte(nil), a.Bytes...), ReadOnly: true}
	} else {
		buf, ok := a.Buffer.(*buffer)
		switch {
		case !ok || buf.dev != c.dev:
			return b, nil, fmt.Errorf("buffer %q was not made by this device", a.Buffer.Label())
		case buf.released.Load():
			return b, nil, fmt.Errorf("buffer %q was released", buf.label)
		case a.OffsetBytes < 0 || a.OffsetBytes >= len(buf.data):
			return b, nil, fmt.Errorf("offset %d, buffer %q has %d bytes", a.OffsetBytes, buf.label, len(buf.data))
		case r.Align > 0 && a.OffsetBytes%r.Align != 0:
			return b, nil, fmt.Errorf("offset %d is not a multiple of %d, the alignment of its elements", a.OffsetBytes, r.Align)
		case buf.readOnly && r.Written:
			return b, nil, fmt.Errorf("buffer %q is read-only, but the kernel writes it", buf.label)
		}
		b, used = exec.Binding{Data: buf.data[a.OffsetBytes:], ReadOnly: buf.readOnly}, buf
	}
	if r.Bytes >= 0 && len(b.Data) < r.Bytes {
		return b, nil, fmt.Errorf("%d bytes, the kernel's type has %d", len(b.Data), r.Bytes)
	}
	return b, used, nil
}

// checkArg refuses what is wrong with an argument whatever the kernel.
func checkArg(a device.Arg, s slot) error {
	set := 0
	for _, on := range []bool{a.Buffer != nil, a.Bytes != nil, a.ThreadgroupBytes != 0} {
		if on {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("want exactly one of a buffer, inline bytes and threadgroup memory, got %d", set)
	case a.Index < 0 || a.Index >= maxArguments:
		return fmt.Errorf("index out of range, want 0 to %d", maxArguments-1)
	case a.Bytes != nil && (len(a.Bytes) == 0 || len(a.Bytes) > maxInlineBytes):
		return fmt.Errorf("%d inline bytes, want 1 to %d", len(a.Bytes), maxInlineBytes)
	case s.threadgroup && (a.ThreadgroupBytes < 0 || a.ThreadgroupBytes%16 != 0):
		return fmt.Errorf("%d bytes, want a positive multiple of 16", a.ThreadgroupBytes)
	}
	return nil
}

func dimensions(what string, s device.Size) ([3]int, error) {
	if s.X < 0 || s.Y < 0 || s.Z < 0 {
		return [3]int{}, fmt.Errorf("%s %d*%d*%d, want no negative size", what, s.X, s.Y, s.Z)
	}
	return [3]int{max(s.X, 1), max(s.Y, 1), max(s.Z, 1)}, nil
}
