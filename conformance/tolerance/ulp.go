package tolerance

import "math"

// ULP64 counts the float64 values between a and b: 0 when they are equal (+0 and -0 are), 1 for neighbours.
// ok is false when either is NaN or infinite; the count is then meaningless.
func ULP64(a, b float64) (ulps uint64, ok bool) {
	if !finite(a, b) {
		return math.MaxUint64, false
	}
	return apart(ordered(math.Float64bits(a), 64), ordered(math.Float64bits(b), 64)), true
}

// ULP32 counts the float32 values between a and b, as [ULP64] does for float64.
func ULP32(a, b float32) (ulps uint64, ok bool) {
	if !finite(float64(a), float64(b)) {
		return math.MaxUint64, false
	}
	return apart(ordered(uint64(math.Float32bits(a)), 32), ordered(uint64(math.Float32bits(b)), 32)), true
}

// ULPFloat16 counts the IEEE binary16 values between two given as bit patterns.
func ULPFloat16(a, b uint16) (ulps uint64, ok bool) { return ulp16(a, b, 0x7c00) }

// ULPBFloat16 counts the bfloat16 values between two given as bit patterns.
func ULPBFloat16(a, b uint16) (ulps uint64, ok bool) { return ulp16(a, b, 0x7f80) }

func ulp16(a, b, exponentMask uint16) (uint64, bool) {
	if a&exponentMask == exponentMask || b&exponentMask == exponentMask {
		return math.MaxUint64, false
	}
	return apart(ordered(uint64(a), 16), ordered(uint64(b), 16)), true
}

// ordered maps the bit pattern of an IEEE number to an integer that rises with the number; both zeros map to 0.
func ordered(bits uint64, width uint) int64 {
	sign := uint64(1) << (width - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}

func apart(a, b int64) uint64 {
	if a < b {
		a, b = b, a
	}
	return uint64(a) - uint64(b)
}
