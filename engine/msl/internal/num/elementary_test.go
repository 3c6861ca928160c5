package num

// Plan. Purpose: the library functions whose bits MSL leaves open are within one unit of the correctly rounded value (the package
// promises better) over their whole range, and have the right special values; rounding functions are exact. Control: a value two
// units off is told. Source: MSL specification, table of minimum accuracy (4 units for most); package math in float64 as the yardstick.

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// units is the distance of two float32 in units in the last place; huge when one is NaN and the other is not.
func units(a, b float32) int64 {
	if a != a || b != b {
		if a != a && b != b {
			return 0
		}
		return math.MaxInt64
	}
	order := func(x float32) int64 {
		if u := math.Float32bits(x); u>>31 == 1 {
			return -int64(u & 0x7fffffff)
		}
		return int64(math.Float32bits(x))
	}
	d := order(a) - order(b)
	return max(d, -d)
}

var _ = Describe("the library functions", Label("area:executor"), func() {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 2, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
		math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126, 88.72284, 88.7229, -87.4, -103.9, -104.1, 127.99, 128, -149.1}

	// Exponents are spread evenly, so that every binade of the range is met.
	sample := func(r *rand.Rand, low, high int) float32 {
		x := math.Ldexp(1+r.Float64(), low+r.IntN(high-low+1))
		if r.IntN(2) == 0 {
			x = -x
		}
		return float32(x)
	}

	for name, f := range map[string]struct {
		got       func(float32) float32
		want      func(float64) float64
		low, high int // exponents of the arguments
	}{
		"exp": {Exp, math.Exp, -30, 6}, "exp2": {Exp2, math.Exp2, -30, 7}, "exp10": {Exp10, func(x float64) float64 { return math.Pow(10, x) }, -30, 5},
		"log": {Log, math.Log, -149, 127}, "log2": {Log2, math.Log2, -149, 127}, "log10": {Log10, math.Log10, -149, 127},
		"sin": {Sin, math.Sin, -40, 30}, "cos": {Cos, math.Cos, -40, 30}, "tan": {Tan, math.Tan, -40, 30},
		"asin": {Asin, math.Asin, -40, -1}, "acos": {Acos, math.Acos, -40, -1}, "atan": {Atan, math.Atan, -40, 40},
		"sinh": {Sinh, math.Sinh, -40, 6}, "cosh": {Cosh, math.Cosh, -40, 6}, "tanh": {Tanh, math.Tanh, -40, 6},
		"asinh": {Asinh, math.Asinh, -40, 60}, "acosh": {Acosh, math.Acosh, 0, 60}, "atanh": {Atanh, math.Atanh, -40, -1},
		"sqrt": {Sqrt, math.Sqrt, -149, 127}, "rsqrt": {Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, -149, 127},
		"floor": {Floor, math.Floor, -10, 40}, "ceil": {Ceil, math.Ceil, -10, 40}, "trunc": {Trunc, math.Trunc, -10, 40},
		"rint": {Rint, math.RoundToEven, -10, 40}, "round": {Round, math.Round, -10, 40},
	} {
		It(name+" is within one unit everywhere", func() {
			r := rand.New(rand.NewPCG(5, uint64(len(name))))
			check := func(x float32) {
				got, want := f.got(x), float32(f.want(float64(x)))
				if units(got, want) > 1 {
					Fail(fmt.Sprintf("%s(%x): got %x, want %x, %d units", name, x, got, want, units(got, want)))
				}
			}
			for _, x := range special {
				check(x)
			}
			for range 60_000 {
				check(sample(r, f.low, f.high))
			}
		})
	}

	It("pow, atan2 and mod of two arguments are within one unit", func() {
		r := rand.New(rand.NewPCG(7, 7))
		check := func(x, y float32) {
			for name, pair := range map[string][2]float32{
				"pow":   {Pow(x, y), float32(math.Pow(float64(x), float64(y)))},
				"atan2": {Atan2(x, y), float32(math.Atan2(float64(x), float64(y)))},
				"mod":   {Mod(x, y), float32(math.Mod(float64(x), float64(y)))},
			} {
				if units(pair[0], pair[1]) > 1 {
					Fail(fmt.Sprintf("%s(%x, %x): got %x, want %x", name, x, y, pair[0], pair[1]))
				}
			}
		}
		for _, x := range special {
			for _, y := range special {
				check(x, y)
			}
		}
		for range 30_000 {
			check(sample(r, -20, 20), sample(r, -6, 6))
			check(sample(r, -3, 3), float32(r.IntN(41)-20))
		}
	})

	It("are told apart at two units", func() {
		Expect(units(1, 1+0x1p-22)).To(Equal(int64(2)))
		Expect(units(0, float32(math.Copysign(0, -1)))).To(BeZero())
		Expect(units(-0x1p-149, 0x1p-149)).To(Equal(int64(2)))
		Expect(units(float32(math.NaN()), 1)).To(BeNumerically(">", 1))
	})

	It("min and max take the other operand for NaN and order the zeros", func() {
		nan, minus := float32(math.NaN()), float32(math.Copysign(0, -1))
		Expect(Min(nan, 3)).To(Equal(float32(3)))
		Expect(Max(3, nan)).To(Equal(float32(3)))
		Expect(math.Float32bits(Min(0, minus))).To(Equal(math.Float32bits(minus)))
		Expect(math.Float32bits(Max(minus, 0))).To(BeZero())
		Expect(Min(2, -1)).To(Equal(float32(-1)))
		Expect(Max(2, -1)).To(Equal(float32(2)))
	})

	It("ldexp, frexp and nextafter are exact", func() {
		for _, x := range special {
			f, e := Frexp(x)
			wantF, wantE := math.Frexp(float64(x))
			Expect(units(f, float32(wantF))).To(BeZero())
			Expect(int(e)).To(Equal(wantE))
			for _, n := range []int32{-300, -150, -149, -24, -1, 0, 1, 100, 300} {
				Expect(units(Ldexp(x, n), float32(math.Ldexp(float64(x), int(n))))).To(BeZero(), "ldexp(%x, %d)", x, n)
			}
			Expect(units(Nextafter(x, 0), math.Nextafter32(x, 0))).To(BeZero())
		}
	})
})
