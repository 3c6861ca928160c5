package exec

import "github.com/octoryn/assay/engine/msl/internal/ir"

// Shape is the size of a threadgroup in threads.
type Shape [3]int

func (s Shape) threads() int    { return s[0] * s[1] * s[2] }
func (s Shape) simdgroups() int { return (s.threads() + 31) / 32 }

// shapes are what a program is specialised for: the shape of its threadgroups, and that of the launch's full ones. They
// differ at the edges of a grid that full threadgroups do not divide.
type shapes struct {
	actual, full Shape
	ragged       bool
}

func whole(s Shape) shapes { return shapes{actual: s, full: s} }

// specialise gives the builtins that a shape fixes their values, and expresses the others through those that a
// simdgroup holds as scalars, where it can.
func specialise(f *ir.Func, of shapes) *ir.Func {
	s := of.actual
	return ir.Substitute(f, func(b *ir.Builder, k ir.Builtin) *ir.Value {
		c := func(n int) *ir.Value { return b.Const(ir.U32, uint64(n)) }
		flat := s[1] == 1 && s[2] == 1
		switch k {
		case ir.GroupSizeX, ir.GroupSizeY, ir.GroupSizeZ:
			return c(s[k-ir.GroupSizeX])
		case ir.NumSimdgroups:
			return c(s.simdgroups())
		case ir.SimdgroupSize:
			return c(32)
		case ir.ThreadX:
			if flat {
				return b.Builtin(ir.ThreadIndex)
			}
			if s[0]%32 == 0 { // a simdgroup lies in one row
				row := b.Op(ir.OpRem, ir.U32, b.Builtin(ir.SimdgroupIndex), c(s[0]/32))
				return b.Op(ir.OpAdd, ir.U32, b.Op(ir.OpMul, ir.U32, row, c(32)), b.Builtin(ir.Lane))
			}
			return b.Op(ir.OpRem, ir.U32, b.Builtin(ir.ThreadIndex), c(s[0]))
		case ir.ThreadY:
			if s[1] == 1 {
				return c(0)
			}
			row := b.Op(ir.OpDiv, ir.U32, b.Builtin(ir.ThreadIndex), c(s[0]))
			if s[0]%32 == 0 {
				row = b.Op(ir.OpDiv, ir.U32, b.Builtin(ir.SimdgroupIndex), c(s[0]/32))
			}
			return b.Op(ir.OpRem, ir.U32, row, c(s[1]))
		case ir.ThreadZ:
			if s[2] == 1 {
				return c(0)
			}
			if s[0]*s[1]%32 == 0 {
				return b.Op(ir.OpDiv, ir.U32, b.Builtin(ir.SimdgroupIndex), c(s[0]*s[1]/32))
			}
			return b.Op(ir.OpDiv, ir.U32, b.Builtin(ir.ThreadIndex), c(s[0]*s[1]))
		case ir.GridX, ir.GridY, ir.GridZ:
			i := k - ir.GridX
			base := b.Op(ir.OpMul, ir.U32, b.Builtin(ir.GroupX+i), c(of.full[i]))
			return b.Op(ir.OpAdd, ir.U32, base, b.Builtin(ir.ThreadX+i))
		case ir.GridSizeX, ir.GridSizeY, ir.GridSizeZ:
			i := k - ir.GridSizeX
			if of.ragged {
				return nil // a scalar that the launch fills in
			}
			return b.Op(ir.OpMul, ir.U32, b.Builtin(ir.NumGroupsX+i), c(s[i]))
		}
		return nil
	})
}
