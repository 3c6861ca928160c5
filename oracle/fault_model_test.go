package oracle_test

import (
	"maps"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle"
	"github.com/octoryn/assay/oracle/internal/altered"
)

// Plan
//
//   - Purpose: mistakes in reading a model, which the comparison with the outside answers must find. Each is planted by
//     changing the checkpoint so that a right forward pass computes what the mistaken one would.
//   - Control: the same copy, unchanged, passes.
//   - Boundary: rms_norm_eps, the smallest of them: 1e-5 for 1e-6.

var _ = Describe("The comparison with outside answers", Label("purpose:fault", "area:forward"), func() {
	compareAltered := func(ctx SpecContext, name, prompt string, key string, value any, change func(map[string]*altered.Tensor)) error {
		dir := GinkgoT().TempDir()
		Expect(altered.Copy(dir, fixture(name))).To(Succeed())
		if key != "" {
			Expect(altered.JSON(dir, "config.json", func(c map[string]any) { c[key] = value })).To(Succeed())
		}
		if change != nil {
			Expect(altered.Tensors(dir, "model.safetensors", change)).To(Succeed())
		}
		m, err := oracle.Open(dir)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(m.Close)
		p := outsidePrompts(name)[prompt]
		out, err := m.NewSequence(oracle.Options{}).Extend(ctx, p.IDs, oracle.Want{LogitsFrom: len(p.IDs) - p.KeptRows})
		Expect(err).NotTo(HaveOccurred())
		_, err = compare(out.Logits, outsideTensor(name, prompt+".logits.f64"), outsideLimit)
		return err
	}

	DescribeTable("is passed by a copy", func(ctx SpecContext, name string) {
		Expect(compareAltered(ctx, name, "short", "", nil, nil)).To(Succeed())
	},
		Entry("of an MoE model", "tiny-qwen3-moe"),
		Entry("of a mixed model", "tiny-qwen3-moe-mixed"),
	)

	rope := func(theta float64) any { return map[string]any{"rope_type": "default", "rope_theta": theta} }
	DescribeTable("finds", func(ctx SpecContext, name, key string, value any, change func(map[string]*altered.Tensor)) {
		Expect(compareAltered(ctx, name, "short", key, value, change)).NotTo(Succeed())
	},
		Entry("another eps", "tiny-qwen3-moe", "rms_norm_eps", 1e-5, nil),
		Entry("another base of the rotation", "tiny-qwen3-moe", "rope_parameters", rope(10000), nil),
		Entry("one expert too few", "tiny-qwen3-moe", "num_experts_per_tok", 1, nil),
		Entry("router weights not renormalised", "tiny-qwen3-moe", "norm_topk_prob", false, nil),
		Entry("router weights renormalised", "tiny-qwen3-moe-mixed", "norm_topk_prob", true, nil),
		Entry("query norm and key norm exchanged", "tiny-qwen3-moe", "", nil, exchange("self_attn.q_norm.weight", "self_attn.k_norm.weight")),
		Entry("input norm and post-attention norm exchanged", "tiny-qwen3-moe", "", nil, exchange("input_layernorm.weight", "post_attention_layernorm.weight")),
		Entry("gate and up exchanged", "tiny-qwen3", "", nil, exchange("mlp.gate_proj.weight", "mlp.up_proj.weight")),
		Entry("keys and values exchanged", "tiny-qwen3", "", nil, exchange("self_attn.k_proj.weight", "self_attn.v_proj.weight")),
	)
})

// exchange swaps two tensors of layer 0.
func exchange(a, b string) func(map[string]*altered.Tensor) {
	return func(t map[string]*altered.Tensor) {
		const layer = "model.layers.0."
		Expect(maps.Keys(t)).To(ContainElements(layer+a, layer+b))
		t[layer+a], t[layer+b] = t[layer+b], t[layer+a]
	}
}
