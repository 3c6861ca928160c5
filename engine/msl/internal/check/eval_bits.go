package check

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/octoryn/assay/engine/msl/internal/num"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// floatBits rounds f to the floating-point type s.
func floatBits(s *types.Scalar, f float32) uint64 {
	switch s {
	case types.Half:
		return uint64(num.F32ToF16(f))
	case types.Bfloat:
		return uint64(num.F32ToBF16(f))
	}
	return uint64(math.Float32bits(f))
}

func bitOf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// unaryBits is op a for a scalar of type s.
func unaryBits(op Op, s *types.Scalar, a uint64) uint64 {
	switch op {
	case Not:
		return a ^ 1
	case BitNot:
		return wrap(s, ^a)
	}
	if s.IsFloat() {
		return a ^ 1<<(s.Bits()-1)
	}
	return wrap(s, -a)
}

// binaryBits is a op b for scalars of type s. An integer divisor is not zero. Sums and products of half and bfloat are
// worked out in float32, which is wide enough for one rounding more to change nothing.
func binaryBits(op Op, s *types.Scalar, a, b uint64) uint64 {
	if s.IsFloat() {
		x, y := floatOf(s, a), floatOf(s, b)
		switch op {
		case Add:
			return floatBits(s, x+y)
		case Sub:
			return floatBits(s, x-y)
		case Mul:
			return floatBits(s, float32(x*y))
		case Div:
			return floatBits(s, x/y)
		case Lt:
			return bitOf(x < y)
		case Le:
			return bitOf(x <= y)
		case Gt:
			return bitOf(x > y)
		case Ge:
			return bitOf(x >= y)
		case Eq:
			return bitOf(x == y)
		}
		return bitOf(x != y)
	}
	return intBits(op, s, a, b)
}

func intBits(op Op, s *types.Scalar, a, b uint64) uint64 {
	signed := s.IsSigned()
	less := func(a, b uint64) bool {
		if signed {
			return int64(a) < int64(b)
		}
		return a < b
	}
	switch op {
	case Add:
		return wrap(s, a+b)
	case Sub:
		return wrap(s, a-b)
	case Mul:
		return wrap(s, a*b)
	case Div:
		if signed {
			return wrap(s, uint64(int64(a)/int64(b)))
		}
		return a / b
	case Rem:
		if signed {
			return wrap(s, uint64(int64(a)%int64(b)))
		}
		return a % b
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Shl:
		return wrap(s, a<<(b&uint64(s.Bits()-1)))
	case Shr:
		n := b & uint64(s.Bits()-1)
		if signed {
			return uint64(int64(a) >> n)
		}
		return a >> n
	case Lt:
		return bitOf(less(a, b))
	case Le:
		return bitOf(!less(b, a))
	case Gt:
		return bitOf(less(b, a))
	case Ge:
		return bitOf(!less(a, b))
	case Eq:
		return bitOf(a == b)
	}
	return bitOf(a != b)
}

// convertBits converts a scalar. Floats to integers truncate; NaN gives 0 and values out of range the nearest.
func convertBits(from, to *types.Scalar, a uint64) uint64 {
	switch {
	case from == to:
		return a
	case to == types.Bool:
		if from.IsFloat() {
			return bitOf(floatOf(from, a) != 0)
		}
		return bitOf(a != 0)
	case to.IsFloat():
		if from.IsFloat() {
			return floatBits(to, floatOf(from, a))
		}
		return intToFloat(from, to, a)
	case from.IsFloat():
		return floatToInt(to, floatOf(from, a))
	}
	return wrap(to, a)
}

// intToFloat rounds once.
func intToFloat(from, to *types.Scalar, a uint64) uint64 {
	negative := from.IsSigned() && int64(a) < 0
	m := a
	if negative {
		m = -a
	}
	if n := bits.Len64(m); n > 53 { // keep 53 bits and whether any of the rest was set
		low := uint64(1)<<(n-53) - 1
		if m&low != 0 {
			m = m&^low | (low + 1)
		}
	}
	d := float64(m)
	if negative {
		d = -d
	}
	if to == types.Float {
		return uint64(math.Float32bits(float32(d)))
	}
	return floatBits(to, roundToOdd(d))
}

func floatToInt(to *types.Scalar, f float32) uint64 {
	low, high := int64(math.MinInt64), uint64(math.MaxInt64)
	if to.IsSigned() {
		low, high = -1<<(to.Bits()-1), 1<<(to.Bits()-1)-1
	} else {
		low, high = 0, ^uint64(0)>>(64-to.Bits())
	}
	d := float64(f)
	switch {
	case d != d:
		return 0
	case d <= float64(low):
		return uint64(low)
	case d >= float64(high):
		return high
	case d < 0:
		return uint64(int64(d))
	}
	return uint64(d)
}

// toBytes writes the bits of a scalar or vector, components in order.
func toBytes(v Value) []byte {
	if v.Elems != nil {
		var out []byte
		for _, e := range v.Elems {
			out = append(out, toBytes(e)...)
		}
		return append(out, make([]byte, v.Type.Size()-len(out))...)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v.Bits)
	return b[:types.ScalarOf(v.Type).Size()]
}

// fromBytes reads a scalar or vector of type t.
func fromBytes(t types.Type, b []byte) Value {
	if vec, ok := t.(*types.Vector); ok {
		out := Value{Type: t}
		for i := range vec.Len() {
			out.Elems = append(out.Elems, fromBytes(vec.Elem(), b[i*vec.Elem().Size():]))
		}
		return out
	}
	s := types.ScalarOf(t)
	var buf [8]byte
	copy(buf[:], b[:s.Size()])
	u := binary.LittleEndian.Uint64(buf[:])
	if s.IsFloat() {
		return Value{Type: t, Bits: u}
	}
	return Value{Type: t, Bits: wrap(s, u)}
}
