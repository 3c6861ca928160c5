package tolerance

import (
	"fmt"
	"math"
	"slices"
)

// Multiple is how many pooled standard deviations the error bound allows: see [Spread].
const Multiple = 16

// Spread gathers how far perturbed runs stray from the reference, and derives from it the error bound of claims B
// and C.
//
// # Derivation
//
// The reference computes in float64. A float32 implementation of the same function cannot give the same numbers; how
// far it may stray follows from the function, not from the implementation. So the reference is run again, still in
// float64, with a seeded random relative error put on every intermediate that a float32 implementation must round:
// each the size of that operation's own rounding. Nothing in it knows in which order an engine adds. The differences
// of R such runs to the reference, over the V logits of one position, are samples of one distribution: a sum of
// very many small independent errors carried to the logits by the same Jacobian. Their root mean square
//
//	sigma_t = sqrt( 1/(R V) sum_{r,v} (perturbed_{r,t,v} - want_{t,v})^2 )
//
// is pooled over R*V samples, so two runs estimate it well (the logits of a position share hidden-size degrees of
// freedom, so the estimate is good to about 1/sqrt(2 R hidden): 6 % for R = 2, hidden = 128).
//
// Some errors are rare and large next to the rest: a key or value that falls on the other side of a float16 rounding
// boundary moves by 2^-11 of itself where float32 moves it by 2^-24. A run of few positions may meet none where the
// engine meets one. Therefore a position's sigma is not taken below the median over all positions of its prompt.
//
// An engine that errs like the perturbed runs stays within Multiple sigma at every element: for 10^7 Gaussian
// elements the largest is 5.5 sigma; the rest of the factor covers the spread of the norms of the output head's rows
// (one sigma serves all logits of a position), the rare errors above, and that worst-case rounding is correlated
// where the perturbation is independent. conformance/README.md holds the calibration.
type Spread struct {
	sumSquares []float64 // by row
	samples    []int
	floor      float64 // median sigma, computed on demand
	settled    bool
}

// NewSpread makes an empty Spread for the given number of rows (positions).
func NewSpread(rows int) *Spread {
	return &Spread{sumSquares: make([]float64, rows), samples: make([]int, rows)}
}

// Add records one perturbed run's logits at a row, beside the reference's. It panics when the lengths differ. A
// value that is not finite makes the row's sigma, and so its bound, NaN: nothing is then accepted there.
func (s *Spread) Add(row int, want, perturbed []float64) {
	sameLength(want, perturbed)
	for i := range want {
		d := perturbed[i] - want[i]
		s.sumSquares[row] += float64(d * d)
	}
	s.samples[row] += len(want)
	s.settled = false
}

// Rows is the number of rows.
func (s *Spread) Rows() int { return len(s.samples) }

// Sigma is the pooled standard deviation of a logit at a row: the row's own, but not below the median of all rows.
// It panics for a row nothing was added to.
func (s *Spread) Sigma(row int) float64 {
	if !s.settled {
		all := make([]float64, len(s.samples))
		for i := range all {
			all[i] = s.own(i)
		}
		slices.Sort(all)
		s.floor, s.settled = all[len(all)/2], true
	}
	own := s.own(row)
	if math.IsNaN(own) {
		return own
	}
	return max(own, s.floor)
}

func (s *Spread) own(row int) float64 {
	if s.samples[row] == 0 {
		panic(fmt.Sprintf("tolerance: no perturbed run recorded at row %d", row))
	}
	return math.Sqrt(s.sumSquares[row] / float64(s.samples[row]))
}

// Bound is how far a logit at a row may be from the reference's: Multiple * Sigma.
func (s *Spread) Bound(row int) float64 { return Multiple * s.Sigma(row) }

// MarginBound is how far the difference of two logits at a row may be off: twice the bound of one. A smaller margin
// does not decide between the two.
func (s *Spread) MarginBound(row int) float64 { return 2 * s.Bound(row) }

// KLBound is the largest divergence that logits within bound b of the reference can show: b^2/2 nats.
//
// With e the error of the logits and p the reference's softmax, KL = log E_p[exp(e - E_p e)]; by Hoeffding's lemma
// that is at most (max e - min e)^2 / 8, and the range of e is at most 2b.
func KLBound(b float64) float64 { return b * b / 2 }
