package kernels_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/kernels"
)

// Plan. Router, gate_up and expert_down against the scalar reference: logits, ids in rank order, weights in both
// normalisations, activations, mix and residual. Controls: ties (lowest index first), one expert, as many experts as are
// used, more experts than lanes; dense MLP; tiles and shuffles. Source: NUMERICS.md 7, 8.

// mlpCase is one sparse MLP.
type mlpCase struct {
	hidden, width, experts, topK int
	normTopK                     bool
	gateUp, down                 packedMatrix // all experts, one after the other
	router                       []uint16     // [experts, hidden] bfloat16
	h, norm                      []float32
}

func newMLPCase(s source, flavour string, hidden, width, experts, topK int, normTopK, affine bool) mlpCase {
	return mlpCase{
		hidden: hidden, width: width, experts: experts, topK: topK, normTopK: normTopK,
		gateUp: s.matrix(flavour, experts*2*width, hidden, 64, affine), down: s.matrix(flavour, experts*hidden, width, 64, affine),
		router: s.embedding("random", experts*hidden), h: s.vector(flavour, hidden), norm: s.vector("random", hidden),
	}
}

func (c mlpCase) routing() kernels.Experts {
	return kernels.Experts{Count: c.experts, TopK: c.topK, NormTopK: c.normTopK}
}

func (c mlpCase) one(m packedMatrix) kernels.Matrix {
	shape := m.shape()
	shape.Rows /= c.experts
	return shape
}

// mlpResult is everything the three kernels store.
type mlpResult struct {
	logits, weights, act, out []float32
	ids                       []uint32
}

func (c mlpCase) want() mlpResult {
	x := rmsNorm(c.h, c.norm, eps)
	var r mlpResult
	router := widen(c.router)
	for e := range c.experts {
		r.logits = append(r.logits, zap(plainDot(router[e*c.hidden:(e+1)*c.hidden], x)))
	}
	r.ids, r.weights = route(r.logits, c.topK, c.normTopK)
	mix := make([]float32, c.hidden)
	for k, id := range r.ids {
		a := make([]float32, c.width)
		for i := range a {
			row := int(id)*2*c.width + 2*i
			a[i] = act(c.gateUp.dot(row, x), c.gateUp.dot(row+1, x))
		}
		r.act = append(r.act, laneOrder(a)...)
		for row := range mix {
			mix[row] = fma32(r.weights[k], zap(c.down.dot(int(id)*c.hidden+row, a)), mix[row])
		}
	}
	for row := range mix {
		r.out = append(r.out, zap(add(c.h[row], mix[row])))
	}
	return r
}

func (c mlpCase) run(r *rig, shuffle bool, t kernels.Tile) (mlpResult, error) {
	GinkgoHelper()
	s := r.shapes(shuffle)
	logits, act, ids, weights, rows := room(c.experts), room(c.topK*c.width), room(c.topK), room(c.topK), room(c.hidden)
	l, err := s.Router(c.hidden, c.routing(), t, eps, false)
	Expect(err).NotTo(HaveOccurred())
	if err := r.launch(l, 0, c.h, c.norm, c.router, logits); err != nil {
		return mlpResult{}, err
	}
	routing := c.routing()
	pairs := t
	pairs.Rows = max(2, t.Rows)
	l, err = s.GateUp(c.one(c.gateUp), pairs, eps, &routing)
	Expect(err).NotTo(HaveOccurred())
	if err := r.launch(l, 0, c.h, c.norm, c.gateUp.bytes(), c.gateUp.scales, c.gateUp.offsetsOrScales(), logits.data, act, ids, weights); err != nil {
		return mlpResult{}, err
	}
	l, err = s.ExpertDown(c.one(c.down), t, routing)
	Expect(err).NotTo(HaveOccurred())
	if err := r.launch(l, 0, act.data, ids.data, weights.data, c.down.bytes(), c.down.scales, c.down.offsetsOrScales(), c.h, rows); err != nil {
		return mlpResult{}, err
	}
	return mlpResult{logits: logits.floats(), weights: weights.floats(), act: act.floats(), out: rows.floats(), ids: ids.uints()}, nil
}

// sameResult compares all of it.
func sameResult(got, want mlpResult) {
	GinkgoHelper()
	Expect(sameBits(got.logits, want.logits)).To(Succeed(), "router logits")
	Expect(got.ids).To(Equal(want.ids))
	Expect(sameBits(got.weights, want.weights)).To(Succeed(), "expert weights")
	Expect(sameBits(got.act, want.act)).To(Succeed(), "activations")
	Expect(sameBits(got.out, want.out)).To(Succeed(), "output")
}

var _ = Describe("Sparse MLP", Label("area:expert", "area:router", "purpose:execution"), func() {
	tile := kernels.Tile{Simdgroups: 4, Rows: 4, Blocks: 2}

	DescribeTable("gives the reference's bits",
		func(flavour string, hidden, width, experts, topK int, normTopK, affine bool) {
			c := newMLPCase(newSource(uint64(hidden+width+experts)), flavour, hidden, width, experts, topK, normTopK, affine)
			before := subnormals
			want := c.want()
			Expect(subnormals-before).To(BeZero(), "the reference made a subnormal")
			got, err := c.run(newRig(), true, tile)
			Expect(err).NotTo(HaveOccurred())
			sameResult(got, want)
		},
		Entry("as in the trained fixture", "random", 128, 64, 16, 4, true, false),
		Entry("with affine weights", "random", 128, 64, 16, 4, true, true),
		Entry("with weights over all experts", "random", 128, 96, 16, 4, false, false),
		Entry("with extreme inputs", "extreme", 64, 96, 8, 2, true, true),
		Entry("with cancelling inputs", "cancelling", 64, 64, 8, 2, true, false),
		Entry("with more experts than lanes", "random", 64, 32, 70, 8, false, false),
		Entry("with one expert", "random", 64, 32, 1, 1, true, false),
		Entry("with every expert used", "random", 96, 32, 16, 16, true, false),
	)

	It("takes a float32 router as well", func() {
		r := newRig()
		s := newSource(2)
		h, norm, router := s.vector("random", 160), s.vector("random", 160), s.vector("random", 7*160)
		x := rmsNorm(h, norm, eps)
		want := make([]float32, 7)
		for e := range want {
			want[e] = zap(plainDot(router[160*e:160*e+160], x))
		}
		l, err := r.shapes(true).Router(160, kernels.Experts{Count: 7, TopK: 2}, kernels.Tile{Simdgroups: 2, Rows: 2, Blocks: 1}, eps, true)
		Expect(err).NotTo(HaveOccurred())
		got := room(7)
		Expect(r.launch(l, 0, h, norm, router, got)).To(Succeed())
		Expect(sameBits(got.floats(), want)).To(Succeed())
	})

	It("gives the same bits for every tile, with and without shuffles", func() {
		r := newRig()
		for _, normTopK := range []bool{true, false} {
			c := newMLPCase(newSource(6), "random", 96, 64, 40, 3, normTopK, true)
			want := c.want()
			for _, t := range tiles {
				for _, shuffle := range []bool{true, false} {
					got, err := c.run(r, shuffle, t)
					Expect(err).NotTo(HaveOccurred())
					sameResult(got, want)
				}
			}
		}
	})

	// tied gives experts 2 and 5 (and 37, in another slot of a lane) the same logit, the largest.
	tied := func() mlpCase {
		c := newMLPCase(newSource(12), "random", 64, 32, 40, 2, true, false)
		for i := range c.h {
			c.h[i], c.norm[i] = 1, 1
		}
		for e := range c.experts {
			for i := range c.hidden {
				c.router[e*c.hidden+i] = 0x3d80 // 0.0625
				if e == 2 || e == 5 || e == 37 {
					c.router[e*c.hidden+i] = 0x3e00
				}
			}
		}
		return c
	}

	It("breaks ties to the lowest index", func() {
		c := tied()
		got, err := c.run(newRig(), true, tile)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.ids).To(Equal([]uint32{2, 5}))
		sameResult(got, c.want())
	})

	DescribeTable("turns red when the kernel text is wrong",
		func(source, old, replacement string) {
			c := tied()
			got, err := c.run(newRig().edit(source, old, replacement), true, tile)
			if err != nil {
				return
			}
			want := c.want()
			failures := []error{sameBits(got.logits, want.logits), sameBits(got.weights, want.weights), sameBits(got.act, want.act), sameBits(got.out, want.out)}
			Expect(failures).To(ContainElement(HaveOccurred()))
		},
		Entry("a tie broken to the higher index", "router.metal", "other_index < index", "other_index > index"),
		Entry("weights in the wrong order", "expert_down.metal", "fma(weights[k], memory[k * R", "fma(weights[TOP_K - 1u - k] * 0.5f, memory[k * R"),
		Entry("the residual added twice", "expert_down.metal", "+ mix)", "+ h[first + thread_index] + mix)"),
		Entry("the expert of the next slot", "gate_up.metal", "choose_expert(logits, slot,", "choose_expert(logits, (slot + 1u) % TOP_K,"),
		Entry("gate and up exchanged", "gate_up.metal", "gates[i] = acc[2u * i];", "gates[i] = acc[2u * i + 1u];"),
		Entry("an expert dropped from the mix", "expert_down.metal", "k < TOP_K; ++k) {\n                mix", "k + 1u < TOP_K; ++k) {\n                mix"),
		Entry("no barrier before the mix", "expert_down.metal", "        threadgroup_barrier(mem_flags::mem_threadgroup);\n        if (thread_index < R", "        if (thread_index < R"),
	)
})

var _ = Describe("Dense MLP", Label("area:decode", "purpose:execution"), func() {
	It("gives the reference's activations for every tile", func() {
		r := newRig()
		for _, width := range []int{160, 192, 256} {
			s := newSource(uint64(width))
			m, h, norm := s.matrix("random", 2*width, 64, 64, false), s.vector("random", 64), s.vector("random", 64)
			x := rmsNorm(h, norm, eps)
			want := make([]float32, width)
			for i := range want {
				want[i] = act(m.dot(2*i, x), m.dot(2*i+1, x))
			}
			for _, t := range tiles[1:] {
				for _, shuffle := range []bool{true, false} {
					l, err := r.shapes(shuffle).GateUp(m.shape(), t, eps, nil)
					Expect(err).NotTo(HaveOccurred())
					got := room(width)
					Expect(r.launch(l, 0, h, norm, m.bytes(), m.scales, m.scales, []float32{0}, got, room(1), room(1))).To(Succeed())
					Expect(sameBits(got.floats(), laneOrder(want))).To(Succeed(), "width %d, tile %+v, shuffle %v", width, t, shuffle)
				}
			}
		}
	})
})
