// Package report holds the result of a certification and writes it: as a table for people, as JSON, and as JUnit
// XML for build servers.
//
// A claim's [Verdict] is pass, fail or not-tested. It is pass only when at least one of its specs ran and every one
// that ran passed; a spec that came out [Undecided] does not pass and so neither does its claim. Nothing here
// decides anything: the verdicts of specs come from package conformance.
package report
