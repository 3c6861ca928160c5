package oracle

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Plan
//
//   - Purpose: scores depend on how far apart two tokens stand and not on where.
//   - Control: a key that is not rotated, and a table whose angles are not linear in the position, break it.
//   - Boundary: distance 0, and positions near 4000, where angles have lost 12 bits.
//   - Source: Su et al. 2021, section 3.2.

var _ = Describe("RoPE", Label("area:rope"), func() {
	const headDim, theta = 8, 1e4
	q, k := []float64{0.3, -1, 2, 0.7, -0.2, 1.1, -1.6, 0.5}, []float64{1, 0.4, -0.9, 1.3, 0.8, -0.6, 0.1, 2}

	turned := func(x []float64, pos int) []float64 {
		p := handPass()
		p.start = pos
		y := rows{1, headDim, append([]float64(nil), x...)}
		p.rotate("", y, p.newRotation(1, headDim, theta))
		return y.v
	}
	dot := func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	// spread is how much the scores at one distance differ between places.
	spread := func(score func(pos, distance int) float64) float64 {
		worst := 0.0
		for _, distance := range []int{0, 1, 17, 500} {
			for _, pos := range []int{1, 100, 3500} {
				worst = max(worst, math.Abs(score(pos, distance)-score(0, distance)))
			}
		}
		return worst
	}

	It("gives scores that depend on the distance only", func() {
		Expect(spread(func(pos, d int) float64 { return dot(turned(q, pos+d), turned(k, pos)) })).To(BeNumerically("<", 1e-11))
	})
	It("keeps lengths", func() {
		Expect(squares(turned(q, 1234))).To(BeNumerically("~", squares(q), 1e-13))
	})
	It("gives other scores at other distances", func() {
		Expect(dot(turned(q, 6), turned(k, 5))).NotTo(BeNumerically("~", dot(turned(q, 5), turned(k, 5)), 0.1))
	})
	DescribeTable("is told apart from", Label("purpose:fault"), func(score func(pos, d int) float64) {
		Expect(spread(score)).To(BeNumerically(">", 0.1))
	},
		Entry("keys left as they are", func(pos, d int) float64 { return dot(turned(q, pos+d), k) }),
		Entry("angles not linear in the position", func(pos, d int) float64 { return dot(turned(q, (pos+d)*(pos+d)%4096), turned(k, pos*pos%4096)) }),
	)
})
