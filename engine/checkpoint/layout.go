package checkpoint

import (
	"fmt"

	"github.com/octoryn/assay/engine/int4"
)

// matrixSpec is a packed matrix a model of some configuration has.
type matrixSpec struct {
	name    string
	experts int // 0: plain
	rows    int // of one expert
	k       int
}

// leading returns the shape before the last dimension: [rows] or [experts, rows].
func (m matrixSpec) leading() []int {
	if m.experts > 0 {
		return []int{m.experts, m.rows}
	}
	return []int{m.rows}
}

// plainSpec is a tensor that keeps its own bits.
type plainSpec struct {
	name  string
	shape []int
	parts []plainSpec // source tensors that make it, one after another; nil: the one of the same name
}

func vector(name string, n int) plainSpec { return plainSpec{name: name, shape: []int{n}} }

// packedLayout lists what a packed folder of this configuration holds, in model order.
func packedLayout(c Config) (matrices []matrixSpec, plain []plainSpec) {
	attn := c.NumHeads * c.HeadDim
	vec := func(name string, n int) { plain = append(plain, vector(name, n)) }
	plain = append(plain, plainSpec{name: "model.embed_tokens.weight", shape: []int{c.VocabSize, c.HiddenSize}})
	for l := range c.NumLayers {
		vec(layerName(l, "input_layernorm.weight"), c.HiddenSize)
		matrices = append(matrices,
			matrixSpec{layerName(l, "self_attn.qkv_proj"), 0, c.QKVRows(), c.HiddenSize},
			matrixSpec{layerName(l, "self_attn.o_proj"), 0, c.HiddenSize, attn})
		if c.AttentionBias {
			bias := vector(layerName(l, "self_attn.qkv_proj.bias"), c.QKVRows())
			bias.parts = []plainSpec{
				vector(layerName(l, "self_attn.q_proj.bias"), attn),
				vector(layerName(l, "self_attn.k_proj.bias"), c.NumKVHeads*c.HeadDim),
				vector(layerName(l, "self_attn.v_proj.bias"), c.NumKVHeads*c.HeadDim),
			}
			plain = append(plain, bias)
			vec(layerName(l, "self_attn.o_proj.bias"), c.HiddenSize)
		}
		vec(layerName(l, "self_attn.q_norm.weight"), c.HeadDim)
		vec(layerName(l, "self_attn.k_norm.weight"), c.HeadDim)
		vec(layerName(l, "post_attention_layernorm.weight"), c.HiddenSize)
		if c.IsSparse(l) {
			plain = append(plain, plainSpec{name: layerName(l, "mlp.gate.weight"), shape: []int{c.NumExperts, c.HiddenSize}})
			matrices = append(matrices,
				matrixSpec{layerName(l, "mlp.experts.gate_up_proj"), c.NumExperts, 2 * c.MoEIntermediateSize, c.HiddenSize},
				matrixSpec{layerName(l, "mlp.experts.down_proj"), c.NumExperts, c.HiddenSize, c.MoEIntermediateSize})
		} else {
			matrices = append(matrices,
				matrixSpec{layerName(l, "mlp.gate_up_proj"), 0, 2 * c.IntermediateSize, c.HiddenSize},
				matrixSpec{layerName(l, "mlp.down_proj"), 0, c.HiddenSize, c.IntermediateSize})
		}
	}
	vec("model.norm.weight", c.HiddenSize)
	matrices = append(matrices, matrixSpec{"lm_head", 0, c.VocabSize, c.HiddenSize})
	return matrices, plain
}

// checkPackable refuses a configuration whose matrices the int4 layout cannot hold, naming the field.
func checkPackable(configPath string, c Config) error {
	check := func(field string, k int) error {
		if err := int4.CheckK(k); err != nil {
			return &Error{Kind: Unsupported, File: configPath, Field: field, Got: fmt.Sprint(k), Want: fmt.Sprintf("a multiple of %d, for the packed layout", int4.NumLanes)}
		}
		return nil
	}
	if err := check("hidden_size", c.HiddenSize); err != nil {
		return err
	}
	if err := check("head_dim", c.NumHeads*c.HeadDim); err != nil {
		e := err.(*Error)
		e.Field, e.Got = "num_attention_heads*head_dim", fmt.Sprint(c.NumHeads*c.HeadDim)
		return e
	}
	if c.IntermediateSize > 0 {
		if err := check("intermediate_size", c.IntermediateSize); err != nil {
			return err
		}
	}
	if c.NumExperts > 0 {
		return check("moe_intermediate_size", c.MoEIntermediateSize)
	}
	return nil
}
