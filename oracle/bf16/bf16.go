package bf16

import "math"

const (
	smallestNormal = 0x1p-126
	quantum        = 0x1p-133 // of subnormal numbers
	dropped        = 52 - 7   // fraction bits of a float64 that bfloat16 has no room for
)

// ToFloat64 widens a bfloat16; every value is exact.
func ToFloat64(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }

// Round returns the bfloat16 nearest to x, ties to even, as a float64. Magnitudes of 2^128 - 2^119 and above become
// infinite; NaN stays NaN; the sign of zero is kept.
func Round(x float64) float64 {
	if !(math.Abs(x) >= smallestNormal) { // subnormal, zero or NaN
		return math.Copysign(float64(math.RoundToEven(float64(x/quantum))*quantum), x)
	}
	bits := math.Float64bits(x)
	if bits<<1 < 0x7ff<<53 { // not infinite: rounding may carry into the exponent, as it should
		bits += 1<<(dropped-1) - 1 + bits>>dropped&1
		bits &^= 1<<dropped - 1
	}
	if r := math.Float64frombits(bits); math.Abs(r) < 0x1p128 {
		return r
	}
	return math.Copysign(math.Inf(1), x)
}

// FromFloat64 returns the bits of [Round]. NaN becomes 0x7fc0.
func FromFloat64(x float64) uint16 {
	if x != x {
		return 0x7fc0
	}
	return uint16(math.Float32bits(float32(Round(x))) >> 16)
}
