// Package types describes the types of Metal Shading Language: their identity, size, alignment and layout.
//
// Types are immutable once complete. Scalars and vectors are shared values that can be compared with ==; all other
// types are compared with Identical. Qualifiers are no part of a type: a variable knows its own constness and
// address space, and a Pointer knows those of what it points at. References are no types either: package check
// marks the variable (check.Var.Ref).
//
// Sizes are MSL's: bool 1 byte, long 8 bytes, a 3-vector as large as a 4-vector unless packed.
package types
