package harness_test

// Purpose: the matchers and the fault planter cannot be satisfied by accident. Control case: each has the nearest
// case it accepts beside those it refuses.

import (
	"errors"
	"fmt"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/harness"
	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine/device"
)

var _ = Describe("The outcome matchers", Label("purpose:execution", "area:harness", "level:required"), func() {
	with := func(s report.Status) conformance.Outcome {
		return conformance.Outcome{Status: s, Findings: []string{"because"}}
	}
	It("hold only what passed, and turn red only what failed or is undecided", func() {
		Expect(with(report.Passed)).To(harness.Hold())
		Expect(with(report.Passed)).NotTo(harness.TurnRed())
		for _, s := range []report.Status{report.Failed, report.Undecided} {
			Expect(with(s)).NotTo(harness.Hold())
			Expect(with(s)).To(harness.TurnRed())
		}
	})
	It("take a spec that did not run for neither, and want its reason", func() {
		Expect(with(report.Skipped)).NotTo(harness.Hold())
		Expect(with(report.Skipped)).NotTo(harness.TurnRed())
		Expect(with(report.Skipped)).To(harness.BeUntested())
		Expect(conformance.Outcome{Status: report.Skipped}).NotTo(harness.BeUntested())
	})
	It("refuse other types", func() {
		_, err := harness.Hold().Match(7)
		Expect(err).To(HaveOccurred())
	})
})

var _ = Describe("BeWithin", Label("purpose:execution", "area:harness", "level:required"), func() {
	It("accepts up to the bound and refuses NaN, infinities and other lengths", func() {
		want := []float64{1, 2}
		Expect([]float64{1.5, 2}).To(harness.BeWithin(0.5, want))
		Expect([]float64{1.5000001, 2}).NotTo(harness.BeWithin(0.5, want))
		Expect([]float64{1, math.NaN()}).NotTo(harness.BeWithin(0.5, []float64{1, math.NaN()}))
		Expect([]float64{1, math.Inf(1)}).NotTo(harness.BeWithin(0.5, []float64{1, math.Inf(1)}))
		Expect([]float64{1}).NotTo(harness.BeWithin(0.5, want))
	})
})

var _ = Describe("FaultWith", Label("purpose:execution", "area:harness", "level:required"), func() {
	It("wants the fault's kind and every piece, through wrapping, and no other error", func() {
		f := &device.Fault{Kind: "out of bounds", Kernel: "k", Summary: "argument logits[8] of 8"}
		err := fmt.Errorf("decode: %w", f)
		Expect(err).To(harness.FaultWith("out of bounds", `"k"`, "logits[8]"))
		Expect(err).NotTo(harness.FaultWith("out of bounds", "logits[9]"))
		Expect(err).NotTo(harness.FaultWith("race"))
		Expect(errors.New("out of bounds")).NotTo(harness.FaultWith("out of bounds"))
		var none error
		Expect(none).NotTo(harness.FaultWith("out of bounds"))
	})
})

// compiler records what it is asked to compile.
type compiler struct {
	device.Device
	got []device.Source
}

func (c *compiler) Compile(sources []device.Source) (device.Library, error) {
	c.got = sources
	return nil, nil
}

var _ = Describe("EditKernels", Label("purpose:execution", "area:harness", "level:required"), func() {
	sources := []device.Source{{Name: "a.metal", Text: "x + 1; y + 1;"}, {Name: "b.metal", Text: "x + 1;"}}
	It("edits the named source alone and leaves the caller's untouched", func() {
		inner := &compiler{}
		d := harness.EditKernels(inner, harness.Edit{File: "a.metal", Old: "x + 1", New: "x"})
		Expect(harness.Planted(d)).To(BeFalse())
		_, err := d.Compile(sources)
		Expect(err).NotTo(HaveOccurred())
		Expect(inner.got).To(Equal([]device.Source{{Name: "a.metal", Text: "x; y + 1;"}, {Name: "b.metal", Text: "x + 1;"}}))
		Expect(sources[0].Text).To(Equal("x + 1; y + 1;"))
		Expect(harness.Planted(d)).To(BeTrue())
	})
	DescribeTable("refuses to compile", func(old string) {
		_, err := harness.EditKernels(&compiler{}, harness.Edit{File: "a.metal", Old: old, New: "z"}).Compile(sources)
		Expect(err).To(MatchError(ContainSubstring("want once")))
	},
		Entry("when the text is not there", "z + 1"),
		Entry("when it is there twice", "+ 1"),
	)
	It("knows when the source was never compiled", func() {
		d := harness.EditKernels(&compiler{}, harness.Edit{File: "c.metal", Old: "x", New: "y"})
		_, err := d.Compile(sources)
		Expect(err).NotTo(HaveOccurred())
		Expect(harness.Planted(d)).To(BeFalse())
	})
})
