package types

// Type is one of *Scalar, *Vector, *Matrix, *SimdMatrix, *Array, *Struct, *Pointer, *Atomic, *Enum and *Func.
type Type interface {
	// String returns the type as MSL spells it.
	String() string
	// Size is in bytes, padding included: what sizeof yields, and the stride of an array of it.
	Size() int
	// Align is in bytes, a power of two.
	Align() int
}

// Kind says what a Scalar is.
type Kind uint8

// The scalar kinds. The order of the integer kinds is the order of conversion rank.
const (
	KindInvalid Kind = iota // the type of an expression already reported as wrong
	KindVoid
	KindNull // the type of nullptr
	KindBool
	KindInt8
	KindUint8
	KindInt16
	KindUint16
	KindInt32
	KindUint32
	KindInt64
	KindUint64
	KindHalf
	KindBfloat
	KindFloat
)

// Scalar is void, bool, an integer or a floating-point type. Each is a single shared value.
type Scalar struct {
	kind Kind
	name string
	size int
}

// The scalar types.
var (
	Invalid = &Scalar{KindInvalid, "<invalid>", 0}
	Void    = &Scalar{KindVoid, "void", 0}
	Null    = &Scalar{KindNull, "nullptr_t", 8}
	Bool    = &Scalar{KindBool, "bool", 1}
	Char    = &Scalar{KindInt8, "char", 1}
	Uchar   = &Scalar{KindUint8, "uchar", 1}
	Short   = &Scalar{KindInt16, "short", 2}
	Ushort  = &Scalar{KindUint16, "ushort", 2}
	Int     = &Scalar{KindInt32, "int", 4}
	Uint    = &Scalar{KindUint32, "uint", 4}
	Long    = &Scalar{KindInt64, "long", 8}
	Ulong   = &Scalar{KindUint64, "ulong", 8}
	Half    = &Scalar{KindHalf, "half", 2}
	Bfloat  = &Scalar{KindBfloat, "bfloat", 2}
	Float   = &Scalar{KindFloat, "float", 4}
)

// Numeric lists bool, the integers and the floating-point types, in the order of Kind.
var Numeric = []*Scalar{Bool, Char, Uchar, Short, Ushort, Int, Uint, Long, Ulong, Half, Bfloat, Float}

// Kind returns what s is.
func (s *Scalar) Kind() Kind { return s.kind }

func (s *Scalar) String() string { return s.name }

// Size is 0 for void.
func (s *Scalar) Size() int { return s.size }

// Align is the size, and 1 for void.
func (s *Scalar) Align() int { return max(s.size, 1) }

// Bits is the width of a value: 1 for bool.
func (s *Scalar) Bits() int {
	if s.kind == KindBool {
		return 1
	}
	return 8 * s.size
}

// IsInteger reports an integer type; bool is none.
func (s *Scalar) IsInteger() bool { return s.kind >= KindInt8 && s.kind <= KindUint64 }

// IsSigned reports a signed integer type.
func (s *Scalar) IsSigned() bool {
	return s.kind == KindInt8 || s.kind == KindInt16 || s.kind == KindInt32 || s.kind == KindInt64
}

// IsFloat reports half, bfloat or float.
func (s *Scalar) IsFloat() bool { return s.kind >= KindHalf }

// IsNumeric reports bool, an integer or a floating-point type.
func (s *Scalar) IsNumeric() bool { return s.kind >= KindBool }

// Unsigned returns the unsigned integer type as wide as s, which is an integer.
func (s *Scalar) Unsigned() *Scalar {
	if s.IsSigned() {
		return Numeric[s.kind+1-KindBool]
	}
	return s
}

// Signed returns the signed integer type as wide as s, which is an integer.
func (s *Scalar) Signed() *Scalar {
	if s.IsInteger() && !s.IsSigned() {
		return Numeric[s.kind-1-KindBool]
	}
	return s
}
