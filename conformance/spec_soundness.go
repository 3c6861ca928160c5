package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine/device"
)

// checkingDevices execute every access with a bounds check, by name.
var checkingDevices = []string{"msl"}

var soundDispatches = Spec{
	Claim: "H",
	Name:  "every dispatch of the run stays within its arguments",
	Doc: "All prompts run on a device that checks every access of every thread against the bounds of its buffer; a fault names kernel, " +
		"argument, index, thread and source line.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		var findings []string
		for i := range s.Prompts {
			p, err := s.parity(ctx, i)
			if err != nil {
				return Outcome{}, err
			}
			var fault *device.Fault
			if errors.As(p.Problem, &fault) {
				findings = append(findings, fmt.Sprintf("prompt %q: %v", p.Prompt.Name, fault))
			}
		}
		loaded, err := s.loaded(ctx)
		if err != nil {
			return Outcome{}, err
		}
		d := loaded.device
		if name := d.Info().Name; !slices.Contains(checkingDevices, name) {
			return notTested("device %s does not check accesses", name), nil
		}
		kernels := slices.Sorted(maps.Keys(d.kernels))
		n := d.dispatches.Load()
		if n == 0 && len(findings) == 0 {
			return notTested("no dispatch was executed"), nil
		}
		return outcome(fmt.Sprintf("%d dispatches of %d kernels, every access bounds-checked, no fault", n, len(kernels)),
			report.Figures{"dispatches": n, "kernels": kernels}, findings), nil
	},
}
