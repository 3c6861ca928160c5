package tolerance

import "math"

// FirstNonFinite returns the index of the first NaN or infinity in x, or -1 when every element is finite.
func FirstNonFinite(x []float64) int {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return i
		}
	}
	return -1
}

// finite reports whether every x is neither NaN nor infinite.
func finite(xs ...float64) bool { return FirstNonFinite(xs) < 0 }

// AtMost reports x <= limit. It is false when either is NaN or infinite.
func AtMost(x, limit float64) bool { return finite(x, limit) && x <= limit }

// AtLeast reports limit <= x. It is false when either is NaN or infinite.
func AtLeast(x, limit float64) bool { return finite(x, limit) && limit <= x }
