package conformance_test

// Purpose: every spec turns red for a planted fault. Faults are planted from outside: in the answers, in a copy of
// a folder, in the text of a kernel, or by a decorator around oracle or device; never by a switch in the engine.
// Control case: execution_claims_test.go runs the same specs on the unharmed fixtures; a fault too small to matter
// stands beside some. Boundaries: faults of one value, one row, one position.

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/harness"
)

// Names of specs, shortened for the tables.
const (
	aLogits  = "the oracle's logits equal the answers from elsewhere"
	aHidden  = "the oracle's hidden states equal the answers from elsewhere"
	aGreedy  = "the oracle's greedy ids equal the answers from elsewhere"
	aCausal  = "a later token changes no earlier logits of the oracle"
	aAppend  = "tokens appended later give the oracle's logits of the whole prompt"
	bCosine  = "the cosine of the logits is at least 0.999999 at every position"
	bBound   = "every logit lies within the derived bound"
	bTypical = "the typical deviation of a prompt is at most that of the perturbed runs"
	bKL      = "the KL divergence from the oracle is within the bound at every position"
	bRegret  = "the top-1 choice costs at most the bound at every position"
	cIDs     = "greedy token ids equal the oracle's"
	cBytes   = "decoded bytes equal the oracle's"
	cTies    = "an exact tie goes to the lowest id"
	dPrefill = "a prompt cut into pieces of 1, 7 or 64 tokens gives the logits of the whole, bit for bit"
	dDecode  = "decoding 1, 2 or 64 tokens a command buffer gives the tokens and logits of the default, bit for bit"
	eGrid    = "every layer of every decode step runs on the kernel that ships for it"
	fOnce    = "a command buffer holds many tokens, with one commit, one wait and no host access in between"
	iCounts  = "dispatches and dependency levels a token are at most seven a layer and two"
	jMemory  = "the bytes allocated on the device are those predicted from the configuration"
	gImage   = "the program imports and holds no vendor BLAS or ML framework"
	gModules = "the module graph holds no ML framework and no binding to a vendor BLAS"
	hChecks  = "no race, uninitialised read, overflow, subnormal or divergent simdgroup function in a short run"
	hSound   = "every dispatch of the run stays within its arguments"
)

// control is a fault and the specs it must turn red.
type control struct {
	name    string
	fixture string
	plant   func(ctx context.Context, s *conformance.Subject)
	red     []string
	green   []string // specs it must leave alone: the nearest case that passes
	stops   string   // what the engine's error must say, when the fault stops it; else it must not stop
}

// turnedRed counts the controls of each spec, as listed in the tables.
var turnedRed = map[string]int{}

// describeControls makes an It of each control. The subject given to plant shares the oracle's runs of the fixture.
func describeControls(claim string, base func(ctx context.Context, fixture string) *conformance.Subject, controls []control) bool {
	for _, c := range controls {
		for _, name := range c.red {
			turnedRed[name]++
		}
	}
	return Describe("A control of claim "+claim, func() {
		for _, c := range controls {
			It("turns it red: "+c.name, Label("purpose:fault", "claim:"+claim[:1], "claim:K", "fixture:"+c.fixture, "backend:msl", "level:required"),
				func(ctx SpecContext) {
					s := base(ctx, c.fixture).Fork()
					DeferCleanup(s.Close)
					c.plant(ctx, s)
					var table strings.Builder
					for _, name := range c.red {
						out, err := specNamed(name).Run(ctx, s)
						Expect(err).NotTo(HaveOccurred())
						Expect(out).To(harness.TurnRed(), name)
						fmt.Fprintf(&table, "%-9s %s\n", out.Status, out.Findings[0])
					}
					for _, name := range c.green {
						out, err := specNamed(name).Run(ctx, s)
						Expect(err).NotTo(HaveOccurred())
						Expect(out).To(harness.Hold(), name)
					}
					if claim[0] == 'B' || claim[0] == 'C' || claim[0] == 'H' { // a fault that breaks the set-up kills nothing
						p, err := s.Parity(ctx, 0)
						Expect(err).NotTo(HaveOccurred())
						if c.stops == "" {
							Expect(p.Problem).NotTo(HaveOccurred())
						} else {
							Expect(p.Problem).To(MatchError(ContainSubstring(c.stops)))
						}
					}
					AddReportEntry("killed by", table.String(), ReportEntryVisibilityFailureOrVerbose)
				})
		}
	})
}

// copyOf is a copy of a folder that lives as long as the spec.
func copyOf(folder string) string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	Expect(conformance.CopyFolder(folder, dir)).To(Succeed())
	return dir
}
