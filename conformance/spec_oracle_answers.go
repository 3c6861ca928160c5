package conformance

import (
	"context"
	"fmt"
	"math"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/tolerance"
)

// answerLimit is how far the oracle may be from an answer from elsewhere, as a share of the largest magnitude in the
// compared tensor. The answers' own library computes norms, RoPE and router softmax in float32 within its float64
// run, which moves its logits by some 1e-7 of the largest; a wrong formula moves them by 1e-3 and more.
const answerLimit = 1e-5

var oracleLogits = Spec{
	Claim: "A",
	Name:  "the oracle's logits equal the answers from elsewhere",
	Doc: "Float64 logits on the original weights against expected.safetensors, at every kept position of every prompt: " +
		"within 1e-5 of the largest logit of the prompt.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		return s.answers(ctx, "logits", func(x *ExpectedPrompt, t *Trace) (got, want [][][]float64) {
			kept := len(x.Logits)
			last := len(t.Prompt.IDs) - t.From
			return [][][]float64{t.Logits[last-kept : last]}, [][][]float64{x.Logits}
		})
	},
}

var oracleHidden = Spec{
	Claim: "A",
	Name:  "the oracle's hidden states equal the answers from elsewhere",
	Doc: "The embedding, the output of every layer and of the final norm, float64 on the original weights, against " +
		"expected.safetensors: within 1e-5 of the largest value of that layer.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		return s.answers(ctx, "hidden states", func(x *ExpectedPrompt, t *Trace) (got, want [][][]float64) {
			return t.Hidden, x.Hidden
		})
	},
}

// answers compares tensors of every prompt that has answers. pick returns the same number of tensors, each [rows]
// [columns], of oracle and answers.
func (s *Subject) answers(ctx context.Context, what string, pick func(*ExpectedPrompt, *Trace) (got, want [][][]float64)) (Outcome, error) {
	if out, ok := s.answerable(); !ok {
		return out, nil
	}
	var findings []string
	worst, rows := 0.0, 0
	for i, p := range s.Prompts {
		x := s.Expected.Prompt(p.Name, p.IDs)
		if x == nil {
			continue
		}
		t, err := s.sourceTrace(ctx, i)
		if err != nil {
			return Outcome{}, err
		}
		got, want := pick(x, t)
		if len(got) != len(want) {
			findings = append(findings, fmt.Sprintf("prompt %q: %d tensors of %s, want %d", p.Name, len(got), what, len(want)))
			continue
		}
		for layer := range want {
			share, n, finding := compareAnswer(got[layer], want[layer])
			rows += n
			if !(share <= worst) { // a NaN counts as the worst
				worst = share
			}
			if finding != "" {
				findings = append(findings, fmt.Sprintf("prompt %q: %s [%d]: %s", p.Name, what, layer, finding))
			}
		}
	}
	if rows == 0 {
		return notTested("the answers hold no %s", what), nil
	}
	figures := report.Figures{what + "_worst_share": worst, what + "_rows": rows, "limit_share": answerLimit, "answers": s.Expected.Source}
	return outcome(fmt.Sprintf("%s within %.1e of the largest", what, worst), figures, findings), nil
}

// answerable says why there is nothing to hold the oracle to, if so.
func (s *Subject) answerable() (Outcome, bool) {
	switch {
	case s.Source == "":
		return notTested("the folder holds packed weights; answers from elsewhere are of the original ones"), false
	case s.Expected == nil:
		return notTested("the folder holds no expected.json and expected.safetensors"), false
	}
	return Outcome{}, true
}

// compareAnswer returns the worst difference as a share of the largest magnitude in want.
func compareAnswer(got, want [][]float64) (share float64, rows int, finding string) {
	if len(got) != len(want) {
		return math.NaN(), 0, fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	largest := 0.0
	for _, r := range want {
		largest = max(largest, tolerance.Largest(r))
	}
	limit := answerLimit * largest
	for r := range want {
		if len(got[r]) != len(want[r]) {
			return math.NaN(), 0, fmt.Sprintf("row %d has %d columns, want %d", r, len(got[r]), len(want[r]))
		}
		w := tolerance.Elements(got[r], want[r], func(int) float64 { return limit })
		if !w.OK() && finding == "" {
			finding = fmt.Sprintf("row %d: %s", r, w)
		}
		if s := w.Ratio * answerLimit; !(s <= share) {
			share = s
		}
	}
	return share, len(want), finding
}
