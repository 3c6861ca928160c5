package msl

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// bothLanes runs the launch with the portable lane kernels, then from the same memory with the fastest, and compares what the
// two leave behind. Which of two NaN an operation hands on is open, so one NaN equals another.
func (l *launch) bothLanes(e exec.Launch) *exec.Fault {
	before, first := l.written(e), [][]byte(nil)
	e.Lanes = exec.Portable
	fault := l.pipeline.exec.Launch(e)
	first = l.written(e)
	l.restore(e, before)
	e.Lanes = exec.Fastest
	again := l.pipeline.exec.Launch(e)
	if (fault == nil) != (again == nil) || fault != nil && fault.Kind != again.Kind {
		return &exec.Fault{Kind: "lanes", Summary: fmt.Sprintf("with Go lanes: %v; with %s: %v", fault, exec.Fastest, again)}
	}
	if fault != nil {
		return fault
	}
	for n, second := range l.written(e) {
		i := l.writes(e)[n]
		if at := differ(l.pipeline.roots[i].Elem, first[n], second); at >= 0 {
			return &exec.Fault{Kind: "lanes", Summary: fmt.Sprintf("argument %d, %q, byte %d: Go lanes leave % x, %s % x", l.pipeline.roots[i].Slot,
				l.pipeline.roots[i].Name, at, first[n][at:min(at+4, len(second))], exec.Fastest, second[at:min(at+4, len(second))])}
		}
	}
	return nil
}

// writes are the numbers of the roots that the kernel may write.
func (l *launch) writes(e exec.Launch) (out []int) {
	for i, r := range l.pipeline.roots {
		if r.Space == ir.Device && r.Slot >= 0 && r.Written && !e.Bindings[i].ReadOnly {
			out = append(out, i)
		}
	}
	return out
}

func (l *launch) written(e exec.Launch) (out [][]byte) {
	for _, i := range l.writes(e) {
		out = append(out, bytes.Clone(e.Bindings[i].Data))
	}
	return out
}

func (l *launch) restore(e exec.Launch, data [][]byte) {
	for n, i := range l.writes(e) {
		copy(e.Bindings[i].Data, data[n])
	}
}

// differ is the first byte of the first element in which a and b differ, or -1.
func differ(elem ir.Type, a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	n := max(elem.Bytes(), 1)
	for i := 0; i < len(a); i += n {
		end := min(i+n, len(a))
		if !bytes.Equal(a[i:end], b[i:end]) && !(end-i == n && isNaN(elem, a[i:end]) && isNaN(elem, b[i:end])) {
			return i
		}
	}
	return -1
}

func isNaN(elem ir.Type, b []byte) bool {
	switch elem {
	case ir.F32:
		return binary.LittleEndian.Uint32(b)&0x7fffffff > 0x7f800000
	case ir.F16:
		return binary.LittleEndian.Uint16(b)&0x7fff > 0x7c00
	case ir.BF16:
		return binary.LittleEndian.Uint16(b)&0x7fff > 0x7f80
	}
	return false
}
