package checkpoint

// Plan. Purpose: config.json gives the same Config in either spelling of transformers, and every key that decides the computation
// must be there and make sense. Controls: the untouched fixtures; the last accepted value beside the first refused one.
// Source: config.json of transformers 4 and 5.

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("config.json", Label("area:checkpoint"), func() {
	It("is read as what the fixtures say", func() {
		c, err := ReadConfig(fixture("gosling-4m"))
		Expect(err).NotTo(HaveOccurred())
		Expect(c).To(Equal(Config{ModelType: "qwen3_moe", VocabSize: 4096, HiddenSize: 128, NumLayers: 6, NumHeads: 8, NumKVHeads: 2,
			HeadDim: 32, RMSNormEps: 1e-6, RopeTheta: 1e6, MaxPositionEmbeddings: 4096, MoEIntermediateSize: 64, NumExperts: 16,
			NumExpertsPerTok: 4, NormTopKProb: true, DecoderSparseStep: 1, MLPOnlyLayers: []int{}, BOSTokenID: 0, EOSTokenIDs: []int{0}}))
		c, err = ReadConfig(fixture("tiny-qwen3-moe-mixed"))
		Expect(err).NotTo(HaveOccurred())
		var sparse []bool
		for i := range c.NumLayers {
			sparse = append(sparse, c.IsSparse(i))
		}
		Expect(sparse).To(Equal([]bool{false, false, false, true})) // every second layer, but not layer 1
		Expect(c.AttentionBias && c.TieWordEmbeddings && !c.NormTopKProb).To(BeTrue())
		Expect(c.IntermediateSize).To(Equal(192))
		Expect(c.BOSTokenID).To(Equal(-1))
		Expect(c.EOSTokenIDs).To(BeEmpty())
		c, err = ReadConfig(fixture("tiny-qwen3"))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.IsSparse(0)).To(BeFalse())
	})

	It("means the same in the spelling of transformers 4", func() {
		for _, name := range []string{"gosling-4m", "tiny-qwen3-moe-mixed", "tiny-qwen3"} {
			want, err := ReadConfig(fixture(name))
			Expect(err).NotTo(HaveOccurred())
			dir := copyOf(name)
			editJSON("config.json", func(m map[string]any) {
				m["rope_theta"] = m["rope_parameters"].(map[string]any)["rope_theta"]
				delete(m, "rope_parameters")
				m["rope_scaling"] = nil
				if n, ok := m["num_local_experts"]; ok {
					m["num_experts"] = n
					delete(m, "num_local_experts")
				}
			})(dir)
			got, err := ReadConfig(dir)
			Expect(err).NotTo(HaveOccurred())
			Expect(got).To(Equal(want), name)
		}
	})

	It("is overruled by generation_config.json on token ids, which may be a list", func() {
		dir := copyOf("gosling-4m")
		setKey("generation_config.json", "eos_token_id", []int{5, 7})(dir)
		c, err := ReadConfig(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.EOSTokenIDs).To(Equal([]int{5, 7}))
		removeFile("generation_config.json")(dir)
		c, err = ReadConfig(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.EOSTokenIDs).To(Equal([]int{0}))
	})

	DescribeTable("is refused without a key", func(key string) {
		dir := copyOf("tiny-qwen3-moe-mixed")
		setConfig(key, nil)(dir)
		_, err := ReadConfig(dir)
		expectRefusal(err, Missing, filepath.ToSlash(filepath.Join(dir, "config.json")), `field "`)
	},
		Entry("model_type", "model_type"), Entry("vocab_size", "vocab_size"), Entry("hidden_size", "hidden_size"),
		Entry("num_hidden_layers", "num_hidden_layers"), Entry("num_attention_heads", "num_attention_heads"),
		Entry("num_key_value_heads", "num_key_value_heads"), Entry("head_dim", "head_dim"), Entry("rms_norm_eps", "rms_norm_eps"),
		Entry("max_position_embeddings", "max_position_embeddings"), Entry("tie_word_embeddings", "tie_word_embeddings"),
		Entry("attention_bias", "attention_bias"), Entry("hidden_act", "hidden_act"), Entry("rope_parameters", "rope_parameters"),
		Entry("num_local_experts", "num_local_experts"), Entry("num_experts_per_tok", "num_experts_per_tok"),
		Entry("moe_intermediate_size", "moe_intermediate_size"), Entry("norm_topk_prob", "norm_topk_prob"),
		Entry("decoder_sparse_step", "decoder_sparse_step"), Entry("mlp_only_layers", "mlp_only_layers"),
		Entry("intermediate_size, with a dense layer", "intermediate_size"),
	)

	DescribeTable("is refused with", func(key string, value any, kind Kind, words ...string) {
		dir := copyOf("tiny-qwen3-moe")
		setConfig(key, value)(dir)
		_, err := ReadConfig(dir)
		expectRefusal(err, kind, append(words, "config.json")...)
	},
		Entry("another model_type", "model_type", "llama", Unsupported, `field "model_type"`, `got "llama", want "qwen3_moe" or "qwen3"`),
		Entry("no hidden size", "hidden_size", 0, BadValue, `field "hidden_size"`, "got 0"),
		Entry("a negative vocabulary", "vocab_size", -5, BadValue, "got -5"),
		Entry("a fractional number of layers", "num_hidden_layers", 2.5, BadValue, "got 2.5"),
		Entry("layers beyond reason", "num_hidden_layers", 1<<40, BadValue, "num_hidden_layers"),
		Entry("heads that KV heads do not divide", "num_key_value_heads", 3, BadValue, "a divisor of num_attention_heads = 4"),
		Entry("an odd head", "head_dim", 33, BadValue, "an even number"),
		Entry("a text for a number", "head_dim", "32", BadValue, `got "32"`),
		Entry("an epsilon of zero", "rms_norm_eps", 0, BadValue, "a number above 0"),
		Entry("more experts a token than experts", "num_experts_per_tok", 9, BadValue, "at most the 8 experts"),
		Entry("a dense layer beyond the last", "mlp_only_layers", []int{3}, BadValue, "mlp_only_layers"),
		Entry("two counts of experts", "num_experts", 9, BadValue, "num_local_experts", "num_experts = 9"),
		Entry("another activation", "hidden_act", "gelu", Unsupported, `got "gelu"`),
		Entry("a sliding window", "use_sliding_window", true, Unsupported, "use_sliding_window"),
		Entry("RoPE scaling", "rope_scaling", map[string]any{"rope_type": "yarn", "factor": 4}, Unsupported, "rope_scaling.rope_type", `got "yarn"`),
		Entry("two thetas", "rope_theta", 1e4, BadValue, "rope_parameters.rope_theta"),
		Entry("a partial rotation", "partial_rotary_factor", 0.5, Unsupported, "partial_rotary_factor"),
		Entry("layers of other attention", "layer_types", []string{"full_attention", "sliding_attention", "full_attention"}, Unsupported, "layer_types[1]"),
		Entry("quantised weights", "quantization_config", map[string]any{"bits": 4}, Unsupported, "quantization_config"),
		Entry("a shared expert", "shared_expert_intermediate_size", 64, Unsupported, "shared_expert_intermediate_size"),
		Entry("an end token outside the vocabulary", "eos_token_id", 320, BadValue, "eos_token_id"),
		Entry("an end token that is a text", "eos_token_id", "x", BadValue, "eos_token_id"),
	)

	DescribeTable("is refused when the file", func(f change, kind Kind, words ...string) {
		dir := copyOf("tiny-qwen3")
		f(dir)
		_, err := ReadConfig(dir)
		expectRefusal(err, kind, words...)
	},
		Entry("is missing", removeFile("config.json"), Missing, "config.json"),
		Entry("is a folder", func(dir string) {
			Expect(os.Remove(filepath.Join(dir, "config.json"))).To(Succeed())
			Expect(os.Mkdir(filepath.Join(dir, "config.json"), 0o755)).To(Succeed())
		}, Unreadable, "a folder"),
		Entry("is no JSON", editBytes("config.json", func(b []byte) []byte { return b[:len(b)/2] }), Malformed, "config.json"),
		Entry("is a list", editBytes("config.json", func([]byte) []byte { return []byte("[1]") }), Malformed, "not a JSON object"),
		Entry("goes on after the object", editBytes("config.json", func(b []byte) []byte { return append(b, "{}"...) }), Malformed, "text after"),
		Entry("gives a key twice", editBytes("config.json", func(b []byte) []byte { return append([]byte(`{"head_dim":64,`), b[1:]...) }), Duplicate, "head_dim"),
		Entry("has experts in a dense model", setConfig("num_experts", 8), Unsupported, "num_experts"),
	)
})
