package num

// Plan. Purpose: float16 and bfloat16 are widened exactly and narrowed to nearest even, for every value of theirs, every midpoint and
// both neighbours of it; float to integer and back are defined everywhere. Controls: truncation and rounding half up differ on the
// same values. Boundaries: the largest finite value and the midpoint to infinity, subnormals, 2^31, 2^32, 2^63, 2^64, NaN.
// Source: IEEE 754 formats; metal-facts of the MSL specification, section 8.6 (toward zero, NaN to 0).

import (
	"fmt"
	"math"
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// decode is the value of a small float, by the definition of its format.
func decode(bits uint16, exponentBits, fractionBits int) float64 {
	sign := 1.0
	if bits>>15 == 1 {
		sign = -1
	}
	bias := 1<<(exponentBits-1) - 1
	exponent := int(bits>>fractionBits) & (1<<exponentBits - 1)
	fraction := int(bits) & (1<<fractionBits - 1)
	switch exponent {
	case 0:
		return sign * math.Ldexp(float64(fraction), 1-bias-fractionBits)
	case 1<<exponentBits - 1:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(float64(1<<fractionBits+fraction), exponent-bias-fractionBits)
}

type format struct {
	name                       string
	exponentBits, fractionBits int
	widen                      func(uint16) float32
	narrow                     func(float32) uint16
}

var formats = []format{{"float16", 5, 10, F16ToF32, F32ToF16}, {"bfloat16", 8, 7, BF16ToF32, F32ToBF16}}

var _ = Describe("the 16-bit floats", Label("area:executor"), func() {
	for _, f := range formats {
		It(f.name+" is widened exactly, all 65536 of them, and comes back", func() {
			for bits := range 1 << 16 {
				b := uint16(bits)
				got, want := float64(f.widen(b)), decode(b, f.exponentBits, f.fractionBits)
				if want != want {
					Expect(got != got && f.narrow(float32(got))&^(1<<15) > uint16(1<<15-1<<f.fractionBits)).To(BeTrue(), "NaN %#x", b)
					continue
				}
				if math.Float64bits(got) != math.Float64bits(want) || f.narrow(f.widen(b)) != b {
					Fail(fmt.Sprintf("%#x: got %g, want %g; back %#x", b, got, want, f.narrow(f.widen(b))))
				}
			}
		})

		It(f.name+" is rounded to nearest even at every midpoint and beside it", func() {
			truncates, halfUp := 0, 0
			infinity := uint16(1<<15 - 1<<f.fractionBits)
			for b := uint16(0); b < infinity; b++ {
				low := decode(b, f.exponentBits, f.fractionBits)
				high := decode(b+1, f.exponentBits, f.fractionBits)
				if b+1 == infinity { // the first value that does not exist any more
					high = 2*low - decode(b-1, f.exponentBits, f.fractionBits)
				}
				middle := float32((low + high) / 2)
				if float64(middle) != (low+high)/2 {
					continue // bfloat16's least subnormals: the midpoint is below float32
				}
				even := b + b&1
				for _, sign := range []uint16{0, 1 << 15} {
					s := float32(1)
					if sign != 0 {
						s = -1
					}
					for _, t := range []struct {
						x    float32
						want uint16
					}{{middle, even}, {math.Nextafter32(middle, 0), b}, {math.Nextafter32(middle, float32(math.Inf(1))), b + 1}} {
						if got := f.narrow(s * t.x); got != sign|t.want {
							Fail(fmt.Sprintf("%g: got %#x, want %#x", s*t.x, got, sign|t.want))
						}
					}
				}
				if even != b {
					truncates++
				} else {
					halfUp++
				}
			}
			Expect(truncates).To(BeNumerically(">", 15_000))
			Expect(halfUp).To(BeNumerically(">", 15_000))
		})
	}
})

var _ = Describe("conversions of integers", Label("area:executor"), func() {
	edges := []float64{0, 0.5, 0.999, 1, 1.5, 255.9, 1 << 24, 1<<31 - 128, 1 << 31, 1<<31 + 256, 1<<32 - 256, 1 << 32, 1 << 40,
		1<<63 - 1<<39, 1 << 63, 1<<63 + 1<<40, 1<<64 - 1<<40, 1 << 64, 1e30, math.Inf(1), 0x1p-149}

	// clamp is truncation toward zero, saturated, by math/big.
	clamp := func(x float32, low, high string) *big.Int {
		l, _ := new(big.Int).SetString(low, 10)
		h, _ := new(big.Int).SetString(high, 10)
		if math.IsInf(float64(x), 1) {
			return h
		}
		if math.IsInf(float64(x), -1) {
			return l
		}
		v, _ := big.NewFloat(float64(x)).Int(nil)
		if v.Cmp(l) < 0 {
			return l
		}
		if v.Cmp(h) > 0 {
			return h
		}
		return v
	}

	It("truncate toward zero and saturate; NaN gives 0", func() {
		for _, e := range edges {
			for _, x := range []float32{float32(e), -float32(e), math.Nextafter32(float32(e), 0), -math.Nextafter32(float32(e), 0)} {
				Expect(big.NewInt(int64(F32ToI32(x)))).To(Equal(clamp(x, "-2147483648", "2147483647")), "int %g", x)
				Expect(new(big.Int).SetUint64(uint64(F32ToU32(x))).Cmp(clamp(x, "0", "4294967295"))).To(BeZero(), "uint %g", x)
				Expect(big.NewInt(F32ToI64(x)).Cmp(clamp(x, "-9223372036854775808", "9223372036854775807"))).To(BeZero(), "long %g", x)
				Expect(new(big.Int).SetUint64(F32ToU64(x)).Cmp(clamp(x, "0", "18446744073709551615"))).To(BeZero(), "ulong %g", x)
			}
		}
		nan := float32(math.NaN())
		Expect([]any{F32ToI32(nan), F32ToU32(nan), F32ToI64(nan), F32ToU64(nan)}).To(Equal([]any{int32(0), uint32(0), int64(0), uint64(0)}))
	})

	It("round to nearest even on the way to float", func() {
		for _, v := range []uint64{0, 1, 1 << 24, 1<<24 + 1, 1<<24 + 2, 1<<24 + 3, 1<<25 + 2, 1<<25 + 6, 1<<31 + 64, 1<<31 + 192, 1<<53 + 1, 1 << 63,
			1<<63 + 1<<39, 1<<63 + 1<<39 + 1, 1<<63 + 3<<39, 1<<64 - 1, 1<<64 - 1<<39, 1<<64 - 1<<39 - 1} {
			want, _ := new(big.Float).SetInt(new(big.Int).SetUint64(v)).Float32()
			Expect(U64ToF32(v)).To(Equal(want), "%d", v)
			if v < 1<<63 {
				Expect(I64ToF32(int64(v))).To(Equal(want))
				Expect(I64ToF32(-int64(v))).To(Equal(-want))
			}
		}
	})
})
