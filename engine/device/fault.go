package device

import "strings"

// Fault is something a kernel did wrong while it executed. It is an error.
type Fault struct {
	Kind    string // "out of bounds", "divergent barrier", ...: a closed list, see the device's documentation
	Kernel  string
	Tag     Tag
	Summary string   // one line: argument, index, bound
	Parties []string // one line each: thread, source position, access
}

// Error renders the fault: a headline, then one indented line a party.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString("fault: " + f.Kind + ": " + f.Summary + ", kernel \"" + f.Kernel + "\"")
	for _, p := range f.Parties {
		b.WriteString("\n    " + p)
	}
	return b.String()
}
