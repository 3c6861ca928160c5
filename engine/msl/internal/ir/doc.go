// Package ir is the executor's intermediate representation: one kernel as typed, structured,
// three-address code that every thread of a grid follows.
//
// A [Func] is a tree of regions ([If], [Loop], [Block]) whose leaves are [Value]s, each assigned once,
// and accesses to named variables ([Var]). Vectors and structs are gone: a value is one scalar. All
// functions are inlined, function constants are literals, and every address is a [Root] (an argument, a
// threadgroup array, a thread array) plus a byte offset. README.md teaches it by printed examples.
//
// The package holds the data structure, a folding [Builder], the scalar meaning of every operation
// ([Eval]), a printer with stable text and [Verify]. It knows nothing of the syntax tree above it nor of
// lanes below it.
package ir
