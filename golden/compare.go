package golden

import (
	"fmt"
	"math"
)

// Tolerance is how far a number of a file may be from the same number computed again. Nine decimals are off by up to
// 5e-10. Exponentials and sines of the Go library differ in the last bit between processors; on the longest prompt
// here, errors of float32 size (2^29 times that) move logits by some 1e-5, so that leaves less than 1e-12.
const Tolerance = 1e-8

// Digest is two numbers that stand for a row of logits: the logarithm of the sum of their exponentials, and their sum
// with the signs of a fixed pseudo-random sequence over the square root of their number. A change of any one logit by
// d moves the second by d/sqrt(vocab).
func Digest(logits []float64) (logSumExp, projection float64) {
	top := math.Inf(-1)
	for _, v := range logits {
		top = max(top, v)
	}
	sum := 0.0
	for i, v := range logits {
		sum += math.Exp(v - top)
		if scramble(uint64(i))>>63 == 0 {
			projection += v
		} else {
			projection -= v
		}
	}
	return top + math.Log(sum), projection / math.Sqrt(float64(len(logits)))
}

// scramble is splitmix64 (Steele, Lea and Flood 2014).
func scramble(x uint64) uint64 {
	x = (x + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Difference says where the steps of two files first part; empty if they agree: equal ids, and numbers within
// [Tolerance]. NaN never agrees.
func Difference(got, want []Step) string {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.ID != w.ID {
			return fmt.Sprintf("step %d: id: got %d, want %d", i, g.ID, w.ID)
		}
		for _, n := range []struct {
			name      string
			got, want float64
		}{{"margin", g.Margin, w.Margin}, {"log_sum_exp", g.LogSumExp, w.LogSumExp}, {"projection", g.Projection, w.Projection}} {
			if !(math.Abs(n.got-n.want) <= Tolerance) {
				return fmt.Sprintf("step %d: %s: got %.9f, want %.9f ± %.0e", i, n.name, n.got, n.want, Tolerance)
			}
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("got %d steps, want %d", len(got), len(want))
	}
	return ""
}
