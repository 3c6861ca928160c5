package checkpoint

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// Bounds on configuration numbers: generous for any model, and small enough that no product of three of them,
// nor a list of layers, can exhaust the machine before a tensor's shape has been checked.
const (
	maxDim    = 1 << 24
	maxLayers = 1 << 12
	maxCount  = 1 << 16 // heads, experts
)

// ReadConfig reads config.json and, when present, generation_config.json of a folder.
//
// It accepts the spelling of transformers 4 (rope_theta, rope_scaling, num_experts) and of transformers 5
// (rope_parameters, num_local_experts); where both are given they must agree. There are no defaults: a key
// that decides the computation must be there. A key that asks for a computation this project does not do
// (a sliding window, RoPE scaling, a partial rotation, quantised weights, another activation) is refused.
// Errors are *Error and name the field.
func ReadConfig(dir string) (Config, error) {
	o, err := readObject(filepath.Join(dir, "config.json"))
	if err != nil {
		return Config{}, err
	}
	c := Config{BOSTokenID: -1}
	c.ModelType = o.text("model_type", `"qwen3_moe" or "qwen3"`)
	if o.err == nil && c.ModelType != "qwen3_moe" && c.ModelType != "qwen3" {
		o.fail(Unsupported, "model_type", fmt.Sprintf("%q", c.ModelType), `"qwen3_moe" or "qwen3"`)
	}
	c.VocabSize = o.integer("vocab_size", 1, maxDim)
	c.HiddenSize = o.integer("hidden_size", 1, maxDim)
	c.NumLayers = o.integer("num_hidden_layers", 1, maxLayers)
	c.NumHeads = o.integer("num_attention_heads", 1, maxCount)
	c.NumKVHeads = o.integer("num_key_value_heads", 1, maxCount)
	c.HeadDim = o.integer("head_dim", 2, maxCount)
	if o.err == nil && c.NumHeads%c.NumKVHeads != 0 {
		o.fail(BadValue, "num_key_value_heads", fmt.Sprint(c.NumKVHeads), fmt.Sprintf("a divisor of num_attention_heads = %d", c.NumHeads))
	}
	if o.err == nil && c.HeadDim%2 != 0 {
		o.fail(BadValue, "head_dim", fmt.Sprint(c.HeadDim), "an even number")
	}
	c.RMSNormEps = o.positive("rms_norm_eps")
	c.MaxPositionEmbeddings = o.integer("max_position_embeddings", 1, 1<<30)
	c.TieWordEmbeddings = o.boolean("tie_word_embeddings")
	c.AttentionBias = o.boolean("attention_bias")
	if act := o.text("hidden_act", `"silu"`); o.err == nil && act != "silu" {
		o.fail(Unsupported, "hidden_act", fmt.Sprintf("%q", act), `"silu"`)
	}
	c.RopeTheta = readRope(o)
	if c.ModelType == "qwen3_moe" {
		readExperts(o, &c)
	} else if o.has("num_experts") || o.has("num_local_experts") {
		o.fail(Unsupported, "num_experts", "experts", `none in a "qwen3" model`)
	}
	c.readDense(o)
	refuseUnsupported(o, c)
	if o.err != nil {
		return Config{}, o.err
	}
	if err := readTokenIDs(dir, o, &c); err != nil {
		return Config{}, err
	}
	return c, nil
}

// readDense reads intermediate_size when some layer has a dense MLP; otherwise the key decides nothing.
func (c *Config) readDense(o *object) {
	if o.err != nil {
		return
	}
	sparse := 0
	for i := range c.NumLayers {
		if c.IsSparse(i) {
			sparse++
		}
	}
	if sparse < c.NumLayers {
		c.IntermediateSize = o.integer("intermediate_size", 1, maxDim)
	}
}

// readExperts reads the keys of a mixture of experts.
func readExperts(o *object, c *Config) {
	// Both spellings of the count.
	old, new := o.has("num_experts"), o.has("num_local_experts")
	switch {
	case old && new:
		c.NumExperts = o.integer("num_experts", 1, maxCount)
		if n := o.integer("num_local_experts", 1, maxCount); o.err == nil && n != c.NumExperts {
			o.fail(BadValue, "num_local_experts", fmt.Sprint(n), fmt.Sprintf("num_experts = %d", c.NumExperts))
		}
	case new:
		c.NumExperts = o.integer("num_local_experts", 1, maxCount)
	default:
		c.NumExperts = o.integer("num_experts", 1, maxCount)
	}
	c.NumExpertsPerTok = o.integer("num_experts_per_tok", 1, maxCount)
	if o.err == nil && c.NumExpertsPerTok > c.NumExperts {
		o.fail(BadValue, "num_experts_per_tok", fmt.Sprint(c.NumExpertsPerTok), fmt.Sprintf("at most the %d experts", c.NumExperts))
	}
	c.MoEIntermediateSize = o.integer("moe_intermediate_size", 1, maxDim)
	c.NormTopKProb = o.boolean("norm_topk_prob")
	c.DecoderSparseStep = o.integer("decoder_sparse_step", 1, maxCount)
	if o.err == nil {
		c.MLPOnlyLayers = o.integers("mlp_only_layers", 0, c.NumLayers-1)
	}
}

// readRope reads theta from rope_theta or rope_parameters and refuses every kind of scaling.
func readRope(o *object) float64 {
	if o.err != nil {
		return 0
	}
	theta := 0.0
	for _, name := range []string{"rope_parameters", "rope_scaling"} {
		if !o.has(name) {
			continue
		}
		r := o.child(name)
		if r == nil {
			return 0
		}
		for _, key := range []string{"rope_type", "type"} {
			if !r.has(key) {
				continue
			}
			if t := r.text(key, `"default"`); r.err == nil && t != "default" {
				r.fail(Unsupported, key, fmt.Sprintf("%q", t), `"default"`)
			}
		}
		if r.has("partial_rotary_factor") && r.positive("partial_rotary_factor") != 1 {
			r.fail(Unsupported, "partial_rotary_factor", brief(r.fields["partial_rotary_factor"]), "1")
		}
		if name == "rope_parameters" && (r.has("rope_theta") || !o.has("rope_theta")) {
			theta = r.positive("rope_theta")
		}
		if r.err != nil {
			o.err = r.err
			return 0
		}
	}
	if o.has("rope_theta") || theta == 0 {
		t := o.positive("rope_theta")
		if o.err == nil && theta != 0 && t != theta {
			o.fail(BadValue, "rope_theta", fmt.Sprint(t), fmt.Sprintf("rope_parameters.rope_theta = %v", theta))
		}
		theta = t
	}
	return theta
}

// refuseUnsupported refuses keys that would change the computation.
func refuseUnsupported(o *object, c Config) {
	if o.err != nil {
		return
	}
	// transformers ignores sliding_window unless use_sliding_window is set.
	if o.has("use_sliding_window") && o.boolean("use_sliding_window") {
		o.fail(Unsupported, "use_sliding_window", "true", "false")
	}
	if !o.has("use_sliding_window") && o.has("sliding_window") {
		o.fail(Unsupported, "sliding_window", brief(o.fields["sliding_window"]), "null")
	}
	if o.has("layer_types") {
		var types []string
		if json.Unmarshal(o.fields["layer_types"], &types) != nil || len(types) != c.NumLayers {
			o.fail(BadValue, "layer_types", brief(o.fields["layer_types"]), fmt.Sprintf("%d names", c.NumLayers))
		}
		for i, t := range types {
			if t != "full_attention" {
				o.fail(Unsupported, fmt.Sprintf("layer_types[%d]", i), fmt.Sprintf("%q", t), `"full_attention"`)
			}
		}
	}
	if o.has("quantization_config") {
		o.fail(Unsupported, "quantization_config", "quantised weights", "bf16, f16 or f32 weights")
	}
	if o.has("partial_rotary_factor") && o.positive("partial_rotary_factor") != 1 {
		o.fail(Unsupported, "partial_rotary_factor", brief(o.fields["partial_rotary_factor"]), "1")
	}
	for _, name := range []string{"shared_expert_intermediate_size", "n_shared_experts", "num_nextn_predict_layers"} {
		if o.has(name) && string(o.fields[name]) != "0" {
			o.fail(Unsupported, name, brief(o.fields[name]), "0")
		}
	}
}

// readTokenIDs takes bos and eos from generation_config.json where it has them, else from config.json, as
// transformers does when it generates.
func readTokenIDs(dir string, o *object, c *Config) error {
	sources := []*object{o}
	g, err := readObject(filepath.Join(dir, "generation_config.json"))
	switch {
	case err == nil:
		sources = []*object{g, o}
	case !isNotExist(err):
		return err
	}
	for _, s := range sources {
		if c.BOSTokenID < 0 && s.has("bos_token_id") {
			c.BOSTokenID = s.integer("bos_token_id", 0, c.VocabSize-1)
		}
		if c.EOSTokenIDs == nil && s.has("eos_token_id") {
			if s.fields["eos_token_id"][0] == '[' {
				c.EOSTokenIDs = s.integers("eos_token_id", 0, c.VocabSize-1)
			} else {
				c.EOSTokenIDs = []int{s.integer("eos_token_id", 0, c.VocabSize-1)}
			}
		}
		if s.err != nil {
			return s.err
		}
	}
	return nil
}
