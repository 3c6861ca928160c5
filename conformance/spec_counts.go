package conformance

import (
	"context"
	"fmt"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine/device"
)

var dispatchCounts = Spec{
	Claim: "I",
	Name:  "dispatches and dependency levels a token are at most seven a layer and two",
	Doc:   "Counted from the calls of a decode with default options; a level ends at each barrier, whatever could have run beside.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		t, err := s.decodeTrace(ctx)
		if err != nil {
			return Outcome{}, err
		}
		if t.Problem != nil {
			return outcome("", nil, []string{t.Problem.Error()}), nil
		}
		dispatches, levels := len(t.Decode.Dispatches()), 0
		fresh := false
		for _, e := range t.Decode.Events {
			switch e.Kind {
			case device.EventDispatch:
				if !fresh {
					levels++
				}
				fresh = true
			case device.EventBarrier, device.EventCommit:
				fresh = false
			}
		}
		limit := tracedTokens * (7*t.Config.NumLayers + 2)
		var findings []string
		for what, n := range map[string]int{"dispatches": dispatches, "levels": levels} {
			if n > limit {
				findings = append(findings, fmt.Sprintf("%d %s for %d tokens, at most %d are allowed", n, what, tracedTokens, limit))
			}
		}
		figures := report.Figures{"dispatches_a_token": float64(dispatches) / tracedTokens, "levels_a_token": float64(levels) / tracedTokens}
		return outcome(fmt.Sprintf("%d dispatches and %d levels a token, at most %d", dispatches/tracedTokens, levels/tracedTokens, limit/tracedTokens), figures, findings), nil
	},
}
