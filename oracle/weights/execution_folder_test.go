package weights

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle/internal/altered"
)

// Plan
//
//   - Purpose: a model reads the same however its folder is spelt: configuration keys of transformers 4 and 5, experts
//     one by one or stacked, weights in any float type, tied heads left out or repeated.
//   - Control: stacked experts whose gate and up halves are exchanged read differently.
//   - Boundary: which layers are sparse, at every step and listed layer.
//   - Source: config.json and safetensors folders as transformers 4.x and 5.x write them.

// reopen changes a copy of a fixture and opens it.
func reopen(ctx context.Context, fixture string, changes ...change) *Checkpoint {
	dir := GinkgoT().TempDir()
	Expect(altered.Copy(dir, filepath.Join("..", "..", "fixtures", fixture))).To(Succeed())
	for _, f := range changes {
		Expect(f(dir)).To(Succeed())
	}
	c, err := Open(ctx, dir, nil)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(c.Close)
	return c
}

// stackExperts turns the experts' tensors into two a layer: [E, 2I, H], gate rows first, and [E, H, I].
func stackExperts(first, second string) change {
	return tensors(func(t map[string]*altered.Tensor) {
		for layer := 0; ; layer++ {
			name := fmt.Sprintf("model.layers.%d.mlp.experts.", layer)
			if t[name+"0.gate_proj.weight"] == nil {
				return
			}
			gateUp, down, n := &altered.Tensor{DType: "BF16"}, &altered.Tensor{DType: "BF16"}, 0
			for ; t[fmt.Sprintf("%s%d.gate_proj.weight", name, n)] != nil; n++ {
				expert := fmt.Sprintf("%s%d.", name, n)
				a, b, d := t[expert+first+".weight"], t[expert+second+".weight"], t[expert+"down_proj.weight"]
				gateUp.Data = append(append(gateUp.Data, a.Data...), b.Data...)
				down.Data = append(down.Data, d.Data...)
				gateUp.Shape, down.Shape = []int{0, 2 * a.Shape[0], a.Shape[1]}, []int{0, d.Shape[0], d.Shape[1]}
				for _, m := range []string{"gate_proj", "up_proj", "down_proj"} {
					delete(t, expert+m+".weight")
				}
			}
			gateUp.Shape[0], down.Shape[0] = n, n
			// Stacked tensors are parameters of their own: no ".weight" at the end.
			t[name+"gate_up_proj"], t[name+"down_proj"] = gateUp, down
		}
	})
}

var _ = Describe("A folder", Label("area:checkpoint"), func() {
	It("may be spelt as transformers 4 does", func(ctx SpecContext) {
		got := reopen(ctx, "tiny-qwen3-moe", config("rope_parameters", nil), config("rope_theta", 1e6), config("num_local_experts", nil), config("num_experts", 8))
		Expect(got.Config).To(Equal(openFixture(ctx, "tiny-qwen3-moe").Config))
	})
	It("may spell both, when they agree", func(ctx SpecContext) {
		got := reopen(ctx, "tiny-qwen3-moe", config("rope_theta", 1e6), config("num_experts", 8))
		Expect(got.Config).To(Equal(openFixture(ctx, "tiny-qwen3-moe").Config))
	})
	It("gives every key of the configuration", func(ctx SpecContext) {
		Expect(openFixture(ctx, "tiny-qwen3-moe-mixed").Config).To(Equal(Config{
			ModelType: "qwen3_moe", VocabSize: 512, HiddenSize: 128, NumLayers: 4, NumHeads: 8, NumKVHeads: 2, HeadDim: 64,
			IntermediateSize: 192, MaxPositionEmbeddings: 2048, RMSNormEps: 1e-5, RopeTheta: 1e4, AttentionBias: true,
			TieWordEmbeddings: true, NumExperts: 16, TopK: 4, ExpertWidth: 96, DecoderSparseStep: 2, MLPOnlyLayers: []int{1},
		}))
	})
	It("may hold experts stacked", func(ctx SpecContext) {
		want, got := linears(openFixture(ctx, "tiny-qwen3-moe")), linears(reopen(ctx, "tiny-qwen3-moe", stackExperts("gate_proj", "up_proj")))
		Expect(got).To(HaveLen(len(want)))
		for name := range want {
			Expect(relative(got[name], want[name])).To(BeZero(), name)
		}
	})
	It("is told apart from one stacked the other way", Label("purpose:fault"), func(ctx SpecContext) {
		want, got := linears(openFixture(ctx, "tiny-qwen3-moe")), linears(reopen(ctx, "tiny-qwen3-moe", stackExperts("up_proj", "gate_proj")))
		Expect(relative(got["layer 0 expert 3 gate"], want["layer 0 expert 3 gate"])).To(BeNumerically(">", 1))
		Expect(relative(got["layer 0 expert 3 gate"], want["layer 0 expert 3 up"])).To(BeZero())
	})
	It("may hold weights as float32 or float16", func(ctx SpecContext) {
		const f32, f16 = "model.layers.0.self_attn.q_proj.weight", "model.norm.weight"
		want := openFixture(ctx, "tiny-qwen3")
		got := reopen(ctx, "tiny-qwen3", tensors(func(t map[string]*altered.Tensor) {
			var wide []byte
			for i := 0; i < len(t[f32].Data); i += 2 {
				wide = append(wide, 0, 0, t[f32].Data[i], t[f32].Data[i+1]) // a bfloat16 is the upper half
			}
			t[f32].DType, t[f32].Data = "F32", wide
			t[f16].DType = "F16"
			for i := range len(t[f16].Data) / 2 {
				binary.LittleEndian.PutUint16(t[f16].Data[2*i:], uint16(0x3c00+i)) // 1 + i/1024
			}
		}))
		Expect(relative(got.Layers[0].Q.Weight, want.Layers[0].Q.Weight)).To(BeZero())
		for i, v := range got.FinalNorm {
			Expect(v).To(Equal(1 + float64(i)/1024))
		}
	})
	It("may repeat a tied head", func(ctx SpecContext) {
		got := reopen(ctx, "tiny-qwen3", tensors(func(t map[string]*altered.Tensor) { t["lm_head.weight"] = t["model.embed_tokens.weight"] }))
		Expect(relative(got.Head, got.Embed)).To(BeZero())
	})
	It("tells how much of it has been checked", func(ctx SpecContext) {
		var done []int64
		var total int64
		c, err := Open(ctx, filepath.Join("..", "..", "fixtures", "tiny-qwen3-moe-mixed"), func(d, t int64) { done, total = append(done, d), t })
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Close)
		Expect(slices.IsSorted(done)).To(BeTrue())
		Expect(done[len(done)-1]).To(Equal(total))
	})
})

var _ = Describe("Config.Sparse", func() {
	DescribeTable("says which layers are mixtures", func(experts, step int, dense []int, want ...int) {
		c := Config{NumExperts: experts, DecoderSparseStep: step, MLPOnlyLayers: dense, NumLayers: 6}
		var got []int
		for n := range c.NumLayers {
			if c.Sparse(n) {
				got = append(got, n)
			}
		}
		Expect(slices.Equal(got, want)).To(BeTrue(), "%v", got)
	},
		Entry("all", 4, 1, nil, 0, 1, 2, 3, 4, 5),
		Entry("every other, the second first", 4, 2, nil, 1, 3, 5),
		Entry("every third but one that is listed", 4, 3, []int{2}, 5),
		Entry("all but those listed", 4, 1, []int{0, 5}, 1, 2, 3, 4),
		Entry("none without experts", 0, 1, nil),
	)
})

var _ = Describe("Matrix.Row", func() {
	It("panics outside the matrix", func(ctx SpecContext) {
		m := openFixture(ctx, "tiny-qwen3").Embed
		row := make([]float64, m.Cols)
		Expect(func() { m.Row(row, -1) }).To(PanicWith("weights: row out of range"))
		Expect(func() { m.Row(row, m.Rows) }).To(PanicWith("weights: row out of range"))
		m.Row(row, m.Rows-1)
		Expect(row).To(HaveEach(Satisfy(func(v float64) bool { return !math.IsNaN(v) })))
	})
})
