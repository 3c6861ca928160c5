// Package diag holds positions in source text and the numbered diagnostics of the MSL front end.
//
// A position names a file, a line and a column, all as the reader sees them: columns count bytes from 1, and a
// #line directive changes what Pos prints, never what a caret points at. A diagnostic is an *Error with a Code;
// several of them are a List. Each code is described in codes.go beside a program that provokes it, and a spec
// of package check holds every such program to exactly its code.
//
// The package decides nothing: syntax and check report through it, ir and exec carry its positions.
package diag
