package weights

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle/internal/altered"
)

// Plan
//
//   - Purpose: every kind of bad folder is refused with one InputError that names file, field, what was found and what
//     was wanted.
//   - Control: the same copies without the change open.
//   - Boundary: each entry breaks one rule of a folder that is right otherwise; the last accepted value beside the
//     first refused one where there is one (header length, data offsets).
//   - Source: the list of bad input; the safetensors format; config.json of transformers 4 and 5.

// change edits a copy of a fixture.
type change func(dir string) error

const (
	shard = "model.safetensors"
	qProj = "model.layers.0.self_attn.q_proj.weight"
)

func config(key string, value any) change {
	return func(dir string) error {
		return altered.JSON(dir, configFile, func(c map[string]any) {
			if value == nil {
				delete(c, key)
				return
			}
			c[key] = value
		})
	}
}

func packedJSON(key string, value any) change {
	return func(dir string) error {
		return altered.JSON(dir, packedFile, func(c map[string]any) {
			if value == nil {
				delete(c, key)
				return
			}
			c[key] = value
		})
	}
}

func tensors(f func(t map[string]*altered.Tensor)) change {
	return func(dir string) error { return altered.Tensors(dir, shard, f) }
}

// rewrite changes the bytes of a file.
func rewrite(name string, f func(b []byte) []byte) change {
	return func(dir string) error {
		file := filepath.Join(dir, name)
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, f(b), 0o644)
	}
}

func remove(name string) change {
	return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func setHeaderLength(n func(fileBytes int) uint64) change {
	return rewrite(shard, func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b, n(len(b)))
		return b
	})
}

// header replaces text in the header of the shard, which keeps its data.
func header(from, to string) change {
	return rewrite(shard, func(b []byte) []byte {
		n := binary.LittleEndian.Uint64(b)
		text := string(b[8 : 8+n])
		if !strings.Contains(text, from) {
			panic("no " + from + " in " + text)
		}
		return altered.Frame(strings.Replace(text, from, to, 1), b[8+n:])
	})
}

// frame replaces the shard by this header and so many zero bytes.
func frame(text string, dataBytes int) change {
	return rewrite(shard, func([]byte) []byte { return altered.Frame(text, make([]byte, dataBytes)) })
}

func putBF16(name string, element int, bits uint16) change {
	return tensors(func(t map[string]*altered.Tensor) { binary.LittleEndian.PutUint16(t[name].Data[2*element:], bits) })
}

func weightMap(name string, file any) change {
	return func(dir string) error {
		return altered.JSON(dir, indexFile, func(c map[string]any) {
			m := c["weight_map"].(map[string]any)
			if file == nil {
				delete(m, name)
				return
			}
			m[name] = file
		})
	}
}

// refuse opens a changed copy and demands an InputError whose text holds all the words.
func refuse(ctx context.Context, fixture string, f change, words ...string) error {
	dir := GinkgoT().TempDir()
	Expect(altered.Copy(dir, filepath.Join("..", "..", "fixtures", fixture))).To(Succeed())
	if f != nil {
		Expect(f(dir)).To(Succeed())
	}
	c, err := Open(ctx, dir, nil)
	if err == nil {
		return errors.Join(fmt.Errorf("opened"), c.Close())
	}
	var input *InputError
	if !errors.As(err, &input) {
		return fmt.Errorf("not an InputError: %w", err)
	}
	if strings.Contains(err.Error(), "\n") {
		return fmt.Errorf("more than one line: %q", err)
	}
	for _, w := range append(words, dir) {
		if !strings.Contains(err.Error(), w) {
			return fmt.Errorf("no %q in: %w", w, err)
		}
	}
	return nil
}

var _ = Describe("A bad folder", Label("purpose:validation", "area:checkpoint"), func() {
	refused := func(fixture string) func(ctx SpecContext, f change, words ...string) {
		return func(ctx SpecContext, f change, words ...string) {
			Expect(refuse(ctx, fixture, f, words...)).To(Succeed())
		}
	}
	for _, fixture := range []string{"tiny-qwen3", "tiny-qwen3-moe", "tiny-qwen3-moe-mixed", "tiny-qwen3-int4", "tiny-qwen3-moe-int4-affine"} {
		It("opens when nothing is changed: "+fixture, func(ctx SpecContext) {
			Expect(refuse(ctx, fixture, nil)).To(MatchError("opened"))
		})
	}

	DescribeTable("is refused for its files", refused("tiny-qwen3"),
		Entry("no config", remove(configFile), configFile, "no such file"),
		Entry("no weights", remove(shard), shard, "no such file"),
		Entry("config that is no JSON", rewrite(configFile, func(b []byte) []byte { return b[:len(b)/2] }), configFile, "want a JSON object"),
		Entry("config that is a list", rewrite(configFile, func([]byte) []byte { return []byte("[1]") }), configFile, "want a JSON object"),
		Entry("config with a key twice", rewrite(configFile, func(b []byte) []byte { return []byte(`{"model_type":"qwen3",` + string(b[1:])) }), configFile, `key "model_type" twice`),
		Entry("an empty shard", rewrite(shard, func([]byte) []byte { return nil }), shard, "got 0 bytes, want at least 8 bytes"),
		Entry("a truncated shard", rewrite(shard, func(b []byte) []byte { return b[:len(b)-1] }), shard, "data_offsets", "bytes of data the file holds"),
		Entry("a header longer than the file", setHeaderLength(func(n int) uint64 { return uint64(n - 8 + 1) }), shard, "header length"),
		Entry("a header of 2^60 bytes", setHeaderLength(func(int) uint64 { return 1 << 60 }), shard, "header length: got 1152921504606846976 bytes"),
		Entry("a header of 2^64-1 bytes", setHeaderLength(func(int) uint64 { return math.MaxUint64 }), shard, "header length"),
		Entry("a header up to the last byte, which is then no JSON", setHeaderLength(func(n int) uint64 { return uint64(n - 8) }), shard, "header: got more text after the object"),
		Entry("config with text after it", rewrite(configFile, func(b []byte) []byte { return append(b, "\x00"...) }), configFile, "more text after the object"),
		Entry("a folder for a shard", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, shard)), os.Mkdir(filepath.Join(dir, shard), 0o755))
		}, shard, "want a regular file"),
	)

	DescribeTable("is refused for its header", refused("tiny-qwen3"),
		Entry("offsets outside the data", frame(`{"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}`, 7), `tensor "a": data_offsets: got [0 8]`, "within the 7 bytes"),
		Entry("negative offsets", frame(`{"a":{"dtype":"BF16","shape":[4],"data_offsets":[-8,0]}}`, 8), `tensor "a": data_offsets`),
		Entry("an end before its beginning", frame(`{"a":{"dtype":"BF16","shape":[4],"data_offsets":[8,0]}}`, 8), `tensor "a": data_offsets`),
		Entry("overlapping tensors", frame(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}}`, 7), `tensor "b": data_offsets`, `overlaps [0 4] of "a"`),
		Entry("a size that is not the shape's", frame(`{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,15]}}`, 15), `tensor "a": data_offsets: got 15 bytes, want 16 bytes for F32 [2 2]`),
		Entry("a shape whose size overflows", frame(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), `tensor "a": shape`),
		Entry("a negative dimension", frame(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}}`, 0), `tensor "a": shape`),
		Entry("an unknown dtype", frame(`{"a":{"dtype":"FP9","shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": dtype: got "FP9"`),
		Entry("no dtype", frame(`{"a":{"shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a"`, "dtype"),
		Entry("one offset", frame(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, 1), `tensor "a"`, "two data_offsets"),
		Entry("a tensor twice", frame(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), `key "a" twice`),
	)

	DescribeTable("is refused for its tensors", refused("tiny-qwen3"),
		Entry("a tensor missing", tensors(func(t map[string]*altered.Tensor) { delete(t, qProj) }), qProj, "no such tensor, want shape [128 64]"),
		Entry("a wrong dtype", tensors(func(t map[string]*altered.Tensor) { t[qProj].DType = "U16" }), qProj, "dtype: got U16, want BF16 or F16 or F32"),
		Entry("a wrong shape", tensors(func(t map[string]*altered.Tensor) { t[qProj].Shape = []int{64, 128} }), qProj, "shape: got [64 128], want [128 64]"),
		Entry("one dimension too many", tensors(func(t map[string]*altered.Tensor) { t[qProj].Shape = []int{1, 128, 64} }), qProj, "shape: got [1 128 64]"),
		Entry("a tensor nobody uses", tensors(func(t map[string]*altered.Tensor) { t["extra"] = &altered.Tensor{DType: "U8", Shape: []int{0}} }), `tensor "extra"`),
		Entry("NaN", putBF16(qProj, 64*5+3, 0x7fc1), qProj, "element [5 3]: got NaN, want a finite number"),
		Entry("infinity", putBF16("model.norm.weight", 7, 0x7f80), "model.norm.weight", "element [7]: got +Inf"),
		Entry("minus infinity", putBF16("model.embed_tokens.weight", 0, 0xff80), "model.embed_tokens.weight", "element [0 0]", "Inf"),
		Entry("a head that differs from the tied embeddings", tensors(func(t map[string]*altered.Tensor) {
			e := t["model.embed_tokens.weight"]
			t["lm_head.weight"] = &altered.Tensor{DType: e.DType, Shape: e.Shape, Data: make([]byte, len(e.Data))}
		}), "lm_head.weight", "tie_word_embeddings"),
	)

	DescribeTable("is refused for its configuration", refused("tiny-qwen3-moe"),
		Entry("an unsupported model", config("model_type", "llama"), `config key "model_type": got "llama", want qwen3 or qwen3_moe`),
		Entry("no model_type", config("model_type", nil), `config key "model_type": got nothing`),
		Entry("no vocab_size", config("vocab_size", nil), `"vocab_size": got nothing`),
		Entry("no hidden_size", config("hidden_size", nil), `"hidden_size": got nothing`),
		Entry("no num_hidden_layers", config("num_hidden_layers", nil), `"num_hidden_layers": got nothing`),
		Entry("no num_attention_heads", config("num_attention_heads", nil), `"num_attention_heads": got nothing`),
		Entry("no num_key_value_heads", config("num_key_value_heads", nil), `"num_key_value_heads": got nothing`),
		Entry("no head_dim", config("head_dim", nil), `"head_dim": got nothing`),
		Entry("no max_position_embeddings", config("max_position_embeddings", nil), `"max_position_embeddings": got nothing`),
		Entry("no rms_norm_eps", config("rms_norm_eps", nil), `"rms_norm_eps": got nothing`),
		Entry("no base of the rotation", config("rope_parameters", map[string]any{"rope_type": "default"}), `"rope_theta": got nothing`),
		Entry("no attention_bias", config("attention_bias", nil), `"attention_bias": got nothing`),
		Entry("no tie_word_embeddings", config("tie_word_embeddings", nil), `"tie_word_embeddings": got nothing`),
		Entry("no hidden_act", config("hidden_act", nil), `"hidden_act": got nothing`),
		Entry("no number of experts", config("num_local_experts", nil), `"num_experts": got nothing`),
		Entry("no num_experts_per_tok", config("num_experts_per_tok", nil), `"num_experts_per_tok": got nothing`),
		Entry("no moe_intermediate_size", config("moe_intermediate_size", nil), `"moe_intermediate_size": got nothing`),
		Entry("no norm_topk_prob", config("norm_topk_prob", nil), `"norm_topk_prob": got nothing`),
		Entry("no decoder_sparse_step", config("decoder_sparse_step", nil), `"decoder_sparse_step": got nothing`),
		Entry("no mlp_only_layers", config("mlp_only_layers", nil), `"mlp_only_layers": got nothing`),
		Entry("text for a number", config("hidden_size", "64"), `"hidden_size": got "64", want an integer`),
		Entry("a negative size", config("hidden_size", -64), `"hidden_size": got -64`),
		Entry("a size that is not whole", config("hidden_size", 64.5), `"hidden_size": got 64.5`),
		Entry("a negative eps", config("rms_norm_eps", -1e-6), `"rms_norm_eps": got -1e-06`),
		Entry("an odd head_dim", config("head_dim", 31), `"head_dim": got 31, want an even number`),
		Entry("heads that do not divide", config("num_key_value_heads", 3), `"num_key_value_heads": got 3, want a divisor`),
		Entry("more experts a token than there are", config("num_experts_per_tok", 9), `"num_experts_per_tok": got 9`),
		Entry("another activation", config("hidden_act", "gelu"), `"hidden_act": got "gelu"`),
		Entry("a sliding window in use", config("use_sliding_window", true), `"use_sliding_window": got true`, "sliding windows are not supported"),
		Entry("layers with a sliding window", config("layer_types", []string{"full_attention", "sliding_attention", "full_attention"}), `"layer_types": got "sliding_attention"`),
		Entry("too few layer types", config("layer_types", []string{"full_attention"}), `"layer_types": got 1`),
		Entry("RoPE scaling as transformers 4 spells it", config("rope_scaling", map[string]any{"type": "yarn", "factor": 4}), `"rope_scaling.type": got "yarn"`, "RoPE scaling is not supported"),
		Entry("RoPE scaling as transformers 5 spells it", config("rope_parameters", map[string]any{"rope_type": "llama3", "rope_theta": 1e6}), `"rope_parameters.rope_type": got "llama3"`),
		Entry("two bases of the rotation", config("rope_theta", 10000), `"rope_theta": got 10000, want 1e+06`),
		Entry("two numbers of experts", config("num_experts", 4), `"num_experts": got 4, want 8`),
		Entry("a dense layer that does not exist", config("mlp_only_layers", []int{3}), `"mlp_only_layers": got 3`),
		Entry("a dense layer whose tensors are those of a sparse one", config("mlp_only_layers", []int{1}), "model.layers.1.mlp.gate_proj.weight", "no such tensor"),
		Entry("weights quantised by others", config("quantization_config", map[string]any{"bits": 4}), `"quantization_config"`),
		Entry("a key of unknown meaning, switched on", config("use_parallel_residual", true), `"use_parallel_residual": got true`),
	)

	DescribeTable("is refused for its index", refused("tiny-qwen3-moe-mixed"),
		Entry("a shard missing", remove("model-00003-of-00009.safetensors"), "model-00003-of-00009.safetensors", "no such file"),
		Entry("a path out of the folder", weightMap("model.norm.weight", "../model-00001-of-00009.safetensors"), indexFile, `weight_map "model.norm.weight": got "../model-00001`),
		Entry("an absolute path", weightMap("model.norm.weight", "/etc/passwd"), `got "/etc/passwd"`),
		Entry("the folder itself", weightMap("model.norm.weight", ".."), `got ".."`),
		Entry("a tensor in another shard than it says", weightMap("model.norm.weight", "model-00001-of-00009.safetensors"), "model.norm.weight"),
		Entry("a tensor the index leaves out", weightMap("model.norm.weight", nil), "model.norm.weight"),
		Entry("an index that is no JSON", rewrite(indexFile, func(b []byte) []byte { return b[1:] }), indexFile, "weight_map"),
		Entry("an empty index", rewrite(indexFile, func([]byte) []byte { return []byte("{}") }), indexFile, "weight_map: got none"),
		Entry("an index and a single file", func(dir string) error { return os.WriteFile(filepath.Join(dir, shard), nil, 0o644) }, indexFile, "want one of the two"),
	)

	DescribeTable("is refused for its packing", refused("tiny-qwen3-moe-int4-affine"),
		Entry("another format", packedJSON("format", "gguf"), packedFile, `"format": got "gguf", want "assay-int4"`),
		Entry("another version", packedJSON("version", 2), `"version": got 2, want 1`),
		Entry("no version", packedJSON("version", nil), `"version": got nothing`),
		Entry("another group size", packedJSON("group_size", 32), `"group_size": got 32, want 64`),
		Entry("another scheme", packedJSON("scheme", "ternary"), `"scheme": got "ternary"`),
		Entry("no scheme", packedJSON("scheme", nil), `"scheme": got nothing`),
		Entry("an unknown key, switched on", packedJSON("zero_points", true), `"zero_points": got true`),
		Entry("packed.json that is no JSON", rewrite(packedFile, func([]byte) []byte { return []byte("int4") }), packedFile, "want a JSON object"),
		Entry("offsets that a symmetric folder has no use for", packedJSON("scheme", "symmetric"), ".offsets"),
		Entry("no codes", tensors(func(t map[string]*altered.Tensor) { delete(t, "lm_head.codes") }), `"lm_head.codes"`, "no such tensor"),
		Entry("no scales", tensors(func(t map[string]*altered.Tensor) { delete(t, "lm_head.scales") }), `"lm_head.scales"`, "no such tensor"),
		Entry("codes of another type", tensors(func(t map[string]*altered.Tensor) { t["lm_head.codes"].DType = "I8" }), `"lm_head.codes": dtype: got I8, want U8`),
		Entry("scales of another type", tensors(func(t map[string]*altered.Tensor) { t["lm_head.scales"].DType = "BF16" }), `"lm_head.scales": dtype: got BF16, want F16`),
		Entry("an infinite scale", tensors(func(t map[string]*altered.Tensor) { binary.LittleEndian.PutUint16(t["lm_head.scales"].Data, 0x7c00) }), `"lm_head.scales"`, "element [0 0]: got +Inf"),
	)

	It("leaves the cause of a file system error to be asked for", func(ctx SpecContext) {
		_, err := Open(ctx, filepath.Join(GinkgoT().TempDir(), "nowhere"), nil)
		Expect(err).To(MatchError(os.ErrNotExist))
	})
	It("is told apart from one refused for another reason", Label("purpose:fault"), func(ctx SpecContext) {
		Expect(refuse(ctx, "tiny-qwen3", remove(shard), "header length")).NotTo(Succeed())
	})
	It("stops when it is cancelled", func(ctx SpecContext) {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		_, err := Open(cancelled, filepath.Join("..", "..", "fixtures", "tiny-qwen3"), nil)
		Expect(err).To(MatchError(context.Canceled))
	})
})
