package tolerance

import (
	"fmt"
	"math"
)

// Interval is a closed range of acceptable answers.
type Interval struct{ Lo, Hi float64 }

// Around is the interval want-radius .. want+radius. A negative or non-finite radius gives an interval that
// contains nothing.
func Around(want, radius float64) Interval {
	if !finite(want, radius) || radius < 0 {
		return Interval{Lo: math.NaN(), Hi: math.NaN()}
	}
	return Interval{Lo: want - radius, Hi: want + radius}
}

// ULPs32 is the interval of float32 values at most n units in the last place from want.
func ULPs32(want float32, n int) Interval {
	lo, hi := want, want
	for range n {
		lo = math.Nextafter32(lo, float32(math.Inf(-1)))
		hi = math.Nextafter32(hi, float32(math.Inf(1)))
	}
	return Interval{Lo: float64(lo), Hi: float64(hi)}
}

// Contains reports Lo <= x <= Hi; false for NaN and infinities.
func (i Interval) Contains(x float64) bool { return finite(x) && i.Lo <= x && x <= i.Hi }

// String renders the interval as centre and radius.
func (i Interval) String() string {
	return fmt.Sprintf("%.9g ±%.3g", i.Lo+(i.Hi-i.Lo)/2, (i.Hi-i.Lo)/2)
}

// Worst describes a comparison of two vectors element by element.
type Worst struct {
	Index   int     // of the element furthest outside its bound, or nearest to it when all are inside; -1 when empty
	Got     float64 // the element compared
	Want    float64
	Bound   float64 // what |Got-Want| may be
	Ratio   float64 // |Got-Want| / Bound: at most 1 when inside; NaN when not finite
	Outside int     // how many elements are outside their bound
	Total   int
}

// OK reports that there was something to compare and every element is inside its bound.
func (w Worst) OK() bool { return w.Total > 0 && w.Outside == 0 }

// String says where, what was got, what was wanted, and how many are outside.
func (w Worst) String() string {
	return fmt.Sprintf("[%d] got %.9g, want %.9g ±%.3g (%.3g of the bound); %d of %d outside",
		w.Index, w.Got, w.Want, w.Bound, w.Ratio, w.Outside, w.Total)
}

// Elements holds |got[i]-want[i]| <= bound(i) for every i. An element that is NaN or infinite on either side, or
// whose bound is, is outside. It panics when the lengths differ.
func Elements(got, want []float64, bound func(i int) float64) Worst {
	sameLength(got, want)
	w := Worst{Index: -1, Total: len(want)}
	for i := range want {
		b := bound(i)
		d := math.Abs(got[i] - want[i])
		ratio := d / b
		if d == 0 && b == 0 {
			ratio = 0
		}
		if !AtMost(d, b) {
			w.Outside++
			if !finite(d, b) {
				ratio = math.NaN()
			}
		}
		if w.Index < 0 || worse(ratio, w.Ratio) {
			w.Index, w.Got, w.Want, w.Bound, w.Ratio = i, got[i], want[i], b, ratio
		}
	}
	return w
}

// worse orders ratios with NaN as the worst of all.
func worse(a, b float64) bool {
	if math.IsNaN(b) {
		return false
	}
	return math.IsNaN(a) || a > b
}

func sameLength(a, b []float64) {
	if len(a) != len(b) {
		panic(fmt.Sprintf("tolerance: vectors of length %d and %d", len(a), len(b)))
	}
}
