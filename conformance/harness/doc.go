// Package harness is what specs share: it opens the device they run on, finds the fixtures, edits kernel texts and
// folders to plant faults, makes small programs for the sovereignty scan, and matches in the suite's own nouns
// ([Hold], [TurnRed], [BeWithin], [FaultWith]).
//
// It imports the test framework, so only specs import it; the command uses package backend directly.
package harness
