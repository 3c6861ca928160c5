package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/device"
)

// The run under sanitizers is short: it costs some hundred times a plain one, and every kernel and layer is in it.
const (
	checkedPrompt = 3
	checkedTokens = 2
)

var sanitizedDispatches = Spec{
	Claim: "H",
	Name:  "no race, uninitialised read, overflow, subnormal or divergent simdgroup function in a short run",
	Doc: "The first tokens of the shortest prompt and two more run on a device whose sanitizers look on at every dispatch; dispatches " +
		"without a barrier between them count as running at the same time. A fault names kernel, both parties, thread and source line.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		if s.Checked == nil {
			return notTested("device %s has no sanitizers", s.DeviceName), nil
		}
		s.report("engine: a short run under sanitizers", 0, 0)
		inner, err := s.Checked()
		if err != nil {
			return Outcome{}, err
		}
		dev := &countingDevice{Device: inner}
		defer dev.Close()
		dir := s.EngineFolder
		if dir == "" {
			dir = s.Packed
		}
		err = shortRun(ctx, dev, dir, s.Prompts[0].IDs)
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		var findings []string
		var fault *device.Fault
		switch {
		case errors.As(err, &fault):
			findings = append(findings, fault.Error())
		case err != nil:
			findings = append(findings, err.Error())
		}
		n := dev.dispatches.Load()
		return outcome(fmt.Sprintf("%d dispatches of %d kernels under sanitizers, no fault", n, len(dev.kernels)),
			report.Figures{"dispatches": n}, findings), nil
	},
}

// shortRun loads the folder and runs a few tokens.
func shortRun(ctx context.Context, dev device.Device, dir string, ids []int) error {
	e, err := engine.Load(ctx, dir, engine.Options{Device: dev, MaxSeqLen: checkedPrompt + checkedTokens})
	if err != nil {
		return err
	}
	defer e.Close()
	q, err := e.NewSequence()
	if err != nil {
		return err
	}
	defer q.Close()
	if _, err := q.Prefill(ctx, ids[:min(len(ids), checkedPrompt)], engine.PrefillOptions{}); err != nil {
		return err
	}
	_, err = q.Decode(ctx, checkedTokens, engine.DecodeOptions{IgnoreEOS: true})
	return err
}
