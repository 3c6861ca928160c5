package exec

import (
	"fmt"
	"math"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// draft is an instruction over virtual registers.
type draft struct {
	op         opcode
	fn         uint8
	d, a, b, c int32
	imm        int32
	pos        ir.Pos
}

// generic is a pure operation carried out lane by lane through its scalar meaning.
type generic struct {
	op   ir.Op   // of a cross-lane operation
	t    ir.Type // of its operand
	f    ir.Scalar
	args []value
	d    value
}

// selector turns a function into drafts.
type selector struct {
	*analysis
	code     []draft
	numS     int32
	numV     int32
	wide     map[int32]bool // vectors that are pairs
	loc      map[*ir.Value]int32
	varLoc   []int32
	consts   map[uint64]int32
	literal  map[int32]uint64 // the inverse
	probes   []*probe
	builtins map[ir.Builtin]int32
	scalars  []ir.Scalar
	scalarNo map[scalarKey]int
	accesses []*memAccess
	generics []*generic
	fields   []fieldToF32
	pats     []*pattern
	patNo    map[*pattern]int32
	cache    []map[cacheKey]int32
	stack    []*control
	touched  []touch // uses outside drafts' own operands: of accesses, generics
	loopsAt  [][2]int
	pos      ir.Pos
	skip     map[*ir.Value]bool // folded into another instruction
	comps    map[*ir.Value][]*ir.Value
	plans    map[*ir.Value]*offset
	firstSet map[*ir.Value]*ir.Value
	inPlace  map[*ir.Value]bool // sets whose value is computed right into the variable
}

type scalarKey struct {
	op   ir.Op
	t, u ir.Type
}

type cacheKey struct {
	v    *ir.Value
	kind byte
}

type touch struct {
	v     value
	at    int
	write bool
}

// control is a region being emitted.
type control struct {
	r       *region
	save    int32 // scalar with the mask to restore; -1: none
	kill    []int // jumps to the point that restores the mask
	exits   []int // jumps to the end
	isIf    bool
	reached bool
}

func selectCode(a *analysis) *selector {
	s := &selector{analysis: a, wide: map[int32]bool{}, loc: map[*ir.Value]int32{}, varLoc: make([]int32, len(a.f.Vars)), consts: map[uint64]int32{}, literal: map[int32]uint64{},
		builtins: map[ir.Builtin]int32{}, scalarNo: map[scalarKey]int{}, patNo: map[*pattern]int32{}, skip: map[*ir.Value]bool{}, firstSet: map[*ir.Value]*ir.Value{}, plans: map[*ir.Value]*offset{}, comps: map[*ir.Value][]*ir.Value{}, inPlace: map[*ir.Value]bool{}}
	for i := range s.varLoc {
		s.varLoc[i] = -1
	}
	ir.Walk(a.f.Body.Body, func(n ir.Node) {
		if v, ok := n.(*ir.Value); ok && v.Op == ir.OpComp {
			s.comps[v.Args[0]] = append(s.comps[v.Args[0]], v)
		}
	})
	s.planAddresses()
	s.findFused()
	s.findUnneeded()
	s.coalesce()
	s.block(a.f.Body, a.regions[a.f.Body][0])
	s.emit(draft{op: opEnd})
	return s
}

func (s *selector) emit(d draft) int {
	d.pos = s.pos
	s.code = append(s.code, d)
	return len(s.code) - 1
}

func (s *selector) newS() int32 { s.numS++; return s.numS - 1 }
func (s *selector) newV() int32 { s.numV++; return s.numV - 1 }
func (s *selector) newW() int32 { w := s.newV(); s.wide[w] = true; return w }

func (s *selector) constant(bits uint64) int32 {
	if id, ok := s.consts[bits]; ok {
		return id
	}
	id := s.newS()
	s.consts[bits] = id
	s.literal[id] = bits
	return id
}

func (s *selector) patternNo(p *pattern) int32 {
	n, ok := s.patNo[p]
	if !ok {
		n = int32(len(s.pats))
		s.pats = append(s.pats, p)
		s.patNo[p] = n
	}
	return n
}

// cached gives the value of make once a region; the register is valid in the regions inside.
func (s *selector) cached(k cacheKey, make func() int32) int32 {
	for i := len(s.cache) - 1; i >= 0; i-- {
		if id, ok := s.cache[i][k]; ok {
			return id
		}
	}
	id := make()
	s.cache[len(s.cache)-1][k] = id
	return id
}

// scalar is the scalar holding a based value: its value, or that of lane 0.
func (s *selector) scalar(v *ir.Value) int32 {
	if l := s.lanes[v]; l != nil {
		return s.constant(l[0])
	}
	if v.Op == ir.OpBuiltin {
		b := ir.Builtin(v.Bits)
		id, ok := s.builtins[b]
		if !ok {
			id = s.newS()
			s.builtins[b] = id
		}
		return id
	}
	return s.at(v)
}

func (s *selector) at(v *ir.Value) int32 {
	id, ok := s.loc[v]
	if !ok {
		panic(fmt.Sprintf("exec: no register for %s", v.Text()))
	}
	return id
}

// vector is a vector register, or pair, holding v for each lane.
func (s *selector) vector(v *ir.Value) int32 {
	c := s.of(v)
	if c.kind == varying && s.lanes[v] == nil {
		return s.at(v)
	}
	return s.cached(cacheKey{v, 'v'}, func() int32 {
		if c.kind == varying { // a narrow or float value known for each lane
			var d [32]int64
			l := s.lanes[v]
			for i := range d {
				d[i] = int64(int32(l[i] - l[0]))
			}
			id := s.newV()
			s.emit(draft{op: opPattern, d: id, a: s.constant(l[0]), imm: s.patternNo(s.pattern(d))})
			return id
		}
		op, opw := opPattern, opPatternW
		if c.isUniform() {
			op, opw = opSplat, opSplatW
		}
		d := draft{op: op, a: s.scalar(v)}
		if v.Type.Wide() {
			d.op, d.d = opw, s.newW()
		} else {
			d.d = s.newV()
		}
		if !c.isUniform() {
			d.imm = s.patternNo(c.pat)
		}
		s.emit(d)
		return d.d
	})
}

// mask is a scalar with one bit a lane.
func (s *selector) mask(v *ir.Value) int32 {
	if l := s.lanes[v]; l != nil {
		m := uint64(0)
		for i, x := range l {
			m |= x << i
		}
		return s.constant(m)
	}
	if s.isMask(v) {
		return s.at(v)
	}
	return s.cached(cacheKey{v, 'm'}, func() int32 {
		id := s.newS()
		s.emit(draft{op: opMaskOf, d: id, a: s.scalar(v)})
		return id
	})
}

func (s *selector) isMask(v *ir.Value) bool { return v.Type == ir.Bool && s.of(v).kind == varying }

// operand describes v for an access or a generic operation.
func (s *selector) operand(v *ir.Value) value {
	switch {
	case s.of(v).isUniform():
		return value{s.scalar(v), inScalar}
	case v.Type == ir.Bool:
		return value{s.mask(v), inMask}
	case v.Type.Wide():
		return value{s.vector(v), inPair}
	}
	return value{s.vector(v), inVector}
}

// result allots a register for a value according to its class.
func (s *selector) result(v *ir.Value) value {
	id, fixed := s.loc[v]
	switch {
	case s.of(v).kind != varying:
		if !fixed {
			id = s.newS()
		}
		s.loc[v] = id
		return value{id, inScalar}
	case v.Type == ir.Bool:
		if !fixed {
			id = s.newS()
		}
		s.loc[v] = id
		return value{id, inMask}
	case v.Type.Wide():
		if !fixed {
			id = s.newW()
		}
		s.loc[v] = id
		return value{id, inPair}
	}
	if !fixed {
		id = s.newV()
	}
	s.loc[v] = id
	return value{id, inVector}
}

func (s *selector) touch(at int, write bool, vals ...value) {
	for _, v := range vals {
		s.touched = append(s.touched, touch{v, at, write})
	}
}

// list emits the nodes of a region.
func (s *selector) list(list []ir.Node, in *region) {
	s.cache = append(s.cache, map[cacheKey]int32{})
	for _, n := range list {
		switch n := n.(type) {
		case *ir.Value:
			s.pos = n.Pos
			s.value(n, in)
		case *ir.If:
			s.pos = n.Pos
			s.conditional(n, in)
		case *ir.Loop:
			s.pos = n.Pos
			s.loop(n, s.regions[n][0])
		case *ir.Block:
			s.pos = n.Pos
			s.block(n, s.regions[n][0])
		case *ir.Break:
			s.pos = n.Pos
			s.leave(n, in)
		}
	}
	s.cache = s.cache[:len(s.cache)-1]
}

func (s *selector) target(jumps []int) {
	for _, j := range jumps {
		s.code[j].imm = int32(len(s.code))
	}
}

func (s *selector) push(c *control) *control {
	s.stack = append(s.stack, c)
	return c
}

func (s *selector) pop() { s.stack = s.stack[:len(s.stack)-1] }

// killer is the innermost region around that restores the mask, from stack position i down.
func (s *selector) killer(i int) *control {
	for ; i >= 0; i-- {
		if s.stack[i].save >= 0 {
			return s.stack[i]
		}
	}
	return nil
}

// restore ends a region that narrowed the mask. If lanes left through it, none may be active now.
func (s *selector) restore(c *control) {
	s.emit(draft{op: opRestore, a: c.save})
	if s.leftThrough(c.r) {
		if k := s.killer(len(s.stack) - 1); k != nil {
			k.kill = append(k.kill, s.emit(draft{op: opJumpEmpty}))
		}
	}
}

// leftThrough reports whether a break inside r goes to a region around it.
func (s *selector) leftThrough(r *region) bool {
	for _, b := range s.breaks {
		if b.in.under(r) && !s.regions[b.b.Target][0].under(r) {
			return true
		}
	}
	return false
}

func (r *region) under(x *region) bool {
	for ; r != nil; r = r.parent {
		if r == x {
			return true
		}
	}
	return false
}

func (s *selector) conditional(n *ir.If, in *region) {
	rs := s.regions[n]
	if !rs[0].divergent {
		j := s.emit(draft{op: opJumpZero, a: s.scalar(n.Cond)})
		s.push(&control{r: rs[0], save: -1, isIf: true})
		s.list(n.Then, rs[0])
		s.pop()
		if len(n.Else) == 0 {
			s.target([]int{j})
			return
		}
		e := s.emit(draft{op: opJump})
		s.target([]int{j})
		s.push(&control{r: rs[1], save: -1, isIf: true})
		s.list(n.Else, rs[1])
		s.pop()
		s.target([]int{e})
		return
	}
	cond := s.mask(n.Cond)
	if b, ok := onlyBreak(n); ok && s.direct(b.Target) {
		c := s.stack[len(s.stack)-1]
		c.kill = append(c.kill, s.emit(draft{op: opBreakIf, a: cond}))
		return
	}
	c := s.push(&control{r: rs[0], save: s.newS(), isIf: true})
	j := s.emit(draft{op: opIf, d: c.save, a: cond})
	s.list(n.Then, rs[0])
	s.target(append(c.kill, j))
	c.kill = nil
	if len(n.Else) > 0 {
		c.r = rs[1]
		j := s.emit(draft{op: opElse, d: c.save, a: cond})
		s.list(n.Else, rs[1])
		s.target(append(c.kill, j))
	}
	s.pop()
	s.emit(draft{op: opRestore, a: c.save})
	if s.leftThrough(rs[0]) || s.leftThrough(rs[1]) {
		if k := s.killer(len(s.stack) - 1); k != nil {
			k.kill = append(k.kill, s.emit(draft{op: opJumpEmpty}))
		}
	}
}

func onlyBreak(n *ir.If) (*ir.Break, bool) {
	if len(n.Then) != 1 || len(n.Else) != 0 {
		return nil, false
	}
	b, ok := n.Then[0].(*ir.Break)
	return b, ok
}

// direct reports whether target is the innermost open region.
func (s *selector) direct(target ir.Node) bool {
	c := s.stack[len(s.stack)-1]
	return c.r.node == target && c.save >= 0
}

func (s *selector) block(n *ir.Block, r *region) {
	c := s.push(&control{r: r, save: -1})
	if r.divergent {
		c.save = s.newS()
		s.emit(draft{op: opSave, d: c.save})
	}
	s.list(n.Body, r)
	s.pop()
	s.target(c.kill)
	s.target(c.exits)
	if r.divergent {
		s.restore(c)
	}
}

func (s *selector) loop(n *ir.Loop, r *region) {
	c := s.push(&control{r: r, save: -1})
	if r.divergent {
		c.save = s.newS()
		s.emit(draft{op: opSave, d: c.save})
	}
	top := len(s.code)
	s.list(n.Body, r)
	s.pop()
	s.target(c.kill)
	op := opJumpBack
	if r.divergent {
		op = opLoopEnd
	}
	end := s.emit(draft{op: op, imm: int32(top)})
	s.loopsAt = append(s.loopsAt, [2]int{top, end})
	s.target(c.exits)
	if r.divergent {
		s.restore(c)
	}
}

// leave emits a break: a jump if every active lane leaves with no mask to mend on the way, else the lanes are taken out of
// the masks that regions on the way would restore.
func (s *selector) leave(n *ir.Break, in *region) {
	target := s.regions[n.Target][0]
	var c *control
	at := 0
	for i := len(s.stack) - 1; i >= 0; i-- {
		if s.stack[i].r == target {
			c, at = s.stack[i], i
			break
		}
	}
	if !s.divergentBreak(in, target) {
		c.exits = append(c.exits, s.emit(draft{op: opJump}))
		return
	}
	for _, x := range s.stack[at+1:] {
		if x.save >= 0 {
			s.emit(draft{op: opStrip, d: x.save})
		}
	}
	k := s.killer(len(s.stack) - 1)
	k.kill = append(k.kill, s.emit(draft{op: opKill}))
}

// value emits one operation.
func (s *selector) value(v *ir.Value, in *region) {
	if s.skip[v] {
		return
	}
	switch v.Op {
	case ir.OpGet:
		s.get(v)
	case ir.OpSet:
		s.set(v, in)
	case ir.OpDeclare:
		if v.Var != nil && s.vars[v.Var.Number].poison && len(s.vars[v.Var.Number].gets) > 0 {
			s.poison(v.Var)
		}
	case ir.OpComp:
		// allotted by the load
	case ir.OpLoad, ir.OpStore, ir.OpAtomic:
		s.memory(v)
	case ir.OpBarrier:
		s.emit(draft{op: opBarrier, imm: int32(v.Bits)})
	case ir.OpSimdBarrier:
		s.emit(draft{op: opSimdBarrier, imm: int32(v.Bits)})
	case ir.OpProbe:
		p := &probe{kind: ir.ProbeKind(v.Bits), note: v.Note, root: v.Root, pos: v.Pos}
		for _, a := range v.Args {
			p.args = append(p.args, s.operand(a))
			p.types = append(p.types, a.Type)
		}
		at := s.emit(draft{op: opProbe, imm: int32(len(s.probes))})
		s.touch(at, false, p.args...)
		s.probes = append(s.probes, p)
	case ir.OpFence:
	default:
		switch {
		case v.Op.Cross():
			s.cross(v)
		case s.lanes[v] != nil:
		case s.of(v).kind == based:
			s.scalarOp(v)
		default:
			s.lanesOp(v)
		}
	}
}

// variable gives the register of a variable.
func (s *selector) variable(v *ir.Var) value {
	c := s.vars[v.Number].class
	id := s.varLoc[v.Number]
	kind := inVector
	switch {
	case c.kind != varying:
		kind = inScalar
	case v.Type == ir.Bool:
		kind = inMask
	case v.Type.Wide():
		kind = inPair
	}
	if id < 0 {
		switch kind {
		case inScalar, inMask:
			id = s.newS()
		case inPair:
			id = s.newW()
		default:
			id = s.newV()
		}
		s.varLoc[v.Number] = id
	}
	return value{id, kind}
}

// poison gives a variable a stated value, as reading it before it is set would otherwise find leftovers.
func (s *selector) poison(v *ir.Var) {
	r := s.variable(v)
	bits := uint64(math.MaxUint64)
	switch {
	case v.Type == ir.Bool && r.kind == inScalar:
		bits = 1
	case r.kind == inMask || !v.Type.Wide():
		bits = math.MaxUint32
	}
	s.moveTo(r, s.constant(bits))
}

// moveTo fills register r from a scalar.
func (s *selector) moveTo(r value, from int32) {
	switch r.kind {
	case inScalar, inMask:
		s.emit(draft{op: opMoveS, d: r.id, a: from})
	case inPair:
		s.emit(draft{op: opSplatW, d: r.id, a: from})
	default:
		s.emit(draft{op: opSplat, d: r.id, a: from})
	}
}

// get reads a variable: the register itself, if nothing sets it while the value is used, else a copy.
func (s *selector) get(v *ir.Value) {
	r := s.variable(v.Var)
	if s.stays(v) {
		s.loc[v] = r.id
		return
	}
	d := s.result(v)
	switch r.kind {
	case inScalar, inMask:
		s.emit(draft{op: opMoveS, d: d.id, a: r.id})
	case inPair:
		s.emit(draft{op: opMoveW, d: d.id, a: r.id})
	default:
		s.emit(draft{op: opMove, d: d.id, a: r.id})
	}
}

// stays reports whether the variable keeps its value as long as the result of the get v is used.
func (s *selector) stays(v *ir.Value) bool {
	i := &s.vars[v.Var.Number]
	from, to := s.pos2(v), s.lastUse[v]
	for _, x := range i.sets {
		at := x.pos
		if e, ok := s.early(x); ok {
			at = e
		}
		// Reading its operands is the first thing an operation does: a set at the last use is too late to disturb it.
		if at > from && at < to || at == to && s.analysis.pos[x.v] != to && at > from && !s.elementwise(x.v.Args[0]) {
			return false
		}
	}
	for _, at := range i.declares {
		if i.poison && at > from && at <= to {
			return false
		}
	}
	return true
}

func (s *selector) pos2(n ir.Node) int { return s.analysis.pos[n] }

// early is the position where a set takes effect, if the operation computing its value writes the variable directly.
func (s *selector) early(x site) (int, bool) {
	t := x.v.Args[0]
	if s.inPlace[x.v] {
		return s.pos2(t), true
	}
	return 0, false
}

// elementwise operations read each lane of their operands before writing that lane of the result.
func (s *selector) elementwise(v *ir.Value) bool { return v.Op.Pure() }

// coalesced reports whether the value t of the set x can be computed right into the variable: both stand in one list, the set
// replaces the whole register, and from t on nobody asks for the old value.
func (s *selector) coalesced(x site) bool {
	t := x.v.Args[0]
	i := &s.vars[x.v.Var.Number]
	at, ok := s.analysis.pos[t]
	if !ok || s.where[t] != x.in || s.lanes[t] != nil || s.skip[t] || s.divergentSet(i, x.in) || s.of(t) != i.class {
		return false
	}
	if !t.Op.Pure() && t.Op != ir.OpLoad || t.Op == ir.OpLoad && t.N > 1 {
		return false
	}
	last := s.lastUse[t]
	for _, o := range i.sets {
		if o.v != x.v && o.pos > at && o.pos <= last {
			return false
		}
		if o.v != x.v && o.pos > at && o.pos < x.pos {
			return false
		}
	}
	for _, g := range i.gets {
		if g.pos > at && g.pos < x.pos || g.pos < at && s.lastUse[g.v] > at && g.v != t {
			return false
		}
		if g.pos < at && s.lastUse[g.v] == at && !t.Op.Pure() {
			return false
		}
	}
	if s.firstSet[t] != x.v { // t may serve one variable only
		return false
	}
	// A trip of a loop must not find t where it left the variable.
	for _, d := range i.declares {
		if d > at && d <= last && i.poison {
			return false
		}
	}
	return true
}

// coalesce finds the sets that need no move.
func (s *selector) coalesce() {
	for i := range s.vars {
		for _, x := range s.vars[i].sets {
			t := x.v.Args[0]
			if f := s.firstSet[t]; f == nil || s.pos2(x.v) < s.pos2(f) {
				s.firstSet[t] = x.v
			}
		}
	}
	for i := range s.vars {
		if len(s.vars[i].gets) == 0 {
			continue
		}
		for _, x := range s.vars[i].sets {
			if s.coalesced(x) {
				s.inPlace[x.v] = true
				s.loc[x.v.Args[0]] = s.variable(x.v.Var).id
			}
		}
	}
}

func (s *selector) set(v *ir.Value, in *region) {
	i := &s.vars[v.Var.Number]
	if len(i.gets) == 0 {
		return
	}
	x := v.Args[0]
	r := s.variable(v.Var)
	if s.inPlace[v] {
		return
	}
	masked := s.divergentSet(i, in)
	switch r.kind {
	case inScalar:
		s.emit(draft{op: opMoveS, d: r.id, a: s.scalar(x)})
	case inMask:
		op := opMoveS
		if masked {
			op = opBlendM
		}
		s.emit(draft{op: op, d: r.id, a: s.mask(x)})
	case inPair:
		op := opMoveW
		if masked {
			op = opBlendW
		}
		s.emit(draft{op: op, d: r.id, a: s.vector(x)})
	default:
		op := opMove
		if masked {
			op = opBlend
		} else if s.of(x).isUniform() {
			s.emit(draft{op: opSplat, d: r.id, a: s.scalar(x)})
			return
		}
		s.emit(draft{op: op, d: r.id, a: s.vector(x)})
	}
}
