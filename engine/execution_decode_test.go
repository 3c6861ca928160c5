package engine_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. The same tokens must give the same bits, logits and KV cache, however they reached the sequence: prompt whole, in
// chunks, token by token, fed back by the device; any number of tokens a command buffer; alone or interleaved; after a
// truncation. Not whether they are the right bits: that is the oracle's business, in package conformance.

var _ = Describe("Decoding", Label("area:decode", "purpose:execution"), func() {
	for _, name := range tiny {
		It("gives the same bits however "+name+" is fed", func() {
			e := open(name, nil, 64)
			whole := newSequence(e)
			var want recorded
			prompt := ids(9, 1)
			want.prefill(whole, prompt, 0)
			want.decode(whole, 7, 0)
			cache := cacheBytes(whole)

			By("cutting the prompt and the command buffers otherwise")
			for _, cut := range []int{1, 4, 8} {
				s := newSequence(e)
				var got recorded
				got.prefill(s, prompt[:cut], cut)
				got.ids = nil
				got.prefill(s, prompt[cut:], 3)
				got.decode(s, 2, 1)
				got.decode(s, 5, 2)
				Expect(got).To(Equal(want))
				Expect(cacheBytes(s)).To(Equal(cache))
			}

			By("giving the generated tokens as a prompt")
			s := newSequence(e)
			var got recorded
			got.prefill(s, append(append([]int(nil), prompt...), want.ids[:7]...), 0)
			Expect(got.logits).To(Equal(want.logits))
			Expect(got.ids).To(Equal(want.ids[7:]))
			Expect(cacheBytes(s)).To(Equal(cache))

			By("truncating and continuing")
			Expect(s.Truncate(9)).To(Succeed())
			Expect(s.Len()).To(Equal(9))
			got = recorded{}
			Expect(s.Truncate(5)).To(Succeed())
			got.prefill(s, prompt[5:], 0)
			got.decode(s, 7, 8)
			Expect(got.ids).To(Equal(want.ids))
			Expect(got.logits).To(Equal(want.logits[5:]))
			Expect(cacheBytes(s)).To(Equal(cache))
		})
	}

	It("crosses the edge of a block of positions with the same bits", func() {
		e := open("tiny-qwen3-int4", nil, 300)
		prompt := ids(270, 2)
		whole, parts := newSequence(e), newSequence(e)
		var want, got recorded
		want.prefill(whole, prompt, 64)
		want.decode(whole, 3, 8)
		got.prefill(parts, prompt[:255], 7)
		got.ids = nil
		got.prefill(parts, prompt[255:], 1)
		got.decode(parts, 3, 1)
		Expect(got).To(Equal(want))
		Expect(cacheBytes(parts)).To(Equal(cacheBytes(whole)))
	})

	It("keeps interleaved sequences apart", func() {
		e := open("tiny-qwen3-moe-int4", nil, 64)
		run := func(s *engine.Sequence, seed int, r *recorded) []func() {
			return []func(){
				func() { r.prefill(s, ids(5, seed), 0) }, func() { r.decode(s, 2, 0) },
				func() { r.decode(s, 3, 2) }, func() { r.decode(s, 2, 1) },
			}
		}
		var alone, together [2]recorded
		for i := range alone {
			for _, f := range run(newSequence(e), i, &alone[i]) {
				f()
			}
		}
		a, b := run(newSequence(e), 0, &together[0]), run(newSequence(e), 1, &together[1])
		for i := range a {
			a[i]()
			b[i]()
		}
		Expect(together).To(Equal(alone))
	})

	It("reports logits from the position asked for, and the token they are the argmax of", func() {
		e := open("tiny-qwen3-moe-int4", nil, 64)
		s := newSequence(e)
		var positions []int
		var last []float32
		next, err := s.Prefill(context.Background(), ids(6, 3), engine.PrefillOptions{LogitsFrom: 4, OnLogits: func(pos int, logits []float32) {
			positions = append(positions, pos)
			last = append([]float32(nil), logits...)
		}})
		Expect(err).NotTo(HaveOccurred())
		Expect(positions).To(Equal([]int{4, 5}))
		best := 0
		for id, v := range last {
			if v > last[best] {
				best = id
			}
		}
		Expect(next).To(Equal(best))
	})

	It("stops at an end-of-sequence token, keeps it and can go on", func() {
		e := open("gosling-4m-int4", nil, 64)
		Expect(e.Config().EOSTokenIDs).To(Equal([]int{0}))
		// The device is made to answer 0 at the third step of a buffer of eight.
		stopping := device.Intercept(msl.New(msl.Options{}), device.Hooks{Read: func(b device.Buffer, offset int, dst []byte) {
			if b.Label() == "tokens" && offset == 4*4 && len(dst) == 4*8 {
				copy(dst[8:], []byte{0, 0, 0, 0})
			}
		}})
		e = open("gosling-4m-int4", stopping, 64)
		s := newSequence(e)
		_, err := s.Prefill(context.Background(), ids(3, 4), engine.PrefillOptions{})
		Expect(err).NotTo(HaveOccurred())
		out, err := s.Decode(context.Background(), 20, engine.DecodeOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(HaveLen(3))
		Expect(out[2]).To(Equal(0))
		Expect(s.Len()).To(Equal(6))
		more, err := s.Decode(context.Background(), 2, engine.DecodeOptions{IgnoreEOS: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(more).To(HaveLen(2))
	})
})
