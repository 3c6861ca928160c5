package bf16_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle/bf16"
)

// Plan
//
//   - Purpose: widening of every bfloat16, and rounding at and beside every midpoint of neighbours.
//   - Control: truncation, and rounding by way of float32, differ.
//   - Boundary: subnormals, the overflow threshold 2^128 - 2^119, zeros, infinity, NaN.
//   - Source: bfloat16 is the upper half of a float32 with the same exponent.

// value is sign, exponent and fraction by their definition, for finite patterns.
func value(bits uint16) float64 {
	exponent, fraction := int(bits>>7&0xff), float64(bits&0x7f)
	v := math.Ldexp(fraction/128, -126)
	if exponent > 0 {
		v = math.Ldexp(1+fraction/128, exponent-127)
	}
	if bits>>15 == 1 {
		v = math.Copysign(v, -1)
	}
	return v
}

var _ = Describe("bfloat16", func() {
	It("widens and narrows every bit pattern", func() {
		for i := range 1 << 16 {
			bits := uint16(i)
			got := bf16.ToFloat64(bits)
			if bits&0x7f80 == 0x7f80 {
				Expect(math.IsNaN(got)).To(Equal(bits&0x7f != 0))
				Expect(math.IsInf(got, 0)).To(Equal(bits&0x7f == 0))
				if math.IsNaN(got) {
					Expect(bf16.FromFloat64(got)).To(Equal(uint16(0x7fc0)))
				}
				continue
			}
			if math.Float64bits(got) != math.Float64bits(value(bits)) || bf16.FromFloat64(got) != bits {
				Expect(got).To(Equal(value(bits)), "%#04x", bits)
				Expect(bf16.FromFloat64(got)).To(Equal(bits))
			}
		}
	})
	It("rounds to the nearest, ties to even", func() {
		for bits := range uint16(0x7f7f) { // to the pair of the two largest
			low, high := value(bits), value(bits+1)
			middle, even := (low+high)/2, low
			if bits%2 == 1 {
				even = high
			}
			for _, c := range [][2]float64{{low, low}, {middle, even}, {math.Nextafter(middle, 0), low}, {math.Nextafter(middle, math.Inf(1)), high}} {
				for _, sign := range []float64{1, -1} {
					if got := bf16.Round(sign * c[0]); math.Float64bits(got) != math.Float64bits(sign*c[1]) {
						Expect(got).To(Equal(sign*c[1]), "Round(%v)", sign*c[0])
						Fail("sign of zero")
					}
				}
			}
		}
	})
	It("neither truncates nor rounds twice", Label("purpose:fault"), func() {
		Expect(bf16.Round(1.99999)).To(Equal(2.0))
		above := 1 + 0x1p-8 + 0x1p-40 // just above the midpoint of 1 and the next
		Expect(bf16.Round(above)).To(Equal(1 + 0x1p-7))
		Expect(bf16.Round(float64(float32(above)))).To(Equal(1.0))
	})
	DescribeTable("has edges", func(x, want float64) { Expect(bf16.Round(x)).To(Equal(want)) },
		Entry("the last that rounds to the largest", math.Nextafter(0x1p128-0x1p119, 0), 0x1p128-0x1p120),
		Entry("the first that overflows", 0x1p128-0x1p119, math.Inf(1)),
		Entry("the same below", -(0x1p128-0x1p119), math.Inf(-1)),
		Entry("infinity", math.Inf(-1), math.Inf(-1)),
		Entry("half the smallest, a tie", 0x1p-134, 0.0),
		Entry("a little more", math.Nextafter(0x1p-134, 1), 0x1p-133),
	)
	It("keeps NaN and the sign of zero", func() {
		Expect(math.IsNaN(bf16.Round(math.NaN()))).To(BeTrue())
		Expect(math.Signbit(bf16.Round(math.Copysign(0, -1)))).To(BeTrue())
	})
})
