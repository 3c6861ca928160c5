// Package f16 converts between float64 and IEEE 754 binary16 (float16): sign, 5 bits of exponent, 10 bits of
// fraction. Rounding is to nearest, ties to even, straight from float64, so nothing is rounded twice.
package f16
