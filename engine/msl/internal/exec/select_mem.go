package exec

import "github.com/octoryn/assay/engine/msl/internal/ir"

// term is a 32-bit value that takes part in an offset, widened and scaled.
type term struct {
	v     *ir.Value
	scale int64
}

// offset collects the parts of a byte offset.
type offset struct {
	imm     int64
	uniform []*ir.Value // i64
	pats    []*ir.Value // i64 with a pattern
	narrow  []term      // widened from 32 bits, with a pattern
	index   []term      // widened from 32 bits, varying
	other   bool        // anything else
}

func (s *selector) decompose(v *ir.Value, scale int64, o *offset) {
	if v.IsConst() {
		o.imm += int64(v.Bits) * scale
		return
	}
	c := s.of(v)
	if scale == 1 && c.kind == based && s.lanes[v] == nil {
		if v.Op == ir.OpAdd && !c.isUniform() && (ofLane(v.Args[0]) || ofLane(v.Args[1])) {
			// Base plus place in the row: apart, the base serves many accesses and the rest is known now.
			s.decompose(v.Args[0], scale, o)
			s.decompose(v.Args[1], scale, o)
			return
		}
		if c.isUniform() {
			o.uniform = append(o.uniform, v)
		} else {
			o.pats = append(o.pats, v)
		}
		return
	}
	switch {
	case v.Op == ir.OpAdd:
		s.decompose(v.Args[0], scale, o)
		s.decompose(v.Args[1], scale, o)
	case v.Op == ir.OpMul && v.Args[1].IsConst():
		s.decompose(v.Args[0], scale*int64(v.Args[1].Bits), o)
	case v.Op == ir.OpConvert && v.Args[0].Type.IsInt() && !v.Args[0].Type.Wide():
		t := term{v.Args[0], scale}
		switch s.of(t.v).kind {
		case varying:
			o.index = append(o.index, t)
		default:
			o.narrow = append(o.narrow, t)
		}
	default:
		o.other = true
	}
}

// ofLane reports whether v depends on the lane alone.
func ofLane(v *ir.Value) bool {
	switch {
	case v.Op == ir.OpBuiltin:
		return ir.Builtin(v.Bits) == ir.Lane
	case v.Op == ir.OpAdd || v.Op == ir.OpMul:
		return ofLane(v.Args[0]) && ofLane(v.Args[1])
	case v.Op == ir.OpConvert:
		return ofLane(v.Args[0])
	}
	return v.IsConst()
}

// planAddresses decides how each access forms its address. What the plan names is needed until the access.
func (s *selector) planAddresses() {
	ir.Walk(s.f.Body.Body, func(n ir.Node) {
		v, ok := n.(*ir.Value)
		if !ok || !v.IsMem() {
			return
		}
		o := &offset{}
		off := v.Offset()
		s.decompose(off, 1, o)
		if o.other || len(o.narrow)+len(o.index) > 1 || len(o.index) == 1 && len(o.pats) > 0 {
			o = &offset{other: true}
			if c := s.of(off); c.isUniform() {
				o = &offset{uniform: []*ir.Value{off}}
			} else if c.kind == based {
				o = &offset{pats: []*ir.Value{off}}
			}
		}
		s.plans[v] = o
		for _, x := range o.leaves(off) {
			s.useAt(x, s.pos2(v))
		}
	})
}

// leaves are the values that the plan reads.
func (o *offset) leaves(off *ir.Value) []*ir.Value {
	if o.other {
		return []*ir.Value{off}
	}
	out := append([]*ir.Value{}, o.uniform...)
	out = append(out, o.pats...)
	for _, t := range append(append([]term{}, o.narrow...), o.index...) {
		out = append(out, t.v)
	}
	return out
}

// findUnneeded skips what only served addresses that are formed in another way.
func (s *selector) findUnneeded() {
	needed := map[*ir.Value]bool{}
	var need func(v *ir.Value)
	need = func(v *ir.Value) {
		if needed[v] {
			return
		}
		needed[v] = true
		if s.lanes[v] != nil {
			return
		}
		if x := isTreeSum(v); x != nil && s.skip[v.Args[0]] {
			need(x)
			return
		}
		if v.IsMem() {
			for _, x := range s.plans[v].leaves(v.Offset()) {
				need(x)
			}
			for _, x := range v.Args[1:] {
				need(x)
			}
			return
		}
		for _, x := range v.Args {
			need(x)
		}
	}
	ir.Walk(s.f.Body.Body, func(n ir.Node) {
		switch n := n.(type) {
		case *ir.Value:
			if n.Op.Effect() || n.Op == ir.OpLoad {
				need(n)
			}
		case *ir.If:
			need(n.Cond)
		}
	})
	ir.Walk(s.f.Body.Body, func(n ir.Node) {
		if v, ok := n.(*ir.Value); ok && !needed[v] && v.Op != ir.OpComp {
			s.skip[v] = true
		}
	})
}

// memory emits a load, store or atomic.
func (s *selector) memory(v *ir.Value) {
	m := &memAccess{op: v.Op, elem: v.Mem, size: v.Mem.Bytes(), n: v.N, align: int64(v.Align) - 1, root: -1, rootS: -1, rootV: -1, base: -1, index: -1, narrow: -1, pat: s.analysis.uniform, copied: v.Note == "copy", pos: v.Pos}
	if v.Op == ir.OpAtomic {
		m.atom = ir.AtomicOp(v.Bits)
	}
	if v.Root != nil {
		m.root = v.Root.Number
	} else if r := v.RootOperand(); s.of(r).isUniform() {
		m.rootS = s.scalar(r)
	} else {
		m.rootV = s.vector(r)
	}
	s.address(m, v)
	for _, x := range v.Operands() {
		m.vals = append(m.vals, s.operand(x))
	}
	m.uniform = m.mode == addrPattern && m.narrow < 0 && m.pat == s.analysis.uniform && s.sharedRoot(v, m)
	at := len(s.code)
	var reads []value
	if m.base >= 0 {
		reads = append(reads, value{m.base, inScalar})
	}
	if m.narrow >= 0 {
		reads = append(reads, value{m.narrow, inScalar})
	}
	if m.rootS >= 0 {
		reads = append(reads, value{m.rootS, inScalar})
	}
	if m.rootV >= 0 {
		reads = append(reads, value{m.rootV, inVector})
	}
	if m.index >= 0 && m.mode == addrIndex {
		reads = append(reads, value{m.index, inVector})
	} else if m.index >= 0 {
		reads = append(reads, value{m.index, inPair})
	}
	s.touch(at, false, reads...)
	s.touch(at, false, m.vals...)
	op := opStore
	switch v.Op {
	case ir.OpLoad:
		op = opLoad
		s.loadResults(v, m)
		s.touch(at, true, m.vals...)
	case ir.OpAtomic:
		op = opAtomic
		m.out = s.result(v)
		s.touch(at, true, m.out)
	}
	m.number = len(s.accesses)
	m.finish()
	s.emit(draft{op: op, imm: int32(len(s.accesses))})
	s.accesses = append(s.accesses, m)
}

// sharedRoot reports whether all lanes address one object, and the same.
func (s *selector) sharedRoot(v *ir.Value, m *memAccess) bool {
	if v.Root != nil {
		return v.Root.Space != ir.Thread
	}
	return m.rootS >= 0 && !s.mayBeThread()
}

// loadResults allots the registers of what is loaded; unused components share one that nothing reads.
func (s *selector) loadResults(v *ir.Value, m *memAccess) {
	if v.N == 1 {
		m.vals = []value{s.result(v)}
		return
	}
	m.vals = make([]value, v.N)
	c := s.of(v)
	for i := range m.vals {
		m.vals[i] = value{-1, inVector}
		if c.kind == based {
			m.vals[i].kind = inScalar
		} else if v.Type.Wide() {
			m.vals[i].kind = inPair
		}
	}
	for _, x := range s.comps[v] {
		m.vals[x.Bits] = s.result(x)
	}
}

func (s *selector) address(m *memAccess, v *ir.Value) {
	o := s.plans[v]
	if o.other {
		m.mode, m.index = addrWide, s.vector(v.Offset())
		return
	}
	m.imm = o.imm
	for _, x := range append(o.uniform, o.pats...) {
		r := s.scalar(x)
		if bits, ok := s.literal[r]; ok {
			m.imm += int64(bits)
			continue
		}
		if m.base >= 0 {
			sum := s.newS()
			s.emit(draft{op: opAdd64, d: sum, a: m.base, b: r})
			r = sum
		}
		m.base = r
	}
	for _, x := range o.pats {
		m.pat = s.addPatterns(m.pat, s.of(x).pat, 1)
	}
	if len(o.index) == 1 {
		t := o.index[0]
		m.mode, m.index, m.scale, m.signed = addrIndex, s.vector(t.v), t.scale, t.v.Type.IsSigned()
	}
	if len(o.narrow) == 1 {
		t := o.narrow[0]
		m.scale, m.signed = t.scale, t.v.Type.IsSigned()
		m.narrow, m.narrowP = s.scalar(t.v), s.of(t.v).pat
		m.pat = s.addPatterns(m.pat, m.narrowP, t.scale)
		if bits, ok := s.literal[m.narrow]; ok {
			if n := extend32(uint32(bits), m.signed); !m.wraps(n) {
				m.imm += n * m.scale
				m.narrow = -1
			}
		}
	}
}

func (s *selector) addPatterns(p, q *pattern, scale int64) *pattern {
	d := p.diff
	for i := range d {
		d[i] += q.diff[i] * scale
	}
	return s.pattern(d)
}

// cross emits an operation across lanes.
func (s *selector) cross(v *ir.Value) {
	if v.Op == ir.OpSimdIsFirst {
		s.emit(draft{op: opReduceM, fn: reduceFirst, d: s.result(v).id, a: s.constant(0)})
		return
	}
	x := v.Args[0]
	switch v.Op {
	case ir.OpSimdAll, ir.OpSimdAny, ir.OpBallot:
		m := s.mask(x)
		fn := map[ir.Op]uint8{ir.OpSimdAll: reduceAll, ir.OpSimdAny: reduceAny, ir.OpBallot: reduceBallot}[v.Op]
		s.emit(draft{op: opReduceM, fn: fn, d: s.result(v).id, a: m})
		return
	}
	if v.Op >= ir.OpShuffle && v.Op <= ir.OpRotateDown || v.Op == ir.OpBroadcastFirst {
		if s.of(x).isUniform() {
			s.moveTo(s.result(v), s.scalar(x))
			return
		}
	}
	a := s.vector(x)
	switch {
	case v.Op == ir.OpShuffleXor && v.Args[1].IsConst():
		s.emit(draft{op: opShuffleXor, d: s.result(v).id, a: a, imm: int32(v.Args[1].Bits & 31)})
	case v.Op == ir.OpShuffle && s.of(v.Args[1]).isUniform():
		b := s.scalar(v.Args[1])
		s.emit(draft{op: opLane, d: s.result(v).id, a: a, b: b})
	case v.Op == ir.OpShuffle:
		b := s.vector(v.Args[1])
		s.emit(draft{op: opShuffle, d: s.result(v).id, a: a, b: b})
	case v.Op >= ir.OpShuffleXor && v.Op <= ir.OpRotateDown:
		if s.of(v.Args[1]).isUniform() {
			b := s.scalar(v.Args[1])
			s.emit(draft{op: opCross, fn: uint8(v.Op), d: s.result(v).id, a: a, b: b})
			return
		}
		s.crossGeneric(v)
	default: // reductions and prefixes
		s.crossGeneric(v)
	}
}

// crossGeneric emits a cross-lane operation through its description.
func (s *selector) crossGeneric(v *ir.Value) {
	g := &generic{op: v.Op, t: v.Args[0].Type}
	for _, a := range v.Args {
		if a.Type.Wide() {
			g.args = append(g.args, value{s.vector(a), inPair})
		} else {
			g.args = append(g.args, value{s.vector(a), inVector})
		}
	}
	g.d = s.result(v)
	switch v.Op {
	case ir.OpSimdSum, ir.OpPrefixSumExclusive, ir.OpPrefixSumInclusive:
		g.f = ir.Eval(ir.OpAdd, g.t, g.t)
	case ir.OpSimdProduct, ir.OpPrefixProductExclusive, ir.OpPrefixProductInclusive:
		g.f = ir.Eval(ir.OpMul, g.t, g.t)
	case ir.OpSimdMin:
		g.f = ir.Eval(ir.OpMin, g.t, g.t)
	case ir.OpSimdMax:
		g.f = ir.Eval(ir.OpMax, g.t, g.t)
	case ir.OpSimdAnd:
		g.f = ir.Eval(ir.OpAnd, g.t, g.t)
	case ir.OpSimdOr:
		g.f = ir.Eval(ir.OpOr, g.t, g.t)
	case ir.OpSimdXor:
		g.f = ir.Eval(ir.OpXor, g.t, g.t)
	}
	at := s.emit(draft{op: opCrossGeneric, imm: int32(len(s.generics))})
	s.touch(at, false, g.args...)
	s.touch(at, true, g.d)
	s.generics = append(s.generics, g)
}
