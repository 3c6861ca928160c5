package ir

// Type is the type of one scalar.
type Type uint8

// The scalar types. Narrow integers are held sign- or zero-extended to 32 bits; F16 and BF16 are held as the
// float32 of the same value.
const (
	Void Type = iota
	Bool
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	U64
	F16
	BF16
	F32
	numTypes
)

var typeNames = [numTypes]string{"void", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32"}
var typeBytes = [numTypes]int{0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4}

// String is the name used by the printer.
func (t Type) String() string { return typeNames[t] }

// Bytes is the size in memory.
func (t Type) Bytes() int { return typeBytes[t] }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t >= F16 }

// IsInt reports whether t is an integer type; Bool is not.
func (t Type) IsInt() bool { return t >= I8 && t <= U64 }

// IsSigned reports whether t is a signed integer type.
func (t Type) IsSigned() bool { return t == I8 || t == I16 || t == I32 || t == I64 }

// Wide reports whether a value takes 64 bits in a register.
func (t Type) Wide() bool { return t == I64 || t == U64 }

// Unsigned is the unsigned integer type of the same size.
func (t Type) Unsigned() Type {
	switch t.Bytes() {
	case 1:
		return U8
	case 2:
		return U16
	case 8:
		return U64
	}
	return U32
}
