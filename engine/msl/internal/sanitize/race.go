package sanitize

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Race finds two accesses to the same bytes by different threads, at least one of them a write and not both atomic, that no barrier
// orders: in one simdgroup, in one threadgroup, in two threadgroups, and in two dispatches that may overlap. It needs no unlucky
// schedule: what counts is what barriers promise, not who came first here.
//
// Orders: a threadgroup barrier, within the threadgroup, and a simdgroup barrier, within the simdgroup, for the spaces its flags
// name; a barrier between dispatches. Atomics order nothing.
//
// Each granule of a watched memory (as small as the smallest access to it) remembers its last writer and two readers, as far
// apart as any it met. Memory that nobody writes is not watched.
type Race struct {
	quiet
	overlap  bool // dispatches may overlap: memory that this one only reads matters too
	regions  []*raceRegion
	roots    []*raceShadow // of this launch, by root number
	granule  []int         // likewise
	slots    map[int]*raceSlot
	dispatch []*raceDispatch // since the last barrier
	strands  [2][]strand     // of device and threadgroup memory, since the last barrier
	base     [2]uint64       // number of the first of these; what is older is ordered
}

// NewRace makes the sanitizer.
func NewRace() *Race {
	return &Race{slots: map[int]*raceSlot{}, base: [2]uint64{1, 1}}
}

// raceDispatch is what reports need to know of a dispatch.
type raceDispatch struct {
	kernel string
	sites  []site // by access number
}

type site struct {
	pos  ir.Pos
	verb string
}

// strand is what one simdgroup does between two synchronisations of a space: neither its order against other strands of the same epoch
// nor that of its own lanes among each other is promised.
type strand struct {
	dispatch  int
	group     [3]int
	simdgroup int
	epoch     int // threadgroup barriers before it
	shape     exec.Shape
}

// A cell packs an access: site in the top 16 bits, then the strand's number, a bit for atomics, and the lane; 0 is nobody.
const (
	laneBits   = 6
	several    = 32 // the lane, if several lanes of the strand read
	laneMask   = 1<<laneBits - 1
	atomicBit  = 1 << laneBits
	strandBit  = laneBits + 1
	siteBit    = 48
	whoMask    = 1<<siteBit - 1 // all but the site
	strandMask = 1<<(siteBit-strandBit) - 1
)

func strandNumber(cell uint64) uint64 { return cell >> strandBit & strandMask }

// raceRegion is device memory with its cells.
type raceRegion struct {
	region
	cells
}

// cells are the cells of a memory, one of each for every granule.
type cells struct {
	granule int
	writer  []uint64
	reader  []uint64
	other   []uint64 // a second reader, as far from the first as any; made when first needed
}

// raceShadow is a root seen as cells.
type raceShadow struct {
	cells  *cells
	offset int // cells before byte 0 of the root
	space  int // 0 device, 1 threadgroup
}

// raceSlot is a threadgroup in flight.
type raceSlot struct {
	epoch  [2]int
	strand [2][]uint64 // of each simdgroup; 0: none yet
	shared map[*ir.Root]*raceShadow
}

func (r *Race) Start(l *exec.Launching) {
	if !l.Concurrent {
		r.dispatch = nil
		for space := range r.strands {
			r.base[space] += uint64(len(r.strands[space]))
			r.strands[space] = r.strands[space][:0]
		}
	}
	r.dispatch = append(r.dispatch, &raceDispatch{kernel: l.Func.Name})
	r.roots, r.granule = make([]*raceShadow, len(l.Memory)), l.Granule
	written := map[uintptr]bool{}
	granule := map[uintptr]int{}
	end := func(m exec.Memory) uintptr { return m.Address + uintptr(len(m.Data)) }
	for i, m := range l.Memory {
		if len(m.Data) == 0 {
			continue
		}
		if l.Func.Roots[i].Written && !m.ReadOnly {
			written[end(m)] = true
		}
		if g := l.Granule[i]; granule[end(m)] == 0 || g < granule[end(m)] {
			granule[end(m)] = g
		}
	}
	for i, m := range l.Memory {
		root := l.Func.Roots[i]
		if len(m.Data) == 0 || !written[end(m)] && !(r.overlap && root.Space == ir.Device && !m.ReadOnly) {
			continue
		}
		x := r.region(m, granule[end(m)])
		r.roots[i] = &raceShadow{cells: &x.cells, offset: int(m.Address-x.base) / x.granule}
	}
}

func (r *Race) forget(data []byte) {
	r.regions = slices.DeleteFunc(r.regions, func(x *raceRegion) bool { return x.is(data) })
}

// region finds or makes the cells of the memory that m is a part of, no coarser than granule.
func (r *Race) region(m exec.Memory, granule int) *raceRegion {
	for _, x := range r.regions {
		if !x.holds(m) {
			continue
		}
		if m.Address < x.base || granule < x.granule {
			g := min(granule, x.granule)
			start := min(m.Address, x.base)
			if (x.base-start)%uintptr(g) != 0 {
				g = 1
			}
			finer := newCells(int(x.end-start), g)
			shift := int(x.base-start) / g
			for i := range finer.writer[shift:] {
				finer.writer[shift+i] = x.writer[i*g/x.granule]
				finer.reader[shift+i] = x.reader[i*g/x.granule]
				if x.other != nil {
					finer.second(len(finer.writer))[shift+i] = x.other[i*g/x.granule]
				}
			}
			x.base, x.cells = start, finer
		}
		return x
	}
	x := &raceRegion{region{m.Address, m.Address + uintptr(len(m.Data))}, newCells(len(m.Data), granule)}
	r.regions = append(r.regions, x)
	return x
}

func newCells(length, granule int) cells {
	n := (length + granule - 1) / granule
	return cells{granule: granule, writer: make([]uint64, n), reader: make([]uint64, n)}
}

func (c *cells) second(n int) []uint64 {
	if len(c.other) < n {
		c.other = append(c.other, make([]uint64, n-len(c.other))...)
	}
	return c.other
}

func (r *Race) Watches(root *ir.Root) bool {
	return root.Space == ir.Threadgroup || r.roots[root.Number] != nil
}

func (r *Race) Begin(g exec.Group) {
	r.slots[g.Slot] = &raceSlot{shared: map[*ir.Root]*raceShadow{}}
}

// Barrier orders what comes before it in the threadgroup and what comes after.
func (r *Race) Barrier(g exec.Group, flags uint64) {
	s := r.slots[g.Slot]
	for space := range s.strand {
		if flags>>space&1 != 0 {
			s.epoch[space]++
			clear(s.strand[space])
		}
	}
}

// SimdBarrier orders what comes before it in the simdgroup and what comes after.
func (r *Race) SimdBarrier(p exec.Place, flags uint64) {
	s := r.slots[p.Slot]
	for space := range s.strand {
		if flags>>space&1 != 0 && p.Simdgroup < len(s.strand[space]) {
			s.strand[space][p.Simdgroup] = 0
		}
	}
}

// current is the number of the strand that the simdgroup is on.
func (r *Race) current(a *exec.Access, space int) uint64 {
	s := r.slots[a.Slot]
	for len(s.strand[space]) <= a.Simdgroup {
		s.strand[space] = append(s.strand[space], 0)
	}
	n := &s.strand[space][a.Simdgroup]
	if *n == 0 {
		*n = r.base[space] + uint64(len(r.strands[space]))
		r.strands[space] = append(r.strands[space], strand{len(r.dispatch) - 1, a.ID, a.Simdgroup, s.epoch[space], a.Shape()})
	}
	return *n
}

func (r *Race) Access(a *exec.Access) *exec.Fault {
	sh := r.roots[a.Root.Number]
	if a.Root.Space == ir.Threadgroup {
		sh = r.shared(a)
	}
	d := r.dispatch[len(r.dispatch)-1]
	number := min(a.Number, 1<<16-1)
	for len(d.sites) <= number {
		d.sites = append(d.sites, site{})
	}
	if d.sites[number].verb == "" {
		d.sites[number] = site{a.Pos, a.Verb()}
	}
	me := uint64(number)<<siteBit | r.current(a, sh.space)<<strandBit
	if a.Atomic {
		me |= atomicBit
	}
	c := sh.cells
	each := a.Bytes / c.granule
	switch {
	case a.Dense && !a.Write:
		at := sh.offset + int(a.Offset(0))/c.granule
		writer, reader := c.writer[at:at+32*each], c.reader[at:at+32*each]
		for lane, i := uint64(0), 0; lane < 32; lane++ {
			for range each {
				if writer[i]|reader[i] == 0 || writer[i] == 0 && (reader[i]^(me|lane))&whoMask == 0 {
					reader[i] = me | lane
				} else if f := r.read(sh, at+i, me|lane, a); f != nil {
					return f
				}
				i++
			}
		}
		return nil
	case a.Uniform && !a.Write:
		lane := uint64(bits.TrailingZeros32(a.Mask))
		if a.Mask&(a.Mask-1) != 0 {
			lane = several
		}
		at := sh.offset + int(a.Offset(bits.TrailingZeros32(a.Mask)))/c.granule
		for i := at; i < at+each; i++ {
			if f := r.read(sh, i, me|lane, a); f != nil {
				return f
			}
		}
		return nil
	}
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		at := sh.offset + int(a.Offset(lane))/c.granule
		for i := at; i < at+each; i++ {
			var f *exec.Fault
			if a.Write {
				f = r.write(sh, i, me|uint64(lane), a, lane)
			} else {
				f = r.read(sh, i, me|uint64(lane), a)
			}
			if f != nil {
				return f
			}
		}
	}
	return nil
}

// shared is the shadow of threadgroup memory, which grows with what is reached.
func (r *Race) shared(a *exec.Access) *raceShadow {
	s := r.slots[a.Slot]
	sh := s.shared[a.Root]
	if sh == nil {
		sh = &raceShadow{cells: &cells{granule: r.granule[a.Root.Number]}, space: 1}
		s.shared[a.Root] = sh
	}
	need := 0
	for m := a.Mask; m != 0; m &= m - 1 {
		need = max(need, int(a.Offset(bits.TrailingZeros32(m)))+a.Bytes)
	}
	need /= sh.cells.granule
	if n := need - len(sh.cells.writer); n > 0 {
		sh.cells.writer = append(sh.cells.writer, make([]uint64, n)...)
		sh.cells.reader = append(sh.cells.reader, make([]uint64, n)...)
	}
	return sh
}

// read notes a read of a granule, by lane or by several.
func (r *Race) read(sh *raceShadow, i int, me uint64, a *exec.Access) *exec.Fault {
	c := sh.cells
	if w := c.writer[i]; r.unordered(sh, w, me) && w&me&atomicBit == 0 {
		return r.fault(sh, w, me, a)
	}
	old := c.reader[i]
	switch {
	case !r.live(sh, old):
		c.reader[i] = me
	case strandNumber(old) == strandNumber(me):
		if old&laneMask != me&laneMask {
			c.reader[i] = old&^laneMask | several
		}
	case r.unordered(sh, old, me):
		second := c.second(len(c.reader))
		if !r.live(sh, second[i]) || r.distance(sh, old, me) >= r.distance(sh, second[i], me) {
			second[i] = old
		}
		c.reader[i] = me
	default:
		c.reader[i] = me
	}
	return nil
}

// write notes a write of a granule by a lane.
func (r *Race) write(sh *raceShadow, i int, me uint64, a *exec.Access, lane int) *exec.Fault {
	c := sh.cells
	for _, old := range [2]uint64{c.writer[i], c.reader[i]} {
		if r.unordered(sh, old, me) && old&me&atomicBit == 0 {
			return r.fault(sh, old, me, a)
		}
	}
	if c.other != nil && i < len(c.other) {
		if old := c.other[i]; r.unordered(sh, old, me) && old&me&atomicBit == 0 {
			return r.fault(sh, old, me, a)
		}
	}
	c.writer[i] = me
	return nil
}

// live reports whether a cell is of this threadgroup, or of a dispatch since the last barrier.
func (r *Race) live(sh *raceShadow, cell uint64) bool { return strandNumber(cell) >= r.base[sh.space] }

func (r *Race) strand(sh *raceShadow, cell uint64) *strand {
	return &r.strands[sh.space][strandNumber(cell)-r.base[sh.space]]
}

// unordered reports whether nothing orders an earlier access against this one.
func (r *Race) unordered(sh *raceShadow, old, me uint64) bool {
	switch {
	case !r.live(sh, old):
		return false
	case strandNumber(old) == strandNumber(me):
		return old&laneMask != me&laneMask
	}
	return r.distance(sh, old, me) > 0
}

// distance is 0 if a barrier orders the two, else it grows with how far apart they are.
func (r *Race) distance(sh *raceShadow, old, me uint64) int {
	s, t := r.strand(sh, old), r.strand(sh, me)
	switch {
	case s.dispatch != t.dispatch:
		return 4
	case s.group != t.group:
		return 3
	case s.simdgroup == t.simdgroup:
		return 0
	case s.epoch == t.epoch:
		return 2
	}
	return 0
}

// fault reports a race. The value of the earlier party is what memory holds, or what an earlier lane of the same store writes.
func (r *Race) fault(sh *raceShadow, old, me uint64, a *exec.Access) *exec.Fault {
	lane := int(me & laneMask)
	if lane == several {
		lane = bits.TrailingZeros32(a.Mask)
	}
	s, d := r.strand(sh, old), r.dispatch
	oldSite := d[s.dispatch].sites[old>>siteBit]
	oldLane := int(old & laneMask)
	value, equal := "", false
	together := strandNumber(old) == strandNumber(me) && old>>siteBit == me>>siteBit && a.Write && oldLane < 32 && a.Mask>>oldLane&1 != 0 && a.Offset(oldLane) == a.Offset(lane)
	if together {
		value, equal = a.Value(oldLane), bytes.Equal(a.Written(oldLane), a.Written(lane))
	} else {
		value = exec.PresentText(a, lane)
		equal = oldSite.verb == "wrote" && a.Write && !a.Atomic && bytes.Equal(a.Written(lane), a.Present(lane))
	}
	who := exec.ThreadName(s.shape, s.group, s.simdgroup, oldLane%32)
	if oldLane == several {
		who = "several threads of the simdgroup of " + exec.ThreadName(s.shape, s.group, s.simdgroup, 0)
	}
	kind := "race"
	if equal {
		kind = "race with the same value"
	}
	where := "no barrier orders the two"
	switch t := r.strand(sh, me); {
	case s.dispatch != t.dispatch:
		who += fmt.Sprintf(" of the earlier dispatch of %q", d[s.dispatch].kernel)
		where = "no barrier between the dispatches"
	case s.group != t.group:
		where = "threadgroups of one dispatch have no order"
	case strandNumber(old) == strandNumber(me):
		where = "no barrier within the simdgroup"
	}
	return &exec.Fault{Kind: kind, Summary: exec.Element(a.Root, a.Offset(lane), a.Bytes) + ": " + where, Parties: []string{
		fmt.Sprintf("%s %s %s at %s", who, oldSite.verb, value, oldSite.pos),
		fmt.Sprintf("%s %s %s at %s", a.Thread(lane), a.Verb(), a.Value(lane), a.Pos)}}
}
