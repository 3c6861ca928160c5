// Command golden writes the golden files from the oracle, or checks that they are what it would write.
//
//	go run ./hack/golden            write the files that are out of date or wrong
//	go run ./hack/golden --check    name them instead
//
// Every checkpoint in fixtures that comes with prompts (expected.json) is run, and every packed one that was made from
// such a checkpoint, found by the hashes in its packed.json. Nothing of the engine takes part: the command refuses to
// run when its own sources reach it.
//
// Exit codes: 0 all files are as they should be, 1 a file is not, 2 usage or input error. (`go run` itself turns 2
// into 1 and prints the number.)
package main
