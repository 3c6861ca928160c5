package sanitize

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Writes finds elements that one dispatch writes twice, and elements of a fresh output that nothing has written in the end.
type Writes struct {
	quiet
	fresh   [][]byte         // outputs that nothing has written yet
	regions []*writtenRegion // in the order in which launches met them
	roots   []*writtenRegion // of this launch, by root number
	names   []string         // of these
	offset  []int            // of byte 0 of a root in its region
}

type writtenRegion struct {
	region
	name  string
	elem  int
	now   []uint16 // by byte: 1 + number of the access that wrote it in this dispatch
	ever  []bool   // by byte; nil unless the region is fresh
	where map[uint16]ir.Pos
}

// Fresh says that nothing has written to data yet.
func (w *Writes) Fresh(data []byte) { w.fresh = append(w.fresh, data) }

func (w *Writes) forget(data []byte) {
	w.regions = slices.DeleteFunc(w.regions, func(x *writtenRegion) bool { return x.is(data) })
	w.fresh = slices.DeleteFunc(w.fresh, func(f []byte) bool { return len(f) > 0 && &f[0] == &data[0] })
}

func (w *Writes) Start(l *exec.Launching) {
	w.roots, w.offset = make([]*writtenRegion, len(l.Memory)), make([]int, len(l.Memory))
	for i, m := range l.Memory {
		r := l.Func.Roots[i]
		if len(m.Data) == 0 || r.Space != ir.Device || !r.Written || m.ReadOnly {
			continue
		}
		var found *writtenRegion
		for _, x := range w.regions {
			if x.holds(m) {
				found = x
			}
		}
		if found == nil {
			found = &writtenRegion{region: region{m.Address, m.Address + uintptr(len(m.Data))}, name: r.Name, elem: max(r.Elem.Bytes(), 1), now: make([]uint16, len(m.Data))}
			for _, f := range w.fresh {
				if len(f) == len(m.Data) && &f[0] == &m.Data[0] {
					found.ever = make([]bool, len(m.Data))
				}
			}
			w.regions = append(w.regions, found)
		}
		if m.Address < found.base { // an argument that begins earlier
			n := int(found.base - m.Address)
			found.base = m.Address
			found.now = append(make([]uint16, n), found.now...)
			if found.ever != nil {
				found.ever = append(make([]bool, n), found.ever...)
			}
		}
		clear(found.now)
		found.where = map[uint16]ir.Pos{}
		w.roots[i], w.offset[i] = found, int(m.Address-found.base)
	}
}

func (w *Writes) Watches(r *ir.Root) bool { return w.roots[r.Number] != nil }

func (w *Writes) Access(a *exec.Access) *exec.Fault {
	if !a.Write {
		return nil
	}
	r := w.roots[a.Root.Number]
	number := uint16(a.Number%(1<<16-1)) + 1
	r.where[number] = a.Pos
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		at := w.offset[a.Root.Number] + int(a.Offset(lane))
		for i := at; i < at+a.Bytes; i++ {
			if before := r.now[i]; before != 0 && !a.Atomic {
				same := ""
				if b := a.Written(lane); b != nil && bytes.Equal(b, a.Present(lane)) {
					same = ", with the value that is there"
				}
				return &exec.Fault{Kind: "element written twice", Summary: exec.Element(a.Root, a.Offset(lane), a.Bytes) + same, Parties: []string{
					fmt.Sprintf("first written at %s", r.where[before]),
					fmt.Sprintf("%s writes %s at %s", a.Thread(lane), a.Value(lane), a.Pos)}}
			}
			r.now[i] = number
			if r.ever != nil {
				r.ever[i] = true
			}
		}
	}
	return nil
}

// Unwritten is what is wrong when all dispatches have run: an output of which something was written and something was not.
func (w *Writes) Unwritten() *exec.Fault {
	for _, r := range w.regions {
		first, missing := -1, 0
		for i := 0; i < len(r.ever); i += r.elem {
			if !r.ever[i] {
				if first < 0 {
					first = i
				}
				missing++
			}
		}
		if missing > 0 {
			return &exec.Fault{Kind: "output not written", Summary: fmt.Sprintf("device %q: %d of %d elements were never written; the first is [%d]", r.name, missing, len(r.ever)/r.elem, first/r.elem)}
		}
	}
	return nil
}

// Unwritten asks the Writes sanitizer of the set, if it has one.
func (s *Set) Unwritten() *exec.Fault {
	for i, o := range s.all {
		if w, ok := o.(*Writes); ok {
			return s.found(i, w.Unwritten())
		}
	}
	return nil
}
