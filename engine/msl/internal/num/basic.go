package num

import "math"

// Sqrt is correctly rounded.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Rsqrt is 1/sqrt(x) evaluated in float64 and rounded once.
func Rsqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// Floor is the largest whole number not above x.
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// Ceil is the smallest whole number not below x.
func Ceil(x float32) float32 { return float32(math.Ceil(float64(x))) }

// Trunc drops the fraction.
func Trunc(x float32) float32 { return float32(math.Trunc(float64(x))) }

// Rint rounds to a whole number, ties to even.
func Rint(x float32) float32 {
	if a := Abs(x); a < 0x1p23 {
		return Copysign(float32(a+0x1p23)-0x1p23, x)
	}
	return x
}

// Round rounds to a whole number, ties away from zero.
func Round(x float32) float32 {
	t := Trunc(x)
	if Abs(x-t) >= 0.5 {
		t += Copysign(1, x)
	}
	return Copysign(t, x)
}

// Abs clears the sign bit.
func Abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// Copysign is x with the sign of y.
func Copysign(x, y float32) float32 {
	return math.Float32frombits(math.Float32bits(x)&^(1<<31) | math.Float32bits(y)&(1<<31))
}

// Min is the smaller of x and y; if one is NaN, the other; -0 counts as smaller than +0.
func Min(x, y float32) float32 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case x < y:
		return x
	case y < x:
		return y
	}
	return math.Float32frombits(math.Float32bits(x) | math.Float32bits(y))
}

// Max is the larger of x and y; if one is NaN, the other; +0 counts as larger than -0.
func Max(x, y float32) float32 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case x > y:
		return x
	case y > x:
		return y
	case x == 0:
		return math.Float32frombits(math.Float32bits(x) & math.Float32bits(y))
	}
	return x
}

// Mod is the remainder of x/y with the sign of x; exact.
func Mod(x, y float32) float32 { return float32(mod64(float64(x), float64(y))) }

// mod64 is math.Mod without its assembly forms.
func mod64(x, y float64) float64 {
	if y == 0 || x-x != 0 || y != y {
		return math.NaN()
	}
	y = math.Abs(y)
	yfr, yexp := math.Frexp(y)
	r := math.Abs(x)
	for r >= y {
		rfr, rexp := math.Frexp(r)
		if rfr < yfr {
			rexp--
		}
		r -= math.Ldexp(y, rexp-yexp)
	}
	return math.Copysign(r, x)
}

// Ldexp is x times 2^e, rounded once.
func Ldexp(x float32, e int32) float32 {
	e = max(min(e, 600), -600)
	return float32(math.Ldexp(float64(x), int(e)))
}

// Frexp splits x into a fraction in [0.5, 1) and a power of two.
func Frexp(x float32) (float32, int32) {
	f, e := math.Frexp(float64(x))
	return float32(f), int32(e)
}

// Nextafter is the float32 after x in the direction of y.
func Nextafter(x, y float32) float32 { return math.Nextafter32(x, y) }
