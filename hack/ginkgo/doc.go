// Command ginkgo runs the suite with a profile of flags from ginkgo.yaml.
//
// Ginkgo reads no configuration file; this command is the only reader of ours. It prints the full command
// line, runs it, and lets the caller's own arguments come last, so that they win:
//
//	go run ./hack/ginkgo --profile ci
//	go run ./hack/ginkgo --profile local -- --label-filter='area: int4'
//
// It closes with one line of counts summed over all packages. In a profile marked "required" a skipped or
// pending spec, a focused spec, and a run without specs fail. Exit codes: Ginkgo's own, 1 for a breach of "required", 2 for misuse.
package main
