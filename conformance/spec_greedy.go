package conformance

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/octoryn/assay/conformance/report"
)

var greedyIDs = Spec{
	Claim: "C",
	Name:  "greedy token ids equal the oracle's",
	Doc: "The engine's own greedy continuation against the oracle's in float64 on the same packed weights. A disagreement where the " +
		"oracle's margin is at most the error bound is undecided: named, and no pass.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		var wrong, undecided []string
		equal, total := 0, 0
		least := struct {
			margin, bound float64
			prompt        string
			step          int
		}{margin: math.Inf(1)}
		for i := range s.Prompts {
			p, err := s.parity(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			want, err := s.packedTrace(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			bounds, err := s.bounds(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			total += len(want.Generated)
			equal += len(p.Tokens) - len(p.Steps)
			for k, m := range want.Margins {
				if m < least.margin {
					least.margin, least.prompt, least.step = m, p.Prompt.Name, k
					least.bound = bounds.MarginBound(len(p.Prompt.IDs) - 1 + k - want.From)
				}
			}
			if p.Problem != nil {
				wrong = append([]string{p.Problem.Error()}, wrong...)
			} else if len(p.Tokens) != len(want.Generated) {
				wrong = append(wrong, fmt.Sprintf("prompt %q: %d tokens, want %d", p.Prompt.Name, len(p.Tokens), len(want.Generated)))
			}
			for _, step := range p.Steps {
				line := fmt.Sprintf("prompt %q: %s", p.Prompt.Name, step)
				if step.Undecided() {
					undecided = append(undecided, line)
				} else {
					wrong = append(wrong, line)
				}
			}
		}
		figures := report.Figures{"ids_equal": equal, "ids": total, "prompts": len(s.Prompts), "least_margin": least.margin,
			"least_margin_bound": least.bound, "least_margin_at": fmt.Sprintf("%s, step %d", least.prompt, least.step), "undecided": len(undecided)}
		summary := fmt.Sprintf("%d of %d ids equal; least margin %.2g, where the error bound is %.2g", equal, total, least.margin, least.bound)
		out := outcome(summary, figures, append(wrong, undecided...))
		if len(wrong) == 0 && len(undecided) > 0 {
			out.Status = report.Undecided
		}
		return out, nil
	},
}

var greedyBytes = Spec{
	Claim: "C",
	Name:  "decoded bytes equal the oracle's",
	Doc: "The engine's ids decoded token by token, as generate prints them, against the oracle's decoded at once: the same bytes, " +
		"also where a character is spread over tokens.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		if s.Decoder == nil {
			return notTested("the folder has no tokenizer.json"), nil
		}
		var findings []string
		total := 0
		for i := range s.Prompts {
			p, err := s.parity(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			want, err := s.packedTrace(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			if p.Problem != nil {
				findings = append([]string{p.Problem.Error()}, findings...)
				continue
			}
			wantBytes := s.Decoder.Decode(want.Generated)
			var got []byte
			for _, id := range p.Tokens {
				got = append(got, s.Decoder.Decode([]int{id})...)
			}
			total += len(wantBytes)
			if at := firstDifference(got, wantBytes); at >= 0 {
				findings = append(findings, fmt.Sprintf("prompt %q: byte %d: got %q, want %q", p.Prompt.Name, at,
					got[at:min(at+16, len(got))], wantBytes[at:min(at+16, len(wantBytes))]))
			}
		}
		return outcome(fmt.Sprintf("%d decoded bytes equal", total), report.Figures{"bytes": total}, findings), nil
	},
}

// firstDifference is the index of the first byte that differs, or at which one ends; -1 when equal.
func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
