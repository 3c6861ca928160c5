package exec

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"

	"github.com/octoryn/assay/engine/msl/internal/num"
)

// Plan. The field fma decides by itself whether a sum needs care; hold it to num.FMA where that is delicate: sums in the
// middle of two values, a small addend that decides the tie, an addend that swallows the product, cancellation, the least
// normal values, and what is not finite.

var _ = Describe("Field fma", func() {
	DescribeTable("rounds once",
		func(k fieldToF32) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 40000 {
				var d, b, c f32s
				var a u32s
				for i := range a {
					a[i] = r.Uint32()
					code := float32(int32(a[i]>>k.shift&k.mask) + k.bias)
					b[i] = math.Float32frombits(r.Uint32()&0x807fffff | uint32(96+r.IntN(64))<<23)
					if r.IntN(2) == 0 {
						b[i] = math.Float32frombits(math.Float32bits(b[i]) &^ (1<<r.IntN(23) - 1))
					}
					p := float64(code) * float64(b[i])
					switch r.IntN(6) {
					case 0: // far smaller or larger
						c[i] = float32(math.Ldexp(p*(1+r.Float64()), r.IntN(120)-60))
					case 1: // complements the product to the middle of two values
						half := math.Ldexp(1, math.Ilogb(p+1e-30)-24+r.IntN(3))
						c[i] = float32(math.Round(p/half)*half + half - p)
					case 2:
						c[i] = -float32(p)
					case 3:
						c[i] = math.Float32frombits(r.Uint32())
					case 4:
						c[i] = float32(math.Ldexp(float64(1+r.IntN(1<<24)), r.IntN(40)-60))
					}
				}
				goFieldFma(&d, &a, k.shift, k.mask, uint32(k.bias), &b, &c)
				for i := range d {
					code := float32(int32(a[i]>>k.shift&k.mask) + k.bias)
					want := num.FMA(code, b[i], c[i])
					if d[i] != want && !(d[i] != d[i] && want != want) || math.Signbit(float64(d[i])) != math.Signbit(float64(want)) && d[i] == d[i] {
						Fail("fma of " + hex(code, b[i], c[i]) + ": got " + hex(d[i]) + ", want " + hex(want))
					}
				}
			}
		},
		Entry("symmetric codes", fieldToF32{shift: 4, mask: 15, bias: -8}),
		Entry("affine codes", fieldToF32{shift: 28, mask: 15}),
		Entry("wider fields", fieldToF32{shift: 3, mask: 0x3fff, bias: -100}),
	)
})

func hex(v ...float32) string { return fmt.Sprintf("%x", v) }
