package conformance

import (
	"context"
	"fmt"
	"slices"

	"github.com/octoryn/assay/conformance/report"
)

// Spec is one thing a claim demands, as a function of a [Subject]. The command and the Ginkgo suite both run it.
type Spec struct {
	Claim string // the claim's id
	Name  string // reads as a sentence after "the subject"
	Doc   string // what is compared with what, and where the limit comes from
	// Run judges the subject. An error means that it could not be judged at all (bad input, interrupted); what the
	// subject got wrong is an [Outcome].
	Run func(ctx context.Context, s *Subject) (Outcome, error)
}

// Outcome is what a spec found.
type Outcome struct {
	Status   report.Status
	Summary  string         // a few words with numbers, fit for a table
	Findings []string       // what was wrong, worst first, or why it could not be tested
	Figures  report.Figures // merged into the claim's figures
}

// maxFindings is how many findings a spec spells out; the rest are counted.
const maxFindings = 5

// outcome builds an Outcome: failed when there are findings, passed otherwise.
func outcome(summary string, figures report.Figures, findings []string) Outcome {
	o := Outcome{Status: report.Passed, Summary: summary, Figures: figures}
	findings = distinct(findings)
	if n := len(findings); n > 0 {
		o.Status = report.Failed
		if n > maxFindings {
			findings = append(findings[:maxFindings:maxFindings], fmt.Sprintf("and %d more", n-maxFindings))
		}
		o.Findings = findings
	}
	return o
}

// distinct drops repetitions: what stops the engine stops it on every prompt.
func distinct(lines []string) []string {
	var out []string
	for _, l := range lines {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// notTested is the outcome of a spec that has nothing to judge.
func notTested(format string, args ...any) Outcome {
	return Outcome{Status: report.Skipped, Findings: []string{fmt.Sprintf(format, args...)}}
}

// Specs lists every spec, in the order of the claims.
func Specs() []Spec {
	return []Spec{
		oracleLogits, oracleHidden, oracleGreedy, oracleCausality, oracleAppend,
		parityCosine, parityBound, parityTypical, parityKL, parityRegret,
		greedyIDs, greedyBytes, greedyTies,
		samePrefill, sameDecode,
		engagedGrid,
		oneSynchronisation,
		sovereignImage, sovereignModules,
		soundDispatches,
		sanitizedDispatches,
		dispatchCounts,
		predictedMemory,
	}
}
