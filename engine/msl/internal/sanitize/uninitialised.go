package sanitize

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Uninitialised finds reads of bytes that nothing has written: of buffers the host left alone, of threadgroup memory, of arrays and
// variables of a thread. Copying an aggregate reads no byte of it, and what is copied counts as written.
type Uninitialised struct {
	quiet
	fresh   [][]byte
	regions []*freshRegion
	roots   []*freshRegion // of this launch, by root number; nil where all is set
	offset  []int
	slots   map[int]*slotBytes
}

type freshRegion struct {
	region
	set []bool // by byte
}

// slotBytes is what a threadgroup in flight has set: by root, its threadgroup memory; by simdgroup and root, the arrays of its
// threads, one lane after another.
type slotBytes struct {
	shared map[*ir.Root][]bool
	thread map[threadArray][]bool
}

type threadArray struct {
	simdgroup int
	root      *ir.Root
}

// NewUninitialised makes the sanitizer.
func NewUninitialised() *Uninitialised { return &Uninitialised{slots: map[int]*slotBytes{}} }

// Fresh says that nothing has written to data yet.
func (u *Uninitialised) Fresh(data []byte) { u.fresh = append(u.fresh, data) }

func (u *Uninitialised) forget(data []byte) {
	u.regions = slices.DeleteFunc(u.regions, func(x *freshRegion) bool { return x.is(data) })
	u.fresh = slices.DeleteFunc(u.fresh, func(f []byte) bool { return len(f) > 0 && &f[0] == &data[0] })
}

// hostWrote marks bytes of a fresh buffer.
func (u *Uninitialised) hostWrote(data []byte, off, n int) {
	for _, f := range u.fresh {
		if len(f) > 0 && len(data) > 0 && &f[0] == &data[0] {
			r := u.whole(f)
			for i := range n {
				r.set[off+i] = true
			}
		}
	}
}

// whole is the state of a fresh buffer.
func (u *Uninitialised) whole(data []byte) *freshRegion {
	address := uintptr(unsafe.Pointer(&data[0]))
	return u.region(data, exec.Memory{Address: address, Data: data})
}

func (u *Uninitialised) Start(l *exec.Launching) {
	u.roots, u.offset = make([]*freshRegion, len(l.Memory)), make([]int, len(l.Memory))
	for i, m := range l.Memory {
		if len(m.Data) == 0 {
			continue
		}
		for _, f := range u.fresh {
			if len(f) > 0 && &f[len(f)-1] == &m.Data[len(m.Data)-1] {
				u.roots[i] = u.region(f, m)
				u.offset[i] = len(f) - len(m.Data)
			}
		}
	}
}

// region is the state of the fresh buffer that m is, or is a part of.
func (u *Uninitialised) region(whole []byte, m exec.Memory) *freshRegion {
	for _, r := range u.regions {
		if r.holds(m) {
			return r
		}
	}
	end := m.Address + uintptr(len(m.Data))
	r := &freshRegion{region{end - uintptr(len(whole)), end}, make([]bool, len(whole))}
	u.regions = append(u.regions, r)
	return r
}

func (u *Uninitialised) Watches(r *ir.Root) bool {
	return r.Space == ir.Threadgroup || r.Space == ir.Thread || u.roots[r.Number] != nil
}

func (u *Uninitialised) Begin(g exec.Group) {
	u.slots[g.Slot] = &slotBytes{map[*ir.Root][]bool{}, map[threadArray][]bool{}}
}

// Probe forgets an array that comes into being anew.
func (u *Uninitialised) Probe(p *exec.Probe) *exec.Fault {
	if p.Kind == ir.ProbeDeclare {
		set := u.slots[p.Slot].thread[threadArray{p.Simdgroup, p.Root}]
		for m := p.Mask; m != 0 && set != nil; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			clear(set[lane*p.Root.Bytes : (lane+1)*p.Root.Bytes])
		}
	}
	return nil
}

func (u *Uninitialised) Access(a *exec.Access) *exec.Fault {
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		set := u.bytes(a, lane)
		if a.Read && !a.Copy {
			for i, ok := range set {
				if !ok {
					return u.fault(a, lane, i)
				}
			}
		}
		if a.Write {
			for i := range set {
				set[i] = true
			}
		}
	}
	return nil
}

// bytes is the state of the bytes that a lane accesses.
func (u *Uninitialised) bytes(a *exec.Access, lane int) []bool {
	off := int(a.Offset(lane))
	grown := func(set []bool, need int) []bool {
		if len(set) < need {
			set = append(set, make([]bool, need-len(set))...)
		}
		return set
	}
	s := u.slots[a.Slot]
	switch a.Root.Space {
	case ir.Thread:
		key := threadArray{a.Simdgroup, a.Root}
		s.thread[key] = grown(s.thread[key], 32*a.Root.Bytes)
		off += lane * a.Root.Bytes
		return s.thread[key][off : off+a.Bytes]
	case ir.Threadgroup:
		s.shared[a.Root] = grown(s.shared[a.Root], off+a.Bytes)
		return s.shared[a.Root][off : off+a.Bytes]
	}
	off += u.offset[a.Root.Number]
	return u.roots[a.Root.Number].set[off : off+a.Bytes]
}

func (u *Uninitialised) fault(a *exec.Access, lane, first int) *exec.Fault {
	what := exec.Element(a.Root, a.Offset(lane), a.Bytes)
	if a.Root.Space == ir.Thread {
		what = fmt.Sprintf("variable %q", a.Root.Name)
		if a.Root.Bytes > a.Bytes {
			what += fmt.Sprintf(", bytes %d..%d of %d", a.Offset(lane), a.Offset(lane)+int64(a.Bytes)-1, a.Root.Bytes)
		}
	} else if first > 0 {
		what += fmt.Sprintf(", from byte %d on", first)
	}
	return &exec.Fault{Kind: "uninitialised read", Summary: what, Parties: []string{fmt.Sprintf("%s %s %s at %s", a.Thread(lane), a.Verb(), a.Value(lane), a.Pos)}}
}
