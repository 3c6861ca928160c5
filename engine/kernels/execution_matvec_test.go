package kernels_test

import (
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/kernels"
)

// Plan. The kernels that multiply packed rows, against the scalar reference, bit for bit: qkv (norm folded, bias,
// embedding row), project_residual, lm_head. Controls: every K at which spans and groups meet differently (one piece a
// lane, several, pieces that end inside a load, odd spans with padding), both schemes, every flavour of input. Then one
// thing varies at a time and the bits must not: shuffles, simdgroups, rows at once, blocks. Source: NUMERICS.md 4, 5, 9.

const eps = 1e-6

// widths are the fixtures' K and the shapes that a span can have: S = 1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 64, 80.
var widths = []int{32, 64, 96, 128, 160, 192, 224, 256, 512, 768, 2048, 2560}

// tiles are shapes of work that must not change a bit.
var tiles = []kernels.Tile{{1, 1, 1}, {2, 2, 3}, {8, 4, 1}, {4, 8, 2}, {3, 16, 1}}

// qkvCase is a launch of qkv with its inputs.
type qkvCase struct {
	m          packedMatrix
	h, norm    []float32
	bias       []float32
	embeddings []uint16 // [vocab, k]; used when embed
	embed      bool
	token      uint32
}

func newQKVCase(s source, flavour string, rows, k, group int, affine bool) qkvCase {
	return qkvCase{
		m: s.matrix(flavour, rows, k, group, affine), h: s.vector(flavour, k), norm: s.vector("random", k),
		bias: s.vector("random", rows), embeddings: s.embedding(flavour, 5*k), token: uint32(s.IntN(5)),
	}
}

func (c qkvCase) hidden() []float32 {
	if !c.embed {
		return c.h
	}
	h := widen(c.embeddings[int(c.token)*c.m.k : int(c.token+1)*c.m.k])
	for i := range h {
		h[i] = zap(h[i])
	}
	return h
}

func (c qkvCase) want(bias bool) []float32 {
	x := rmsNorm(c.hidden(), c.norm, eps)
	out := make([]float32, c.m.rows)
	for row := range out {
		out[row] = c.m.dot(row, x)
		if bias {
			out[row] = add(out[row], c.bias[row])
		}
		out[row] = zap(out[row])
	}
	return out
}

// run launches it and returns the rows, and the embedding row it stored.
func (c qkvCase) run(r *rig, shuffle bool, t kernels.Tile, bias bool) (rows, embedded []float32, err error) {
	GinkgoHelper()
	l, err := r.shapes(shuffle).QKV(c.m.shape(), t, eps, c.embed, false, bias)
	Expect(err).NotTo(HaveOccurred())
	got, row := room(c.m.rows), room(c.m.k)
	tokens, state := []uint32{9, 9, 9, c.token, 9}, []uint32{3}
	err = r.launch(l, 0, c.h, c.norm, c.m.bytes(), c.m.scales, c.m.offsetsOrScales(), c.bias, got, c.embeddings, tokens, state, row, uint32(5))
	return got.floats(), row.floats(), err
}

func (m packedMatrix) shape() kernels.Matrix {
	return kernels.Matrix{Rows: m.rows, K: m.k, Affine: m.affine, GroupSize: m.group}
}

func (m packedMatrix) offsetsOrScales() []uint16 {
	if m.affine {
		return m.offsets
	}
	return m.scales
}

var _ = Describe("Packed rows", Label("area:int4", "purpose:execution"), func() {
	It("give the reference's bits at every K, scheme and flavour", func() {
		r := newRig()
		for i, k := range widths {
			for _, affine := range []bool{false, true} {
				for f, flavour := range flavours {
					group := []int{64, 64, 64, 32, 128}[(i+f)%5]
					c := newQKVCase(newSource(uint64(k+f)), flavour, 11, k, group, affine)
					before := subnormals
					want := c.want(false)
					Expect(subnormals-before).To(BeZero(), "the reference made a subnormal")
					got, _, err := c.run(r, true, kernels.Tile{Simdgroups: 2, Rows: 4, Blocks: 1}, false)
					Expect(err).NotTo(HaveOccurred())
					Expect(sameBits(got, want)).To(Succeed(), "K %d, group %d, affine %v, %s", k, group, affine, flavour)
				}
			}
		}
	})

	It("give the same bits for every tile, with and without shuffles", func() {
		r := newRig()
		for _, k := range []int{96, 128, 160, 768} {
			c := newQKVCase(newSource(uint64(k)), "random", 37, k, 64, true)
			want := c.want(true)
			for _, t := range tiles {
				for _, shuffle := range []bool{true, false} {
					got, _, err := c.run(r, shuffle, t, true)
					Expect(err).NotTo(HaveOccurred())
					Expect(sameBits(got, want)).To(Succeed(), "K %d, tile %+v, shuffle %v", k, t, shuffle)
				}
			}
		}
	})

	It("start from the embedding row of the token at the position, and store it", func() {
		r := newRig()
		c := newQKVCase(newSource(3), "extreme", 16, 96, 64, false)
		c.embed = true
		got, row, err := c.run(r, true, kernels.Tile{Simdgroups: 2, Rows: 4, Blocks: 1}, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(sameBits(row, c.hidden())).To(Succeed())
		Expect(sameBits(got, c.want(false))).To(Succeed())
		c.token = 1 << 30
		_, row, err = c.run(r, true, kernels.Tile{Simdgroups: 2, Rows: 4, Blocks: 1}, false)
		Expect(err).NotTo(HaveOccurred(), "an id outside the vocabulary must not read outside the embeddings")
		c.token = 4
		Expect(sameBits(row, c.hidden())).To(Succeed())
	})

	It("start from a float32 embedding row as well", func() {
		r := newRig()
		c := newQKVCase(newSource(3), "extreme", 16, 96, 64, false)
		wide := widen(c.embeddings)
		for i := range wide {
			wide[i] *= 1.00001 // not a bfloat16
		}
		c.h = append([]float32(nil), wide[int(c.token)*96:int(c.token+1)*96]...)
		for i := range c.h {
			c.h[i] = zap(c.h[i])
		}
		l, err := r.shapes(true).QKV(c.m.shape(), kernels.Tile{Simdgroups: 2, Rows: 4, Blocks: 1}, eps, true, true, false)
		Expect(err).NotTo(HaveOccurred())
		got, row := room(16), room(96)
		Expect(r.launch(l, 0, make([]float32, 96), c.norm, c.m.bytes(), c.m.scales, c.m.scales, c.bias, got, wide, []uint32{c.token}, []uint32{0}, row, uint32(5))).To(Succeed())
		Expect(sameBits(row.floats(), c.h)).To(Succeed())
		Expect(sameBits(got.floats(), c.want(false))).To(Succeed())
	})

	It("are added to the residual by project_residual", func() {
		r := newRig()
		for _, k := range widths {
			s := newSource(uint64(k))
			m := s.matrix("random", 21, k, 64, k%128 == 0)
			x, h, bias := s.vector("random", k), s.vector("random", 21), s.vector("random", 21)
			want := make([]float32, m.rows)
			for row := range want {
				want[row] = zap(add(h[row], add(m.dot(row, x), bias[row])))
			}
			for _, shuffle := range []bool{true, false} {
				l, err := r.shapes(shuffle).ProjectResidual(m.shape(), kernels.Tile{Simdgroups: 2, Rows: 8, Blocks: 2}, true)
				Expect(err).NotTo(HaveOccurred())
				got := room(m.rows)
				Expect(r.launch(l, 0, laneOrder(x), m.bytes(), m.scales, m.offsetsOrScales(), bias, h, got)).To(Succeed())
				Expect(sameBits(got.floats(), want)).To(Succeed(), "K %d, shuffle %v", k, shuffle)
			}
		}
	})

	DescribeTable("turn red when the kernel text is wrong",
		func(source, old, replacement string, k int) {
			r := newRig().edit(source, old, replacement)
			c := newQKVCase(newSource(8), "random", 11, k, 64, true)
			got, _, err := c.run(r, true, kernels.Tile{Simdgroups: 2, Rows: 4, Blocks: 1}, true)
			Expect(slices.ContainsFunc([]error{err, sameBits(got, c.want(true))}, func(e error) bool { return e != nil })).To(BeTrue())
		},
		Entry("the scale of the neighbouring group", "int4.metal", "+ column / GROUP;", "+ (column / GROUP == 0u ? 0u : column / GROUP - 1u);", 128),
		Entry("a piece cut one column early", "int4.metal", "column % GROUP == 0u, false, g", "(column + 1u) % GROUP == 0u, false, g", 160),
		Entry("a multiply and an add for the fma", "int4.metal", "fma(c, x[i], g[r])", "(c * x[i] + g[r])", 256),
		Entry("lanes paired in another order", "int4.metal", "fold(a, n / 2u, 16,", "fold(a, n / 2u, 1,", 128),
		Entry("the other nibble first", "int4.metal", "(4u * (i % 8u))", "(4u * ((i % 8u) ^ 1u))", 128),
		Entry("a norm without its epsilon", "norm.metal", "root(mean + EPS)", "root(mean)", 128),
		Entry("a norm whose last simdgroup is dropped", "norm.metal", "sums[6], sums[7])", "sums[6], 0.0f)", 2048),
		Entry("a bias forgotten", "qkv.metal", "value = value + bias[row];", "", 128),
		Entry("a store past the last row", "qkv.metal", "&& row < ROWS", "", 128),
	)
})

var _ = Describe("Output head", Label("area:decode", "purpose:execution"), func() {
	run := func(r *rig, shuffle bool, t kernels.Tile, m packedMatrix, h, norm []float32) (logits []float32, token, pos uint32) {
		GinkgoHelper()
		l, err := r.shapes(shuffle).LMHead(m.shape(), t, eps, true)
		Expect(err).NotTo(HaveOccurred())
		n := l.Threadgroups.Count()
		row, values, tokens := room(m.rows), room(n), room(n)
		Expect(r.launch(l, 0, h, norm, m.bytes(), m.scales, m.offsetsOrScales(), row, values, tokens)).To(Succeed())
		l, err = r.shapes(shuffle).Argmax()
		Expect(err).NotTo(HaveOccurred())
		fed, state := &out{encode([]uint32{1, 2, 3, 4})}, &out{encode([]uint32{1})}
		Expect(r.launch(l, 0, values.data, tokens.data, fed, state, uint32(n))).To(Succeed())
		Expect(fed.uints()[:2]).To(Equal([]uint32{1, 2}))
		Expect(fed.uints()[3]).To(Equal(uint32(4)))
		return row.floats(), fed.uints()[2], state.uints()[0]
	}

	It("gives the logits and the argmax of the reference, and feeds the token back", func() {
		r := newRig()
		s := newSource(4)
		m, h, norm := s.matrix("random", 203, 64, 64, false), s.vector("random", 64), s.vector("random", 64)
		x := rmsNorm(h, norm, eps)
		want := make([]float32, m.rows)
		best := 0
		for row := range want {
			want[row] = zap(m.dot(row, x))
			if want[row] > want[best] {
				best = row
			}
		}
		for _, t := range tiles {
			for _, shuffle := range []bool{true, false} {
				logits, token, pos := run(r, shuffle, t, m, h, norm)
				Expect(sameBits(logits, want)).To(Succeed(), "tile %+v, shuffle %v", t, shuffle)
				Expect(token).To(Equal(uint32(best)), "tile %+v, shuffle %v", t, shuffle)
				Expect(pos).To(Equal(uint32(2)))
			}
		}
	})

	// tied returns a head whose rows a and b are equal and beat every other.
	tied := func(a, b int) (packedMatrix, []float32, []float32) {
		s := newSource(5)
		m := s.matrix("random", 203, 64, 64, false)
		h, norm := make([]float32, 64), make([]float32, 64)
		for i := range h {
			h[i], norm[i] = 1, 1
		}
		for row := range m.rows {
			m.scales[row] = 0x2e66 // 0.1
			for i := range m.k {
				m.codes[row*m.k+i] = s.IntN(3)
				if row == a || row == b {
					m.codes[row*m.k+i] = 7
				}
			}
		}
		return m, h, norm
	}

	It("breaks ties to the lowest id wherever the two stand", func() {
		r := newRig()
		for _, pair := range [][2]int{{3, 4}, {0, 202}, {17, 33}, {64, 128}, {40, 41}} {
			m, h, norm := tied(pair[0], pair[1])
			for _, t := range tiles {
				_, token, _ := run(r, true, t, m, h, norm)
				Expect(token).To(Equal(uint32(pair[0])), "tie of %v, tile %+v", pair, t)
			}
		}
	})

	DescribeTable("answers with no token when a logit is not finite",
		func(bad float32) {
			m, h, norm := tied(3, 4)
			m.scales[150] = 0x7c00 // infinite
			if math.IsNaN(float64(bad)) {
				h[5] = bad
			}
			_, token, _ := run(newRig(), true, kernels.Tile{Simdgroups: 8, Rows: 4, Blocks: 2}, m, h, norm)
			Expect(token).To(Equal(uint32(math.MaxUint32)))
		},
		Entry("infinite", float32(math.Inf(1))),
		Entry("NaN", float32(math.NaN())),
	)

	DescribeTable("turns red when the kernel text is wrong",
		func(source, old, replacement string, a, b int) {
			m, h, norm := tied(a, b)
			_, token, _ := run(newRig().edit(source, old, replacement), true, kernels.Tile{Simdgroups: 2, Rows: 4, Blocks: 1}, m, h, norm)
			Expect(token).NotTo(Equal(uint32(a)))
		},
		Entry("a tie broken to the higher id", "lm_head.metal", "token < best_token", "token > best_token", 3, 199),
		Entry("a vocabulary cut short", "lm_head.metal", "bool take = beats(value, candidate, best, token);", "bool take = row < 100u && beats(value, candidate, best, token);", 150, 151),
		Entry("the token fed back one step late", "lm_head.metal", "tokens[pos + 1u] = token", "tokens[pos + 1u] = tokens[pos]", 3, 199),
	)
})
