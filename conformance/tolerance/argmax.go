package tolerance

import "math"

// Argmax is the index of the largest element; of equal ones, the lowest index. It is -1 when x is empty or holds
// a NaN or an infinity: no winner is read out of a broken vector.
func Argmax(x []float64) int {
	if FirstNonFinite(x) >= 0 {
		return -1
	}
	best := -1
	for i, v := range x {
		if best < 0 || v > x[best] {
			best = i
		}
	}
	return best
}

// Margin is how far the largest element stands above the second largest, with the index of each; 0 at a tie. The
// margin is NaN and the indices -1 when x has fewer than two elements or is not finite.
func Margin(x []float64) (first, second int, margin float64) {
	first = Argmax(x)
	if first < 0 || len(x) < 2 {
		return -1, -1, math.NaN()
	}
	second = -1
	for i, v := range x {
		if i != first && (second < 0 || v > x[second]) {
			second = i
		}
	}
	return first, second, x[first] - x[second]
}

// Regret is what choosing got's argmax costs by want's own measure: want[argmax want] - want[argmax got]. It is 0
// when both choose the same, or equal, elements, and NaN when either is not finite. It panics when the lengths
// differ.
func Regret(want, got []float64) float64 {
	sameLength(want, got)
	w, g := Argmax(want), Argmax(got)
	if w < 0 || g < 0 {
		return math.NaN()
	}
	return want[w] - want[g]
}
