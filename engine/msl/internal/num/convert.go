package num

import "math"

// F32ToI32 truncates toward zero; NaN gives 0 and values out of range saturate.
func F32ToI32(f float32) int32 {
	switch {
	case f != f:
		return 0
	case f >= 0x1p31:
		return math.MaxInt32
	case f <= -0x1p31:
		return math.MinInt32
	}
	return int32(f)
}

// F32ToU32 truncates toward zero; NaN and negative values give 0, large ones saturate.
func F32ToU32(f float32) uint32 {
	switch {
	case !(f > 0):
		return 0
	case f >= 0x1p32:
		return math.MaxUint32
	}
	return uint32(int64(f))
}

// F32ToI64 truncates toward zero; NaN gives 0 and values out of range saturate.
func F32ToI64(f float32) int64 {
	switch {
	case f != f:
		return 0
	case f >= 0x1p63:
		return math.MaxInt64
	case f <= -0x1p63:
		return math.MinInt64
	}
	return int64(f)
}

// F32ToU64 truncates toward zero; NaN and negative values give 0, large ones saturate.
func F32ToU64(f float32) uint64 {
	switch {
	case !(f > 0):
		return 0
	case f >= 0x1p64:
		return math.MaxUint64
	case f >= 0x1p63:
		return uint64(int64(f-0x1p63)) | 1<<63
	}
	return uint64(int64(f))
}

// I64ToF32 rounds to nearest even.
func I64ToF32(v int64) float32 { return float32(v) }

// U64ToF32 rounds to nearest even.
func U64ToF32(v uint64) float32 {
	if int64(v) >= 0 {
		return float32(int64(v))
	}
	return float32(int64(v>>1|v&1)) * 2 // the sticky bit keeps the rounding right
}
