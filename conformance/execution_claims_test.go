package conformance_test

// Purpose: every claim holds on every fixture: the same specs, run the same way, as assay certify. Control case:
// fault_*_test.go plants faults that turn each of them red. Boundaries: the 2000-token prompt of gosling-4m; prompts
// beyond one KV block; dense layers, attention bias, tied embeddings, an unnormalised router, expert width 96; an affine packed folder judged with its original weights as reference.
// Source: expected.json and expected.safetensors of each fixture, and the oracle.

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/conformance/harness"
	"github.com/octoryn/assay/engine/device"
)

var fixtureNames = []string{"gosling-4m", "tiny-qwen3-moe", "tiny-qwen3-moe-mixed", "tiny-qwen3", "tiny-qwen3-moe-int4-affine"}

// untested lists the specs that have nothing to judge in this suite. Anything else that does not run is a failure.
var untested = map[string]func(fixture string) bool{
	"decoded bytes equal the oracle's": func(fixture string) bool { return fixture != "gosling-4m" }, // no tokenizer
	// The go tool leaves the module list out of test binaries; the command's suite judges the program itself.
	"the module graph holds no ML framework and no binding to a vendor BLAS": func(string) bool { return true },
}

var _ = Describe("Claim", func() {
	for _, c := range conformance.Claims {
		for _, spec := range conformance.Specs() {
			if spec.Claim != c.ID {
				continue
			}
			for _, fixture := range fixtureNames {
				It(c.ID+" on "+fixture+": "+spec.Name, Label("purpose:execution", "claim:"+c.ID, "fixture:"+fixture, "backend:msl", "level:required"),
					func(ctx SpecContext) {
						out, err := spec.Run(ctx, subjectOf(ctx, fixture))
						Expect(err).NotTo(HaveOccurred())
						AddReportEntry("found", out.Summary, ReportEntryVisibilityFailureOrVerbose)
						if none := untested[spec.Name]; none != nil && none(fixture) {
							Expect(out).To(harness.BeUntested())
							return
						}
						Expect(out).To(harness.Hold())
					})
			}
		}
	}
})

var _ = Describe("The list of claims", Label("purpose:validation", "area:claims", "level:required"), func() {
	It("has specs or a reason for each", func() {
		for _, c := range conformance.Claims {
			n := 0
			for _, spec := range conformance.Specs() {
				if spec.Claim == c.ID {
					n++
				}
			}
			Expect(n > 0).NotTo(Equal(c.Untested != ""), "claim "+c.ID)
		}
	})
	It("has no spec without a claim, a name of its own and a description", func() {
		names := map[string]bool{}
		for _, spec := range conformance.Specs() {
			Expect(conformance.ClaimByID(spec.Claim)).NotTo(BeNil())
			Expect(spec.Doc).NotTo(BeEmpty())
			Expect(names).NotTo(HaveKey(spec.Name))
			names[spec.Name] = true
		}
	})
	It("has a control for every spec", func() {
		for _, spec := range conformance.Specs() {
			Expect(turnedRed).To(HaveKey(spec.Name))
		}
	})
})

var _ = Describe("A claim alone", Label("purpose:execution", "area:claims", "level:required"), func() {
	for _, c := range conformance.Claims {
		if c.Untested != "" {
			continue
		}
		It(c.ID+" has the verdict that it has among the others", func(ctx SpecContext) {
			s, err := conformance.Prepare(ctx, conformance.Options{Model: harness.Fixture("tiny-qwen3-moe"), MaxTokens: 4, Claims: []string{c.ID}, DeviceName: backend.Default,
				Device: func() (device.Device, error) { return backend.Open(backend.Default) }, Checked: backend.OpenChecked(backend.Default)})
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(s.Close)
			s.Prompts = s.Prompts[:1]
			for _, spec := range conformance.Specs() {
				if none := untested[spec.Name]; spec.Claim == c.ID && none == nil {
					out, err := spec.Run(ctx, s)
					Expect(err).NotTo(HaveOccurred())
					Expect(out).To(harness.Hold(), spec.Name)
				}
			}
		})
	}
})
