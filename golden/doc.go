// Package golden holds what the oracle says of every prompt of every checkpoint in fixtures: the greedy tokens, how
// far each stands above the next best, and two numbers that change when any logit does.
//
// One file a prompt, FIXTURE/PROMPT.json, one line a token, so that a change reads in a diff. Each file opens with
// its provenance: the command that wrote it and the hashes of the checkpoint, of the oracle's sources and of the
// generator's. Bf16 checkpoints are run with exact keys and values, packed ones with keys and values in float16, the
// engine's declared storage.
//
// Files are written by the oracle alone, never by hand and never by the engine:
//
//	go run ./hack/golden           writes them
//	go run ./hack/golden --check   says which are out of date or wrong
//
// Read the diff before committing it, and say in the commit why it moved. Never commit golden files together with a
// change of the engine.
package golden
