package model

import (
	"encoding/binary"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. What is zapped when it is loaded: a router of which a weight is below 2^-40 is copied with +0 in its place, in either
// format; norm weights likewise; the RoPE table holds (1, 0) at position 0 and the right angles elsewhere.

var _ = Describe("Weights", Label("area:router", "purpose:execution"), func() {
	values := []float32{1, -0x1p-41, 0x1p-40, -2, 0x1p-60, 0}
	want := []float32{1, 0, 0x1p-40, -2, 0, 0}

	encode := func(d checkpoint.DType, v []float32) []byte {
		var out []byte
		for _, x := range v {
			if d == checkpoint.F32 {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
			} else {
				out = binary.LittleEndian.AppendUint16(out, uint16(math.Float32bits(x)>>16))
			}
		}
		return out
	}

	for _, d := range []checkpoint.DType{checkpoint.BF16, checkpoint.F32} {
		It("zaps a router and a norm stored as "+string(d), func() {
			w, dev := &weights{}, msl.New(msl.Options{})
			defer w.release()
			t := checkpoint.Tensor{Name: "router", DType: d, Shape: []int{2, 3}, Data: encode(d, values)}
			v, err := w.routerView(dev, t)
			Expect(err).NotTo(HaveOccurred())
			got := make([]byte, v.buffer.LengthBytes())
			Expect(v.buffer.Read(v.offset, got)).To(Succeed())
			Expect(got).To(Equal(encode(d, want)))

			v, err = w.widened(dev, t)
			Expect(err).NotTo(HaveOccurred())
			got = make([]byte, v.buffer.LengthBytes())
			Expect(v.buffer.Read(0, got)).To(Succeed())
			Expect(got).To(Equal(encode(checkpoint.F32, want)))
		})
	}

	It("has the RoPE table of the configuration", func() {
		table := ropeTable(checkpoint.Config{HeadDim: 64, RopeTheta: 1e4}, 5)
		Expect(table).To(HaveLen(5 * 64))
		for i := range 32 {
			Expect(table[2*i : 2*i+2]).To(Equal([]float32{1, 0}))
		}
		angle := 3 * math.Pow(1e4, -10.0/32)
		Expect(table[3*64+20]).To(BeNumerically("~", math.Cos(angle), 1e-7))
		Expect(table[3*64+21]).To(BeNumerically("~", math.Sin(angle), 1e-7))
	})
})
