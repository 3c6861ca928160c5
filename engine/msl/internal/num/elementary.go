package num

import (
	"math"
	"math/bits"
)

const (
	ln2Hi  = 6.93147180369123816490e-01 // the upper 33 bits of ln 2
	ln2Lo  = 1.90821492927058770002e-10
	log2e  = 1.44269504088896338700e+00
	ln2    = 6.93147180559945286227e-01
	ln10   = 2.30258509299404590109e+00
	halfPi = 1.57079632679489655800e+00
	// 2 ln 2 / 2 and so on are folded by the compiler exactly.
)

// expReduced is e^r for |r| <= 0.35, by the Taylor series to degree 13.
func expReduced(r float64) float64 {
	p := 1.0 / 6227020800
	for _, c := range [...]float64{1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1} {
		p = float64(p*r) + c
	}
	return p
}

// exp64 is e^x with a relative error below 2^-49.
func exp64(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 800:
		return math.Inf(1)
	case x < -800:
		return 0
	}
	k := math.Floor(float64(x*log2e) + 0.5)
	r := float64(x-float64(k*ln2Hi)) - float64(k*ln2Lo)
	return math.Ldexp(expReduced(r), int(k))
}

// exp264 is 2^x with a relative error below 2^-49.
func exp264(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 1100:
		return math.Inf(1)
	case x < -1100:
		return 0
	}
	k := math.Floor(x + 0.5)
	return math.Ldexp(expReduced(float64((x-k)*ln2)), int(k))
}

// logParts returns k and log(m) with x = m * 2^k and m in [sqrt(1/2), sqrt(2)); x is positive and finite.
func logParts(x float64) (k, l float64) {
	m, e := math.Frexp(x)
	if m < 0.70710678118654752440 {
		m *= 2
		e--
	}
	s := float64(m-1) / float64(m+1)
	z := float64(s * s)
	p := 1.0 / 27
	for n := 25.0; n >= 1; n -= 2 {
		p = float64(p*z) + 1/n
	}
	return float64(e), float64(2 * float64(s*p))
}

// log64 is the natural logarithm.
func log64(x float64) float64 {
	if y, ok := logSpecial(x); ok {
		return y
	}
	k, l := logParts(x)
	return float64(k*ln2Hi) + (float64(k*ln2Lo) + l)
}

// log264 is the logarithm to base 2.
func log264(x float64) float64 {
	if y, ok := logSpecial(x); ok {
		return y
	}
	k, l := logParts(x)
	return k + float64(l*log2e)
}

func logSpecial(x float64) (float64, bool) {
	switch {
	case x != x || x < 0:
		return math.NaN(), true
	case x == 0:
		return math.Inf(-1), true
	case x > math.MaxFloat64:
		return x, true
	}
	return 0, false
}

// Exp is e^x.
func Exp(x float32) float32 { return float32(exp64(float64(x))) }

// Exp2 is 2^x.
func Exp2(x float32) float32 { return float32(exp264(float64(x))) }

// Exp10 is 10^x.
func Exp10(x float32) float32 { return float32(exp64(float64(float64(x) * ln10))) }

// Log is the natural logarithm.
func Log(x float32) float32 { return float32(log64(float64(x))) }

// Log2 is the logarithm to base 2.
func Log2(x float32) float32 { return float32(log264(float64(x))) }

// Log10 is the logarithm to base 10.
func Log10(x float32) float32 { return float32(log64(float64(x)) / ln10) }

// Pow is x^y, with the special cases of C99.
func Pow(x, y float32) float32 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return float32(math.NaN())
	}
	odd := Abs(y) < 0x1p24 && Trunc(y) == y && int32(y)&1 == 1
	a := float64(Abs(x))
	if y-y != 0 { // infinite
		switch {
		case a == 1:
			return 1
		case (a > 1) == (y > 0):
			return float32(math.Inf(1))
		}
		return 0
	}
	if x < 0 && x-x == 0 && Trunc(y) != y {
		return float32(math.NaN())
	}
	r := float32(exp264(float64(float64(y) * log264(a))))
	if odd {
		r = Copysign(r, x)
	}
	return r
}

// twoOverPi holds the fraction bits of 2/pi, 64 to a word, the highest first.
var twoOverPi = [...]uint64{0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0}

// reduce returns the quadrant of x modulo 4 and the remainder of x by pi/2 in [-pi/4, pi/4].
// The quotient is formed in integers, so huge arguments lose nothing.
func reduce(x float32) (quadrant int, r float64) {
	u := math.Float32bits(x)
	e := int(u>>23&255) - 150 // x = m * 2^e
	m := uint64(u&0x7fffff | 0x800000)
	if e < -40 {
		return 0, float64(x)
	}
	// Take 128 bits of 2/pi starting so that the product with m keeps two whole bits and 100 of fraction.
	pos := e + 40 - 64 // index of the first needed bit of 2/pi, with 64 zero bits ahead of the binary point
	hi, mid, lo := window(pos), window(pos+64), window(pos+128)
	_, l0 := bits.Mul64(lo, m)
	h0, _ := bits.Mul64(lo, m)
	h1, l1 := bits.Mul64(mid, m)
	_, l2 := bits.Mul64(hi, m)
	_ = l0
	l1, c := bits.Add64(l1, h0, 0)
	l2, _ = bits.Add64(l2, h1, c)
	// l2:l1 now holds x*2/pi with the binary point 24 bits... below the top: see the shift.
	const frac = 24
	whole := l2 >> (64 - frac)
	f := l2<<frac | l1>>(64-frac)
	quadrant = int(whole & 3)
	t := float64(int64(f)) * 0x1p-64 // in [-1/2, 1/2)
	if int64(f) < 0 {
		quadrant++
	}
	r = float64(t * halfPi)
	if u>>31 != 0 {
		quadrant, r = -quadrant, -r
	}
	return quadrant & 3, r
}

// window returns 64 bits of 2/pi from bit pos; bits before 0 are zero.
func window(pos int) uint64 {
	word := func(i int) uint64 {
		if i < 0 || i >= len(twoOverPi) {
			return 0
		}
		return twoOverPi[i]
	}
	i, s := pos>>6, uint(pos&63)
	if s == 0 {
		return word(i)
	}
	return word(i)<<s | word(i+1)>>(64-s)
}

func sinReduced(r float64) float64 {
	z := float64(r * r)
	p := 0.0
	for _, c := range [...]float64{-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6} {
		p = float64(p*z) + c
	}
	return r + float64(r*float64(z*p))
}

func cosReduced(r float64) float64 {
	z := float64(r * r)
	p := 0.0
	for _, c := range [...]float64{1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1} {
		p = float64(p*z) + c
	}
	return p
}

func sincos(x float32) (s, c float64) {
	if x-x != 0 {
		return math.NaN(), math.NaN()
	}
	q, r := reduce(x)
	s, c = sinReduced(r), cosReduced(r)
	switch q {
	case 1:
		s, c = c, -s
	case 2:
		s, c = -s, -c
	case 3:
		s, c = -c, s
	}
	return s, c
}

// Sin is the sine of x radians.
func Sin(x float32) float32 { s, _ := sincos(x); return float32(s) }

// Cos is the cosine of x radians.
func Cos(x float32) float32 { _, c := sincos(x); return float32(c) }

// Tan is the tangent of x radians.
func Tan(x float32) float32 { s, c := sincos(x); return float32(s / c) }

// atan64 is the arc tangent, by argument halving and the series.
func atan64(x float64) float64 {
	if x != x {
		return x
	}
	a := math.Abs(x)
	inv := a > 1
	if inv {
		a = 1 / a
	}
	// atan(a) = 2 atan(a / (1 + sqrt(1 + a^2))), twice: the argument falls below 0.2.
	for range 2 {
		a = a / (1 + math.Sqrt(1+float64(a*a)))
	}
	z := float64(a * a)
	p := 0.0
	for n := 27; n >= 1; n -= 2 {
		c := 1 / float64(n)
		if n&2 != 0 {
			c = -c
		}
		p = float64(p*z) + c
	}
	r := float64(4 * float64(a*p))
	if inv {
		r = halfPi - r
	}
	return math.Copysign(r, x)
}

// Atan is the arc tangent.
func Atan(x float32) float32 { return float32(atan64(float64(x))) }

// Atan2 is the angle of the point (x, y).
func Atan2(y, x float32) float32 {
	a, b := float64(y), float64(x)
	var r float64
	switch {
	case a != a || b != b:
		return float32(math.NaN())
	case a == 0 && b == 0:
		r = 0
	case math.Abs(a) > math.MaxFloat64 && math.Abs(b) > math.MaxFloat64:
		r = halfPi / 2
	default:
		r = atan64(math.Abs(a) / math.Abs(b))
	}
	if math.Signbit(b) {
		r = 2*halfPi - r
	}
	return float32(math.Copysign(r, a))
}

// Asin is the arc sine.
func Asin(x float32) float32 {
	a := float64(x)
	return float32(atan64(a / math.Sqrt(float64((1-a)*(1+a)))))
}

// Acos is the arc cosine.
func Acos(x float32) float32 {
	a := float64(x)
	if a != a || a > 1 || a < -1 {
		return float32(math.NaN())
	}
	return float32(2 * atan64(math.Sqrt(float64(1-a))/math.Sqrt(float64(1+a))))
}

// expm1 is e^x - 1 without cancellation.
func expm1(x float64) float64 {
	if math.Abs(x) > 0.35 {
		return exp64(x) - 1
	}
	p := 0.0
	for n := 17.0; n >= 1; n-- {
		p = float64(float64(p+1)*x) / n
	}
	return p
}

// Sinh is the hyperbolic sine.
func Sinh(x float32) float32 {
	e := expm1(math.Abs(float64(x)))
	if e > 1e300 {
		return Copysign(float32(math.Inf(1)), x)
	}
	return Copysign(float32(float64(e+e/(e+1))/2), x)
}

// Cosh is the hyperbolic cosine.
func Cosh(x float32) float32 {
	e := exp64(math.Abs(float64(x)))
	return float32((e + 1/e) / 2)
}

// Tanh is the hyperbolic tangent.
func Tanh(x float32) float32 {
	a := math.Abs(float64(x))
	if a > 20 {
		return Copysign(1, x)
	}
	e := expm1(2 * a)
	return Copysign(float32(e/(e+2)), x)
}

// Asinh is the inverse hyperbolic sine.
func Asinh(x float32) float32 {
	a := math.Abs(float64(x))
	if a < 1e-4 {
		return x
	}
	return Copysign(float32(log64(a+math.Sqrt(float64(a*a)+1))), x)
}

// Acosh is the inverse hyperbolic cosine; NaN below 1.
func Acosh(x float32) float32 {
	a := float64(x)
	if a < 1 { // where the sum below may cancel to a finite logarithm
		return float32(math.NaN())
	}
	return float32(log64(a + math.Sqrt(float64((a-1)*(a+1)))))
}

// Atanh is the inverse hyperbolic tangent.
func Atanh(x float32) float32 {
	a := float64(x)
	if math.Abs(a) < 1e-4 {
		return x
	}
	return float32(0.5 * log64((1+a)/(1-a)))
}
