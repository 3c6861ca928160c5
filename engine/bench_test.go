package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/msl"
)

func gosling(b *testing.B) *engine.Engine {
	b.Helper()
	e, err := engine.Load(context.Background(), fixture("gosling-4m-int4"), engine.Options{Device: msl.New(msl.Options{})})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	return e
}

// BenchmarkDecodeGosling decodes 64 tokens after a prompt of 16.
func BenchmarkDecodeGosling(b *testing.B) {
	e := gosling(b)
	tokens := 0
	for b.Loop() {
		b.StopTimer()
		s, err := e.NewSequence()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Prefill(context.Background(), ids(16, 1), engine.PrefillOptions{}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		out, err := s.Decode(context.Background(), 64, engine.DecodeOptions{IgnoreEOS: true})
		if err != nil {
			b.Fatal(err)
		}
		tokens += len(out)
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkPrefillGosling appends a prompt of 256 tokens, and one of 2000.
func BenchmarkPrefillGosling(b *testing.B) {
	for _, n := range []struct {
		name   string
		tokens int
	}{{"256", 256}, {"2000", 2000}} {
		b.Run(n.name, func(b *testing.B) {
			e := gosling(b)
			tokens := 0
			for b.Loop() {
				s, err := e.NewSequence()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Prefill(context.Background(), ids(n.tokens, 1), engine.PrefillOptions{}); err != nil {
					b.Fatal(err)
				}
				tokens += n.tokens
				s.Close()
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// oneLayer is a layer of Qwen3-30B-A3B with a small vocabulary.
const oneLayer = `{"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "attention_bias": false, "decoder_sparse_step": 1,
 "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 6144, "max_position_embeddings": 40960, "mlp_only_layers": [],
 "moe_intermediate_size": 768, "norm_topk_prob": true, "num_attention_heads": 32, "num_experts_per_tok": 8, "num_experts": 128,
 "num_hidden_layers": 1, "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "tie_word_embeddings": false,
 "torch_dtype": "bfloat16", "use_sliding_window": false, "vocab_size": 1024}`

// BenchmarkDecodeLayer30B decodes tokens through one layer of Qwen3-30B-A3B's shape, synthetic weights; the time is a token's.
func BenchmarkDecodeLayer30B(b *testing.B) {
	dir := b.TempDir()
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(oneLayer), 0o644); err != nil {
		b.Fatal(err)
	}
	packed := filepath.Join(dir, "packed")
	if err := checkpoint.Synthesise(context.Background(), config, packed, checkpoint.SyntheticOptions{Seed: 1}); err != nil {
		b.Fatal(err)
	}
	for _, kind := range []struct {
		name     string
		portable bool
	}{{"go lanes", true}, {"fastest lanes", false}} {
		b.Run(kind.name, func(b *testing.B) {
			dev := msl.New(msl.Options{PortableLanes: kind.portable})
			e, err := engine.Load(context.Background(), packed, engine.Options{Device: dev, MaxSeqLen: 4096})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			s, err := e.NewSequence()
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Prefill(context.Background(), ids(4, 1), engine.PrefillOptions{}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Decode(context.Background(), 1, engine.DecodeOptions{IgnoreEOS: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
