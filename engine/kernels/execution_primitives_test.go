package kernels_test

import (
	"math"
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kernels"
)

// Plan. The primitives of contract.metal on the device against the scalar reference, bit for bit, over arguments that
// sweep the exponent range the contract allows; the reference's own fma against exact arithmetic. Source: NUMERICS.md
// sections 2 and 3.

// probe applies one primitive to each element.
const probe = `
kernel void probe(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *out [[buffer(2)]],
                  constant uint &which [[buffer(3)]], uint i [[thread_position_in_grid]]) {
    float r = 0.0f;
    switch (which) {
    case 0: r = exponential(a[i]); break;
    case 1: r = sigmoid(a[i]); break;
    case 2: r = quotient(a[i], b[i]); break;
    case 3: r = root(b[i]); break;
    case 4: r = zap(a[i]); break;
    case 5: r = fma(a[i], b[i], a[i]); break;
    }
    out[i] = r;
}
`

var _ = Describe("Numeric primitives", Label("area:numerics", "purpose:execution"), func() {
	const n = 8192

	DescribeTable("give the reference's bits",
		func(which uint32, want func(a, b float32) float32) {
			r := newRig()
			sources := append(kernels.Sources(), device.Source{Name: "probe.metal", Text: probe})
			library, err := r.dev.Compile(sources)
			Expect(err).NotTo(HaveOccurred())
			r.library = library

			s := newSource(uint64(which))
			a, b, wanted := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range a {
				a[i] = zap(float32(s.NormFloat64() * math.Exp2(float64(s.IntN(44)-38))))
				b[i] = float32((1 + s.Float64()) * math.Exp2(float64(s.IntN(40)-20)))
				if i%16 == 0 { // the significand that spoils a Newton step
					b[i] = math.Float32frombits(math.Float32bits(b[i]) | 0x7fffff)
				}
			}
			copy(a, []float32{0, 80, -80, 81, -81, 1000, -1000, 0x1p-40, -0x1p-40, 0x1.fffffep-41, 88.7, -87.3})
			for i := range wanted {
				wanted[i] = want(a[i], b[i])
			}
			got := room(n)
			l := kernels.Launch{Kernel: "probe", ThreadsPerThreadgroup: device.Size{X: 256}}
			advance, err := r.shapes(true).Advance()
			Expect(err).NotTo(HaveOccurred())
			l.Constants = advance.Constants
			Expect(r.launch(l, n/256, a, b, got, which)).To(Succeed())
			Expect(sameBits(got.floats(), wanted)).To(Succeed())
		},
		Entry("exponential", uint32(0), func(a, _ float32) float32 { return exponential(a) }),
		Entry("sigmoid", uint32(1), func(a, _ float32) float32 { return sigmoid(a) }),
		Entry("quotient", uint32(2), divide),
		Entry("root", uint32(3), func(_, b float32) float32 { return root(b) }),
		Entry("zap", uint32(4), func(a, _ float32) float32 { return zap(a) }),
		Entry("fma", uint32(5), func(a, b float32) float32 { return fma32(a, b, a) }),
	)

	It("has an exponential within one unit in the last place, and exactly 1 at 0", func() {
		Expect(exponential(0)).To(Equal(float32(1)))
		s := newSource(9)
		for range 200000 {
			x := float32(s.Float64()*160 - 80)
			want := math.Exp(float64(x))
			ulp := math.Abs(float64(math.Nextafter32(float32(want), math.MaxFloat32)) - float64(float32(want)))
			Expect(math.Abs(float64(exponential(x))-want)).To(BeNumerically("<=", ulp), "exponential(%v)", x)
		}
	})

	It("has a reference fma that rounds once", func() {
		s := newSource(10)
		near := func() float32 { return math.Float32frombits(0x3f800000 + uint32(s.IntN(8)) + uint32(s.IntN(2))<<22) }
		for range 200000 {
			a, b := near(), near()
			c := -float32(a*b) * math.Float32frombits(0x3f800000+uint32(s.IntN(4)))
			if s.IntN(2) == 0 {
				c = float32(math.Ldexp(float64(near()), s.IntN(60)-30))
			}
			exact := new(big.Float).SetPrec(400).SetFloat64(float64(a))
			exact.Mul(exact, new(big.Float).SetFloat64(float64(b)))
			exact.Add(exact, new(big.Float).SetFloat64(float64(c)))
			want, _ := exact.Float32()
			Expect(fma32(a, b, c)).To(Equal(want), "fma32(%x, %x, %x)", a, b, c)
		}
	})
})
