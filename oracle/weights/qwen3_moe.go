package weights

import (
	"fmt"
	"slices"
)

// qwen3MoE is the sparse Qwen3 decoder: as qwen3, but the MLP of most layers is a mixture of experts.
//
// Source: Qwen3 technical report, arXiv:2505.09388; tensor names as published on Hugging Face.
var qwen3MoE = family{
	modelType: "qwen3_moe",
	config: func(f *fields, c *Config) {
		decoderKeys(f, c)
		c.NumExperts = numExperts(f)
		c.TopK = f.count("num_experts_per_tok", 1)
		c.ExpertWidth = f.count("moe_intermediate_size", 1)
		c.NormTopKProb = f.flag("norm_topk_prob")
		c.DecoderSparseStep = f.count("decoder_sparse_step", 1)
		c.MLPOnlyLayers = f.counts("mlp_only_layers")
		for _, n := range c.MLPOnlyLayers {
			if n < 0 || n >= c.NumLayers {
				f.fail("mlp_only_layers", fmt.Sprintf("layers 0 to %d", c.NumLayers-1), "%d", n)
			}
		}
		if c.TopK > c.NumExperts {
			f.fail("num_experts_per_tok", fmt.Sprintf("at most the %d experts", c.NumExperts), "%d", c.TopK)
		}
		f.ignore("intermediate_size", "router_aux_loss_coef", "output_router_logits") // the last two are of training
		if f.err != nil {
			return
		}
		dense := func(n int) bool { return !c.Sparse(n) }
		if slices.ContainsFunc(layers(c.NumLayers), dense) {
			c.IntermediateSize = f.count("intermediate_size", 1)
		}
	},
	layer: func(l *loader, c Config, n int) Layer {
		name := fmt.Sprintf("model.layers.%d.", n)
		layer := qwen3Attention(l, c, name)
		if c.Sparse(n) {
			layer.MoE = &MoE{
				Router:  l.plain(name+"mlp.gate.weight", c.NumExperts, c.HiddenSize),
				Experts: l.experts(name+"mlp.experts.", c.NumExperts, c.HiddenSize, c.ExpertWidth),
			}
		} else {
			layer.MLP = l.mlp(name+"mlp.", c.HiddenSize, c.IntermediateSize)
		}
		return layer
	},
}

// numExperts reads the number of experts in either spelling: num_experts (transformers 4) or num_local_experts (5).
func numExperts(f *fields) int {
	const v4, v5 = "num_experts", "num_local_experts"
	if !f.has(v5) {
		f.asked[v5] = true
		return f.count(v4, 1)
	}
	n := f.count(v5, 1)
	if f.has(v4) {
		if m := f.count(v4, 1); m != n {
			f.fail(v4, fmt.Sprintf("%d, as %s says", n, v5), "%d", m)
		}
	}
	return n
}

// layers lists 0 to n-1.
func layers(n int) []int {
	l := make([]int, n)
	for i := range l {
		l[i] = i
	}
	return l
}
