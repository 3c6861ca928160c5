// Package conformance says what conforming means, and judges it: the claims, their specs, and the subject that the
// specs are run on.
//
// # Words
//
// A [Claim] is a promise, A to L. A [Spec] is one demand of a claim, a function of a [Subject]: a model folder on a
// device, with prompts. Its [Outcome] is a pass, a failure, undecided (a disagreement inside the error bound, which
// is named and is no pass), or not tested with the reason. A control is a fault planted from outside that must turn
// a spec red. [Certify] runs the specs on one subject and returns a report.
//
// # One implementation, two callers
//
// The same specs serve `go tool ginkgo` and `assay certify MODEL`. They are plain functions in a list ([Specs]); the
// Ginkgo suite makes an It of each with every fixture, and the command runs the list on the folder it is given. The
// other way, registering Ginkgo specs outside _test files and running the suite inside the command, was weighed
// and dropped:
//   - a process can run one suite: RunSpecs refuses a second call, so nothing could judge two models, or judge a
//     faulty and a healthy one in the same specs;
//   - specs are registered in package variables before main runs, so the model folder would travel through global
//     state, and prompts, which become Entries, would be read before the command line is parsed;
//   - the product would carry a test framework and its command-line flags, and claim G would be judged on it;
//   - an Outcome has four values with figures; a Ginkgo spec passes, fails or is skipped, and figures would have to be
//     smuggled through report entries.
//
// What is lost is small: nested set-up, which [Subject] replaces by computing each expensive run once, when first
// asked for.
//
// # Runs
//
// For each prompt a subject needs at most: the oracle on the original weights (claim A and drift); the oracle on the
// packed weights with float16 keys and values, the engine's declared storage formats and nothing else of it (B
// and C); two perturbed runs of that (the error bound, see tolerance.Spread); and the engine once, whose
// teacher-forced logits come from the same prefill that starts its greedy continuation.
//
// # The error bound
//
// tolerance.Spread derives how far a logit may be off from float64 runs of the oracle with errors in proportion to
// float32's put on every intermediate. A greedy step whose margin is at most twice that does not decide between the
// two tokens. Where a perturbed run chooses other experts than the reference ([RoutingDoubt]), the reference does not
// decide between them, and so nothing after it does either: a violation there is undecided, and never a pass.
//
// # What it refuses
//
// To pass by absence. A claim without specs is not tested and says why; a spec with nothing to judge says what was
// missing; comparators refuse NaN; a fault that could not be planted fails its control.
//
// Read next: claims.go, spec.go, subject.go; then one spec_*.go and the fault_*_test.go that turns it red.
package conformance
