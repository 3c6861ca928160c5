package weights

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Config is the configuration of a decoder as config.json gives it.
type Config struct {
	ModelType             string
	VocabSize             int
	HiddenSize            int
	NumLayers             int
	NumHeads              int // query heads
	NumKVHeads            int // key and value heads; a divisor of NumHeads
	HeadDim               int // even; need not be HiddenSize/NumHeads
	IntermediateSize      int // width of a dense MLP
	MaxPositionEmbeddings int
	RMSNormEps            float64
	RopeTheta             float64
	AttentionBias         bool // q, k, v and o projections have a bias
	TieWordEmbeddings     bool // the output head is the embedding matrix

	// Mixture of experts; zero for dense models.
	NumExperts        int
	TopK              int // experts per token
	ExpertWidth       int // moe_intermediate_size
	NormTopKProb      bool
	DecoderSparseStep int
	MLPOnlyLayers     []int
}

// Sparse reports whether the MLP of a layer is a mixture of experts.
func (c Config) Sparse(layer int) bool {
	return c.NumExperts > 0 && (layer+1)%c.DecoderSparseStep == 0 && !slices.Contains(c.MLPOnlyLayers, layer)
}

// readConfig reads config.json of a folder and finds the family that answers to its model_type.
func readConfig(dir string) (Config, family, error) {
	f, err := readFields(filepath.Join(dir, configFile))
	if err != nil {
		return Config{}, family{}, err
	}
	c := Config{ModelType: f.text("model_type")}
	if f.err != nil {
		return Config{}, family{}, f.err
	}
	i := slices.IndexFunc(families, func(a family) bool { return a.modelType == c.ModelType })
	if i < 0 {
		var known []string
		for _, a := range families {
			known = append(known, a.modelType)
		}
		f.fail("model_type", strings.Join(known, " or "), "%q", c.ModelType)
		return Config{}, family{}, f.err
	}
	families[i].config(f, &c)
	f.rest()
	return c, families[i], f.err
}

// decoderKeys reads what every family here has, and refuses what none of them computes.
func decoderKeys(f *fields, c *Config) {
	c.VocabSize = f.large("vocab_size")
	c.HiddenSize = f.count("hidden_size", 1)
	c.NumLayers = f.count("num_hidden_layers", 1)
	c.NumHeads = f.count("num_attention_heads", 1)
	c.NumKVHeads = f.count("num_key_value_heads", 1)
	c.HeadDim = f.count("head_dim", 2)
	c.MaxPositionEmbeddings = f.large("max_position_embeddings")
	c.RMSNormEps = f.positive("rms_norm_eps")
	c.RopeTheta = ropeTheta(f)
	c.AttentionBias = f.flag("attention_bias")
	c.TieWordEmbeddings = f.flag("tie_word_embeddings")

	if c.NumKVHeads > 0 && c.NumHeads%c.NumKVHeads != 0 {
		f.fail("num_key_value_heads", fmt.Sprintf("a divisor of num_attention_heads, %d", c.NumHeads), "%d", c.NumKVHeads)
	}
	if c.HeadDim%2 != 0 {
		f.fail("head_dim", "an even number, for RoPE", "%d", c.HeadDim)
	}
	if act := f.text("hidden_act"); f.err == nil && act != "silu" {
		f.fail("hidden_act", `"silu"`, "%q", act)
	}

	const full = "attention over the whole context; sliding windows are not supported"
	f.only("use_sliding_window", full, "false")
	f.ignore("sliding_window", "max_window_layers") // without effect when use_sliding_window is off
	if f.has("sliding_window") && !f.has("use_sliding_window") {
		f.fail("sliding_window", full, "%s", f.values["sliding_window"])
	}
	if f.has("layer_types") {
		var types []string
		if f.get("layer_types", "a list of strings", &types) {
			for _, t := range types {
				if t != "full_attention" {
					f.fail("layer_types", full, "%q", t)
				}
			}
			if len(types) != c.NumLayers {
				f.fail("layer_types", fmt.Sprintf("num_hidden_layers = %d entries", c.NumLayers), "%d", len(types))
			}
		}
	}
	f.only("quantization_config", "weights that are not quantised, or a packed folder")
	f.only("partial_rotary_factor", "rotation of the whole head", "1", "1.0")
	f.only("attention_dropout", "0", "0", "0.0") // of training only, but then the folder is no finished model

	// Names, training and generation: no part in the forward pass.
	f.ignore("architectures", "_name_or_path", "name_or_path", "dtype", "torch_dtype", "transformers_version",
		"initializer_range", "use_cache", "bos_token_id", "eos_token_id", "pad_token_id", "_attn_implementation",
		"_experts_implementation")
}

// ropeTheta reads the base of the rotation in either spelling: rope_theta with rope_scaling (transformers 4), or
// rope_parameters (transformers 5). Any scaling is refused.
func ropeTheta(f *fields) float64 {
	const want = `"default": RoPE scaling is not supported`
	theta := 0.0
	for _, key := range []string{"rope_parameters", "rope_scaling"} {
		f.asked[key] = true
		if !f.has(key) {
			continue
		}
		r := f.object(key)
		kind := "rope_type"
		if !r.has(kind) && r.has("type") { // before transformers 4.43
			kind = "type"
		}
		if t := r.text(kind); r.err == nil && t != "default" {
			r.fail(kind, want, "%q", t)
		}
		r.only("type", want, `"default"`)
		r.only("partial_rotary_factor", "rotation of the whole head", "1", "1.0")
		if r.has("rope_theta") {
			theta = r.positive("rope_theta")
		}
		r.rest()
		if r.err != nil && f.err == nil {
			f.err = r.err
		}
	}
	if theta != 0 && f.has("rope_theta") {
		if top := f.positive("rope_theta"); top != theta {
			f.fail("rope_theta", fmt.Sprintf("%v, as rope_parameters says", theta), "%v", top)
		}
		return theta
	}
	if theta != 0 {
		return theta
	}
	return f.positive("rope_theta")
}
