package int4

import (
	"math"

	"github.com/x448/float16"
)

// affineShrink is the shares of the range max-min that the sixteen nibbles are spread over in the search.
var affineShrink = [...]float64{1, 0.97, 0.94, 0.91, 0.88, 0.85, 0.8}

// quantizeAffine quantises one group of finite values. It reports false when no candidate is finite.
func quantizeAffine(w []float32, search Search, nibbles []byte, scale, offset *float16.Float16) bool {
	low, high := float64(w[0]), float64(w[0])
	for _, v := range w[1:] {
		low, high = min(low, float64(v)), max(high, float64(v))
	}
	best := affineFit{err: math.Inf(1)}
	try := func(s, o float64) {
		hs, ok1 := toF16(s)
		ho, ok2 := toF16(o)
		if ok1 && ok2 {
			if e := affineError(w, hs, ho, search == WeightedMSE); e < best.err {
				best = affineFit{scale: hs, offset: ho, err: e}
			}
		}
	}
	switch search {
	case AbsMax:
		try((high-low)/15, low)
	case MSE, WeightedMSE:
		mid, half := (low+high)/2, (high-low)/2
		for _, a := range affineShrink {
			r := float64(a * half)
			try(r/7.5, mid-r)             // both ends drawn in
			try(r/7.5, low)               // upper end
			try(r/7.5, high-float64(2*r)) // lower end
		}
		for range 2 {
			if s, o, ok := leastSquaresLine(w, best, search == WeightedMSE); ok {
				try(s, o)
			}
		}
	default:
		panic("int4: the affine scheme has no scale search " + search.String())
	}
	if math.IsInf(best.err, 1) {
		return false
	}
	if best.scale == 0 && high > low {
		try(minF16, low)
	}
	*scale, *offset = best.scale, best.offset
	inv, o := inverse(best.scale), float64(best.offset.Float32())
	for i, v := range w {
		nibbles[i] = byte(affineNibble(float64(v), inv, o))
	}
	return true
}

type affineFit struct {
	scale, offset float16.Float16
	err           float64
}

// affineNibble returns the nibble 0..15 nearest to (w-offset)/scale.
func affineNibble(w, inv, offset float64) float64 {
	return min(max(nearest(float64((w-offset)*inv)), 0), 15)
}

// affineError returns the sum of squared errors of a group, each weighted by w*w if asked.
func affineError(w []float32, hs, ho float16.Float16, weighted bool) float64 {
	s, o, inv := float64(hs.Float32()), float64(ho.Float32()), inverse(hs)
	sum := 0.0
	for _, v := range w {
		x := float64(v)
		e := x - o - float64(s*affineNibble(x, inv, o))
		e = float64(e * e)
		if weighted {
			e = float64(e * float64(x*x))
		}
		sum += e
	}
	return sum
}

// leastSquaresLine returns the scale and offset with the least error for the nibbles that a fit gives.
func leastSquaresLine(w []float32, fit affineFit, weighted bool) (scale, offset float64, ok bool) {
	inv, o := inverse(fit.scale), float64(fit.offset.Float32())
	var n, q, qq, x, xq float64
	for _, v := range w {
		f := float64(v)
		c := affineNibble(f, inv, o)
		p := 1.0
		if weighted {
			p = float64(f * f)
		}
		n += p
		q += float64(p * c)
		qq += float64(p * float64(c*c))
		x += float64(p * f)
		xq += float64(p * float64(f*c))
	}
	det := float64(n*qq) - float64(q*q)
	if det <= 0 || n == 0 {
		return 0, 0, false
	}
	scale = (float64(n*xq) - float64(q*x)) / det
	return scale, (x - float64(scale*q)) / n, true
}
