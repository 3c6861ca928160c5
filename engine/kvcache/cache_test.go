package kvcache_test

import (
	"bytes"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kvcache"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. The layout is a bijection from (layer, head, position, dimension) to halves; a new cache is NaN throughout; Poison
// changes exactly the slots of the positions it is given, at every kind of edge; sizes are as predicted; a cache the
// device cannot hold is refused.

var _ = Describe("KV cache", Label("area:attention", "purpose:execution"), func() {
	read := func(b device.Buffer) []byte {
		GinkgoHelper()
		out := make([]byte, b.LengthBytes())
		Expect(b.Read(0, out)).To(Succeed())
		return out
	}

	DescribeTable("places every value at its own offset",
		func(headDim int) {
			s := kvcache.Shape{NumLayers: 2, NumKVHeads: 3, HeadDim: headDim, MaxSeqLen: 300}
			Expect(s.Pages()).To(Equal(2))
			for _, offset := range []func(layer, head, pos, d int) int{s.KeyOffset, s.ValueOffset} {
				seen := make([]bool, s.Bytes()/4)
				for layer := range 2 {
					for head := range 3 {
						for pos := range 512 {
							for d := range headDim {
								at := offset(layer, head, pos, d)
								Expect(at % 2).To(BeZero())
								Expect(seen[at/2]).To(BeFalse())
								seen[at/2] = true
							}
						}
					}
				}
				Expect(seen).NotTo(ContainElement(false))
			}
		},
		Entry("head_dim 32", 32), Entry("head_dim 96", 96), Entry("head_dim 128", 128),
	)

	It("is NaN until written, and again where poisoned", func() {
		dev := device.Record(msl.New(msl.Options{CompareLanes: true}))
		s := kvcache.Shape{NumLayers: 2, NumKVHeads: 2, HeadDim: 64, MaxSeqLen: 600}
		c, err := kvcache.New(dev, s)
		Expect(err).NotTo(HaveOccurred())
		defer c.Release()
		var allocated int64
		for _, e := range dev.Trace().Events {
			if e.Kind == device.EventAlloc {
				allocated += int64(e.LengthBytes)
			}
		}
		Expect(allocated).To(Equal(s.Bytes()))
		keys, _ := c.Keys(0)
		values, _ := c.Values(0)
		nan := bytes.Repeat([]byte{0x5a, 0x7e}, keys.LengthBytes()/2)
		Expect(read(keys)).To(Equal(nan))
		Expect(read(values)).To(Equal(nan))

		for _, span := range [][2]int{{0, 1}, {31, 32}, {5, 77}, {255, 257}, {0, 256}, {250, 600}, {32, 64}, {7, 7}} {
			zero := make([]byte, len(nan))
			Expect(keys.Write(0, zero)).To(Succeed())
			Expect(values.Write(0, zero)).To(Succeed())
			Expect(c.Poison(span[0], span[1])).To(Succeed())
			wantKeys, wantValues := make([]byte, len(nan)), make([]byte, len(nan))
			for layer := range 2 {
				for head := range 2 {
					for pos := span[0]; pos < span[1]; pos++ {
						for d := range 64 {
							copy(wantKeys[s.KeyOffset(layer, head, pos, d):], nan[:2])
							copy(wantValues[s.ValueOffset(layer, head, pos, d):], nan[:2])
						}
					}
				}
			}
			Expect(bytes.Equal(read(keys), wantKeys)).To(BeTrue(), "keys of positions %v", span)
			Expect(bytes.Equal(read(values), wantValues)).To(BeTrue(), "values of positions %v", span)
		}
		Expect(c.Poison(5, 769)).To(MatchError(ContainSubstring("[5, 769) of 768")))
		Expect(c.Poison(6, 5)).To(HaveOccurred())
	})

	It("is refused when a buffer of the device cannot hold it", func() {
		s := kvcache.Shape{NumLayers: 1 << 20, NumKVHeads: 8, HeadDim: 128, MaxSeqLen: 4096}
		_, err := kvcache.New(msl.New(msl.Options{CompareLanes: true}), s)
		Expect(err).To(MatchError(ContainSubstring("the device's buffers hold")))
	})
})
