package exec

import (
	"math/bits"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// findFused marks the operations that a later one absorbs: values used once, by a pattern that has an instruction.
//
//	float(int((x >> s) & m) + b)       -> field
//	fma(float(...as above...), y, z)   -> field_fma
//	x + shuffle_xor(x, m)              -> xor_add
func (s *selector) findFused() {
	ir.Walk(s.f.Body.Body, func(n ir.Node) {
		v, ok := n.(*ir.Value)
		if !ok || !v.Op.Pure() {
			return
		}
		if x := isTreeSum(v); x != nil && s.of(v).isUniform() && !s.allUniform(v) {
			s.absorbTree(v, x)
			return
		}
		if s.of(v).kind != varying || s.lanes[v] != nil {
			return
		}
		switch {
		case v.Op == ir.OpConvert && v.Type == ir.F32:
			if _, _, inner := s.field(v); inner != nil {
				s.absorb(v, inner)
			}
		case v.Op == ir.OpFma && v.Type == ir.F32:
			for i := range 2 {
				f, o := v.Args[i], v.Args[1-i]
				_, _, inner := s.field(f)
				if inner == nil || s.uses[f] != 1 || s.where[f] != s.where[v] || s.of(o).isUniform() || s.of(v.Args[2]).isUniform() {
					continue
				}
				s.absorb(v, append(inner, f))
				break
			}
		case v.Op == ir.OpAdd && v.Type == ir.F32:
			for i := range 2 {
				x, y := v.Args[i], v.Args[1-i]
				if y.Op == ir.OpShuffleXor && y.Args[0] == x && y.Args[1].IsConst() && s.uses[y] == 1 && s.of(y).kind == varying && s.where[y] == s.where[v] {
					s.absorb(v, []*ir.Value{y})
					break
				}
			}
		}
	})
}

// absorb skips the values of list, which v computes itself: their operands are needed until then.
func (s *selector) absorb(v *ir.Value, list []*ir.Value) {
	for _, x := range list {
		s.skip[x] = true
		for _, y := range x.Args {
			s.useAt(y, s.analysis.pos[v])
		}
	}
}

// absorbTree skips the steps of a butterfly that nothing else uses.
func (s *selector) absorbTree(v, bottom *ir.Value) {
	top := v
	for v != bottom {
		x, y := v.Args[0], v.Args[1]
		if y.Op != ir.OpShuffleXor || y.Args[0] != x {
			x, y = y, x
		}
		if s.uses[y] != 1 || v != top && s.uses[v] != 2 {
			return
		}
		v = x
	}
	for v = top; v != bottom; {
		x, y := v.Args[0], v.Args[1]
		if y.Op != ir.OpShuffleXor || y.Args[0] != x {
			x, y = y, x
		}
		s.skip[y] = true
		if v != top {
			s.skip[v] = true
		}
		v = x
	}
	s.useAt(bottom, s.pos2(top))
}

// field recognises float(int(((x >> shift) & mask)) + bias) and returns the operations inside that only it uses; the values
// must fit 24 bits, so that the conversion is exact.
func (s *selector) field(v *ir.Value) (x *ir.Value, k fieldToF32, inner []*ir.Value) {
	if v.Op != ir.OpConvert || v.Type != ir.F32 || s.of(v).kind != varying || s.lanes[v] != nil {
		return nil, k, nil
	}
	w := v.Args[0]
	take := func() bool {
		if s.uses[w] != 1 || s.where[w] != s.where[v] || s.lanes[w] != nil || s.of(w).kind != varying {
			return false
		}
		inner = append(inner, w)
		return true
	}
	if w.Op == ir.OpAdd && w.Type == ir.I32 && w.Args[1].IsConst() {
		k.bias = int32(w.Args[1].Bits)
		if k.bias < -1<<22 || k.bias > 1<<22 || !take() {
			return nil, k, nil
		}
		w = w.Args[0]
	}
	for w.Op == ir.OpConvert && w.Type.Bytes() == 4 && w.Type.IsInt() && w.Args[0].Type.IsInt() && w.Args[0].Type.Bytes() == 4 {
		if !take() {
			return nil, k, nil
		}
		w = w.Args[0]
	}
	if w.Op != ir.OpAnd || !w.Args[1].IsConst() || bits.Len32(uint32(w.Args[1].Bits)) > 22 || w.Type.Bytes() != 4 || !take() {
		return nil, k, nil
	}
	k.mask = uint32(w.Args[1].Bits)
	w = w.Args[0]
	if w.Op == ir.OpShr && w.Args[1].IsConst() && (w.Type == ir.U32 || bits.Len32(k.mask)+int(w.Args[1].Bits&31) <= 32) && w.Type.Bytes() == 4 &&
		s.uses[w] == 1 && s.where[w] == s.where[v] && s.lanes[w] == nil {
		k.shift = uint32(w.Args[1].Bits & 31)
		inner = append(inner, w)
		w = w.Args[0]
	}
	if s.of(w).kind != varying || s.lanes[w] != nil {
		return nil, k, nil
	}
	return w, k, inner
}

// fused emits the patterns that findFused marked.
func (s *selector) fused(v *ir.Value) bool {
	switch {
	case v.Op == ir.OpConvert && v.Type == ir.F32:
		x, k, inner := s.field(v)
		if inner == nil || !s.skip[inner[0]] {
			return false
		}
		d := s.result(v).id
		s.emit(draft{op: opField, d: d, a: s.vector(x), imm: s.fieldNo(k)})
		return true
	case v.Op == ir.OpFma && v.Type == ir.F32:
		for i := range 2 {
			f := v.Args[i]
			if !s.skip[f] {
				continue
			}
			x, k, _ := s.field(f)
			d := s.result(v).id
			s.emit(draft{op: opFieldFma, d: d, a: s.vector(x), b: s.vector(v.Args[1-i]), c: s.vector(v.Args[2]), imm: s.fieldNo(k)})
			return true
		}
	}
	return false
}

func (s *selector) fieldNo(k fieldToF32) int32 {
	for i, x := range s.fields {
		if x == k {
			return int32(i)
		}
	}
	s.fields = append(s.fields, k)
	return int32(len(s.fields) - 1)
}
