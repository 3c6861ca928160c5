package check

import (
	"fmt"
	"math"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Value is a constant. A scalar or enumeration is Bits; a vector, array or struct is Elems, one for each component,
// element or field.
//
// Bits of an integer are its two's complement, sign-extended to 64 bits if the type is signed and zero-extended if not;
// of a bool 0 or 1; of half, bfloat and float the pattern of that format.
type Value struct {
	Type  types.Type
	Bits  uint64
	Elems []Value
}

// Int returns an integer's value, sign-extended if its type is signed.
func (v Value) Int() int64 { return int64(v.Bits) }

// Bool reports whether a scalar's bits are not all zero.
func (v Value) Bool() bool { return v.Bits != 0 }

// Float returns the value of a half, bfloat or float.
func (v Value) Float() float32 { return floatOf(types.ScalarOf(v.Type), v.Bits) }

// Zero returns the value of t with all bits zero; t is no pointer and holds none.
func Zero(t types.Type) Value {
	v := Value{Type: t}
	switch t := t.(type) {
	case *types.Vector:
		v.Elems = make([]Value, t.Len())
		for i := range v.Elems {
			v.Elems[i] = Zero(t.Elem())
		}
	case *types.Matrix:
		v.Elems = make([]Value, t.Cols())
		for i := range v.Elems {
			v.Elems[i] = Zero(t.Column())
		}
	case *types.SimdMatrix:
		v.Elems = []Value{Zero(t.Elem()), Zero(t.Elem())}
	case *types.Array:
		v.Elems = make([]Value, t.Len)
		for i := range v.Elems {
			v.Elems[i] = Zero(t.Elem)
		}
	case *types.Struct:
		v.Elems = make([]Value, len(t.Fields))
		for i := range v.Elems {
			v.Elems[i] = Zero(t.Fields[i].Type)
		}
	}
	return v
}

// IntValue returns n as a value of the scalar or enumeration t, wrapped to its width; t is no float.
func IntValue(t types.Type, n int64) Value {
	return Value{Type: t, Bits: wrap(types.ScalarOf(t), uint64(n))}
}

// BoolValue returns b.
func BoolValue(b bool) Value {
	if b {
		return Value{Type: types.Bool, Bits: 1}
	}
	return Value{Type: types.Bool}
}

// FloatValue returns f as a float.
func FloatValue(f float32) Value {
	return Value{Type: types.Float, Bits: uint64(math.Float32bits(f))}
}

// wrap reduces bits to the width of the integer type s, extended as Value says.
func wrap(s *types.Scalar, bits uint64) uint64 {
	if s.Kind() == types.KindBool {
		return bits & 1
	}
	shift := 64 - s.Bits()
	if s.IsSigned() {
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits << shift >> shift
}

// String returns the value as a literal of its type: 7u, 0.5f, {1, 2}.
func (v Value) String() string {
	switch t := v.Type.(type) {
	case *types.Vector, *types.Array, *types.Struct, *types.Matrix, *types.SimdMatrix:
		s := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			s[i] = e.String()
		}
		if _, ok := t.(*types.Vector); ok {
			return fmt.Sprintf("%s(%s)", t, strings.Join(s, ", "))
		}
		return "{" + strings.Join(s, ", ") + "}"
	}
	s := types.ScalarOf(v.Type)
	switch {
	case s == nil:
		return "nullptr"
	case s == types.Bool:
		return fmt.Sprint(v.Bits != 0)
	case s.IsFloat():
		return fmt.Sprintf("%s(%v)", s, v.Float())
	case s == types.Int:
		return fmt.Sprint(v.Int())
	case s == types.Uint:
		return fmt.Sprintf("%du", v.Bits)
	case s.IsSigned():
		return fmt.Sprintf("%s(%d)", s, v.Int())
	}
	return fmt.Sprintf("%s(%d)", s, v.Bits)
}
