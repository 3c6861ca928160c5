package kernels_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kernels"
)

// Plan. Launches refuse shapes outside the kernels' limits, one rule broken at a time; the tile chosen for a shape is one
// the kernels take, covers every row, and follows the tuning table on both sides of each threshold.

var _ = Describe("Launches", Label("purpose:validation"), func() {
	shapes := kernels.ShapesFor(device.Info{
		ThreadExecutionWidth: 32, MaxThreadsPerThreadgroup: 1024, MaxThreadgroupMemoryBytes: 32 << 10,
		SupportsSimdShuffle: true, ConcurrentThreadgroupsHint: 2,
	})
	matrix := kernels.Matrix{Rows: 64, K: 128, GroupSize: 64}
	tile := kernels.Tile{Simdgroups: 8, Rows: 4, Blocks: 1}

	DescribeTable("are refused",
		func(want string, make func() (kernels.Launch, error)) {
			_, err := make()
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("uneven rows", "100 values", func() (kernels.Launch, error) {
			return shapes.ProjectResidual(kernels.Matrix{Rows: 64, K: 100, GroupSize: 64}, tile, false)
		}),
		Entry("an unknown group size", "group size 48", func() (kernels.Launch, error) {
			return shapes.ProjectResidual(kernels.Matrix{Rows: 64, K: 96, GroupSize: 48}, tile, false)
		}),
		Entry("rows at once", "3 rows a simdgroup", func() (kernels.Launch, error) {
			return shapes.ProjectResidual(matrix, kernels.Tile{Simdgroups: 8, Rows: 3, Blocks: 1}, false)
		}),
		Entry("one row of a pair", "at least 2", func() (kernels.Launch, error) {
			return shapes.GateUp(matrix, kernels.Tile{Simdgroups: 8, Rows: 1, Blocks: 1}, 1e-6, nil)
		}),
		Entry("too many threads", "1056 threads", func() (kernels.Launch, error) {
			return shapes.ProjectResidual(matrix, kernels.Tile{Simdgroups: 33, Rows: 4, Blocks: 1}, false)
		}),
		Entry("more memory than the device has", "threadgroup memory", func() (kernels.Launch, error) {
			return shapes.QKV(kernels.Matrix{Rows: 64, K: 9216, GroupSize: 64}, tile, 1e-6, false, false, false)
		}),
		Entry("more experts a token than there are", "top 5 of 4", func() (kernels.Launch, error) {
			return shapes.ExpertDown(matrix, tile, kernels.Experts{Count: 4, TopK: 5})
		}),
		Entry("head_dim", "head_dim 48", func() (kernels.Launch, error) {
			return shapes.AttentionBlock(kernels.Attention{HeadDim: 48, Heads: 4, KVHeads: 1}, 8)
		}),
		Entry("uneven heads", "share 3 KV heads", func() (kernels.Launch, error) {
			return shapes.AttentionMerge(kernels.Attention{HeadDim: 64, Heads: 4, KVHeads: 3})
		}),
		Entry("simdgroups of attention", "3 simdgroups", func() (kernels.Launch, error) {
			return shapes.AttentionBlock(kernels.Attention{HeadDim: 64, Heads: 4, KVHeads: 1}, 3)
		}),
	)

	It("fit Qwen3-30B-A3B into the threadgroup memory of every device, shuffles or not", func() {
		for _, shuffle := range []bool{true, false} {
			s := shapes
			s.Shuffle = shuffle
			l, err := s.AttentionBlock(kernels.Attention{HeadDim: 128, Heads: 32, KVHeads: 4, Eps: 1e-6}, 8)
			Expect(err).NotTo(HaveOccurred())
			Expect(l.ThreadgroupBytes).To(BeNumerically("<=", 32<<10))
			_, err = s.LMHead(kernels.Matrix{Rows: 151936, K: 2048, GroupSize: 64}, s.Tile(151936, 2048, 1), 1e-6, true)
			Expect(err).NotTo(HaveOccurred())
		}
	})

	It("take the tile that the tuning table names, on both sides of each threshold", func() {
		for i, line := range kernels.Tuning[:len(kernels.Tuning)-1] {
			Expect(shapes.Tile(4096, 32*line.MaxLaneValues, 1).Rows).To(Equal(line.Rows))
			Expect(shapes.Tile(4096, 32*(line.MaxLaneValues+1), 1).Rows).To(Equal(kernels.Tuning[i+1].Rows))
		}
		for _, rows := range []int{1, 31, 384, 151936} {
			for _, copies := range []int{1, 8} {
				t := shapes.Tile(rows, 128, copies)
				l, err := shapes.ProjectResidual(kernels.Matrix{Rows: rows, K: 128, GroupSize: 64}, t, false)
				Expect(err).NotTo(HaveOccurred())
				Expect(l.Threadgroups.X * t.Simdgroups * t.Rows * t.Blocks).To(BeNumerically(">=", rows))
			}
		}
	})
})
