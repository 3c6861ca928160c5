package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// scalarType is the IR's type of a scalar.
func scalarType(s *types.Scalar) ir.Type {
	switch s.Kind() {
	case types.KindBool:
		return ir.Bool
	case types.KindInt8:
		return ir.I8
	case types.KindUint8:
		return ir.U8
	case types.KindInt16:
		return ir.I16
	case types.KindUint16:
		return ir.U16
	case types.KindInt32:
		return ir.I32
	case types.KindUint32:
		return ir.U32
	case types.KindInt64:
		return ir.I64
	case types.KindUint64:
		return ir.U64
	case types.KindHalf:
		return ir.F16
	case types.KindBfloat:
		return ir.BF16
	case types.KindFloat:
		return ir.F32
	}
	return ir.Void
}

// elemType is the IR type of a scalar, an enumeration, an atomic, or what a vector or matrix is made of.
func elemType(t types.Type) ir.Type {
	switch t := t.(type) {
	case *types.Atomic:
		return scalarType(t.Elem)
	case *types.Matrix:
		return scalarType(t.Elem())
	case *types.SimdMatrix:
		return scalarType(t.Elem())
	}
	if s := types.ScalarOf(t); s != nil {
		return scalarType(s)
	}
	return ir.Void
}

// memType is the type a scalar has in memory: a bool is a byte.
func memType(t ir.Type) ir.Type {
	if t == ir.Bool {
		return ir.U8
	}
	return t
}

// leaf is one scalar of a type.
type leaf struct {
	t   ir.Type
	off int
}

// leaves lists the scalars of t. A pointer is its object's number, then its offset: both at the pointer's place.
func leaves(t types.Type) []leaf {
	var out []leaf
	addLeaves(&out, t, 0)
	return out
}

func addLeaves(out *[]leaf, t types.Type, off int) {
	switch t := t.(type) {
	case *types.Vector:
		e := scalarType(t.Elem())
		for i := range t.Len() {
			*out = append(*out, leaf{e, off + i*t.Elem().Size()})
		}
	case *types.Matrix:
		for i := range t.Cols() {
			addLeaves(out, t.Column(), off+i*t.Column().Size())
		}
	case *types.SimdMatrix:
		addLeaves(out, t.Share(), off)
	case *types.Array:
		for i := range t.Len {
			addLeaves(out, t.Elem, off+i*t.Elem.Size())
		}
	case *types.Struct:
		for _, f := range t.Fields {
			addLeaves(out, f.Type, off+f.Offset)
		}
	case *types.Pointer:
		*out = append(*out, leaf{ir.U32, off}, leaf{ir.I64, off})
	default:
		if e := elemType(t); e != ir.Void {
			*out = append(*out, leaf{e, off})
		}
	}
}

// numLeaves is len(leaves(t)).
func numLeaves(t types.Type) int {
	switch t := t.(type) {
	case *types.Vector:
		return t.Len()
	case *types.Matrix:
		return t.Cols() * t.Rows()
	case *types.SimdMatrix:
		return 2
	case *types.Array:
		return t.Len * numLeaves(t.Elem)
	case *types.Struct:
		n := 0
		for _, f := range t.Fields {
			n += numLeaves(f.Type)
		}
		return n
	case *types.Pointer:
		return 2
	}
	if elemType(t) == ir.Void {
		return 0
	}
	return 1
}

// needsMemory reports types that cannot live in variables: arrays, whose index may be computed, and unions.
func needsMemory(t types.Type) bool {
	switch t := t.(type) {
	case *types.Array, *types.Atomic:
		return true
	case *types.Struct:
		if t.Union {
			return true
		}
		for _, f := range t.Fields {
			if needsMemory(f.Type) {
				return true
			}
		}
	}
	return false
}

func space(s types.Space) ir.Space {
	switch s {
	case types.Device:
		return ir.Device
	case types.Constant:
		return ir.Constant
	case types.Threadgroup:
		return ir.Threadgroup
	}
	return ir.Thread
}
