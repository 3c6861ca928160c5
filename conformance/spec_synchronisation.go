package conformance

import (
	"context"
	"fmt"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/device"
)

var oneSynchronisation = Spec{
	Claim: "F",
	Name:  "a command buffer holds many tokens, with one commit, one wait and no host access in between",
	Doc: "From the calls of a decode with default options: commits and waits are those of full command buffers, and between the begin of one and " +
		"its wait the host neither reads nor writes device memory. Between command buffers it reads the tokens and nothing else.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		t, err := s.decodeTrace(ctx)
		if err != nil {
			return Outcome{}, err
		}
		if t.Problem != nil {
			return outcome("", nil, []string{t.Problem.Error()}), nil
		}
		want := (tracedTokens + engine.DefaultTokensPerCommandBuffer - 1) / engine.DefaultTokensPerCommandBuffer
		commits, waits := t.Decode.Count(device.EventCommit), t.Decode.Count(device.EventWait)
		var findings []string
		if commits != want {
			findings = append(findings, fmt.Sprintf("%d commits for %d tokens, want %d", commits, tracedTokens, want))
		}
		if waits != want {
			findings = append(findings, fmt.Sprintf("%d waits for %d tokens, want %d", waits, tracedTokens, want))
		}
		inside := 0
		for i, b := range commandBuffers(t.Decode) {
			for _, e := range b.Events {
				if e.Kind == device.EventRead || e.Kind == device.EventWrite {
					inside++
					findings = append(findings, fmt.Sprintf("command buffer %d: host %s of %q, %d bytes at %d, before its wait", i, e.Kind, e.Label, e.LengthBytes, e.OffsetBytes))
				}
			}
		}
		begun := false
		for _, e := range t.Decode.Events {
			begun = begun || e.Kind == device.EventBegin
			if begun && e.Kind == device.EventWrite {
				findings = append(findings, fmt.Sprintf("host write of %q, %d bytes at %d, after decoding began", e.Label, e.LengthBytes, e.OffsetBytes))
			}
			if begun && e.Kind == device.EventRead && e.Label != "tokens" {
				findings = append(findings, fmt.Sprintf("host read of %q, %d bytes at %d: tokens are all it needs", e.Label, e.LengthBytes, e.OffsetBytes))
			}
		}
		figures := report.Figures{"tokens": tracedTokens, "commits": commits, "waits": waits, "host_accesses_inside": inside}
		return outcome(fmt.Sprintf("%d tokens in %d command buffers: %d commits, %d waits, no host access inside", tracedTokens, want, commits, waits), figures, findings), nil
	},
}
