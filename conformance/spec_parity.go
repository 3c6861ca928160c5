package conformance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/tolerance"
)

// cosineLimit is the least cosine of the engine's and the oracle's logits at any position.
const cosineLimit = 0.999999

var parityCosine = parity("the cosine of the logits is at least 0.999999 at every position",
	"Teacher-forced on the prompt and on the oracle's greedy continuation, the oracle in float64 on the same packed weights.",
	func(p *Parity, worst *worstRow) {
		for _, r := range p.Rows {
			worst.see(p, r.Pos, r.Cosine, 1-cosineLimit, func() string { return fmt.Sprintf("1 - cosine is %.3g, limit %.0e", r.Cosine, 1-cosineLimit) })
		}
	},
	func(w *worstRow) (string, report.Figures) {
		return fmt.Sprintf("1 - cosine at most %.0e", w.value), report.Figures{"one_minus_cosine_max": w.value, "one_minus_cosine_limit": 1 - cosineLimit,
			"positions": w.rows, "prompts": w.prompts}
	})

var parityBound = parity("every logit lies within the derived bound",
	"|engine - oracle| at every logit of every position: at most tolerance.Multiple times the pooled deviation of perturbed float64 runs of the oracle.",
	func(p *Parity, worst *worstRow) {
		for _, r := range p.Rows {
			worst.elements += r.Worst.Total
			worst.bound = max(worst.bound, r.Bound)
			worst.see(p, r.Pos, r.Worst.Ratio, 1, func() string { return "logits" + r.Worst.String() })
		}
	},
	func(w *worstRow) (string, report.Figures) {
		return fmt.Sprintf("logits within %.2f of the bound", w.value), report.Figures{"worst_share_of_bound": w.value, "bound_max": w.bound,
			"logits_compared": w.elements, "bound_multiple_of_sigma": tolerance.Multiple, "perturbed_runs": perturbedRuns,
			"perturbed_by_float32_roundings": tolerance.PerturbScale}
	})

var parityTypical = Spec{
	Claim: "B",
	Name:  "the typical deviation of a prompt is at most that of the perturbed runs",
	Doc: "At each position, the root mean square difference of the logits over the pooled deviation of the perturbed runs; the median " +
		"over a prompt's positions is at most 1. The runs err tolerance.PerturbScale times as much as float32, so a float32 engine is " +
		"well below; lost precision that no single logit gives away shows here.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		var findings []string
		worst, stopped := 0.0, false
		for i := range s.Prompts {
			p, err := s.parity(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			if p.Problem != nil {
				stopped = true
				findings = append(findings, p.Problem.Error())
				continue
			}
			median := p.typical()
			if !(median <= worst) {
				worst = median
			}
			if !tolerance.AtMost(median, 1) {
				findings = append(findings, fmt.Sprintf("prompt %q: the median deviation is %.3g of the perturbed runs', limit 1", p.Prompt.Name, median))
			}
		}
		summary := fmt.Sprintf("typically %.2f of the perturbed runs' deviation", worst)
		if stopped {
			summary = "the engine stopped"
		}
		return outcome(summary, report.Figures{"typical_share_of_perturbed": worst}, findings), nil
	},
}

// typical is the median over positions of the deviation as a share of the perturbed runs'; NaN when a row is not
// finite or there is none.
func (p *Parity) typical() float64 {
	var shares []float64
	for _, r := range p.Rows {
		share := r.RMS / r.Sigma
		if math.IsNaN(share) {
			return share
		}
		shares = append(shares, share)
	}
	if len(shares) == 0 {
		return math.NaN()
	}
	slices.Sort(shares)
	return shares[len(shares)/2]
}

var parityKL = parity("the KL divergence from the oracle is within the bound at every position",
	"KL of the engine's softmax from the oracle's, at most b^2/2 for a bound b of the logits (tolerance.KLBound).",
	func(p *Parity, worst *worstRow) {
		for _, r := range p.Rows {
			limit := tolerance.KLBound(r.Bound)
			worst.kl = max(worst.kl, r.KL)
			worst.see(p, r.Pos, r.KL/limit, 1, func() string { return fmt.Sprintf("KL is %.3g nats, limit %.3g", r.KL, limit) })
		}
	},
	func(w *worstRow) (string, report.Figures) {
		return fmt.Sprintf("KL at most %.0e nats", w.kl), report.Figures{"kl_max_nats": w.kl, "kl_worst_share_of_limit": w.value}
	})

var parityRegret = parity("the top-1 choice costs at most the bound at every position",
	"By the oracle's logits, how much less the engine's top-1 is worth than the oracle's: at most twice the bound of a logit.",
	func(p *Parity, worst *worstRow) {
		for _, r := range p.Rows {
			limit := 2 * r.Bound
			if r.Regret != 0 {
				worst.flips++
			}
			worst.kl = max(worst.kl, r.Regret)
			worst.see(p, r.Pos, r.Regret/limit, 1, func() string { return fmt.Sprintf("top-1 regret is %.3g, limit %.3g", r.Regret, limit) })
		}
	},
	func(w *worstRow) (string, report.Figures) {
		return fmt.Sprintf("top-1 regret at most %.2g", w.kl), report.Figures{"top1_regret_max": w.kl, "top1_flips": w.flips}
	})

// worstRow gathers one quantity over the positions of all prompts.
type worstRow struct {
	value    float64 // the largest seen; NaN once seen stays
	kl       float64
	bound    float64
	rows     int
	elements int
	flips    int
	prompts  int
	findings []string // wrong
	doubtful []string // outside the limit after a routing choice that the reference does not decide
}

// see records a value at a position and a finding when it exceeds its limit or is not finite.
func (w *worstRow) see(p *Parity, pos int, value, limit float64, say func() string) {
	w.rows++
	if !(value <= w.value) {
		w.value = value
	}
	if !tolerance.AtMost(value, limit) {
		finding := fmt.Sprintf("prompt %q, position %d: %s", p.Prompt.Name, pos, say())
		if p.Doubt.covers(pos) {
			w.doubtful = append(w.doubtful, finding+"; "+p.Doubt.String())
		} else {
			w.findings = append(w.findings, finding)
		}
	}
}

// parity builds a spec of claim B from what it looks at in each prompt and what it says of all.
func parity(name, doc string, look func(*Parity, *worstRow), say func(*worstRow) (string, report.Figures)) Spec {
	return Spec{Claim: "B", Name: name, Doc: doc, Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		worst, stopped := &worstRow{}, false
		for i := range s.Prompts {
			p, err := s.parity(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			worst.prompts++
			look(p, worst)
			if p.Problem != nil {
				stopped = true
				worst.findings = append([]string{p.Problem.Error()}, worst.findings...)
			} else if !p.Complete {
				worst.findings = append(worst.findings, fmt.Sprintf("prompt %q: %d positions compared, want %d", p.Prompt.Name, len(p.Rows), p.wantRows))
			}
		}
		summary, figures := say(worst)
		outside := len(worst.findings) + len(worst.doubtful)
		switch {
		case stopped:
			summary = "the engine stopped"
		case outside > 0:
			summary = fmt.Sprintf("%d of %d positions outside", outside, worst.rows)
		}
		out := outcome(summary, figures, append(worst.findings, worst.doubtful...))
		if len(worst.findings) == 0 && len(worst.doubtful) > 0 {
			out.Status = report.Undecided
		}
		return out, nil
	}}
}
