package exec

import "github.com/octoryn/assay/engine/msl/internal/ir"

// span is an interval of integers, both ends included.
type span struct {
	lo, hi int64
	ok     bool
}

// exact reports whether the 32-bit value v, seen as an integer, differs from lane to lane by its pattern without
// wrapping: then widening keeps the pattern.
func (a *analysis) exact(v *ir.Value) bool { return a.span(v, 8).ok }

// span bounds the value of v in every lane, if the operations leading to it cannot wrap. depth limits the search.
func (a *analysis) span(v *ir.Value, depth int) span {
	if s, ok := a.ranges[v]; ok {
		return s
	}
	if depth == 0 {
		return span{}
	}
	s := a.findSpan(v, depth-1)
	if s.ok {
		lo, hi := int64(0), int64(1)<<32-1
		if v.Type == ir.I32 {
			lo, hi = -1<<31, 1<<31-1
		}
		if v.Type.Wide() {
			lo, hi = -1<<62, 1<<62
		}
		if s.lo < lo || s.hi > hi {
			s = span{}
		}
	}
	a.ranges[v] = s
	return s
}

func (a *analysis) findSpan(v *ir.Value, depth int) span {
	if !v.Type.IsInt() {
		return span{}
	}
	var x, y span
	if len(v.Args) > 0 && v.Op.Pure() && v.Op != ir.OpSelect {
		if !v.Args[0].Type.IsInt() {
			return span{}
		}
		x = a.span(v.Args[0], depth)
		if len(v.Args) > 1 {
			y = a.span(v.Args[1], depth)
		}
	}
	switch v.Op {
	case ir.OpConst:
		c := int64(ir.Extend(v.Type, v.Bits))
		return span{c, c, true}
	case ir.OpBuiltin:
		return a.builtinSpan(ir.Builtin(v.Bits))
	case ir.OpLoad, ir.OpComp, ir.OpGet:
		switch v.Type {
		case ir.U8:
			return span{0, 255, true}
		case ir.U16:
			return span{0, 65535, true}
		case ir.I8:
			return span{-128, 127, true}
		case ir.I16:
			return span{-32768, 32767, true}
		}
	case ir.OpAdd:
		if x.ok && y.ok {
			return span{x.lo + y.lo, x.hi + y.hi, true}
		}
	case ir.OpSub:
		if x.ok && y.ok {
			return span{x.lo - y.hi, x.hi - y.lo, true}
		}
	case ir.OpMul:
		if x.ok && y.ok && x.lo >= 0 && y.lo >= 0 && x.hi < 1<<31 && y.hi < 1<<31 {
			return span{x.lo * y.lo, x.hi * y.hi, true}
		}
	case ir.OpAnd:
		if y.ok && y.lo >= 0 {
			return span{0, y.hi, true}
		}
	case ir.OpShr:
		if x.ok && x.lo >= 0 && v.Args[1].IsConst() {
			k := v.Args[1].Bits & 31
			return span{x.lo >> k, x.hi >> k, true}
		}
		if v.Type == ir.U32 && v.Args[1].IsConst() && v.Args[1].Bits&31 != 0 {
			return span{0, 1<<32 - 1>>(v.Args[1].Bits&31), true}
		}
	case ir.OpDiv:
		if x.ok && x.lo >= 0 && y.ok && y.lo > 0 {
			return span{x.lo / y.hi, x.hi / y.lo, true}
		}
	case ir.OpRem:
		if y.ok && y.lo > 0 && v.Type == ir.U32 {
			return span{0, y.hi - 1, true}
		}
	case ir.OpMin:
		if x.ok && y.ok {
			return span{min(x.lo, y.lo), min(x.hi, y.hi), true}
		}
	case ir.OpSelect:
		x, y = a.span(v.Args[1], depth), a.span(v.Args[2], depth)
		if x.ok && y.ok {
			return span{min(x.lo, y.lo), max(x.hi, y.hi), true}
		}
	case ir.OpConvert:
		if x.ok && v.Type.Bytes() >= 4 {
			return x
		}
	}
	return span{}
}

func (a *analysis) builtinSpan(b ir.Builtin) span {
	n := int64(a.shape.threads())
	switch b {
	case ir.Lane:
		return span{0, 31, true}
	case ir.SimdgroupIndex, ir.NumSimdgroups:
		return span{0, (n + 31) / 32, true}
	case ir.SimdgroupSize:
		return span{32, 32, true}
	case ir.ThreadIndex, ir.ThreadX, ir.ThreadY, ir.ThreadZ, ir.GroupSizeX, ir.GroupSizeY, ir.GroupSizeZ:
		// The lanes past the last thread of a partial simdgroup are computed too.
		return span{0, (n + 31) &^ 31, true}
	}
	return span{}
}
