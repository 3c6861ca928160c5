package weights

import "fmt"

// qwen3 is the dense Qwen3 decoder: grouped-query attention with a norm on each query and key head, SwiGLU MLP.
//
// Source: Qwen3 technical report, arXiv:2505.09388; tensor names as published on Hugging Face.
var qwen3 = family{
	modelType: "qwen3",
	config: func(f *fields, c *Config) {
		decoderKeys(f, c)
		c.IntermediateSize = f.count("intermediate_size", 1)
	},
	layer: func(l *loader, c Config, n int) Layer {
		name := fmt.Sprintf("model.layers.%d.", n)
		layer := qwen3Attention(l, c, name)
		layer.MLP = l.mlp(name+"mlp.", c.HiddenSize, c.IntermediateSize)
		return layer
	},
}

// qwen3Attention reads a layer without its MLP; the dense and the sparse family share it.
func qwen3Attention(l *loader, c Config, name string) Layer {
	layer := Layer{
		InputNorm:    l.vector(name+"input_layernorm.weight", c.HiddenSize),
		QNorm:        l.vector(name+"self_attn.q_norm.weight", c.HeadDim),
		KNorm:        l.vector(name+"self_attn.k_norm.weight", c.HeadDim),
		PostAttnNorm: l.vector(name+"post_attention_layernorm.weight", c.HiddenSize),
	}
	layer.Q, layer.K, layer.V = l.qkv(name+"self_attn.", c)
	layer.O = l.linear(name+"self_attn.o_proj", c.HiddenSize, c.NumHeads*c.HeadDim, c.AttentionBias)
	return layer
}
