package num

import "math"

// FMA returns a*b + c with one rounding, for every input including subnormals.
//
// The product is exact in float64; the sum is rounded to odd there, which makes the second rounding, to
// float32, correct (Boldo and Melquiond 2008).
func FMA(a, b, c float32) float32 {
	p := float64(float64(a) * float64(b))
	s := float64(p + float64(c))
	if NearTie(s) {
		return float32(oddSum(p, float64(c), s))
	}
	return float32(s)
}

// NearTie reports whether rounding s, a sum already rounded to float64, once more to float32 may differ
// from rounding the exact sum: s lies in the middle of two float32 values, or is so small that the
// result is subnormal and its rounding point moves. Zero needs no care.
//
// Lane kernels repeat this expression by hand, as it is too large to be inlined with its surroundings.
func NearTie(s float64) bool {
	u := math.Float64bits(s)
	return u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1
}

// oddSum rounds p+c to odd, given s, the same sum rounded to nearest.
func oddSum(p, c, s float64) float64 {
	if s-s != 0 {
		return s
	}
	bb := float64(s - p)
	e := float64(p-float64(s-bb)) + float64(c-bb)
	if e == 0 {
		return s
	}
	u := math.Float64bits(s)
	if u&1 == 0 {
		if (e > 0) == (s > 0) {
			u++
		} else {
			u--
		}
	}
	return math.Float64frombits(u)
}

// FMA16 is the fused multiply-add of three float16 values held as float32, rounded once to float16.
func FMA16(a, b, c float32) float32 {
	p := float64(float64(a) * float64(b))
	return F16ToF32(f16FromOdd(oddSum(p, float64(c), float64(p+float64(c)))))
}

// FMABF16 is the fused multiply-add of three bfloat16 values held as float32, rounded once to bfloat16.
func FMABF16(a, b, c float32) float32 {
	p := float64(float64(a) * float64(b))
	return RoundBF16(Odd32(oddSum(p, float64(c), float64(p+float64(c)))))
}

// Odd32 rounds a value already rounded to odd in float64 to odd in float32, so that one more rounding
// to a narrower format is correct.
func Odd32(s float64) float32 {
	f := float32(s)
	if s-s != 0 || float64(f) == s {
		return f
	}
	if f-f != 0 { // rounded up to infinity: the largest finite value is the odd neighbour
		return math.Float32frombits(math.Float32bits(f) - 1)
	}
	u := math.Float32bits(f)
	if u&1 == 0 {
		if math.Abs(float64(f)) < math.Abs(s) {
			u++
		} else if u&0x7fffffff != 0 {
			u--
		}
		if u&0x7fffffff == 0 {
			u = uint32(math.Float64bits(s)>>32)&0x80000000 | 1
		}
	}
	return math.Float32frombits(u)
}

// f16FromOdd rounds a float64 that was rounded to odd to float16.
func f16FromOdd(s float64) uint16 { return F32ToF16(Odd32(s)) }
