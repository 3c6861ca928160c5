package f16

import "math"

const (
	smallestNormal = 0x1p-14
	quantum        = 0x1p-24 // of subnormal numbers
	dropped        = 52 - 10 // fraction bits of a float64 that float16 has no room for
	// Largest is the largest finite value.
	Largest = 65504
)

// ToFloat64 widens a float16; every value is exact.
func ToFloat64(bits uint16) float64 {
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	var magnitude float64
	switch exponent {
	case 0:
		magnitude = fraction * quantum
	case 0x1f:
		magnitude = math.Inf(1)
		if fraction != 0 {
			return math.NaN()
		}
	default:
		magnitude = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		return math.Copysign(magnitude, -1)
	}
	return magnitude
}

// Round returns the float16 nearest to x, ties to even, as a float64. Magnitudes of 65520 and above become infinite;
// NaN stays NaN; the sign of zero is kept.
func Round(x float64) float64 {
	if !(math.Abs(x) >= smallestNormal) { // subnormal, zero or NaN
		return math.Copysign(float64(math.RoundToEven(float64(x/quantum))*quantum), x)
	}
	bits := math.Float64bits(x)
	if bits<<1 < 0x7ff<<53 { // not infinite: rounding may carry into the exponent, as it should
		bits += 1<<(dropped-1) - 1 + bits>>dropped&1
		bits &^= 1<<dropped - 1
	}
	if r := math.Float64frombits(bits); math.Abs(r) <= Largest {
		return r
	}
	return math.Copysign(math.Inf(1), x)
}
