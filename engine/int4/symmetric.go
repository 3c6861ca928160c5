package int4

import (
	"math"

	"github.com/x448/float16"
)

// symmetricGrid is the divisors d of the candidate scales max|w|/d. 7 and 8 are the classic choices; smaller
// ones are for groups whose largest value is best shared between code and rounding, larger ones clip it.
var symmetricGrid = [...]float64{8, 7.5, 8.5, 7, 9, 7.75, 8.25, 7.25, 8.75, 9.5, 6.5, 10, 10.5, 11, 12}

// quantizeSymmetric quantises one group of finite values. It reports false when no candidate scale is finite.
func quantizeSymmetric(w []float32, search Search, nibbles []byte, scale *float16.Float16) bool {
	extreme := float64(largest(w))
	amax := math.Abs(extreme)
	best := symmetricFit{err: math.Inf(1)}
	try := func(s float64) {
		if h, ok := toF16(s); ok && (h != best.scale || math.IsInf(best.err, 1)) {
			if e := symmetricError(w, h, search == WeightedMSE, best.err); e < best.err {
				best = symmetricFit{scale: h, err: e}
			}
		}
	}
	switch search {
	case AbsMax:
		try(amax / 7)
	case SignedMax:
		try(extreme / -8)
	case Exhaustive:
		tryEvery(amax, try)
	case MSE, WeightedMSE:
		for _, d := range symmetricGrid {
			try(amax / d)
			try(-amax / d)
		}
		for range gridRounds {
			if s, ok := leastSquaresScale(w, best.scale, search == WeightedMSE); ok {
				try(s)
			}
		}
	default:
		panic("int4: unknown scale search")
	}
	if math.IsInf(best.err, 1) {
		return false
	}
	if best.scale == 0 && amax > 0 {
		try(minF16)
		try(-minF16)
	}
	*scale = best.scale
	inv := inverse(best.scale)
	for i, v := range w {
		nibbles[i] = byte(symmetricCode(float64(v), inv) + symZeroCode)
	}
	return true
}

type symmetricFit struct {
	scale float16.Float16
	err   float64
}

// inverse returns 1/s, or 0 for a zero scale so that every code becomes 0.
func inverse(s float16.Float16) float64 {
	if s == 0 {
		return 0
	}
	return 1 / float64(s.Float32())
}

// symmetricCode returns the code -8..7 nearest to w/scale.
func symmetricCode(w, inv float64) float64 {
	c := nearest(float64(w * inv))
	// min and max would also order NaN and zeros; c is neither NaN nor in need of a sign.
	if c > 7 {
		return 7
	}
	if c < -8 {
		return -8
	}
	return c
}

// symmetricError returns the sum of squared errors of a group with the given scale, each weighted by w*w if
// asked. It stops early, with some sum of at least limit, once the scale cannot win.
func symmetricError(w []float32, h float16.Float16, weighted bool, limit float64) float64 {
	s, inv := float64(h.Float32()), inverse(h)
	sum := 0.0
	for i, v := range w {
		if i%16 == 15 && sum >= limit {
			return sum
		}
		x := float64(v)
		e := x - float64(s*symmetricCode(x, inv))
		e = float64(e * e)
		if weighted {
			e = float64(e * float64(x*x))
		}
		sum += e
	}
	return sum
}

// leastSquaresScale returns the real scale with the least error for the codes that scale h gives:
// sum(w*c) / sum(c*c).
func leastSquaresScale(w []float32, h float16.Float16, weighted bool) (float64, bool) {
	inv := inverse(h)
	wc, cc := 0.0, 0.0
	for _, v := range w {
		x := float64(v)
		c := symmetricCode(x, inv)
		p := 1.0
		if weighted {
			p = float64(x * x)
		}
		wc += float64(p * float64(x*c))
		cc += float64(p * float64(c*c))
	}
	return wc / cc, cc > 0
}

// tryEvery tries every f16 scale from amax/16 to amax/5 in both signs: beyond, half of the codes or more
// would be out of use or most of the range clipped.
func tryEvery(amax float64, try func(float64)) {
	low, _ := toF16(amax / 16)
	high, ok := toF16(amax / 5)
	if !ok {
		high, _ = toF16(maxF16)
	}
	for h := low; h <= high; h++ {
		try(float64(h.Float32()))
		try(-float64(h.Float32()))
	}
}
