package conformance_test

// Purpose: a disagreement inside the error bound is named and is no pass; one outside it is a failure. Control case:
// the same disagreement on either side of the bound. Boundaries: a margin equal to the bound; an exact tie; a routing
// choice that the reference does not decide; a violation before it.

import (
	"context"
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/harness"
	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/tolerance"
)

var _ = Describe("A greedy step", Label("purpose:execution", "claim:C", "level:required"), func() {
	DescribeTable("is undecided", func(s conformance.Step, want bool) {
		Expect(s.Undecided()).To(Equal(want))
	},
		Entry("when its margin is the bound", conformance.Step{Margin: 1e-3, Bound: 1e-3}, true),
		Entry("at an exact tie", conformance.Step{Margin: 0, Bound: 1e-3}, true),
		Entry("after a doubtful routing choice", conformance.Step{Margin: 5, Bound: 1e-3, Doubt: &conformance.RoutingDoubt{}}, true),
		Entry("but not when its margin is just above the bound", conformance.Step{Margin: math.Nextafter(1e-3, 1), Bound: 1e-3}, false),
		Entry("and not when the bound is not a number", conformance.Step{Margin: 1e-9, Bound: math.NaN()}, false),
	)
	It("says so by name", func() {
		Expect(conformance.Step{Step: 7, Got: 3, Want: 4, Margin: 1e-4, Bound: 2e-4}.String()).
			To(Equal("undecided at step 7: margin 0.0001 <= bound 0.0002 (got id 3, want 4)"))
	})
})

// answered is a subject whose engine gave the oracle's answers, but for what change does to them.
func answered(ctx context.Context, change func(p *conformance.Parity)) *conformance.Subject {
	GinkgoHelper()
	s := brief(ctx, moe).Fork()
	DeferCleanup(s.Close)
	want, bounds, err := s.TraceAndBounds(ctx, 0)
	Expect(err).NotTo(HaveOccurred())
	p := &conformance.Parity{Prompt: want.Prompt, Tokens: slices.Clone(want.Generated), Complete: true}
	for row := range want.Logits {
		p.Rows = append(p.Rows, conformance.ParityRow{Pos: want.From + row, Bound: bounds.Bound(row), Sigma: bounds.Sigma(row),
			Worst: tolerance.Worst{Total: len(want.Logits[row])}})
	}
	change(p)
	s.SetParity(0, p)
	return s
}

var _ = Describe("The verdict on a disagreement", Label("purpose:execution", "claim:B", "claim:C", "level:required"), func() {
	run := func(ctx context.Context, spec string, change func(p *conformance.Parity)) conformance.Outcome {
		GinkgoHelper()
		out, err := specNamed(spec).Run(ctx, answered(ctx, change))
		Expect(err).NotTo(HaveOccurred())
		return out
	}
	doubt := &conformance.RoutingDoubt{Pos: 4, Layer: 1, Margin: 1e-6}

	It("is a pass when there is none", func(ctx SpecContext) {
		for _, spec := range []string{bCosine, bBound, bTypical, bKL, bRegret, cIDs} {
			Expect(run(ctx, spec, func(*conformance.Parity) {})).To(harness.Hold())
		}
	})
	It("is undecided, hence no pass of the claim, when the margin is inside the bound", func(ctx SpecContext) {
		out := run(ctx, cIDs, func(p *conformance.Parity) {
			p.Steps = []conformance.Step{{Step: 2, Got: 1, Want: p.Tokens[2], Margin: 1e-5, Bound: 1e-4}}
		})
		Expect(out.Status).To(Equal(report.Undecided))
		Expect(out.Findings[0]).To(ContainSubstring("undecided at step 2: margin 1e-05 <= bound 0.0001"))
		Expect(report.VerdictOf([]report.Spec{{Status: out.Status}})).To(Equal(report.Fail))
	})
	It("is a failure when one step is decided, whatever the others are", func(ctx SpecContext) {
		out := run(ctx, cIDs, func(p *conformance.Parity) {
			p.Steps = []conformance.Step{{Step: 2, Margin: 1e-5, Bound: 1e-4}, {Step: 3, Margin: 1e-3, Bound: 1e-4}}
		})
		Expect(out.Status).To(Equal(report.Failed))
		Expect(out.Findings[0]).To(ContainSubstring("step 3"))
	})
	It("is undecided for logits only after a doubtful routing choice", func(ctx SpecContext) {
		at := func(row int) func(p *conformance.Parity) {
			return func(p *conformance.Parity) {
				p.Doubt = doubt
				p.Rows[row].Worst.Ratio, p.Rows[row].KL, p.Rows[row].Cosine, p.Rows[row].Regret = 2, 1, 1, 1
			}
		}
		for _, spec := range []string{bCosine, bBound, bKL, bRegret} {
			Expect(run(ctx, spec, at(4)).Status).To(Equal(report.Undecided), spec)
			Expect(run(ctx, spec, at(3)).Status).To(Equal(report.Failed), spec)
		}
	})
	It("is a failure when a figure is not a number", func(ctx SpecContext) {
		nan := func(p *conformance.Parity) {
			r := &p.Rows[1]
			r.Worst.Ratio, r.KL, r.Cosine, r.Regret, r.RMS = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
		}
		for _, spec := range []string{bCosine, bBound, bTypical, bKL, bRegret} {
			Expect(run(ctx, spec, nan).Status).To(Equal(report.Failed), spec)
		}
	})
	It("is a failure when positions or tokens are missing", func(ctx SpecContext) {
		short := func(p *conformance.Parity) { p.Rows, p.Tokens, p.Complete = p.Rows[:3], p.Tokens[:3], false }
		for _, spec := range []string{bCosine, bBound, bKL, bRegret, cIDs} {
			Expect(run(ctx, spec, short).Status).To(Equal(report.Failed), spec)
		}
	})
})
