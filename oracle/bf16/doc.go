// Package bf16 converts between float64 and bfloat16: sign, 8 bits of exponent, 7 bits of fraction; the upper half of
// a float32. Rounding is to nearest, ties to even, straight from float64, so nothing is rounded twice.
//
// The engine has its own conversion, written apart on purpose; a spec of the conformance suite compares the two.
package bf16
