package engine_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. Every bad input is one clear error that says where, got and want, and leaves a sequence usable when nothing has
// run. What a folder can hold wrong is package checkpoint's; here is what the engine adds. Nearest good input beside each.

var _ = Describe("Bad input", Label("area:decode", "purpose:validation"), func() {
	ctx := context.Background()

	It("is refused by Load", func() {
		dev := msl.New(msl.Options{})
		load := func(dir string, o engine.Options) error {
			_, err := engine.Load(ctx, dir, o)
			return err
		}
		Expect(load(fixture("tiny-qwen3-int4"), engine.Options{})).To(MatchError(ContainSubstring("no device")))
		Expect(load(fixture("tiny-qwen3"), engine.Options{Device: dev})).To(MatchError(ContainSubstring("assay pack")))
		Expect(load(fixture("no-such-folder"), engine.Options{Device: dev})).To(MatchError(ContainSubstring("no-such-folder")))
		Expect(load(fixture("tiny-qwen3-int4"), engine.Options{Device: dev, MaxSeqLen: 2049})).To(MatchError(ContainSubstring("2048")))
		Expect(load(fixture("tiny-qwen3-int4"), engine.Options{Device: dev, MaxSeqLen: -1})).To(MatchError(ContainSubstring("MaxSeqLen")))
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		_, err := engine.Load(cancelled, fixture("tiny-qwen3-int4"), engine.Options{Device: dev})
		Expect(err).To(MatchError(context.Canceled))
	})

	It("is refused by Load when the kernels cannot do the shape, naming the field", func() {
		dir := GinkgoT().TempDir()
		files, err := os.ReadDir(fixture("tiny-qwen3-int4"))
		Expect(err).NotTo(HaveOccurred())
		for _, f := range files {
			data, err := os.ReadFile(filepath.Join(fixture("tiny-qwen3-int4"), f.Name()))
			Expect(err).NotTo(HaveOccurred())
			if f.Name() == "config.json" {
				Expect(string(data)).To(ContainSubstring(`"rms_norm_eps": 1e-06`))
				data = []byte(strings.Replace(string(data), `"rms_norm_eps": 1e-06`, `"rms_norm_eps": 1e-13`, 1))
			}
			Expect(os.WriteFile(filepath.Join(dir, f.Name()), data, 0o644)).To(Succeed())
		}
		_, err = engine.Load(ctx, dir, engine.Options{Device: msl.New(msl.Options{})})
		Expect(err).To(MatchError(ContainSubstring("rms_norm_eps")))
	})

	It("is refused by Prefill and Decode, and the sequence goes on", func() {
		s := newSequence(open("tiny-qwen3-int4", nil, 16))
		prefill := func(ids []int) error {
			_, err := s.Prefill(ctx, ids, engine.PrefillOptions{})
			return err
		}
		decode := func(n int, o engine.DecodeOptions) error {
			_, err := s.Decode(ctx, n, o)
			return err
		}
		Expect(decode(1, engine.DecodeOptions{})).To(MatchError(ContainSubstring("Prefill comes first")))
		Expect(prefill(nil)).To(MatchError(ContainSubstring("no token ids")))
		Expect(prefill([]int{1, 320})).To(MatchError(ContainSubstring("token id 320 at index 1, want 0 to 319")))
		Expect(prefill([]int{-1})).To(MatchError(ContainSubstring("token id -1")))
		Expect(prefill(ids(17, 0))).To(MatchError(ContainSubstring("17 tokens at position 0, the context of 16 has room for 16")))
		_, err := s.Prefill(ctx, []int{1}, engine.PrefillOptions{TokensPerCommandBuffer: -1})
		Expect(err).To(MatchError(ContainSubstring("TokensPerCommandBuffer")))
		Expect(s.Len()).To(BeZero())
		Expect(prefill(ids(14, 0))).To(Succeed())
		Expect(decode(3, engine.DecodeOptions{})).To(MatchError(ContainSubstring("3 tokens from position 14, the context of 16 has room for 2")))
		Expect(decode(-1, engine.DecodeOptions{})).To(HaveOccurred())
		Expect(decode(0, engine.DecodeOptions{})).To(Succeed())
		Expect(s.Truncate(15)).To(MatchError(ContainSubstring("truncate to 15")))
		Expect(decode(2, engine.DecodeOptions{})).To(Succeed())
		Expect(prefill([]int{1})).To(MatchError(ContainSubstring("room for 0")))
		s.Close()
		Expect(prefill([]int{1})).To(MatchError(ContainSubstring("closed")))
	})

	It("stops between command buffers when the context ends, and keeps what has completed", func() {
		s := newSequence(open("tiny-qwen3-int4", nil, 64))
		stopped, cancel := context.WithCancel(ctx)
		_, err := s.Prefill(stopped, ids(20, 1), engine.PrefillOptions{TokensPerCommandBuffer: 4, Progress: func(done, total int) {
			Expect(total).To(Equal(20))
			if done == 8 {
				cancel()
			}
		}})
		Expect(err).To(MatchError(context.Canceled))
		Expect(s.Len()).To(Equal(8))
		_, err = s.Prefill(ctx, ids(20, 1)[8:], engine.PrefillOptions{})
		Expect(err).NotTo(HaveOccurred())
		out, err := s.Decode(stopped, 5, engine.DecodeOptions{})
		Expect(err).To(MatchError(context.Canceled))
		Expect(out).To(BeEmpty())
	})

	It("in the weights that makes logits NaN is an error and never a token", func() {
		poisoned := device.Intercept(msl.New(msl.Options{}), device.Hooks{Wrote: func(b device.Buffer, offset int, _ []byte) error {
			if b.Label() != "model.layers.1.input_layernorm.weight" {
				return nil
			}
			return b.Write(8, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN()))))
		}})
		e := open("tiny-qwen3-moe-int4", poisoned, 16)
		_, err := newSequence(e).Prefill(ctx, ids(3, 1), engine.PrefillOptions{})
		Expect(err).To(MatchError(ContainSubstring("position 2 are not finite")))
		_, err = newSequence(e).Prefill(ctx, ids(3, 1), engine.PrefillOptions{OnLogits: func(int, []float32) { Fail("NaN was handed on") }})
		Expect(err).To(MatchError(ContainSubstring("position 0 are not finite")))
	})
})
