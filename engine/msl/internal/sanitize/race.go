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
	slots    []*raceSlot
	dispatch []*raceDispatch // since the last barrier
	strands  [2][]strand     // of device and threadgroup memory, since the last barrier
	base     [2]uint64       // number of the first of these; what is older is ordered
}

// NewRace makes the sanitizer.
func NewRace() *Race {
	return &Race{base: [2]uint64{1, 1}}
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

// A cell packs an access: the strand's number on top, so that what is older than a strand is less than its cell, then the site, a
// bit for atomics, and the lane; 0 is nobody. A cell for a whole block holds instead of the lane how many granules each lane
// took, as a power of two, and the lane that took the first.
const (
	laneBits  = 7
	several   = 32 // the lane, if several lanes of the strand read
	laneMask  = 1<<laneBits - 1
	powerBit  = 5 // of a block's cell
	atomicBit = 1 << laneBits
	siteBit   = laneBits + 1
	siteMask  = (1<<16 - 1) << siteBit
	strandBit = siteBit + 16
)

func strandNumber(cell uint64) uint64 { return cell >> strandBit }
func siteOf(cell uint64) int          { return int(cell & siteMask >> siteBit) }

// block is how many granules share a summary of who read them: a dense load touches one word and not 32.
const block = 32

// raceRegion is device memory with its cells.
type raceRegion struct {
	region
	cells
}

// cells are the cells of a memory, one of each for every granule. While nothing but one dense load has read a block, and nothing has
// written it, its readers stand in a cell for the whole block.
type cells struct {
	granule int
	writer  []uint64
	reader  []uint64
	other   []uint64 // a second reader, as far from the first as any; made when first needed
	dense   []uint64 // by block: the dense load that read it
	open    []uint64 // by block: the last access that the cells of its granules hold
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
	strand [2][]uint64   // of each simdgroup; 0: none yet
	shared []*raceShadow // by root number
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
			for b := range x.dense {
				x.unfold(b, 0)
			}
			for b := range finer.open { // whatever the cells hold, it is in them
				finer.open[b] = 1<<64 - 1
			}
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
	blocks := (n + block - 1) / block
	return cells{granule: granule, writer: make([]uint64, n), reader: make([]uint64, n), dense: make([]uint64, blocks), open: make([]uint64, blocks)}
}

// unfold puts the readers of a block into the cells of its granules; me is the access that needs them there.
func (c *cells) unfold(b int, me uint64) {
	if d := c.dense[b]; d != 0 {
		power := d & laneMask >> powerBit
		for j := range min(block, len(c.reader)-b*block) {
			c.reader[b*block+j] = d&^laneMask | (d&(1<<powerBit-1) + uint64(j)>>power)
		}
		c.dense[b] = 0
	}
	c.open[b] = me
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
	for len(r.slots) <= g.Slot {
		r.slots = append(r.slots, nil)
	}
	r.slots[g.Slot] = &raceSlot{shared: make([]*raceShadow, len(r.roots))}
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
	number := min(a.Number, 1<<16-1)
	r.note(number, a)
	me := uint64(number)<<siteBit | r.current(a, sh.space)<<strandBit
	if a.Atomic {
		me |= atomicBit
	}
	c := sh.cells
	each := a.Bytes / c.granule
	switch {
	case a.Dense && !a.Write:
		at := sh.offset + int(a.Offset(0))/c.granule
		power := bits.TrailingZeros(uint(each))
		if at%block != 0 || each != 1<<power || power > 3 {
			break
		}
		oldest := r.base[sh.space] << strandBit
		for q := range each {
			b, whole := at/block+q, me|uint64(power)<<powerBit|uint64(q*block>>power)
			d := c.dense[b]
			if (d^whole)&^siteMask == 0 {
				continue
			}
			if c.open[b] < oldest && (d < oldest || strandNumber(d) != strandNumber(me) && r.distance(sh, d, me) == 0) {
				c.dense[b] = whole
				continue
			}
			if d < oldest {
				c.dense[b] = 0
			}
			c.unfold(b, me)
			for i := range block {
				if f := r.read(sh, b*block+i, me|uint64((q*block+i)>>power), a); f != nil {
					return f
				}
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
			if (c.reader[i]^(me|lane))&^siteMask == 0 && c.dense[i/block] == 0 {
				continue // it was the last to read it: whoever wrote since has met that
			}
			r.opened(c, i, me, sh.space)
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
			r.opened(c, i, me, sh.space)
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

// note remembers where an access stands in the source.
func (r *Race) note(number int, a *exec.Access) {
	d := r.dispatch[len(r.dispatch)-1]
	if number < len(d.sites) && d.sites[number].verb != "" {
		return
	}
	for len(d.sites) <= number {
		d.sites = append(d.sites, site{})
	}
	d.sites[number] = site{a.Pos, a.Verb()}
}

// opened makes sure that the cells of granule i hold its readers.
func (r *Race) opened(c *cells, i int, me uint64, space int) {
	b := i / block
	if d := c.dense[b]; d != 0 {
		if d < r.base[space]<<strandBit {
			c.dense[b] = 0
		}
		c.unfold(b, me)
	} else if c.open[b] < me {
		c.open[b] = me
	}
}

// shared is the shadow of threadgroup memory.
func (r *Race) shared(a *exec.Access) *raceShadow {
	s := r.slots[a.Slot]
	if s.shared[a.Root.Number] == nil {
		c := newCells(int(a.Length()), r.granule[a.Root.Number])
		s.shared[a.Root.Number] = &raceShadow{cells: &c, space: 1}
	}
	return s.shared[a.Root.Number]
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
	oldSite := d[s.dispatch].sites[siteOf(old)]
	oldLane := int(old & laneMask)
	value, equal := "", false
	together := strandNumber(old) == strandNumber(me) && siteOf(old) == siteOf(me) && a.Write && oldLane < 32 && a.Mask>>oldLane&1 != 0 && a.Offset(oldLane) == a.Offset(lane)
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
