package conformance

import (
	"context"
	"fmt"
	"math"

	"github.com/octoryn/assay/conformance/report"
)

var oracleGreedy = Spec{
	Claim: "A",
	Name:  "the oracle's greedy ids equal the answers from elsewhere",
	Doc:   "Greedy continuation in float64 on the original weights against greedy_f64 of expected.json, every prompt, as far as both go.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		if out, ok := s.answerable(); !ok {
			return out, nil
		}
		var findings []string
		equal, total, least := 0, 0, math.Inf(1)
		for i, p := range s.Prompts {
			x := s.Expected.Prompt(p.Name, p.IDs)
			if x == nil {
				continue
			}
			t, err := s.sourceTrace(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			n := min(len(x.Greedy), len(t.Generated))
			total += n
			for k := range n {
				if t.Generated[k] != x.Greedy[k] {
					findings = append(findings, fmt.Sprintf("prompt %q: step %d: got id %d, want %d (margin %.3g)", p.Name, k, t.Generated[k], x.Greedy[k], t.Margins[k]))
					break
				}
				equal++
				least = min(least, t.Margins[k])
			}
		}
		if total == 0 {
			return notTested("no prompt of the run has answers"), nil
		}
		figures := report.Figures{"greedy_ids_equal": equal, "greedy_ids": total, "least_margin": least}
		return outcome(fmt.Sprintf("%d of %d greedy ids equal", equal, total), figures, findings), nil
	},
}
