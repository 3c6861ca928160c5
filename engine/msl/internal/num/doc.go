// Package num holds the arithmetic of the executor: float32 operations with exactly stated rounding, the
// 16-bit float formats, and the functions of the MSL library.
//
// Everything here gives the same bits on every architecture. Products that are not part of a fused
// multiply-add are wrapped in an explicit conversion, because the Go compiler otherwise fuses x*y+z
// where the target has the instruction; nothing here calls a function of package math that may be
// written in assembly, apart from Sqrt, Floor, Ceil and Trunc, which are exact.
//
// Where MSL does not fix the bits of a function (exp, sin, pow, ...) the choice is: evaluate in float64
// with a relative error below 2^-45, and round once to float32. Kernels held to the numeric contract
// use none of these.
package num
