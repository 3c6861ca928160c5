package check

import (
	"math"

	"github.com/octoryn/assay/engine/msl/internal/num"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// floatOf widens the bits of a value of the floating-point type s.
func floatOf(s *types.Scalar, bits uint64) float32 {
	switch s {
	case types.Half:
		return num.F16ToF32(uint16(bits))
	case types.Bfloat:
		return num.BF16ToF32(uint16(bits))
	}
	return math.Float32frombits(uint32(bits))
}
