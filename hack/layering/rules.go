package main

import "strings"

const module = "github.com/octoryn/assay"

// rule forbids packages under one of From to reach, directly or through others, packages under one of To.
type rule struct {
	From, To         []string // path prefixes; module-relative when they start with "./"
	NotFrom, Allowed []string // exceptions to From and to To
	Direct           bool     // only the package's own import lines count
	SkipTest         bool     // imports of _test files do not count
	Why              string
}

// leaves depend on no other package of ours, fixtures and goldens apart.
var leaves = []string{"./engine/device", "./engine/int4", "./engine/msl/internal/diag", "./conformance/tolerance", "./oracle/bf16"}

// devices run kernels. Each is chosen by the command or the harness.
var devices = []string{"./engine/msl", "./engine/metal", "./engine/cuda"}

// rules are the import directions of the design.
var rules = []rule{
	{From: []string{"./oracle"}, To: []string{"./engine"}, Why: "the oracle is a stranger to what it judges"},
	{From: []string{"./engine"}, To: []string{"./oracle"}, Why: "the engine is a stranger to its judge"},
	{From: []string{"./oracle", "./engine"}, To: []string{"./conformance"}, Why: "only specs see both sides"},
	{From: []string{"./golden", "./hack/golden"}, To: []string{"./engine"}, Why: "goldens are written by the oracle alone"},
	{From: leaves, To: []string{"./"}, Allowed: append([]string{"./fixtures", "./golden"}, leaves...), Why: "a leaf package depends on no other of ours"},
	{From: []string{"./engine"}, NotFrom: devices, To: devices, SkipTest: true, Why: "the engine takes a device and does not choose one"},
	{From: []string{"./"}, NotFrom: []string{"./conformance/harness", "./hack"}, To: []string{"github.com/onsi"}, Direct: true, SkipTest: true, Why: "the product does not carry the test framework"},
	{From: []string{"./"}, NotFrom: devices, To: []string{"github.com/ebitengine/purego"}, Direct: true, Why: "only devices load libraries at run time"},
	{From: []string{"./"}, To: []string{"C"}, Direct: true, Why: "no cgo"},
}

// under reports whether path lies at or below one of the prefixes.
func under(path string, prefixes []string) bool {
	for _, p := range prefixes {
		full := p
		if rest, ok := strings.CutPrefix(p, "./"); ok {
			full = strings.TrimSuffix(module+"/"+rest, "/")
		}
		if path == full || strings.HasPrefix(path, strings.TrimSuffix(full, "/")+"/") {
			return true
		}
	}
	return false
}
