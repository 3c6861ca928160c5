package tolerance

import "math"

// Cosine is the cosine of the angle between two vectors of equal length, in [-1, 1].
//
// Both are scaled by their largest element first, so no square overflows. It is NaN when an element is NaN or
// infinite or when either vector is zero. It panics when the lengths differ.
func Cosine(a, b []float64) float64 {
	sameLength(a, b)
	ma, mb := largest(a), largest(b)
	if !finite(ma, mb) || ma == 0 || mb == 0 {
		return math.NaN()
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]/ma, b[i]/mb
		ab += float64(x * y)
		aa += float64(x * x)
		bb += float64(y * y)
	}
	return max(-1, min(1, ab/(math.Sqrt(aa)*math.Sqrt(bb))))
}

// CosineDistance is 1 - cosine, without the cancellation: half the squared distance of the unit vectors. NaN as
// for [Cosine].
func CosineDistance(a, b []float64) float64 {
	sameLength(a, b)
	ma, mb := largest(a), largest(b)
	if !finite(ma, mb) || ma == 0 || mb == 0 {
		return math.NaN()
	}
	var aa, bb float64
	for i := range a {
		x, y := a[i]/ma, b[i]/mb
		aa += float64(x * x)
		bb += float64(y * y)
	}
	na, nb := ma*math.Sqrt(aa), mb*math.Sqrt(bb)
	var d2 float64
	for i := range a {
		d := a[i]/na - b[i]/nb
		d2 += float64(d * d)
	}
	return d2 / 2
}

// largest is the largest magnitude in x: NaN if any element is NaN.
func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// Largest is the largest magnitude in x; 0 for an empty x, NaN when any element is NaN.
func Largest(x []float64) float64 { return largest(x) }

// KL is the Kullback-Leibler divergence of softmax(got) from softmax(want), in nats:
//
//	sum p (log p - log q),  p = softmax(want), q = softmax(got)
//
// Since p and q both sum to one it equals sum p (e^-d - 1 + d) with d = log p - log q, whose terms are never
// negative; that form keeps full relative precision where the plain one cancels. Log-sum-exp subtracts the
// largest logit first. NaN when an element is NaN or infinite or the vectors are empty; it panics when the
// lengths differ.
func KL(want, got []float64) float64 {
	sameLength(want, got)
	if len(want) == 0 || FirstNonFinite(want) >= 0 || FirstNonFinite(got) >= 0 {
		return math.NaN()
	}
	lw, lg := logSumExp(want), logSumExp(got)
	sum := 0.0
	for i := range want {
		logP := want[i] - lw
		sum += math.Exp(logP) * expm1Plus(logP-(got[i]-lg))
	}
	return sum
}

// expm1Plus is e^-d - 1 + d, accurate for small d.
func expm1Plus(d float64) float64 {
	if math.Abs(d) < 1e-3 {
		return d * d * (1.0/2 - float64(d*(1.0/6-float64(d*(1.0/24-float64(d*(1.0/120)))))))
	}
	return math.Expm1(-d) + d
}

func logSumExp(x []float64) float64 {
	m := math.Inf(-1)
	for _, v := range x {
		m = max(m, v)
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - m)
	}
	return m + math.Log(s)
}

// RMSDifference is the root mean square of a[i]-b[i]; NaN when an element is NaN or infinite or the vectors are empty.
// It panics when the lengths differ.
func RMSDifference(a, b []float64) float64 {
	sameLength(a, b)
	sum := 0.0
	for i := range a {
		d := a[i] - b[i]
		sum += float64(d * d)
	}
	if !finite(sum) {
		return math.NaN()
	}
	return math.Sqrt(sum / float64(len(a)))
}
