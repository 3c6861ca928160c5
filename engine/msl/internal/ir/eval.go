package ir

import (
	"math"
	"math/bits"

	"github.com/octoryn/assay/engine/msl/internal/num"
)

// Scalar is the meaning of a pure operation on bits as registers hold them: integers extended to 32 or 64 bits
// according to their type, bool as 0 or 1, every float as the bits of a float32. Unused operands are 0.
type Scalar func(a, b, c uint64) uint64

func f32(u uint64) float32   { return math.Float32frombits(uint32(u)) }
func bitsF(f float32) uint64 { return uint64(math.Float32bits(f)) }
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Normalise brings a 64-bit integer into the register form of t, dropping high bits.
func Normalise(t Type, v uint64) uint64 {
	switch t {
	case Bool:
		return bit(v != 0)
	case I8:
		return uint64(uint32(int32(int8(v))))
	case U8:
		return v & 0xff
	case I16:
		return uint64(uint32(int32(int16(v))))
	case U16:
		return v & 0xffff
	case I64, U64:
		return v
	}
	return v & 0xffffffff
}

// Extend is the value of a register of integer type t as 64 bits, sign-extended for signed types.
func Extend(t Type, v uint64) uint64 {
	if t.IsSigned() && t != I64 {
		return uint64(int64(int32(v)))
	}
	return v
}

// roundTo rounds a float32 to the format t.
func roundTo(t Type, f float32) float32 {
	switch t {
	case F16:
		return num.RoundF16(f)
	case BF16:
		return num.RoundBF16(f)
	}
	return f
}

// Func1, Func2 and Func3 are float32 functions of the library.
type (
	func1 func(float32) float32
	func2 func(a, b float32) float32
)

var float1 = map[Op]func1{
	OpNeg:  func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) ^ 1<<31) },
	OpAbs:  num.Abs,
	OpSqrt: num.Sqrt, OpRsqrt: num.Rsqrt, OpFloor: num.Floor, OpCeil: num.Ceil, OpTrunc: num.Trunc, OpRint: num.Rint, OpRound: num.Round,
	OpExp: num.Exp, OpExp2: num.Exp2, OpExp10: num.Exp10, OpLog: num.Log, OpLog2: num.Log2, OpLog10: num.Log10,
	OpSin: num.Sin, OpCos: num.Cos, OpTan: num.Tan, OpAsin: num.Asin, OpAcos: num.Acos, OpAtan: num.Atan,
	OpSinh: num.Sinh, OpCosh: num.Cosh, OpTanh: num.Tanh, OpAsinh: num.Asinh, OpAcosh: num.Acosh, OpAtanh: num.Atanh,
	OpFrexpMantissa: func(x float32) float32 { m, _ := num.Frexp(x); return m },
}

var float2 = map[Op]func2{
	OpAdd: func(a, b float32) float32 { return a + b },
	OpSub: func(a, b float32) float32 { return a - b },
	OpMul: func(a, b float32) float32 { return float32(a * b) },
	OpDiv: func(a, b float32) float32 { return a / b },
	OpMin: num.Min, OpMax: num.Max, OpMod: num.Mod, OpRem: num.Mod, OpCopysign: num.Copysign,
	OpNextafter: num.Nextafter, OpPow: num.Pow, OpAtan2: num.Atan2,
}

// Eval returns the meaning of op on operands of type t; to is the result type of a conversion. It returns nil
// for operations that are not pure or do not exist for t.
func Eval(op Op, t, to Type) Scalar {
	switch op {
	case OpSelect:
		return func(c, a, b uint64) uint64 {
			if c != 0 {
				return a
			}
			return b
		}
	case OpConvert:
		return convert(t, to)
	case OpBitcast:
		return bitcast(t, to)
	case OpEq, OpNe, OpLt, OpLe:
		return compare(op, t)
	}
	switch {
	case t.IsFloat():
		return evalFloat(op, t)
	case t == Bool:
		return evalBool(op)
	case t.IsInt():
		return evalInt(op, t)
	}
	return nil
}

func evalFloat(op Op, t Type) Scalar {
	if f := float1[op]; f != nil {
		if t == F32 {
			return func(a, _, _ uint64) uint64 { return bitsF(f(f32(a))) }
		}
		return func(a, _, _ uint64) uint64 { return bitsF(roundTo(t, f(f32(a)))) }
	}
	if f := float2[op]; f != nil {
		if op == OpNextafter && t != F32 {
			return nil
		}
		if t == F32 {
			return func(a, b, _ uint64) uint64 { return bitsF(f(f32(a), f32(b))) }
		}
		return func(a, b, _ uint64) uint64 { return bitsF(roundTo(t, f(f32(a), f32(b)))) }
	}
	switch op {
	case OpFma:
		f := num.FMA
		if t == F16 {
			f = num.FMA16
		} else if t == BF16 {
			f = num.FMABF16
		}
		return func(a, b, c uint64) uint64 { return bitsF(f(f32(a), f32(b), f32(c))) }
	case OpLdexp:
		return func(a, b, _ uint64) uint64 { return bitsF(roundTo(t, num.Ldexp(f32(a), int32(b)))) }
	case OpFrexpExponent:
		return func(a, _, _ uint64) uint64 { _, e := num.Frexp(f32(a)); return uint64(uint32(e)) }
	case OpIsNan:
		return func(a, _, _ uint64) uint64 { return bit(f32(a) != f32(a)) }
	case OpIsInf:
		return func(a, _, _ uint64) uint64 { return bit(a&0x7fffffff == 0x7f800000) }
	case OpSignbit:
		return func(a, _, _ uint64) uint64 { return a >> 31 & 1 }
	}
	return nil
}

func evalBool(op Op) Scalar {
	switch op {
	case OpAnd:
		return func(a, b, _ uint64) uint64 { return a & b }
	case OpOr:
		return func(a, b, _ uint64) uint64 { return a | b }
	case OpXor:
		return func(a, b, _ uint64) uint64 { return a ^ b }
	case OpNot:
		return func(a, _, _ uint64) uint64 { return a ^ 1 }
	}
	return nil
}

func evalInt(op Op, t Type) Scalar {
	x := func(v uint64) uint64 { return Extend(t, v) }
	n := func(v uint64) uint64 { return Normalise(t, v) }
	signed := t.IsSigned()
	width := uint64(max(t.Bytes()*8, 32)) // narrow operands are promoted
	real := uint64(t.Bytes() * 8)
	low := func(v uint64) uint64 { // the bits of the type alone
		if real == 64 {
			return v
		}
		return v & (1<<real - 1)
	}
	switch op {
	case OpAdd:
		return func(a, b, _ uint64) uint64 { return n(a + b) }
	case OpSub:
		return func(a, b, _ uint64) uint64 { return n(a - b) }
	case OpMul:
		return func(a, b, _ uint64) uint64 { return n(a * b) }
	case OpNeg:
		return func(a, _, _ uint64) uint64 { return n(-a) }
	case OpAnd:
		return func(a, b, _ uint64) uint64 { return n(a & b) }
	case OpOr:
		return func(a, b, _ uint64) uint64 { return n(a | b) }
	case OpXor:
		return func(a, b, _ uint64) uint64 { return n(a ^ b) }
	case OpNot:
		return func(a, _, _ uint64) uint64 { return n(^a) }
	case OpDiv:
		if signed {
			return func(a, b, _ uint64) uint64 {
				if b == 0 {
					return 0
				}
				return n(uint64(int64(x(a)) / int64(x(b))))
			}
		}
		return func(a, b, _ uint64) uint64 {
			if b == 0 {
				return 0
			}
			return a / b
		}
	case OpRem:
		if signed {
			return func(a, b, _ uint64) uint64 {
				if b == 0 {
					return 0
				}
				return n(uint64(int64(x(a)) % int64(x(b))))
			}
		}
		return func(a, b, _ uint64) uint64 {
			if b == 0 {
				return 0
			}
			return a % b
		}
	case OpShl:
		return func(a, b, _ uint64) uint64 { return n(a << (b & (width - 1))) }
	case OpShr:
		if signed {
			return func(a, b, _ uint64) uint64 { return n(uint64(int64(x(a)) >> (b & (width - 1)))) }
		}
		return func(a, b, _ uint64) uint64 { return n(a >> (b & (width - 1))) }
	case OpMin, OpMax:
		wantLess := op == OpMin
		return func(a, b, _ uint64) uint64 {
			less := a < b
			if signed {
				less = int64(x(a)) < int64(x(b))
			}
			if less == wantLess {
				return a
			}
			return b
		}
	case OpAbs:
		return func(a, _, _ uint64) uint64 {
			if signed && int64(x(a)) < 0 {
				return n(-a)
			}
			return a
		}
	case OpMulHi:
		switch {
		case t == I64:
			return func(a, b, _ uint64) uint64 {
				h, _ := bits.Mul64(a, b)
				return h - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
			}
		case t == U64:
			return func(a, b, _ uint64) uint64 { h, _ := bits.Mul64(a, b); return h }
		case signed:
			return func(a, b, _ uint64) uint64 { return n(uint64(int64(x(a)) * int64(x(b)) >> real)) }
		}
		return func(a, b, _ uint64) uint64 { return n(a * b >> real) }
	case OpClz:
		return func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(low(a))) - (64 - real) }
	case OpCtz:
		return func(a, _, _ uint64) uint64 { return min(uint64(bits.TrailingZeros64(low(a))), real) }
	case OpPopcount:
		return func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(low(a))) }
	case OpReverseBits:
		return func(a, _, _ uint64) uint64 { return n(bits.Reverse64(low(a)) >> (64 - real)) }
	}
	return nil
}

func compare(op Op, t Type) Scalar {
	switch {
	case t.IsFloat():
		switch op {
		case OpEq:
			return func(a, b, _ uint64) uint64 { return bit(f32(a) == f32(b)) }
		case OpNe:
			return func(a, b, _ uint64) uint64 { return bit(f32(a) != f32(b)) }
		case OpLt:
			return func(a, b, _ uint64) uint64 { return bit(f32(a) < f32(b)) }
		}
		return func(a, b, _ uint64) uint64 { return bit(f32(a) <= f32(b)) }
	case op == OpEq:
		return func(a, b, _ uint64) uint64 { return bit(a == b) }
	case op == OpNe:
		return func(a, b, _ uint64) uint64 { return bit(a != b) }
	case t.IsSigned() && op == OpLt:
		return func(a, b, _ uint64) uint64 { return bit(int64(Extend(t, a)) < int64(Extend(t, b))) }
	case t.IsSigned():
		return func(a, b, _ uint64) uint64 { return bit(int64(Extend(t, a)) <= int64(Extend(t, b))) }
	case op == OpLt:
		return func(a, b, _ uint64) uint64 { return bit(a < b) }
	}
	return func(a, b, _ uint64) uint64 { return bit(a <= b) }
}

// convert gives MSL's value conversion: integers wrap, float to integer truncates and saturates (NaN gives 0),
// integer to float and float to float round to nearest even.
func convert(from, to Type) Scalar {
	switch {
	case to == Bool && from.IsFloat():
		return func(a, _, _ uint64) uint64 { return bit(f32(a) != 0) }
	case to == Bool:
		return func(a, _, _ uint64) uint64 { return bit(a != 0) }
	case from.IsFloat() && to.IsFloat():
		if to == F32 || to == from {
			return func(a, _, _ uint64) uint64 { return a }
		}
		return func(a, _, _ uint64) uint64 { return bitsF(roundTo(to, f32(a))) }
	case from.IsFloat():
		return floatToInt(to)
	case to.IsFloat():
		round := func(v float64) uint64 { return bitsF(float32(v)) }
		if to == BF16 {
			round = func(v float64) uint64 { return bitsF(num.RoundBF16(num.Odd32(v))) }
		} else if to == F16 {
			round = func(v float64) uint64 { return bitsF(num.RoundF16(num.Odd32(v))) }
		}
		switch {
		case from == I64 && to == F32:
			return func(a, _, _ uint64) uint64 { return bitsF(num.I64ToF32(int64(a))) }
		case from == U64 && to == F32:
			return func(a, _, _ uint64) uint64 { return bitsF(num.U64ToF32(a)) }
		case from == U64:
			return func(a, _, _ uint64) uint64 { return bitsF(roundTo(to, num.U64ToF32(a))) }
		}
		return func(a, _, _ uint64) uint64 { return round(float64(int64(Extend(from, a)))) }
	}
	return func(a, _, _ uint64) uint64 { return Normalise(to, Extend(from, a)) }
}

func floatToInt(to Type) Scalar {
	switch to {
	case I32:
		return func(a, _, _ uint64) uint64 { return uint64(uint32(num.F32ToI32(f32(a)))) }
	case U32:
		return func(a, _, _ uint64) uint64 { return uint64(num.F32ToU32(f32(a))) }
	case I64:
		return func(a, _, _ uint64) uint64 { return uint64(num.F32ToI64(f32(a))) }
	case U64:
		return func(a, _, _ uint64) uint64 { return num.F32ToU64(f32(a)) }
	}
	w := uint(to.Bytes() * 8)
	lo, hi := int32(0), int32(1)<<w-1
	if to.IsSigned() {
		lo, hi = -int32(1)<<(w-1), int32(1)<<(w-1)-1
	}
	return func(a, _, _ uint64) uint64 { return uint64(uint32(min(max(num.F32ToI32(f32(a)), lo), hi))) }
}

// bitcast reinterprets the bits of a type as those of another of the same size.
func bitcast(from, to Type) Scalar {
	if from.Bytes() != to.Bytes() {
		return nil
	}
	out := func(a uint64) uint64 { return a } // the bits in memory
	switch from {
	case F16:
		out = func(a uint64) uint64 { return uint64(num.F32ToF16(f32(a))) }
	case BF16:
		out = func(a uint64) uint64 { return uint64(num.F32ToBF16(f32(a))) }
	}
	return func(a, _, _ uint64) uint64 { return FromMemory(to, out(a)) }
}

// FromMemory is the register form of the little-endian bits of a t in memory.
func FromMemory(t Type, v uint64) uint64 {
	switch t {
	case F16:
		return bitsF(num.F16ToF32(uint16(v)))
	case BF16:
		return bitsF(num.BF16ToF32(uint16(v)))
	}
	return Normalise(t, v)
}

// ToMemory is the inverse of FromMemory: the bits to store, in the low t.Bytes() bytes.
func ToMemory(t Type, v uint64) uint64 {
	switch t {
	case F16:
		return uint64(num.F32ToF16(f32(v)))
	case BF16:
		return uint64(num.F32ToBF16(f32(v)))
	}
	return v
}
