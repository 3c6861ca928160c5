package conformance

import (
	"context"
	"fmt"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/model"
)

// The run whose calls are recorded: two full command buffers and a part of a third, with the options' zero value.
const (
	tracedPrompt = 16
	tracedTokens = 2*engine.DefaultTokensPerCommandBuffer + 3
)

// DecodeTrace is what the engine asked of the device while it loaded, and while it decoded with nothing switched on.
type DecodeTrace struct {
	Config  checkpoint.Config
	Memory  model.Memory // as predicted from the configuration
	Load    device.Trace // up to the end of the prompt
	Decode  device.Trace
	Problem error // the engine stopped
}

// decodeTrace makes the run when it is first asked for.
func (s *Subject) decodeTrace(ctx context.Context) (*DecodeTrace, error) {
	return s.traced.get(func() (*DecodeTrace, error) {
		dev, recorder, err := s.recorded()
		if err != nil {
			return nil, err
		}
		defer dev.Close()
		s.report("engine: a recorded decode", 0, 0)
		t := &DecodeTrace{}
		t.Problem = s.record(ctx, dev, recorder, t)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return t, nil
	})
}

// recorded opens the device with a recorder right above it.
func (s *Subject) recorded() (device.Device, *device.Recorder, error) {
	if s.Recorded != nil {
		return s.Recorded()
	}
	dev, err := s.Device()
	if err != nil {
		return nil, nil, err
	}
	r := device.Record(dev)
	return r, r, nil
}

func (s *Subject) record(ctx context.Context, dev device.Device, recorder *device.Recorder, t *DecodeTrace) error {
	dir := s.EngineFolder
	if dir == "" {
		dir = s.Packed
	}
	e, err := engine.Load(ctx, dir, engine.Options{Device: dev, MaxSeqLen: tracedPrompt + tracedTokens})
	if err != nil {
		return err
	}
	defer e.Close()
	t.Config, t.Memory = e.Config(), e.Memory()
	q, err := e.NewSequence()
	if err != nil {
		return err
	}
	defer q.Close()
	ids := s.Prompts[0].IDs
	if _, err := q.Prefill(ctx, ids[:min(len(ids), tracedPrompt)], engine.PrefillOptions{}); err != nil {
		return err
	}
	t.Load = recorder.Trace()
	recorder.Reset()
	out, err := q.Decode(ctx, tracedTokens, engine.DecodeOptions{IgnoreEOS: true})
	t.Decode = recorder.Trace()
	if err == nil && len(out) != tracedTokens {
		err = fmt.Errorf("engine: %d tokens asked for, %d decoded", tracedTokens, len(out))
	}
	return err
}
