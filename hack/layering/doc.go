// Command layering fails when a package imports what the design forbids.
//
// The rules are data in rules.go: which packages may reach which. Imports are followed transitively and
// include those of tests, so a helper shared by oracle and engine through a third package is found too.
//
//	go run ./hack/layering
//
// Exit codes: 0 no forbidden import, 1 at least one (each named with the path that leads to it), 2 the go tool failed.
package main
