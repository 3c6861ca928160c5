package report

// Verdict is the result of a claim or of a whole certification.
type Verdict string

// The verdicts.
const (
	Pass      Verdict = "pass"
	Fail      Verdict = "fail"
	NotTested Verdict = "not-tested"
)

// Status is the result of one spec.
type Status string

// The statuses of a spec.
const (
	Passed Status = "pass"
	Failed Status = "fail"
	// Undecided is a disagreement that lies inside the error bound: it proves nothing wrong and nothing right, and
	// never counts as a pass.
	Undecided Status = "undecided"
	Skipped   Status = "not-tested"
)

// Figures are named measurements; values are numbers, strings, booleans, and slices or maps of them.
type Figures map[string]any

// Spec is the result of one spec of a claim.
type Spec struct {
	Name     string   `json:"name"`
	Status   Status   `json:"status"`
	Summary  string   `json:"summary,omitempty"`  // what was found, in a few words with numbers
	Findings []string `json:"findings,omitempty"` // what was wrong, or why it could not be tested
	Seconds  float64  `json:"-"`
}

// Claim is the result of one claim.
type Claim struct {
	ID      string
	Title   string
	Verdict Verdict
	Omitted bool // the user did not ask for it
	Partial bool // some of what the claim says was not looked at; figures name it
	Summary string
	Figures Figures
	Specs   []Spec
	Rerun   string // the command that repeats this claim alone
}

// Counts says how many specs there were.
type Counts struct {
	Run     int `json:"run"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Report is the result of a certification.
type Report struct {
	Model      string // as the user named it
	Device     string
	Intro      string // what was judged, on what, with what: the line above the table
	Claims     []Claim
	Notes      []string // shown under the table; part of no claim
	Provenance Figures
}

// VerdictOf derives a claim's verdict from its specs: fail when one failed or is undecided, else pass when one
// passed, else not-tested.
func VerdictOf(specs []Spec) Verdict {
	v := NotTested
	for _, s := range specs {
		switch s.Status {
		case Failed, Undecided:
			return Fail
		case Passed:
			v = Pass
		}
	}
	return v
}

// Counts counts the specs of all claims; an undecided spec is a failed one.
func (r *Report) Counts() Counts {
	var c Counts
	for _, cl := range r.Claims {
		for _, s := range cl.Specs {
			switch s.Status {
			case Skipped:
				c.Skipped++
			case Passed:
				c.Run++
			default:
				c.Run++
				c.Failed++
			}
		}
	}
	return c
}

// Verdict is pass when at least one claim was tested and no tested claim failed.
func (r *Report) Verdict() Verdict {
	tested := false
	for _, c := range r.Claims {
		switch c.Verdict {
		case Fail:
			return Fail
		case Pass:
			tested = true
		}
	}
	if !tested {
		return Fail
	}
	return Pass
}
