package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/tolerance"
)

// Certify runs the specs of the named claims on a subject and reports on all claims; no names means all of them.
// The error is for what keeps a subject from being judged at all: bad input, interruption, an unknown claim.
func Certify(ctx context.Context, s *Subject, claims []string) (*report.Report, error) {
	if err := CheckClaims(claims); err != nil {
		return nil, err
	}
	selected := func(id string) bool { return len(claims) == 0 || slices.Contains(claims, id) }
	r := &report.Report{Model: s.Name, Device: s.DeviceName, Intro: s.intro()}
	for _, c := range Claims {
		rc := report.Claim{ID: c.ID, Title: c.Title, Figures: report.Figures{}, Rerun: s.Rerun + " --claims " + c.ID}
		var summaries []string
		for _, spec := range Specs() {
			if spec.Claim != c.ID {
				continue
			}
			if !selected(c.ID) {
				rc.Specs = append(rc.Specs, report.Spec{Name: spec.Name, Status: report.Skipped, Findings: []string{"not asked for"}})
				continue
			}
			s.report("claim "+c.ID+": "+spec.Name, 0, 0)
			start := time.Now()
			out, err := spec.Run(ctx, s)
			if err != nil {
				return nil, err
			}
			maps.Copy(rc.Figures, out.Figures)
			rc.Specs = append(rc.Specs, report.Spec{Name: spec.Name, Status: out.Status, Summary: out.Summary, Findings: out.Findings,
				Seconds: time.Since(start).Seconds()})
			if out.Summary != "" {
				summaries = append(summaries, out.Summary)
			}
		}
		rc.Verdict = report.VerdictOf(rc.Specs)
		rc.Summary = strings.Join(distinct(summaries), "; ")
		if describeUntested(&rc, c, selected(c.ID)) {
			r.Notes = append(r.Notes, fmt.Sprintf("Claim %s holds in part: %s.", c.ID, c.Partial))
		}
		r.Claims = append(r.Claims, rc)
	}
	if selected("B") && s.Source != "" {
		if err := s.addDrift(ctx, r); err != nil {
			return nil, err
		}
	}
	var err error
	r.Provenance, err = s.provenance(ctx)
	return r, err
}

// CheckClaims refuses ids that are no claim's.
func CheckClaims(claims []string) error {
	for _, id := range claims {
		if ClaimByID(id) == nil {
			return fmt.Errorf("claims: got %q, want letters from A to %s", id, Claims[len(Claims)-1].ID)
		}
	}
	return nil
}

// describeUntested says what of a claim was not looked at, and why. It reports whether a tested claim leaves out a
// part of what it says by design.
func describeUntested(rc *report.Claim, c Claim, selected bool) (partial bool) {
	switch {
	case !selected:
		rc.Summary, rc.Omitted = "not asked for", true
	case len(rc.Specs) == 0:
		rc.Summary = c.Untested
	case rc.Verdict == report.NotTested:
		rc.Summary = rc.Specs[0].Findings[0]
	case c.Partial != "":
		rc.Partial = true
		rc.Figures["not_covered"] = c.Partial
		partial = true
	}
	if rc.Verdict == report.NotTested {
		rc.Figures["reason"] = rc.Summary
		return false
	}
	for _, spec := range rc.Specs {
		if spec.Status == report.Skipped && selected {
			rc.Partial = true
			rc.Summary += "; not tested: " + spec.Name + " (" + spec.Findings[0] + ")"
		}
	}
	return partial && rc.Verdict == report.Pass
}

// addDrift measures what quantising to int4 changed: the oracle on the packed weights against the oracle on the
// original ones, in the same context. It judges nothing.
func (s *Subject) addDrift(ctx context.Context, r *report.Report) error {
	drift := report.Figures{}
	var klSum, klMax float64
	agree, n := 0, 0
	for i, p := range s.Prompts {
		a, err := s.sourceTrace(ctx, i)
		if err != nil {
			return err
		}
		b, err := s.packedTrace(ctx, i)
		if err != nil {
			return err
		}
		sum, most, same, rows := 0.0, 0.0, 0, 0
		for pos := max(a.From, b.From); pos < len(p.IDs); pos++ {
			kl := tolerance.KL(a.row(pos), b.row(pos))
			sum, most = sum+kl, max(most, kl)
			if tolerance.Argmax(a.row(pos)) == tolerance.Argmax(b.row(pos)) {
				same++
			}
			rows++
		}
		drift[p.Name] = report.Figures{"kl_mean_nats": sum / float64(rows), "kl_max_nats": most, "top1_agreement": float64(same) / float64(rows), "positions": rows}
		klSum, klMax, agree, n = klSum+sum, max(klMax, most), agree+same, n+rows
	}
	for i := range r.Claims {
		if r.Claims[i].ID == "B" {
			r.Claims[i].Figures["int4_drift_no_claim"] = drift
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("Drift of int4 against the original weights (no claim): KL %.3f nats on average, %.2f at most; top-1 agrees at %.1f %% of %d positions.",
		klSum/float64(n), klMax, 100*float64(agree)/float64(n), n))
	return nil
}

// intro says what is judged.
func (s *Subject) intro() string {
	least, most, tokens := len(s.Prompts[0].IDs), 0, 0
	for _, p := range s.Prompts {
		least, most = min(least, len(p.IDs)), max(most, len(p.IDs))
		tokens += p.MaxTokens
	}
	weights := "packed int4 weights"
	switch {
	case s.Packed == "":
		weights = "original weights"
	case s.temporary != "":
		weights = "weights packed to int4 just now"
	}
	return fmt.Sprintf("%s: %s, device %s; %d prompts of %d to %d tokens (%s), %d greedy tokens in all.", s.Name, weights, s.DeviceName,
		len(s.Prompts), least, most, s.PromptSource, tokens)
}
