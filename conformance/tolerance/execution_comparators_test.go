package tolerance_test

// Purpose: each comparator accepts what it should, refuses what it should, and refuses NaN and infinities planted
// on either side. Control case: the nearest value that must pass stands beside each one that must not.
// Boundaries: equality with the limit, both zeros, neighbours across a power of two and across zero.

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance/tolerance"
)

var nonFinite = map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1)}

var _ = Describe("AtMost and AtLeast", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	It("accept equality and refuse the next float64 beyond it", func() {
		Expect(tolerance.AtMost(1, 1)).To(BeTrue())
		Expect(tolerance.AtMost(math.Nextafter(1, 2), 1)).To(BeFalse())
		Expect(tolerance.AtLeast(1, 1)).To(BeTrue())
		Expect(tolerance.AtLeast(math.Nextafter(1, 0), 1)).To(BeFalse())
	})
	It("refuse NaN and infinities on either side, even where the inequality holds", func() {
		for name, bad := range nonFinite {
			Expect(tolerance.AtMost(bad, 1)).To(BeFalse(), name)
			Expect(tolerance.AtMost(1, bad)).To(BeFalse(), name)
			Expect(tolerance.AtLeast(bad, 1)).To(BeFalse(), name)
			Expect(tolerance.AtLeast(1, bad)).To(BeFalse(), name)
		}
	})
})

var _ = Describe("ULP distance", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	tiny := math.SmallestNonzeroFloat64
	DescribeTable("counts float64 values between", func(a, b float64, want int) {
		got, ok := tolerance.ULP64(a, b)
		Expect(ok).To(BeTrue())
		Expect(got).To(BeEquivalentTo(want))
		got, _ = tolerance.ULP64(b, a)
		Expect(got).To(BeEquivalentTo(want), "symmetric")
	},
		Entry("equal values", 1.5, 1.5, 0),
		Entry("the two zeros", 0.0, math.Copysign(0, -1), 0),
		Entry("neighbours across a power of two", math.Nextafter(2, 0), math.Nextafter(2, 3), 2),
		Entry("the smallest values across zero", -tiny, tiny, 2),
	)
	It("counts in the named type: one bf16 unit is 65536 float32 units", func() {
		a, b := math.Float32frombits(0x3f800000), math.Float32frombits(0x3f810000)
		n32, ok := tolerance.ULP32(a, b)
		Expect(ok).To(BeTrue())
		Expect(n32).To(BeEquivalentTo(65536))
		n16, ok := tolerance.ULPBFloat16(0x3f80, 0x3f81)
		Expect(ok).To(BeTrue())
		Expect(n16).To(BeEquivalentTo(1))
	})
	It("counts across zero in float16", func() {
		n, ok := tolerance.ULPFloat16(0x8001, 0x0001)
		Expect(ok).To(BeTrue())
		Expect(n).To(BeEquivalentTo(2))
	})
	It("refuses NaN and infinities", func() {
		for name, bad := range nonFinite {
			_, ok := tolerance.ULP64(bad, bad)
			Expect(ok).To(BeFalse(), name)
			_, ok = tolerance.ULP32(1, float32(bad))
			Expect(ok).To(BeFalse(), name)
		}
		for _, bits := range []uint16{0x7c00, 0xfc00, 0x7e00} {
			_, ok := tolerance.ULPFloat16(bits, bits)
			Expect(ok).To(BeFalse())
		}
		for _, bits := range []uint16{0x7f80, 0xff80, 0x7fc0} {
			_, ok := tolerance.ULPBFloat16(bits, bits)
			Expect(ok).To(BeFalse())
		}
	})
})

var _ = Describe("Interval", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	It("contains its ends and nothing beyond them", func() {
		i := tolerance.Around(1, 0.25)
		Expect(i.Contains(0.75)).To(BeTrue())
		Expect(i.Contains(1.25)).To(BeTrue())
		Expect(i.Contains(math.Nextafter(1.25, 2))).To(BeFalse())
	})
	It("in ULPs of float32 is narrower below a power of two than above", func() {
		i := tolerance.ULPs32(1, 1)
		Expect(1 - i.Lo).To(Equal((i.Hi - 1) / 2))
	})
	It("never contains NaN or an infinity, and a broken interval contains nothing", func() {
		for name, bad := range nonFinite {
			Expect(tolerance.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}.Contains(bad)).To(BeFalse(), name)
			Expect(tolerance.Around(bad, 1).Contains(0)).To(BeFalse(), name)
			Expect(tolerance.Around(0, bad).Contains(0)).To(BeFalse(), name)
		}
		Expect(tolerance.Around(0, -1).Contains(0)).To(BeFalse())
	})
})

var _ = Describe("Elements", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	one := func(int) float64 { return 1 }
	It("accepts a difference equal to the bound and names the worst element", func() {
		w := tolerance.Elements([]float64{0, 3, 5}, []float64{0, 2, 5.5}, one)
		Expect(w.OK()).To(BeTrue())
		Expect(w.Index).To(Equal(1))
		Expect(w.Ratio).To(Equal(1.0))
	})
	It("counts what is outside and reports the worst, not the first", func() {
		w := tolerance.Elements([]float64{0, 2, 9}, []float64{0, 0, 0}, one)
		Expect(w.OK()).To(BeFalse())
		Expect(w.Outside).To(Equal(2))
		Expect(w.Index).To(Equal(2))
		Expect(w.String()).To(Equal("[2] got 9, want 0 ±1 (9 of the bound); 2 of 3 outside"))
	})
	It("refuses NaN and infinities in got, want and bound, also when both sides hold the same one", func() {
		for name, bad := range nonFinite {
			Expect(tolerance.Elements([]float64{0, bad}, []float64{0, 0}, one).OK()).To(BeFalse(), name)
			Expect(tolerance.Elements([]float64{0, 0}, []float64{0, bad}, one).OK()).To(BeFalse(), name)
			Expect(tolerance.Elements([]float64{bad}, []float64{bad}, one).OK()).To(BeFalse(), name)
			w := tolerance.Elements([]float64{0}, []float64{0}, func(int) float64 { return bad })
			Expect(w.OK()).To(BeFalse(), name)
		}
	})
	It("lets a NaN outrank a finite excess", func() {
		w := tolerance.Elements([]float64{9, math.NaN(), 99}, []float64{0, 0, 0}, one)
		Expect(w.Index).To(Equal(1))
		Expect(w.Outside).To(Equal(3))
	})
	It("does not accept an empty comparison", func() {
		Expect(tolerance.Elements(nil, nil, one).OK()).To(BeFalse())
	})
	It("accepts an exact match under a bound of zero", func() {
		Expect(tolerance.Elements([]float64{2}, []float64{2}, func(int) float64 { return 0 }).OK()).To(BeTrue())
	})
})

var _ = Describe("Cosine", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	It("is 1 for parallel, 0 for orthogonal and -1 for opposite vectors", func() {
		Expect(tolerance.Cosine([]float64{1, 2}, []float64{3, 6})).To(BeNumerically("~", 1, 1e-15))
		Expect(tolerance.Cosine([]float64{1, 0}, []float64{0, 5})).To(Equal(0.0))
		Expect(tolerance.Cosine([]float64{1, 0}, []float64{-2, 0})).To(Equal(-1.0))
	})
	It("does not overflow where the squares would", func() {
		Expect(tolerance.Cosine([]float64{1e300, 1e300}, []float64{1e300, 1e300})).To(BeNumerically("~", 1, 1e-15))
	})
	It("has a distance form that keeps its digits: a rotation by 1e-9 is 5e-19", func() {
		Expect(tolerance.CosineDistance([]float64{1, 0}, []float64{1, 1e-9})).To(BeNumerically("~", 5e-19, 1e-24))
	})
	It("is NaN, hence refused, when an element is NaN or infinite or a vector is zero", func() {
		for name, bad := range nonFinite {
			c := tolerance.Cosine([]float64{1, bad}, []float64{1, bad})
			Expect(tolerance.AtLeast(c, -1)).To(BeFalse(), name)
			d := tolerance.CosineDistance([]float64{1, bad}, []float64{1, 1})
			Expect(tolerance.AtMost(d, 2)).To(BeFalse(), name)
		}
		Expect(tolerance.AtLeast(tolerance.Cosine([]float64{0, 0}, []float64{0, 0}), -1)).To(BeFalse())
	})
})

var _ = Describe("KL", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	It("equals the worked value for two outcomes", func() {
		// p = (1/4, 3/4), q = (1/2, 1/2): 1/4 log(1/2) + 3/4 log(3/2).
		want := math.Log(0.5)/4 + 3*math.Log(1.5)/4
		Expect(tolerance.KL([]float64{0, math.Log(3)}, []float64{0, 0})).To(BeNumerically("~", want, 1e-15))
	})
	It("does not change when a constant is added to all logits, however large", func() {
		a, b := []float64{0, 1, 2}, []float64{0.5, 1, 1.5}
		shifted := []float64{1e4, 1e4 + 1, 1e4 + 2}
		Expect(tolerance.KL(shifted, b)).To(BeNumerically("~", tolerance.KL(a, b), 1e-11))
	})
	It("keeps its digits for differences that cancel in the plain form", func() {
		// Two equal logits, one moved by h: KL = log cosh(h/2) = h^2/8 to first order.
		Expect(tolerance.KL([]float64{0, 0}, []float64{0, 1e-9})).To(BeNumerically("~", 1.25e-19, 1e-23))
	})
	It("is continuous where the series takes over", func() {
		below := tolerance.KL([]float64{0, 0}, []float64{0, 1.999e-3})
		above := tolerance.KL([]float64{0, 0}, []float64{0, 2.001e-3})
		Expect(below).To(BeNumerically("~", 1.999e-3*1.999e-3/8, 1e-12))
		Expect(above).To(BeNumerically("~", 2.001e-3*2.001e-3/8, 1e-12))
	})
	It("is NaN, hence refused, when an element is NaN or infinite", func() {
		for name, bad := range nonFinite {
			Expect(tolerance.AtMost(tolerance.KL([]float64{0, 0}, []float64{0, bad}), math.MaxFloat64)).To(BeFalse(), name)
			Expect(tolerance.AtMost(tolerance.KL([]float64{bad, 0}, []float64{0, 0}), math.MaxFloat64)).To(BeFalse(), name)
		}
		Expect(tolerance.AtMost(tolerance.KL(nil, nil), 1)).To(BeFalse(), "empty")
	})
})

var _ = Describe("Argmax, Margin and Regret", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	It("give ties to the lowest index", func() {
		Expect(tolerance.Argmax([]float64{1, 7, 3, 7})).To(Equal(1))
		first, second, m := tolerance.Margin([]float64{1, 7, 3, 7})
		Expect([]int{first, second}).To(Equal([]int{1, 3}))
		Expect(m).To(Equal(0.0))
	})
	It("measure the margin between first and second", func() {
		_, second, m := tolerance.Margin([]float64{-5, -1, -3})
		Expect(second).To(Equal(2))
		Expect(m).To(Equal(2.0))
	})
	It("measure regret on the wanted logits", func() {
		Expect(tolerance.Regret([]float64{5, 4, 0}, []float64{0, 1, 0})).To(Equal(1.0))
		Expect(tolerance.Regret([]float64{5, 4, 0}, []float64{9, 1, 0})).To(Equal(0.0))
	})
	It("choose nothing from a vector with NaN or an infinity, and so refuse it", func() {
		for name, bad := range nonFinite {
			Expect(tolerance.Argmax([]float64{1, bad, 0})).To(Equal(-1), name)
			_, _, m := tolerance.Margin([]float64{1, bad, 0})
			Expect(tolerance.AtLeast(m, 0)).To(BeFalse(), name)
			r := tolerance.Regret([]float64{1, 0}, []float64{1, bad})
			Expect(tolerance.AtMost(r, math.MaxFloat64)).To(BeFalse(), name)
		}
		Expect(tolerance.Argmax(nil)).To(Equal(-1))
	})
})

var _ = Describe("RMSDifference", Label("purpose:execution", "area:tolerance", "level:required"), func() {
	It("is the root of the mean of squares", func() {
		Expect(tolerance.RMSDifference([]float64{1, 2}, []float64{4, 6})).To(Equal(math.Sqrt(12.5)))
	})
	It("is NaN, hence refused, when an element is NaN or infinite or there is none", func() {
		for name, bad := range nonFinite {
			Expect(tolerance.AtMost(tolerance.RMSDifference([]float64{bad}, []float64{bad}), math.MaxFloat64)).To(BeFalse(), name)
			Expect(tolerance.AtMost(tolerance.RMSDifference([]float64{0}, []float64{bad}), math.MaxFloat64)).To(BeFalse(), name)
		}
		Expect(tolerance.AtMost(tolerance.RMSDifference(nil, nil), math.MaxFloat64)).To(BeFalse())
	})
})
