package kernels_test

import (
	"encoding/binary"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/kernels"
)

// Plan. attention_block and attention_merge together against the scalar reference: the rotated key and the value are
// written to the cache at the position and nowhere else; the result is bit equal. Every slot of the cache that holds no
// position is NaN. Controls: position 0, both sides of each strip and block edge, one and several query heads a KV head, head_dim
// 32 to 256, simdgroups, shuffles. Source: NUMERICS.md 6.

// attentionCase is a cache with positions 0..pos-1 filled and a token at pos.
type attentionCase struct {
	headDim, heads, kvHeads, pages, pos int
	qkv, qNorm, kNorm, rope             []float32
	keys, values                        [][][]uint16 // [kvHeads][pos][headDim] float16
}

func newAttentionCase(s source, flavour string, headDim, heads, kvHeads, pages, pos int) attentionCase {
	c := attentionCase{
		headDim: headDim, heads: heads, kvHeads: kvHeads, pages: pages, pos: pos,
		qkv:   s.vector(flavour, (heads+2*kvHeads)*headDim),
		qNorm: s.vector("random", headDim), kNorm: s.vector("random", headDim),
	}
	for p := range pos + 1 {
		for i := range headDim / 2 {
			sin, cos := math.Sincos(float64(p) * math.Pow(1e4, -2*float64(i)/float64(headDim)))
			c.rope = append(c.rope, zap(float32(cos)), zap(float32(sin)))
		}
	}
	fill := func() [][]uint16 {
		out := make([][]uint16, pos)
		for p := range out {
			out[p] = make([]uint16, headDim)
			for d := range out[p] {
				out[p][d] = float16.Fromfloat32(float32(s.NormFloat64())).Bits()
			}
		}
		return out
	}
	for range kvHeads {
		c.keys, c.values = append(c.keys, fill()), append(c.values, fill())
	}
	return c
}

// keyAt and valueAt are the byte offsets of the cache layout, from its drawing.
func (c attentionCase) keyAt(head, pos, d int) int {
	span := c.headDim / 32
	l, e := d/span, d%span
	tile := pos % 256 / 32
	return 2 * ((head*c.pages+pos/256)*256*c.headDim + (tile*(c.headDim/4)+l/4*span+e)*128 + pos%32*4 + l%4)
}

func (c attentionCase) valueAt(head, pos, d int) int {
	return 2 * ((head*c.pages+pos/256)*256*c.headDim + pos%256*c.headDim + d)
}

// caches lays out keys and values, NaN elsewhere.
func (c attentionCase) caches(keys, values [][][]uint16) (k, v []byte) {
	n := c.kvHeads * c.pages * 256 * c.headDim
	k, v = make([]byte, 2*n), make([]byte, 2*n)
	for i := range n {
		binary.LittleEndian.PutUint16(k[2*i:], 0x7e01)
		binary.LittleEndian.PutUint16(v[2*i:], 0x7e01)
	}
	for head := range keys {
		for p := range keys[head] {
			for d := range c.headDim {
				binary.LittleEndian.PutUint16(k[c.keyAt(head, p, d):], keys[head][p][d])
				binary.LittleEndian.PutUint16(v[c.valueAt(head, p, d):], values[head][p][d])
			}
		}
	}
	return k, v
}

func halves(x []float32) []uint16 {
	out := make([]uint16, len(x))
	for i := range x {
		out[i] = float16.Fromfloat32(x[i]).Bits()
	}
	return out
}

// want is the attention vector in lane order and the caches afterwards.
func (c attentionCase) want() (attended []float32, keys, values []byte) {
	row := func(i int) []float32 { return c.qkv[i*c.headDim : (i+1)*c.headDim] }
	rope := c.rope[c.pos*c.headDim:]
	k := append([][][]uint16(nil), c.keys...)
	v := append([][][]uint16(nil), c.values...)
	for g := range c.kvHeads {
		k[g] = append(append([][]uint16(nil), k[g]...), halves(rotate(headNorm(row(c.heads+g), c.kNorm, eps), rope)))
		v[g] = append(append([][]uint16(nil), v[g]...), halves(row(c.heads+c.kvHeads+g)))
	}
	scale := float32(1 / math.Sqrt(float64(c.headDim)))
	var out []float32
	for h := range c.heads {
		q := rotate(headNorm(row(h), c.qNorm, eps), rope)
		for d := range q {
			q[d] = zap(mul(q[d], scale))
		}
		g := h / (c.heads / c.kvHeads)
		out = append(out, attend(q, k[g], v[g])...)
	}
	keys, values = c.caches(k, v)
	return laneOrder(out), keys, values
}

func (c attentionCase) run(r *rig, shuffle bool, simdgroups int) (attended []float32, keys, values []byte, err error) {
	GinkgoHelper()
	shape := kernels.Attention{HeadDim: c.headDim, Heads: c.heads, KVHeads: c.kvHeads, Eps: eps}
	l, err := r.shapes(shuffle).AttentionBlock(shape, simdgroups)
	Expect(err).NotTo(HaveOccurred())
	k, v := c.caches(c.keys, c.values)
	kOut, vOut := &out{k}, &out{v}
	maxima, sums, partials := room(c.heads*c.pages), room(c.heads*c.pages), room(c.heads*c.pages*c.headDim)
	state := []uint32{uint32(c.pos)}
	if err := r.launch(l, c.pos/256+1, c.qkv, c.qNorm, c.kNorm, c.rope, kOut, vOut, maxima, sums, partials, state, uint32(c.pages)); err != nil {
		return nil, nil, nil, err
	}
	l, err = r.shapes(shuffle).AttentionMerge(shape)
	Expect(err).NotTo(HaveOccurred())
	got := room(c.heads * c.headDim)
	if err := r.launch(l, 0, maxima.data, sums.data, partials.data, got, state, uint32(c.pages)); err != nil {
		return nil, nil, nil, err
	}
	return got.floats(), kOut.data, vOut.data, nil
}

func (c attentionCase) check(r *rig, shuffle bool, simdgroups int) {
	GinkgoHelper()
	before := subnormals
	want, wantKeys, wantValues := c.want()
	Expect(subnormals-before).To(BeZero(), "the reference made a subnormal")
	got, keys, values, err := c.run(r, shuffle, simdgroups)
	Expect(err).NotTo(HaveOccurred())
	Expect(keys).To(Equal(wantKeys), "key cache, position %d", c.pos)
	Expect(values).To(Equal(wantValues), "value cache, position %d", c.pos)
	Expect(sameBits(got, want)).To(Succeed(), "position %d, head_dim %d, shuffle %v, %d simdgroups", c.pos, c.headDim, shuffle, simdgroups)
}

var _ = Describe("Attention", Label("area:attention", "area:rope", "purpose:execution"), func() {
	It("gives the reference's bits at every edge of strips and blocks", func() {
		r := newRig()
		for _, pos := range []int{0, 1, 31, 32, 63, 255, 256, 257, 300, 511, 512, 700} {
			newAttentionCase(newSource(uint64(pos)), "random", 32, 8, 2, 3, pos).check(r, true, 8)
		}
	})

	It("gives the reference's bits for every head_dim and sharing of heads", func() {
		r := newRig()
		for _, headDim := range []int{32, 64, 96, 128, 160, 256} {
			for _, heads := range [][2]int{{8, 1}, {3, 3}, {6, 2}, {5, 1}} {
				newAttentionCase(newSource(uint64(headDim)), "random", headDim, heads[0], heads[1], 2, 290).check(r, true, 8)
			}
		}
	})

	It("gives the same bits for every threadgroup size, with and without shuffles", func() {
		r := newRig()
		for _, simdgroups := range []int{1, 2, 4, 8} {
			for _, shuffle := range []bool{true, false} {
				newAttentionCase(newSource(1), "random", 64, 4, 2, 2, 333).check(r, shuffle, simdgroups)
			}
		}
	})

	It("gives the reference's bits on extreme and cancelling inputs", func() {
		r := newRig()
		for _, flavour := range []string{"extreme", "cancelling"} {
			newAttentionCase(newSource(2), flavour, 32, 4, 2, 2, 270).check(r, true, 8)
		}
	})

	It("does nothing in a threadgroup past the last block", func() {
		c := newAttentionCase(newSource(3), "random", 32, 2, 1, 2, 10)
		l, err := newRig().shapes(true).AttentionBlock(kernels.Attention{HeadDim: 32, Heads: 2, KVHeads: 1, Eps: eps}, 8)
		Expect(err).NotTo(HaveOccurred())
		k, v := c.caches(c.keys, c.values)
		partials := room(2 * 2 * 32)
		Expect(newRig().launch(l, 2, c.qkv, c.qNorm, c.kNorm, c.rope, &out{k}, &out{v}, room(4), room(4), partials, []uint32{10}, uint32(2))).To(Succeed())
		Expect(math.IsNaN(float64(partials.floats()[32]))).To(BeTrue(), "block 1 of head 0 was written")
	})

	DescribeTable("turns red when the kernel text is wrong",
		func(old, replacement string) {
			c := newAttentionCase(newSource(4), "random", 32, 4, 2, 2, 290)
			want, wantKeys, wantValues := c.want()
			got, keys, values, err := c.run(newRig().edit("attention.metal", old, replacement), true, 8)
			if err != nil {
				return
			}
			Expect(sameBits(got, want) == nil && string(keys) == string(wantKeys) && string(values) == string(wantValues)).To(BeFalse())
		},
		Entry("KV written one position late", "value_page[(pos % BLOCK)", "value_page[((pos + 1u) % BLOCK)"),
		Entry("RoPE of the next position", "rope + pos * (HEAD_DIM / 2u)", "rope + (pos - 1u) * (HEAD_DIM / 2u)"),
		Entry("the last partial block dropped", "uint blocks = state[0] / BLOCK + 1u;", "uint blocks = (state[0] + 1u) / BLOCK;"),
		Entry("the newest position left out", "- block * BLOCK + 1u;", "- block * BLOCK;"),
		Entry("the keys of another KV head", "device half *key_page = keys + (kv_head *", "device half *key_page = keys + ((KV_HEADS - 1u - kv_head) *"),
		Entry("weights not relative to the maximum", "scores[head * BLOCK + j] - m)", "scores[head * BLOCK + j])"),
		Entry("strips summed in another order", "2u * stride + i],\n", "1u * stride + i],\n"),
		Entry("the query not scaled", "zap(x[e] * QUERY_SCALE)", "x[e]"),
		Entry("no barrier between scores and weights", "    threadgroup_barrier(mem_flags::mem_threadgroup);\n\n    // Weights relative", "\n    // Weights relative"),
	)
})
