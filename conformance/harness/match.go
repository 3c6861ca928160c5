package harness

import (
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/engine/device"
)

// matcher is a Gomega matcher built from a function that returns what is wrong, "" when nothing is.
type matcher struct {
	want  string
	judge func(actual any) (problem string, err error)
	last  string
}

func (m *matcher) Match(actual any) (bool, error) {
	problem, err := m.judge(actual)
	m.last = problem
	return problem == "", err
}

func (m *matcher) FailureMessage(any) string        { return "want " + m.want + ", but " + m.last }
func (m *matcher) NegatedFailureMessage(any) string { return "want anything but " + m.want }

func outcomeOf(actual any) (conformance.Outcome, error) {
	o, ok := actual.(conformance.Outcome)
	if !ok {
		return o, fmt.Errorf("harness: got %T, want conformance.Outcome", actual)
	}
	return o, nil
}

func describe(o conformance.Outcome) string {
	return fmt.Sprintf("it is %q: %s\n    %s", o.Status, o.Summary, strings.Join(o.Findings, "\n    "))
}

// Hold matches an outcome that passed.
func Hold() types.GomegaMatcher {
	return &matcher{want: "a spec that holds", judge: func(actual any) (string, error) {
		o, err := outcomeOf(actual)
		if err != nil || o.Status == report.Passed {
			return "", err
		}
		return describe(o), nil
	}}
}

// TurnRed matches an outcome that failed, or is undecided: what a planted fault must bring about. A spec that did
// not run has not turned red.
func TurnRed() types.GomegaMatcher {
	return &matcher{want: "a spec that turns red", judge: func(actual any) (string, error) {
		o, err := outcomeOf(actual)
		if err != nil || o.Status == report.Failed || o.Status == report.Undecided {
			return "", err
		}
		return describe(o), nil
	}}
}

// BeUntested matches an outcome of a spec that had nothing to judge and says why.
func BeUntested() types.GomegaMatcher {
	return &matcher{want: "a spec that is not tested, with a reason", judge: func(actual any) (string, error) {
		o, err := outcomeOf(actual)
		if err != nil || o.Status == report.Skipped && len(o.Findings) > 0 {
			return "", err
		}
		return describe(o), nil
	}}
}

// BeWithin matches a []float64 each of whose elements is at most bound from want's. NaN and infinities never match.
func BeWithin(bound float64, want []float64) types.GomegaMatcher {
	return &matcher{want: fmt.Sprintf("every element within %g", bound), judge: func(actual any) (string, error) {
		got, ok := actual.([]float64)
		if !ok {
			return "", fmt.Errorf("harness: got %T, want []float64", actual)
		}
		if len(got) != len(want) {
			return fmt.Sprintf("%d elements, want %d", len(got), len(want)), nil
		}
		if w := tolerance.Elements(got, want, func(int) float64 { return bound }); !w.OK() {
			return w.String(), nil
		}
		return "", nil
	}}
}

// FaultWith matches an error that is a *device.Fault of the given kind whose text holds all the given pieces.
func FaultWith(kind string, pieces ...string) types.GomegaMatcher {
	return &matcher{want: fmt.Sprintf("a fault %q naming %q", kind, pieces), judge: func(actual any) (string, error) {
		err, ok := actual.(error)
		if !ok {
			return fmt.Sprintf("got %v, no error", actual), nil
		}
		var f *device.Fault
		if !errors.As(err, &f) {
			return fmt.Sprintf("got the error %v, no fault", err), nil
		}
		if f.Kind != kind {
			return fmt.Sprintf("its kind is %q", f.Kind), nil
		}
		for _, p := range pieces {
			if !strings.Contains(f.Error(), p) {
				return fmt.Sprintf("%q is not in %q", p, f.Error()), nil
			}
		}
		return "", nil
	}}
}
