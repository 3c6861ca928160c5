package oracle

import (
	"context"
	"fmt"
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Plan
//
//   - Purpose: each operation on numbers small enough to be worked out on paper.
//   - Control: beside every case, the usual wrong reading of the formula, which must not give the paper's answer.
//   - Source: the formulas in the comments of the operations.

func handPass() *pass { return &pass{ctx: context.Background()} }

// near compares with the answer on paper; a few roundings of float64 are allowed, NaN is not.
func near(got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("got %d values, want %d", len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-15*max(1, math.Abs(want[i]))) {
			return fmt.Errorf("[%d]: got %.17g, want %.17g", i, got[i], want[i])
		}
	}
	return nil
}

var _ = Describe("RMSNorm by hand", Label("area:rms-norm"), func() {
	// Two heads (1, 7) and (7, -1): mean square (1+49)/2 = 25, plus eps = 11 is 36, root 6.
	// Times w = (3, 6): (1/6*3, 7/6*6) = (1/2, 7) and (7/6*3, -1/6*6) = (7/2, -1).
	x, w, eps := []float64{1, 7, 7, -1}, []float64{3, 6}, 11.0
	want := []float64{0.5, 7, 3.5, -1}

	It("gives the answer on paper", func() {
		in := rows{1, 4, slices.Clone(x)}
		Expect(near(handPass().rmsNorm("", in, w, eps).v, want)).To(Succeed())
		Expect(in.v).To(Equal(x), "input unchanged")
	})

	wrong := func(inv func(meanSquare float64) float64, heads int) []float64 {
		y := make([]float64, len(x))
		n := len(x) / heads
		for c := range x {
			y[c] = x[c] * inv(squares(x[c/n*n:][:n])/float64(n)) * w[c%len(w)]
		}
		return y
	}
	DescribeTable("tells apart", Label("purpose:fault"), func(y []float64) { Expect(near(y, want)).NotTo(Succeed()) },
		Entry("eps outside the root", wrong(func(m float64) float64 { return 1 / (math.Sqrt(m) + eps) }, 2)),
		Entry("eps left out", wrong(func(m float64) float64 { return 1 / math.Sqrt(m) }, 2)),
		Entry("the sum for the mean", wrong(func(m float64) float64 { return 1 / math.Sqrt(2*m+eps) }, 2)),
		Entry("no root", wrong(func(m float64) float64 { return 1 / (m + eps) }, 2)),
	)
	It("gives a zero row as zero", func() {
		Expect(handPass().rmsNorm("", newRows(1, 2), w, 1e-6).v).To(Equal([]float64{0, 0}))
	})
	It("norms heads apart, which whole rows of unequal heads would not", Label("purpose:fault"), func() {
		uneven := rows{1, 4, []float64{1, 7, 0, 0}} // as one row the mean square would be 12.5
		Expect(near(handPass().rmsNorm("", uneven, w, eps).v, []float64{0.5, 7, 0, 0})).To(Succeed())
		Expect(near(handPass().rmsNorm("", uneven, []float64{3, 6, 3, 6}, eps).v, []float64{0.5, 7, 0, 0})).NotTo(Succeed())
	})
})

var _ = Describe("RoPE by hand", Label("area:rope"), func() {
	// Angles with cos, sin = 3/5, 4/5 and 5/13, 12/13. Element i is paired with element i+2:
	// (a, b) = (10, 5): (10*3/5 - 5*4/5, 5*3/5 + 10*4/5) = (2, 11)
	// (a, b) = (13, 26): (13*5/13 - 26*12/13, 26*5/13 + 13*12/13) = (-19, 22)
	table := rotation{cos: rows{1, 2, []float64{3. / 5, 5. / 13}}, sin: rows{1, 2, []float64{4. / 5, 12. / 13}}}
	want := []float64{2, -19, 11, 22}

	It("gives the answer on paper", func() {
		x := rows{1, 4, []float64{10, 13, 5, 26}}
		handPass().rotate("", x, table)
		Expect(near(x.v, want)).To(Succeed())
	})
	It("tells apart pairs of neighbours", Label("purpose:fault"), func() {
		x := rows{1, 4, []float64{10, 5, 13, 26}} // the same pairs, laid side by side
		handPass().rotate("", x, table)
		Expect(near(x.v, want)).NotTo(Succeed())
	})
	It("tells apart a turn the other way", Label("purpose:fault"), func() {
		x := rows{1, 4, []float64{10, 13, 5, 26}}
		handPass().rotate("", x, rotation{table.cos, rows{1, 2, []float64{-4. / 5, -12. / 13}}})
		Expect(near(x.v, want)).NotTo(Succeed())
	})
	It("turns pair i of position p by p * theta^(-2i/headDim)", func() {
		// headDim 4, theta 16: angles p and p/4. Position 4: cos 4, cos 1 as in the tables.
		p := handPass()
		p.start = 4
		r := p.newRotation(1, 4, 16)
		Expect(near(r.cos.v, []float64{-0.6536436208636119, 0.5403023058681398})).To(Succeed())
		Expect(near(r.sin.v, []float64{-0.7568024953079282, 0.8414709848078965})).To(Succeed())
	})
	It("leaves position 0 alone", func() {
		x := rows{1, 4, []float64{10, 13, 5, 26}}
		p := handPass()
		p.rotate("", x, p.newRotation(1, 4, 16))
		Expect(x.v).To(Equal([]float64{10, 13, 5, 26}))
	})
})

var _ = Describe("Router by hand", Label("area:router"), func() {
	ln := math.Log
	route := func(norm bool, topK int, logits ...float64) Routing {
		return handPass().route(rows{1, len(logits), logits}, Config{TopK: topK, NormTopKProb: norm})
	}
	It("gives a tie of two experts to the lowest id", func() {
		r := route(false, 1, 2, 2)
		Expect(r.Experts[0]).To(Equal([]int{0}), "the last, 1, is the planted mistake this tells apart")
		Expect(near(r.Weights[0], []float64{0.5})).To(Succeed())
		Expect(r.Margins[0]).To(BeZero())
	})
	It("takes the higher of two experts, and a margin", func() {
		r := route(false, 1, ln(1), ln(3)) // softmax 1/4, 3/4
		Expect(r.Experts[0]).To(Equal([]int{1}))
		Expect(near(r.Weights[0], []float64{0.75})).To(Succeed())
		Expect(near(r.Margins, []float64{ln(3)})).To(Succeed())
	})
	It("renormalises over the chosen ones when the configuration says so, and only then", func() {
		// Softmax of four experts: 1/10, 4/10, 2/10, 3/10. The two best: 4/10 and 3/10; of their sum 4/7 and 3/7.
		logits := []float64{ln(1), ln(4), ln(2), ln(3)}
		r := route(true, 2, logits...)
		Expect(r.Experts[0]).To(Equal([]int{1, 3}))
		Expect(near(r.Weights[0], []float64{4. / 7, 3. / 7})).To(Succeed())
		Expect(near(route(false, 2, logits...).Weights[0], []float64{0.4, 0.3})).To(Succeed())
	})
	It("cuts a tie at the border by id", func() {
		r := route(false, 2, 1, 5, 1, 1)
		Expect(r.Experts[0]).To(Equal([]int{1, 0}))
		Expect(r.Margins[0]).To(BeZero())
	})
	It("has no margin when all are chosen", func() {
		Expect(route(true, 2, 1, 2).Margins[0]).To(Equal(math.Inf(1)))
	})
	It("does not overflow on large logits", func() {
		Expect(near(route(true, 2, 5000, 5000, 0).Weights[0], []float64{0.5, 0.5})).To(Succeed())
	})
})

var _ = Describe("Softmax by hand", Label("area:attention"), func() {
	softmax := func(x ...float64) []float64 {
		handPass().softmax(x, 0, 0)
		return x
	}
	ln := math.Log
	It("gives the answer on paper", func() {
		Expect(near(softmax(ln(1), ln(2), ln(5)), []float64{1. / 8, 2. / 8, 5. / 8})).To(Succeed())
	})
	It("does not change when all scores move together", func() {
		Expect(softmax(1000, 1000)).To(Equal([]float64{0.5, 0.5}), "exp without the maximum taken off would give NaN")
		Expect(softmax(-1000, -1000)).To(Equal([]float64{0.5, 0.5}))
	})
	It("gives one position all the weight", func() { Expect(softmax(-3)).To(Equal([]float64{1})) })
	DescribeTable("tells apart", Label("purpose:fault"), func(got []float64) {
		Expect(near(got, []float64{1. / 8, 2. / 8, 5. / 8})).NotTo(Succeed())
	},
		Entry("exponentials left unscaled", []float64{1, 2, 5}),
		Entry("scores scaled without the exponential", []float64{0, ln(2) / ln(10), ln(5) / ln(10)}),
		Entry("NaN", []float64{math.NaN(), 2. / 8, 5. / 8}),
	)
})

var _ = Describe("Attention by hand", Label("area:attention"), func() {
	It("lets two query heads share a key-value head and see only what came before", func() {
		// headDim 2, one key-value head, two query heads; keys 0: (0, 0), 1: (sqrt2 ln 3, 0); values (8, 0), (0, 4).
		// Position 1, head 0, q = (1, 0): scores q.k/sqrt2 = 0, ln 3, weights 1/4, 3/4: out (2, 3).
		// Position 1, head 1, q = (0, 1): scores 0, 0, weights 1/2: out (4, 2). Position 0 sees itself alone: (8, 0).
		p := handPass()
		c := newKVCache(1, 2)
		Expect(c.store(0, rows{2, 2, []float64{0, 0, math.Sqrt2 * math.Log(3), 0}}, rows{2, 2, []float64{8, 0, 0, 4}}, KVExact)).To(Succeed())
		out, q, scores := make([]float64, 4), []float64{1, 0, 0, 1}, make([]float64, 4)
		p.attend(out, q, scores, 1, 0, c)
		Expect(near(out, []float64{2, 3, 4, 2})).To(Succeed())
		p.attend(out, q, scores, 0, 0, c)
		Expect(near(out, []float64{8, 0, 8, 0})).To(Succeed())
	})
})

var _ = Describe("Gated unit by hand", Label("area:mlp"), func() {
	It("has silu(x) = x / (1 + exp(-x))", func() {
		// silu(ln 3) = ln 3 / (1 + 1/3) = 3/4 ln 3; silu(-ln 3) = -ln 3 / 4.
		Expect(near([]float64{silu(math.Log(3)), silu(-math.Log(3)), silu(0), silu(-1e4)},
			[]float64{0.75 * math.Log(3), -0.25 * math.Log(3), 0, 0})).To(Succeed())
	})
})

var _ = Describe("Choose by hand", func() {
	DescribeTable("takes the highest logit, ties to the lowest id", func(logits []float64, id int, margin float64) {
		gotID, gotMargin := Choose(logits)
		Expect(gotID).To(Equal(id))
		if math.IsNaN(margin) {
			Expect(math.IsNaN(gotMargin)).To(BeTrue())
			return
		}
		Expect(gotMargin).To(Equal(margin))
	},
		Entry("one highest", []float64{1, 4, 2.5}, 1, 1.5),
		Entry("a tie", []float64{0, 7, 7}, 1, 0.0),
		Entry("a single logit", []float64{-3}, 0, math.Inf(1)),
		Entry("NaN", []float64{1, math.NaN()}, -1, math.NaN()),
		Entry("infinity", []float64{math.Inf(1), 0}, -1, math.NaN()),
		Entry("nothing", nil, -1, math.NaN()),
	)
})
