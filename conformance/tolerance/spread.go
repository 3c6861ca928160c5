package tolerance

import (
	"fmt"
	"math"
	"slices"
)

// PerturbScale is how many times float32's rounding error the perturbed runs are given, and Multiple how many pooled
// standard deviations of theirs the error bound allows: see [Spread].
const (
	PerturbScale = 8
	Multiple     = 32
)

// Spread gathers how far perturbed runs stray from the reference, and derives from it the error bound of claims B
// and C.
//
// # Derivation
//
// The reference computes in float64. A float32 implementation of the same function cannot give the same numbers; how
// far it may stray follows from the function, not from the implementation. So the reference is run again, still in
// float64, with a seeded random relative error put on every intermediate that a float32 implementation must round,
// each in proportion to that operation's own rounding. Nothing in it knows in which order an engine adds. The
// differences of R such runs to the reference, over the V logits of one position, are samples of one distribution: a
// sum of very many small errors carried to the logits by the same Jacobian. Their root mean square
//
//	sigma_t = sqrt( 1/(R V) sum_{r,v} (perturbed_{r,t,v} - want_{t,v})^2 )
//
// is pooled over R*V samples, so two runs estimate it well (the logits of a position share hidden-size degrees of
// freedom: good to about 1/sqrt(2 R hidden), 4 % for R = 2, hidden = 128). A position's sigma is not taken below the
// median over all positions of its prompt.
//
// # Rare errors, and why opposite signs and eight times the error
//
// Keys and values are stored in float16. One that lies next to a rounding boundary falls on either side of it, and
// moves by 2^-11 of itself where float32 moves it by 2^-24. On the fixtures these flips are most of sigma, and they
// are rare and unequal: with two independent runs of float32's own size, held-out runs came out up to 42 sigma away
// where no expert changed, and 1965 where one did, because neither run had met the flip that mattered. So the runs
// come in pairs with the same errors of opposite sign: of a pair, one pushes a value towards its boundary whatever the
// side, and a value on the boundary itself flips in one of them for certain. And errors are [PerturbScale] times
// float32's, so that a flip within an implementation's reach is within the pair's. Flips saturate: eight times the
// error makes sigma 1.3 to 3 times as large, and the tail short. Measured on 24 held-out runs of float32's own size
// on each of ten prompts of the fixtures (2026-12-01): the largest deviation is 16.3 sigma on one prompt, 2.8
// to 9.0 on the others. Multiple is twice the worst of them.
//
// The bound of one logit is therefore far above the typical deviation. A loss of precision that stays below it at
// every position moves the typical deviation, which a spec of its own holds to sigma (claim B).
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
