package exec

import (
	"fmt"
	"sort"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// program is a kernel ready to run on simdgroups of one shape.
type program struct {
	code       []instr
	pos        []ir.Pos
	init       []uint64 // the scalars at the start; builtins are filled in
	builtins   []builtinSlot
	numVectors int
	numScalars int
	accesses   []*memAccess
	generics   []*generic
	probes     []*probe
	fields     []fieldToF32
	patterns   []*pattern
	scalarFns  []ir.Scalar
	hasBarrier bool
	roots      []*ir.Root
}

type builtinSlot struct {
	b    ir.Builtin
	slot uint16
}

// interval is the part of the code in which a virtual register holds something of use.
type interval struct {
	id         int32
	start, end int
	pair       bool
}

// maxRegisters keeps register numbers within an instruction's fields.
const maxRegisters = 1 << 16

// allocate maps virtual registers to as few as it can: intervals in order of their start take the first free ones.
func allocate(s *selector) (*program, error) {
	sc := newIntervals(int(s.numS))
	ve := newIntervals(int(s.numV))
	// An instruction at i reads at 2i and writes at 2i+1, so that a result may take the register of an operand that ends
	// there, but two results never share one.
	see := func(v value, at int, write bool) {
		at *= 2
		if write {
			at++
		}
		switch v.kind {
		case inScalar, inMask:
			sc.see(v.id, at)
		default:
			ve.see(v.id, at)
		}
	}
	for at, d := range s.code {
		for i, r := range [4]int32{d.d, d.a, d.b, d.c} {
			switch k := kinds[d.op][i]; k {
			case 'V', 'v':
				see(value{r, inVector}, at, k == 'V')
			case 'S', 's':
				see(value{r, inScalar}, at, k == 'S')
			}
		}
	}
	for _, t := range s.touched {
		if t.v.id >= 0 {
			see(t.v, t.at, t.write)
		}
	}
	for _, id := range s.consts {
		sc.pin(id, 2*len(s.code))
	}
	for _, id := range s.builtins {
		sc.pin(id, 2*len(s.code))
	}
	// A variable that lives across the trips of a loop is needed from before the loop to its end.
	for i := range s.vars {
		id := s.varLoc[i]
		if id < 0 {
			continue
		}
		in := ve
		if k := s.variable(s.f.Vars[i]).kind; k == inScalar || k == inMask {
			in = sc
		}
		for _, l := range s.loopNodes() {
			if l.region.under(s.vars[i].declared) && l.region != s.vars[i].declared && in.touches(id, l.from, l.to) {
				in.see(id, l.from)
				in.see(id, l.to)
			}
		}
	}
	for _, l := range s.loopsAt {
		sc.extend(2*l[0], 2*l[1]+1)
		ve.extend(2*l[0], 2*l[1]+1)
	}
	sMap, ns := sc.assign(nil)
	vMap, nv := ve.assign(s.wide)
	if ns > maxRegisters || nv > maxRegisters {
		return nil, fmt.Errorf("exec: kernel %q needs %d scalar and %d vector registers; at most %d of each", s.f.Name, ns, nv, maxRegisters)
	}
	nv += 2 // a pair more, for components that nothing reads
	p := &program{numVectors: nv, numScalars: ns + 1, accesses: s.accesses, generics: s.generics, probes: s.probes, fields: s.fields, patterns: s.pats,
		scalarFns: s.scalars, hasBarrier: s.f.HasBarrier, roots: s.f.Roots, init: make([]uint64, ns+1)}
	for bits, id := range s.consts {
		p.init[sMap[id]] = bits
	}
	for b, id := range s.builtins {
		p.builtins = append(p.builtins, builtinSlot{b, uint16(sMap[id])})
	}
	sort.Slice(p.builtins, func(i, j int) bool { return p.builtins[i].b < p.builtins[j].b })
	mapValue := func(v *value) {
		switch v.kind {
		case inScalar, inMask:
			if v.id < 0 {
				v.id = int32(ns)
			} else {
				v.id = sMap[v.id]
			}
		default:
			if v.id < 0 {
				v.id = int32(nv - 2)
			} else {
				v.id = vMap[v.id]
			}
		}
	}
	for _, d := range s.code {
		in := instr{op: d.op, fn: d.fn, imm: d.imm}
		for i, r := range [4]int32{d.d, d.a, d.b, d.c} {
			var x uint16
			switch kinds[d.op][i] {
			case 'V', 'v':
				x = uint16(vMap[r])
			case 'S', 's':
				x = uint16(sMap[r])
			}
			switch i {
			case 0:
				in.d = x
			case 1:
				in.a = x
			case 2:
				in.b = x
			case 3:
				in.c = x
			}
		}
		p.code = append(p.code, in)
		p.pos = append(p.pos, d.pos)
	}
	for _, m := range s.accesses {
		for i := range m.vals {
			mapValue(&m.vals[i])
		}
		if m.op == ir.OpAtomic {
			mapValue(&m.out)
		}
		scalars := []*int32{&m.base, &m.narrow, &m.rootS}
		for _, r := range scalars {
			if *r >= 0 {
				*r = sMap[*r]
			}
		}
		for _, r := range []*int32{&m.index, &m.rootV} {
			if *r >= 0 {
				*r = vMap[*r]
			}
		}
	}
	for _, g := range s.generics {
		for i := range g.args {
			mapValue(&g.args[i])
		}
		mapValue(&g.d)
	}
	for _, q := range s.probes {
		for i := range q.args {
			mapValue(&q.args[i])
		}
	}
	p.pairHalves()
	p.squeeze()
	return p, nil
}

// pairHalves makes one instruction of a load of float16 that lie without gaps and a fma by a scalar right after it, the step of a
// weighted sum: a third of the time of the two is dispatch and the way through the register.
func (p *program) pairHalves() {
	target := map[int32]bool{}
	for _, in := range p.code {
		if in.op.jumps() {
			target[in.imm] = true
		}
	}
	for at := range len(p.code) - 2 {
		load := p.code[at]
		if load.op != opLoad {
			continue
		}
		m := p.accesses[load.imm]
		if !m.dense || m.mode != addrPattern || m.uniform || m.elem != ir.F16 || m.n != 1 || m.root < 0 || p.roots[m.root].Space == ir.Thread {
			continue
		}
		next := at + 1 // past the conversion, which is no work
		if in := p.code[next]; in.op == opMove && in.d == in.a && !target[int32(next)] {
			next++
		}
		if in := &p.code[next]; in.op == opFmaS && int32(in.a) == m.vals[0].id && !target[int32(next)] {
			*in = instr{op: opHalfFma, d: in.d, a: in.a, b: in.b, c: in.c, imm: load.imm}
			p.code[at] = instr{op: opMove, d: in.a, a: in.a}
			p.pos[next] = p.pos[at]
		}
	}
}

// squeeze drops the moves of a register to itself: conversions that change no bits, and copies that share a register.
func (p *program) squeeze() {
	to := make([]int32, len(p.code)+1)
	n := 0
	for at, in := range p.code {
		to[at] = int32(n)
		if (in.op == opMove || in.op == opMoveW || in.op == opMoveS) && in.d == in.a {
			continue
		}
		p.code[n], p.pos[n] = in, p.pos[at]
		n++
	}
	to[len(p.code)] = int32(n)
	p.code, p.pos = p.code[:n], p.pos[:n]
	for i := range p.code {
		if in := &p.code[i]; in.op.jumps() {
			in.imm = to[in.imm]
		}
	}
}

// loopCode is a loop as a region and as a stretch of code.
type loopCode struct {
	region   *region
	from, to int
}

// loopNodes pairs the loops with their code; both lists are in the order in which loops end.
func (s *selector) loopNodes() []loopCode {
	out := make([]loopCode, len(s.loopsAt))
	for i, l := range s.loopsAt {
		out[i] = loopCode{s.loops[i], 2 * l[0], 2*l[1] + 1}
	}
	return out
}

type intervals struct {
	list []interval
	at   map[int32][]int
}

func newIntervals(n int) *intervals {
	in := &intervals{list: make([]interval, n), at: map[int32][]int{}}
	for i := range in.list {
		in.list[i] = interval{id: int32(i), start: -1, end: -1}
	}
	return in
}

func (in *intervals) see(id int32, at int) {
	x := &in.list[id]
	if x.start < 0 || at < x.start {
		x.start = at
	}
	x.end = max(x.end, at)
	in.at[id] = append(in.at[id], at)
}

func (in *intervals) touches(id int32, from, to int) bool {
	for _, at := range in.at[id] {
		if at >= from && at <= to {
			return true
		}
	}
	return false
}

// pin keeps a register for the whole program.
func (in *intervals) pin(id int32, end int) {
	in.list[id].start, in.list[id].end = 0, end
}

// extend keeps what is live at the top of a loop, and used in it, to the end of the loop.
func (in *intervals) extend(from, to int) {
	for i := range in.list {
		x := &in.list[i]
		if x.start >= 0 && x.start < from && x.end >= from {
			x.end = max(x.end, to)
		}
	}
}

// assign gives each interval registers: two in a row for a pair.
func (in *intervals) assign(pairs map[int32]bool) (map[int32]int32, int) {
	order := make([]interval, 0, len(in.list))
	for _, x := range in.list {
		if x.start >= 0 {
			x.pair = pairs[x.id]
			order = append(order, x)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return order[i].start < order[j].start })
	out := make(map[int32]int32, len(order))
	var freeAt []int // by register: the position from which it is free
	for _, x := range order {
		n := 1
		if x.pair {
			n = 2
		}
		r := 0
	search:
		for ; ; r++ {
			for k := range n {
				for r+k >= len(freeAt) {
					freeAt = append(freeAt, -1)
				}
				if freeAt[r+k] >= x.start {
					continue search
				}
			}
			break
		}
		for k := range n {
			freeAt[r+k] = x.end
		}
		out[x.id] = int32(r)
	}
	return out, len(freeAt)
}
