package oracle_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle"
)

// Plan
//
//   - Purpose: the float64 arithmetic against Hugging Face transformers held in float64: every kept row of logits,
//     every hidden state, every greedy token, on every prompt of every fixture.
//   - Control: the comparator refuses NaN, missing rows and a difference just above the limit; a wrong eps, base of
//     the rotation, head grouping or router would be orders of magnitude above it (fault_model_test.go plants them).
//   - Boundary: positions 0 and 1999.
//   - Source: fixtures/*/expected.{json,safetensors}. The library computes norms, rotation and router softmax in float32
//     even then, which is what the limit allows for: an angle of 1999 radians in float32 is off by up to 6e-5.

// outsideLimit is the largest difference to the outside answers, as a share of their largest magnitude.
const outsideLimit = 1e-5

var _ = Describe("Float64 arithmetic", Label("area:forward"), func() {
	for _, name := range outsideFixtures {
		prompts := outsidePrompts(name)
		for _, prompt := range slices.Sorted(maps.Keys(prompts)) {
			p := prompts[prompt]
			It(fmt.Sprintf("gives the outside answers on %s, prompt %s, %d tokens", name, prompt, len(p.IDs)), func(ctx SpecContext) {
				s := open(name).NewSequence(oracle.Options{})
				out, err := s.Extend(ctx, p.IDs, oracle.Want{LogitsFrom: len(p.IDs) - p.KeptRows, Hidden: true})
				Expect(err).NotTo(HaveOccurred())

				worst, err := compare(out.Logits, outsideTensor(name, prompt+".logits.f64"), outsideLimit)
				AddReportEntry("logits", fmt.Sprintf("%.2e", worst), ReportEntryVisibilityFailureOrVerbose)
				Expect(err).NotTo(HaveOccurred(), "logits")
				for i, hidden := range out.Hidden {
					want := outsideTensor(name, fmt.Sprintf("%s.hidden.%d.f64", prompt, i))
					if want == nil {
						Expect(prompt).NotTo(Equal("short"), "hidden states are kept for short prompts")
						continue
					}
					worst, err := compare(hidden, want, outsideLimit)
					AddReportEntry(fmt.Sprintf("hidden state %d", i), fmt.Sprintf("%.2e", worst), ReportEntryVisibilityFailureOrVerbose)
					Expect(err).NotTo(HaveOccurred(), "hidden state %d", i)
				}

				ids, margins := continueGreedy(ctx, s, out.Logits[len(out.Logits)-1], len(p.GreedyF64))
				Expect(ids).To(Equal(p.GreedyF64))
				twoLogits := 2 * outsideLimit * largest(out.Logits) // a margin is the difference of two
				for i, m := range margins {
					Expect(m).To(BeNumerically("~", p.MarginF64[i], twoLogits), "margin of token %d", i)
				}
			})
		}
	}
})

// continueGreedy goes on from logits already computed, so that a long prompt is run only once.
func continueGreedy(ctx context.Context, s *oracle.Sequence, logits []float64, n int) (ids []int, margins []float64) {
	id, margin := oracle.Choose(logits)
	g, err := oracle.Greedy(ctx, s, []int{id}, oracle.GreedyOptions{MaxTokens: n - 1})
	Expect(err).NotTo(HaveOccurred())
	return append([]int{id}, g.IDs...), append([]float64{margin}, g.Margins...)
}

var _ = Describe("compare", func() {
	want := [][]float64{{1, -2}, {0, 0.5}}
	DescribeTable("refuses",
		func(got [][]float64) {
			_, err := compare(got, want, 1e-5)
			Expect(err).To(HaveOccurred())
		},
		Entry("a difference above the limit", [][]float64{{1, -2}, {0, 0.5 + 2.1e-5}}),
		Entry("NaN", [][]float64{{1, -2}, {math.NaN(), 0.5}}),
		Entry("infinity", [][]float64{{1, -2}, {math.Inf(1), 0.5}}),
		Entry("a missing row", [][]float64{{1, -2}}),
		Entry("a missing column", [][]float64{{1, -2}, {0}}),
	)
	It("accepts a difference at the limit", func() {
		worst, err := compare([][]float64{{1, -2}, {0, 0.5 + 1.9e-5}}, want, 1e-5)
		Expect(err).NotTo(HaveOccurred())
		Expect(worst).To(BeNumerically("~", 0.95e-5, 1e-9))
	})
})
