package msl

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

var _ = Describe("Comparing what two kinds of lanes leave", Label("area:executor"), func() {
	DescribeTable("finds the first element that differs",
		func(elem ir.Type, a, b []byte, want int) { Expect(differ(elem, a, b)).To(Equal(want)) },
		Entry("equal bytes", ir.F32, []byte{1, 2, 3, 4}, []byte{1, 2, 3, 4}, -1),
		Entry("one bit of a float", ir.F32, []byte{0, 0, 128, 63, 0, 0, 128, 63}, []byte{0, 0, 128, 63, 1, 0, 128, 63}, 4),
		Entry("zeros of both signs", ir.F32, []byte{0, 0, 0, 0}, []byte{0, 0, 0, 128}, 0),
		Entry("two NaN", ir.F32, []byte{0, 0, 192, 127}, []byte{1, 0, 192, 255}, -1),
		Entry("a NaN and an infinity", ir.F32, []byte{0, 0, 192, 127}, []byte{0, 0, 128, 127}, 0),
		Entry("two NaN of float16", ir.F16, []byte{0, 0, 0, 126}, []byte{0, 0, 1, 126}, -1),
		Entry("two NaN of bfloat16", ir.BF16, []byte{192, 127}, []byte{193, 127}, -1),
		Entry("the same bits as integers", ir.U32, []byte{0, 0, 192, 127}, []byte{1, 0, 192, 255}, 0),
		Entry("a byte of a struct", ir.Void, []byte{1, 2, 3}, []byte{1, 2, 4}, 2),
	)
})
