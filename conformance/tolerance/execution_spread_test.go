package tolerance_test

// Purpose: the error bound is the stated multiple of the pooled deviation, and a broken run widens nothing.
// Control case: a NaN planted in a perturbed run. Boundaries: a row quieter than the median, a row nobody filled.

import (
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance/tolerance"
)

var _ = Describe("Spread", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	It("pools runs and logits into one sigma a row", func() {
		s := tolerance.NewSpread(1)
		s.Add(0, []float64{1, 2}, []float64{1, 5})
		s.Add(0, []float64{1, 2}, []float64{2, 2})
		Expect(s.Sigma(0)).To(BeNumerically("~", math.Sqrt(10.0/4), 1e-15))
		Expect(s.Bound(0)).To(Equal(tolerance.Multiple * s.Sigma(0)))
		Expect(s.MarginBound(0)).To(Equal(2 * s.Bound(0)))
	})
	It("does not let a quiet row fall below the median of its prompt, nor lowers a loud one", func() {
		s := tolerance.NewSpread(3)
		for row, d := range []float64{1e-9, 1, 8} {
			s.Add(row, []float64{0}, []float64{d})
		}
		Expect([]float64{s.Sigma(0), s.Sigma(1), s.Sigma(2)}).To(Equal([]float64{1, 1, 8}))
	})
	It("accepts nothing at a row whose perturbed run is not finite", func() {
		for name, bad := range nonFinite {
			s := tolerance.NewSpread(1)
			s.Add(0, []float64{0, 0}, []float64{0, bad})
			w := tolerance.Elements([]float64{0, 0}, []float64{0, 0}, func(int) float64 { return s.Bound(0) })
			Expect(w.OK()).To(BeFalse(), name)
		}
	})
	It("panics for a row no run reached", func() {
		Expect(func() { tolerance.NewSpread(1).Sigma(0) }).To(PanicWith(ContainSubstring("row 0")))
	})
	It("bounds the divergence of any logits within it", func() {
		rng := rand.New(rand.NewPCG(7, 0))
		for range 2000 {
			b := math.Exp(rng.Float64()*8 - 6)
			want, got := make([]float64, 5), make([]float64, 5)
			for i := range want {
				want[i] = rng.NormFloat64() * 3
				got[i] = want[i] + b*float64(2*rng.IntN(2)-1)
			}
			Expect(tolerance.AtMost(tolerance.KL(want, got), tolerance.KLBound(b)*(1+1e-12))).To(BeTrue())
		}
	})
})
