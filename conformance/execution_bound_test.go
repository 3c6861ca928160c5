package conformance_test

// Purpose: the error bound is neither too tight nor empty. Held-out perturbed runs, which err as a float32
// implementation may, stay within it, typically and at every logit; runs that err as float16 would do not. Control
// case: the latter.
// Source: tolerance.Spread.

import (
	"context"
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/oracle"
)

// shares are the largest share of the bound that a perturbed run of the oracle takes on prompt i, and its typical
// deviation as a share of that of the runs the bound rests on.
func shares(ctx context.Context, s *conformance.Subject, i int, p oracle.Perturb) (worst, typical float64) {
	GinkgoHelper()
	want, bounds, err := s.TraceAndBounds(ctx, i)
	Expect(err).NotTo(HaveOccurred())
	m, err := conformance.OpenOracle(ctx, s.Packed, nil)
	Expect(err).NotTo(HaveOccurred())
	defer m.Close()
	out, err := m.NewSequence(oracle.Options{KV: oracle.KVFloat16, Perturb: &p}).Extend(ctx, want.Fed(), oracle.Want{LogitsFrom: want.From})
	Expect(err).NotTo(HaveOccurred())
	var all []float64
	for row, logits := range out.Logits {
		all = append(all, tolerance.RMSDifference(logits, want.Logits[row])/bounds.Sigma(row))
		w := tolerance.Elements(logits, want.Logits[row], func(int) float64 { return bounds.Bound(row) })
		worst = max(worst, w.Ratio)
	}
	slices.Sort(all)
	return worst, all[len(all)/2]
}

var _ = Describe("The error bound", Label("purpose:execution", "area:tolerance", "claim:B", "level:required"), func() {
	for _, fixture := range []string{"gosling-4m", moe, mixed, "tiny-qwen3"} {
		It("holds held-out perturbed runs, on "+fixture, func(ctx SpecContext) {
			s := brief(ctx, fixture)
			for seed := range uint64(6) {
				worst, typical := shares(ctx, s, 0, oracle.Perturb{Seed: 1000 + seed})
				AddReportEntry(fmt.Sprintf("seed %d", 1000+seed), fmt.Sprintf("%.3f of the bound, typically %.3f", worst, typical), ReportEntryVisibilityFailureOrVerbose)
				Expect(tolerance.AtMost(worst, 1)).To(BeTrue(), fmt.Sprintf("seed %d: %g of the bound", 1000+seed, worst))
				Expect(tolerance.AtMost(typical, 1)).To(BeTrue(), fmt.Sprintf("seed %d: typically %g", 1000+seed, typical))
			}
		})
		It("does not hold a run that errs as float16 would, on "+fixture, func(ctx SpecContext) {
			const float16Scale = 1 << 13 // 2^-11 for 2^-24
			worst, typical := shares(ctx, brief(ctx, fixture), 0, oracle.Perturb{Seed: 2000, Scale: float16Scale})
			AddReportEntry("float16", fmt.Sprintf("%.3f of the bound, typically %.3f", worst, typical), ReportEntryVisibilityFailureOrVerbose)
			Expect(worst).To(BeNumerically(">", 1))
			Expect(typical).To(BeNumerically(">", 1))
		})
	}
})
