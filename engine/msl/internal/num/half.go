package num

import "math"

// F16ToF32 widens a float16; exact. A NaN keeps its sign and payload and becomes quiet, as IEEE 754 has it.
func F16ToF32(h uint16) float32 {
	f := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	u := math.Float32bits(f)
	if h&0x7c00 == 0x7c00 {
		u = 0x7f800000 | uint32(h&0x3ff)<<13
		if h&0x3ff != 0 {
			u |= 1 << 22
		}
	}
	return math.Float32frombits(u | uint32(h&0x8000)<<16)
}

// F32ToF16 rounds to nearest, ties to even. Overflow gives infinity; a NaN stays a quiet NaN.
func F32ToF16(f float32) uint16 {
	u := math.Float32bits(f)
	sign := uint16(u >> 16 & 0x8000)
	u &= 0x7fffffff
	switch {
	case u > 0x7f800000:
		return sign | 0x7e00 | uint16(u>>13&0x3ff)
	case u >= 0x477ff000: // 65520, the midpoint of the largest float16 and 2^16
		return sign | 0x7c00
	case u >= 0x38800000: // 2^-14, the smallest normal float16
		u += 0xfff + u>>13&1
		return sign | uint16((u-(112<<23))>>13)
	}
	// Subnormal: adding 0.5 aligns the last place of float32 with that of float16, and rounds to even.
	r := math.Float32bits(math.Float32frombits(u) + 0.5)
	return sign | uint16(r-0x3f000000)
}

// RoundF16 rounds to float16 and widens again.
func RoundF16(f float32) float32 { return F16ToF32(F32ToF16(f)) }

// BF16ToF32 widens a bfloat16; exact.
func BF16ToF32(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// F32ToBF16 rounds to nearest, ties to even. Overflow gives infinity; a NaN stays a quiet NaN.
func F32ToBF16(f float32) uint16 {
	u := math.Float32bits(f)
	if u&0x7fffffff > 0x7f800000 {
		return uint16(u>>16) | 0x40
	}
	return uint16((u + 0x7fff + u>>16&1) >> 16)
}

// RoundBF16 rounds to bfloat16 and widens again.
func RoundBF16(f float32) float32 { return BF16ToF32(F32ToBF16(f)) }
