package num

// Plan. Purpose: the fused multiply-adds round once, whatever the operands: compared with math/big at 700 bits on random triples and
// on triples aimed at ties, at cancellation and at the subnormals. Controls: rounding twice, through float64, is wrong on many of
// the same triples, so they can tell; the shortcut that skips the correction is never taken wrongly. Source: IEEE 754 fusedMultiplyAdd.

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exactSum is a*b + c without rounding; its sign says little when it is zero.
func exactSum(a, b, c float64) *big.Float {
	wide := func(x float64) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(x) }
	p := new(big.Float).SetPrec(700).Mul(wide(a), wide(b))
	return p.Add(p, wide(c))
}

// aimed is a triple whose sum is likely to be near a rounding boundary.
func aimed(r *rand.Rand) (a, b, c float32) {
	mantissa := func(exponent int) float32 {
		return float32(math.Ldexp(float64(1<<23|r.IntN(1<<23)), exponent-23)) * float32(1-2*r.IntN(2))
	}
	switch r.IntN(6) {
	case 0: // anything
		return mantissa(r.IntN(80) - 40), mantissa(r.IntN(80) - 40), mantissa(r.IntN(80) - 40)
	case 1: // short factors: the product is short, and the sum ties often
		a, b = float32(r.IntN(4096)-2048), float32(r.IntN(4096)-2048)
		return a, b, mantissa(r.IntN(50) - 10)
	case 2: // cancellation
		a, b = mantissa(r.IntN(20)-10), mantissa(r.IntN(20)-10)
		return a, b, -float32(float64(a)*float64(b)) * (1 + float32(r.IntN(3)-1)*0x1p-23)
	case 3: // subnormal results
		return mantissa(-r.IntN(60) - 40), mantissa(-r.IntN(60) - 50), float32(math.Float32frombits(uint32(r.IntN(1<<24)))) * float32(1-2*r.IntN(2))
	case 4: // a tie of float32 plus a trifle
		trifle := float32(math.Ldexp(1, -16-r.IntN(6))) // (1+t)(1-t) = 1 - t*t: float64 loses t*t beside c
		return 0x1p-24 * (1 + trifle), (1 - trifle) * float32(1-2*r.IntN(2)), mantissa(0)
	default: // an integer code and an activation, as the kernels multiply them
		return float32(r.IntN(16) - 8), mantissa(r.IntN(30) - 20), mantissa(r.IntN(30) - 20)
	}
}

var _ = Describe("the fused multiply-add", Label("area:executor"), func() {
	It("equals the exact sum rounded once", func() {
		r := rand.New(rand.NewPCG(1, 2))
		twice, near := 0, 0
		for range 1_000_000 {
			a, b, c := aimed(r)
			sum := exactSum(float64(a), float64(b), float64(c))
			want, _ := sum.Float32()
			got := FMA(a, b, c)
			if got != want {
				Fail(fmt.Sprintf("fma(%x, %x, %x): got %x, want %x", a, b, c, got, want))
			}
			p := float64(float64(a) * float64(b))
			if s := p + float64(c); NearTie(s) {
				near++
			}
			if float32(p+float64(c)) != want {
				twice++
			}
		}
		Expect(twice).To(BeNumerically(">", 1000), "triples that rounding twice gets wrong")
		Expect(near).To(BeNumerically(">", twice))
	})

	It("keeps signs of zero, infinities and NaN as IEEE 754 has them", func() {
		inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(0)
		minus := float32(math.Copysign(0, -1))
		for _, t := range []struct{ a, b, c, want float32 }{
			{zero, 1, zero, zero}, {minus, 1, minus, minus}, {minus, 1, zero, zero}, {1, 1, -1, zero}, {zero, -1, minus, minus},
			{inf, 1, 1, inf}, {1, -inf, 3, -inf}, {1, 2, inf, inf}, {math.MaxFloat32, 2, 0, inf}, {math.MaxFloat32, 2, -math.MaxFloat32, math.MaxFloat32},
			{math.SmallestNonzeroFloat32, 0.5, 0, zero}, {math.SmallestNonzeroFloat32, 0.75, 0, math.SmallestNonzeroFloat32},
		} {
			Expect(math.Float32bits(FMA(t.a, t.b, t.c))).To(Equal(math.Float32bits(t.want)), "fma(%v, %v, %v)", t.a, t.b, t.c)
		}
		for _, t := range [][3]float32{{nan, 1, 1}, {1, nan, 1}, {1, 1, nan}, {inf, 0, 1}, {inf, 1, -inf}} {
			got := FMA(t[0], t[1], t[2])
			Expect(got != got).To(BeTrue(), "fma%v", t)
		}
	})

	It("rounds once to float16 and to bfloat16", func() {
		r := rand.New(rand.NewPCG(3, 4))
		wrongIfTwice := 0
		for range 300_000 {
			a, b, c := RoundF16(float32(r.NormFloat64())), RoundF16(float32(r.NormFloat64())), RoundF16(float32(r.NormFloat64()*math.Exp2(float64(r.IntN(24)-15))))
			sum := exactSum(float64(a), float64(b), float64(c))
			if got, want := FMA16(a, b, c), nearest(sum, 11, -24); got != want {
				Fail(fmt.Sprintf("half fma(%x, %x, %x): got %x, want %x", a, b, c, got, want))
			} else if RoundF16(FMA(a, b, c)) != want {
				wrongIfTwice++
			}
			a, b, c = RoundBF16(a), RoundBF16(b), RoundBF16(c)
			sum = exactSum(float64(a), float64(b), float64(c))
			if got, want := FMABF16(a, b, c), nearest(sum, 8, -133); got != want {
				Fail(fmt.Sprintf("bfloat fma(%x, %x, %x): got %x, want %x", a, b, c, got, want))
			} else if RoundBF16(FMA(a, b, c)) != want {
				wrongIfTwice++
			}
		}
		Expect(wrongIfTwice).To(BeNumerically(">", 0))
	})
})

// nearest rounds to the nearest multiple of 2^max(least, exponent-digits+1), ties to even: a float of so many digits.
func nearest(x *big.Float, digits, least int) float32 {
	if x.Sign() == 0 {
		return 0
	}
	ulp := max(x.MantExp(nil)-digits, least)
	scaled := new(big.Float).SetMantExp(x, -ulp)
	whole, _ := scaled.Int(nil) // toward zero
	rest := new(big.Float).SetPrec(700).Sub(scaled, new(big.Float).SetPrec(700).SetInt(whole))
	half := rest.Abs(rest).Cmp(big.NewFloat(0.5))
	if half > 0 || half == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(int64(x.Sign())))
	}
	out, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(whole), ulp).Float32()
	return out
}
