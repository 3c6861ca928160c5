package conformance

import "slices"

// Claim is one promise of the suite.
type Claim struct {
	ID    string // one letter
	Title string
	Holds string // what must hold, in a sentence
	// Untested says why no spec of this build tests the claim; empty for claims that have specs.
	Untested string
	// Partial says what of the claim its specs do not look at; empty when they cover it.
	Partial string
}

// Claims are all claims, in the order of every report.
var Claims = []Claim{
	{ID: "A", Title: "The oracle is right", Holds: "the oracle gives the answers known from elsewhere, and has the properties a causal decoder must have"},
	{ID: "B", Title: "Parity", Holds: "teacher-forced, at every position, the engine's logits are the oracle's on the same int4 weights within the derived bound"},
	{ID: "C", Title: "Greedy byte-identity", Holds: "greedy token ids and decoded bytes equal the oracle's; ties go to the lowest id"},
	{ID: "D", Title: "Self-identity", Holds: "the same bits for every device, batch, chunking, tile shape and run",
		Partial: "batches, tile shapes and devices are not varied here; the suite varies tiles, threadgroups, shuffles and lanes kernel by kernel"},
	{ID: "E", Title: "Fast path engaged", Holds: "every layer of every decode step ran on the kernel that ships for it"},
	{ID: "F", Title: "One synchronisation", Holds: "many tokens in one command buffer, with no host access in between"},
	{ID: "G", Title: "Sovereignty", Holds: "no vendor BLAS or third-party ML framework in the program",
		Partial: "strings that could be loaded at run time, and images loaded in the process, are not looked at"},
	{ID: "H", Title: "Kernel soundness", Holds: "no kernel reads or writes outside its arguments, races, or breaks a limit",
		Partial: "races, uninitialised reads and integer and float faults are looked for in a short run only"},
	{ID: "I", Title: "Performance contract", Holds: "device-independent counts: bytes, dispatches, levels, commits and waits per token",
		Partial: "bytes are not counted against the floor yet"},
	{ID: "J", Title: "Memory", Holds: "resident bytes are those predicted from the config",
		Partial: "the peak of host memory while loading is not measured"},
	{ID: "K", Title: "Controls", Holds: "every spec has a planted fault that turns it red",
		Untested: "the controls run in the suite: go tool ginkgo ./conformance"},
	{ID: "L", Title: "Provenance", Holds: "device, toolchain, hashes, prompts, seeds and counts are stated",
		Untested: "stated in the report, not judged"},
}

// ClaimByID finds a claim; nil when there is none of that id.
func ClaimByID(id string) *Claim {
	i := slices.IndexFunc(Claims, func(c Claim) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &Claims[i]
}
