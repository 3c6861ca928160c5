// Package kernels holds the Metal sources of the decode path and says how to launch each of them.
//
// [Sources] lists the texts in the order in which they are compiled as one translation unit: contract.metal, the
// numeric primitives, comes first. A method of [Shapes] turns a kernel's shape and a [Tile] into a [Launch]:
// kernel name, function constants, threadgroup size and memory. A Tile never changes a bit of any result: the order
// of additions belongs to the matrix row. NUMERICS.md is that contract in full; the scalar reference in this
// package's tests is written from it and from nothing else.
//
// The package makes no buffers and binds none: see package model.
package kernels
