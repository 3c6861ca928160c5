package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine/device"
)

// maxTunedBytes bounds the buffers whose size is the device's tuning and not the configuration's.
const maxTunedBytes = 1 << 20

var predictedMemory = Spec{
	Claim: "J",
	Name:  "the bytes allocated on the device are those predicted from the configuration",
	Doc: "Every allocation of loading and of one sequence, beside the views of the mapped files, is added up and held against the prediction, " +
		"which reads the configuration and no weight.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		t, err := s.decodeTrace(ctx)
		if err != nil {
			return Outcome{}, err
		}
		if t.Problem != nil {
			return outcome("", nil, []string{t.Problem.Error()}), nil
		}
		var got, tuned int64
		for _, trace := range []device.Trace{t.Load, t.Decode} {
			for _, e := range trace.Events {
				switch {
				case e.Kind != device.EventAlloc || e.Err != nil || strings.HasSuffix(e.Label, ".safetensors"):
				case strings.HasPrefix(e.Label, "argmax "):
					tuned += int64(e.LengthBytes)
				default:
					got += int64(e.LengthBytes)
				}
			}
		}
		want := t.Memory.Small + t.Memory.KVCache + t.Memory.State
		var findings []string
		if got != want {
			findings = append(findings, fmt.Sprintf("%d bytes allocated, %d predicted", got, want))
		}
		if tuned > maxTunedBytes {
			findings = append(findings, fmt.Sprintf("%d bytes of argmax candidates, whose number is the device's tuning, at most %d are allowed", tuned, maxTunedBytes))
		}
		return outcome(fmt.Sprintf("%d bytes allocated, as predicted", got), report.Figures{"allocated_bytes": got, "predicted_bytes": want}, findings), nil
	},
}
