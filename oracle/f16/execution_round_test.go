package f16_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/octoryn/assay/oracle/f16"
)

// Plan
//
//   - Purpose: widening of every float16, and rounding at and beside every midpoint of neighbours.
//   - Control: rounding by way of float32 rounds twice and differs just beside a midpoint.
//   - Boundary: subnormals, the overflow threshold 65520, zeros, infinity, NaN.
//   - Source: IEEE 754 binary16; the outside package x448/float16 for widening.

var _ = Describe("float16", func() {
	It("widens every bit pattern as an outside package does", func() {
		for bits := range 1 << 16 {
			got, want := f16.ToFloat64(uint16(bits)), float64(float16.Frombits(uint16(bits)).Float32())
			if math.IsNaN(want) {
				Expect(math.IsNaN(got)).To(BeTrue(), "%#04x", bits)
				continue
			}
			if math.Float64bits(got) != math.Float64bits(want) {
				Fail("widening is wrong")
			}
		}
	})
	It("rounds to the nearest, ties to even", func() {
		for bits := range uint16(0x7bff) { // to the pair of the two largest
			low, high := f16.ToFloat64(bits), f16.ToFloat64(bits+1)
			middle, even := (low+high)/2, low
			if bits%2 == 1 {
				even = high
			}
			for _, c := range [][2]float64{{low, low}, {middle, even}, {math.Nextafter(middle, 0), low}, {math.Nextafter(middle, 1e9), high}} {
				for _, sign := range []float64{1, -1} {
					if got := f16.Round(sign * c[0]); math.Float64bits(got) != math.Float64bits(sign*c[1]) {
						Expect(got).To(Equal(sign*c[1]), "Round(%v)", sign*c[0])
						Fail("sign of zero")
					}
				}
			}
		}
	})
	It("does not round twice, as by way of float32", Label("purpose:fault"), func() {
		above := 1 + 0x1p-11 + 0x1p-40 // just above the midpoint of 1 and the next
		Expect(f16.Round(above)).To(Equal(1 + 0x1p-10))
		Expect(f16.Round(float64(float32(above)))).To(Equal(1.0))
	})
	DescribeTable("has edges", func(x, want float64) { Expect(f16.Round(x)).To(Equal(want)) },
		Entry("the last that rounds to the largest", math.Nextafter(65520, 0), float64(f16.Largest)),
		Entry("the first that overflows", 65520.0, math.Inf(1)),
		Entry("the same below", -65520.0, math.Inf(-1)),
		Entry("infinity", math.Inf(-1), math.Inf(-1)),
		Entry("the largest float64", math.MaxFloat64, math.Inf(1)),
		Entry("half the smallest, a tie", 0x1p-25, 0.0),
		Entry("a little more", math.Nextafter(0x1p-25, 1), 0x1p-24),
		Entry("the smallest float64", 5e-324, 0.0),
	)
	It("keeps NaN and the sign of zero", func() {
		Expect(math.IsNaN(f16.Round(math.NaN()))).To(BeTrue())
		Expect(math.Signbit(f16.Round(math.Copysign(0, -1)))).To(BeTrue())
		Expect(math.Signbit(f16.Round(-1e-30))).To(BeTrue())
	})
})
