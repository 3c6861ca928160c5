package oracle

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Plan
//
//   - Purpose: what the context holds, and how it grows.
//   - Control: KVExact holds the same numbers unrounded.
//   - Boundary: a tie between two float16, the largest float16 and the first number beyond; growth past 64 positions.
//   - Source: IEEE 754 binary16.

var _ = Describe("The key-value context", Label("area:attention"), func() {
	one := func(x ...float64) rows { return rows{1, len(x), x} }

	It("rounds keys and values to float16, ties to even", func() {
		c := newKVCache(1, 2)
		Expect(c.store(0, one(1+0x1p-11, 1+3*0x1p-11), one(65504, 0x1p-25), KVFloat16)).To(Succeed())
		Expect(c.keys[0][:2]).To(Equal([]float64{1, 1 + 4*0x1p-11}))
		Expect([]float64{c.values[0][0], c.values[0][c.capacity]}).To(Equal([]float64{65504, 0}))
		Expect(c.keySquares[0][0]).To(Equal(1+(1+4*0x1p-11)*(1+4*0x1p-11)), "of the rounded key")
	})
	It("keeps them exactly when asked to", Label("purpose:fault"), func() {
		c := newKVCache(1, 2)
		Expect(c.store(0, one(1+0x1p-11, 0.1), one(1e9, 0x1p-25), KVExact)).To(Succeed())
		Expect(c.keys[0][:2]).To(Equal([]float64{1 + 0x1p-11, 0.1}))
		Expect([]float64{c.values[0][0], c.values[0][c.capacity]}).To(Equal([]float64{1e9, 0x1p-25}))
	})
	It("refuses what float16 cannot hold, by name", func() {
		c := newKVCache(2, 2)
		zero := one(0, 0, 0, 0)
		for pos := range 3 {
			Expect(c.store(pos, zero, zero, KVFloat16)).To(Succeed())
		}
		Expect(c.store(3, one(0, 0, 0, -65520), one(0, 0, 0, 0), KVFloat16)).
			To(MatchError("key at position 3, head 1, element 1: got -65520, want at most 65504 for float16"))
		Expect(c.store(0, one(0, 0, 0, 0), one(1e5, 0, 0, 0), KVFloat16)).To(MatchError(ContainSubstring("value at position 0, head 0, element 0")))
		Expect(c.store(0, one(0, 0, 0, -65519), one(0, 0, 0, 0), KVFloat16)).To(Succeed(), "the last that rounds to the largest")
	})
	It("keeps earlier positions when it grows", func() {
		c := newKVCache(2, 2)
		for pos := range 200 {
			x := float64(pos)
			Expect(c.store(pos, one(x, x+0.25, -x, 1), one(2*x, 3*x, x, 5*x), KVExact)).To(Succeed())
		}
		for pos := range 200 {
			x := float64(pos)
			Expect(c.keys[0][2*pos : 2*pos+2]).To(Equal([]float64{x, x + 0.25}))
			Expect(c.keys[1][2*pos : 2*pos+2]).To(Equal([]float64{-x, 1}))
			Expect([]float64{c.values[0][pos], c.values[0][c.capacity+pos]}).To(Equal([]float64{2 * x, 3 * x}))
			Expect([]float64{c.values[1][pos], c.values[1][c.capacity+pos]}).To(Equal([]float64{x, 5 * x}))
			Expect(c.valueSquares[0][pos]).To(Equal(13 * x * x))
		}
	})
})
