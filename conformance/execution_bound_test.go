package conformance_test

// Purpose: the error bound is neither too tight nor empty. Held-out perturbed runs, which err as a float32
// implementation may, stay within it; runs that err a hundred times as much do not. Control case: the latter.
// Source: tolerance.Spread.

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/oracle"
)

// worstShare is the largest share of the bound that a perturbed run of the oracle takes on prompt i.
func worstShare(ctx context.Context, s *conformance.Subject, i int, p oracle.Perturb) float64 {
	GinkgoHelper()
	want, bounds, err := s.TraceAndBounds(ctx, i)
	Expect(err).NotTo(HaveOccurred())
	m, err := conformance.OpenOracle(ctx, s.Packed, nil)
	Expect(err).NotTo(HaveOccurred())
	defer m.Close()
	out, err := m.NewSequence(oracle.Options{KV: oracle.KVFloat16, Perturb: &p}).Extend(ctx, want.Fed(), oracle.Want{LogitsFrom: want.From})
	Expect(err).NotTo(HaveOccurred())
	worst := 0.0
	for row, logits := range out.Logits {
		w := tolerance.Elements(logits, want.Logits[row], func(int) float64 { return bounds.Bound(row) })
		worst = max(worst, w.Ratio)
	}
	return worst
}

var _ = Describe("The error bound", Label("purpose:execution", "area:tolerance", "claim:B", "level:required"), func() {
	for _, fixture := range []string{"gosling-4m", moe, mixed, "tiny-qwen3"} {
		It("holds held-out perturbed runs, on "+fixture, func(ctx SpecContext) {
			s := brief(ctx, fixture)
			for seed := range uint64(6) {
				share := worstShare(ctx, s, 0, oracle.Perturb{Seed: 1000 + seed})
				AddReportEntry(fmt.Sprintf("seed %d", 1000+seed), fmt.Sprintf("%.3f of the bound", share), ReportEntryVisibilityFailureOrVerbose)
				Expect(tolerance.AtMost(share, 1)).To(BeTrue(), fmt.Sprintf("seed %d: %g of the bound", 1000+seed, share))
			}
		})
		It("does not hold a run that errs a hundred times as much, on "+fixture, func(ctx SpecContext) {
			Expect(worstShare(ctx, brief(ctx, fixture), 0, oracle.Perturb{Seed: 2000, Scale: 100})).To(BeNumerically(">", 1))
		})
	}
})
