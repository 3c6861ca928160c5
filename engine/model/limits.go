package model

import (
	"fmt"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/kernels"
)

// minEps is the least rms_norm_eps: below it the root of a zero vector's mean would leave the range in which the
// kernels' arithmetic is exact.
const minEps = 0x1p-40

// Check refuses a configuration the kernels cannot do, naming the field of config.json.
func Check(c checkpoint.Config) error {
	refuse := func(field string, got any, want string) error {
		return fmt.Errorf("model: config: %s is %v, want %s", field, got, want)
	}
	switch {
	case c.NumLayers < 1:
		return refuse("num_hidden_layers", c.NumLayers, "at least 1")
	case c.VocabSize < 1:
		return refuse("vocab_size", c.VocabSize, "at least 1")
	case c.HiddenSize < 32 || c.HiddenSize%32 != 0:
		return refuse("hidden_size", c.HiddenSize, "a multiple of 32")
	case c.HeadDim < 32 || c.HeadDim%32 != 0 || c.HeadDim > kernels.MaxHeadDim:
		return refuse("head_dim", c.HeadDim, fmt.Sprintf("a multiple of 32, at most %d", kernels.MaxHeadDim))
	case c.NumHeads < 1 || c.NumKVHeads < 1 || c.NumHeads%c.NumKVHeads != 0:
		return refuse("num_key_value_heads", c.NumKVHeads, fmt.Sprintf("a divisor of num_attention_heads, %d", c.NumHeads))
	case !(float32(c.RMSNormEps) >= minEps):
		return refuse("rms_norm_eps", c.RMSNormEps, "at least 2^-40")
	case !(c.RopeTheta > 0):
		return refuse("rope_theta", c.RopeTheta, "a positive number")
	case c.MaxPositionEmbeddings < 1:
		return refuse("max_position_embeddings", c.MaxPositionEmbeddings, "at least 1")
	}
	for layer := range c.NumLayers {
		if !c.IsSparse(layer) {
			if c.IntermediateSize < 32 || c.IntermediateSize%32 != 0 {
				return refuse("intermediate_size", c.IntermediateSize, "a multiple of 32")
			}
			continue
		}
		switch {
		case c.MoEIntermediateSize < 32 || c.MoEIntermediateSize%32 != 0:
			return refuse("moe_intermediate_size", c.MoEIntermediateSize, "a multiple of 32")
		case c.NumExperts < 1 || c.NumExperts > kernels.MaxExperts:
			return refuse("num_experts", c.NumExperts, fmt.Sprintf("1 to %d", kernels.MaxExperts))
		case c.NumExpertsPerTok < 1 || c.NumExpertsPerTok > kernels.MaxTopK || c.NumExpertsPerTok > c.NumExperts:
			return refuse("num_experts_per_tok", c.NumExpertsPerTok, fmt.Sprintf("1 to %d and at most num_experts, %d", kernels.MaxTopK, c.NumExperts))
		}
	}
	return nil
}
