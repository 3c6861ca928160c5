package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/sanitize"
)

// Finding is something that a kernel, or the launch, does wrong.
type Finding struct {
	Kind     string   `json:"kind"`
	Check    string   `json:"check"` // which of the checks found it
	Kernel   string   `json:"kernel"`
	Dispatch int      `json:"dispatch"` // counted from 0
	Summary  string   `json:"summary"`
	Parties  []string `json:"parties,omitempty"`
}

// Error renders the finding: a headline, then one indented line a party.
func (f *Finding) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "fault: %s: %s, kernel %q, dispatch %d", f.Kind, f.Summary, f.Kernel, f.Dispatch)
	for _, p := range f.Parties {
		b.WriteString("\n    " + p)
	}
	return b.String()
}

// The checks that are no sanitizer. Memory and barrier are part of executing at all and cannot be turned off; naming them is
// allowed. Schedules says that orders of execution disagree; strict lists the operations whose bits MSL leaves open.
const (
	CheckMemory    = "memory"  // bounds, alignment, null pointers, writes to read-only memory, launch limits, endless loops
	CheckBarrier   = "barrier" // divergent and missing barriers
	CheckSchedules = "schedules"
	CheckStrict    = "strict"
)

// AllChecks lists what "all" stands for: the sanitizers, and what is always on.
func AllChecks() []string {
	out := append(sanitize.Names(), CheckBarrier, CheckMemory)
	slices.Sort(out)
	return out
}

// NamedChecks lists the names that "checks" accepts beside "all".
func NamedChecks() []string { return append(AllChecks(), CheckStrict) }

// DefaultChecks are those of a launch that names none.
func DefaultChecks() []string { return []string{CheckBarrier, CheckMemory} }

func (s *Spec) strict() bool { return slices.Contains(s.Checks, CheckStrict) }

// executorFinding is a fault of the executor itself.
func executorFinding(f *exec.Fault, kernel string, dispatch int) Finding {
	c := CheckMemory
	if strings.Contains(f.Kind, "barrier") {
		c = CheckBarrier
	}
	return Finding{Kind: f.Kind, Check: c, Kernel: kernel, Dispatch: dispatch, Summary: f.Summary, Parties: f.Parties}
}
