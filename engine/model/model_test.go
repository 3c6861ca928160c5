package model_test

import (
	"fmt"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/int4"
	"github.com/octoryn/assay/engine/model"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. What a step asks of the device, read from the trace: roles, levels, barriers, nothing in between. Memory: predicted
// from the configuration and equal to what is allocated or bound. Limits: one rule broken at a time, the field named.

var _ = Describe("Model", Label("area:decode"), func() {
	fixtures := []string{"gosling-4m-int4", "tiny-qwen3-int4", "tiny-qwen3-moe-int4", "tiny-qwen3-moe-int4-affine", "tiny-qwen3-moe-mixed-int4"}

	open := func(name string) *checkpoint.Folder {
		GinkgoHelper()
		f, err := checkpoint.Open(filepath.Join("..", "..", "fixtures", name))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		return f
	}

	for _, name := range fixtures {
		It("asks for seven levels a layer and one at the end: "+name, Label("purpose:execution"), func() {
			f := open(name)
			dev := device.Record(msl.New(msl.Options{CompareLanes: true}))
			m, err := model.New(dev, f, 300, nil)
			Expect(err).NotTo(HaveOccurred())
			defer m.Release()
			cache, err := m.NewCache()
			Expect(err).NotTo(HaveOccurred())
			defer cache.Release()
			s, err := m.NewState()
			Expect(err).NotTo(HaveOccurred())
			defer s.Release()
			Expect(s.ReserveLogits(1)).To(Succeed())
			before := len(dev.Trace().Events)
			cb, err := dev.NewCommandBuffer("two steps")
			Expect(err).NotTo(HaveOccurred())
			Expect(m.EncodeStep(cb, s, cache, model.Step{Index: 0, Pos: 0, LogitRow: -1})).To(Succeed())
			Expect(m.EncodeStep(cb, s, cache, model.Step{Index: 1, Pos: 256, LogitRow: 0, Argmax: true})).To(Succeed())

			var want []device.Tag
			c := f.Config()
			for step := range 2 {
				for layer := range c.NumLayers {
					roles := []string{"qkv", "attention_block", "attention_merge", "o_proj", "router", "gate_up", "down"}
					for _, role := range roles {
						if role != "router" || c.IsSparse(layer) {
							want = append(want, device.Tag{Role: role, Layer: layer, Step: step})
						}
					}
				}
				if step == 0 {
					want = append(want, device.Tag{Role: "advance", Layer: -1, Step: 0})
				} else {
					want = append(want, device.Tag{Role: "lm_head", Layer: -1, Step: 1}, device.Tag{Role: "argmax", Layer: -1, Step: 1})
				}
			}
			var got []device.Tag
			events := dev.Trace().Events[before+1:]
			for i := 0; i < len(events); i += 2 {
				Expect(events[i].Kind).To(Equal(device.EventDispatch))
				Expect(events[i+1].Kind).To(Equal(device.EventBarrier))
				got = append(got, events[i].Dispatch.Tag)
				if events[i].Dispatch.Tag.Role == "attention_block" {
					Expect(events[i].Dispatch.Threadgroups.X).To(Equal(1 + events[i].Dispatch.Tag.Step))
				}
			}
			Expect(got).To(Equal(want))
		})

		It("takes the memory predicted from the configuration: "+name, Label("purpose:execution"), func() {
			f := open(name)
			dev := device.Record(msl.New(msl.Options{CompareLanes: true}))
			m, err := model.New(dev, f, 300, nil)
			Expect(err).NotTo(HaveOccurred())
			defer m.Release()
			cache, err := m.NewCache()
			Expect(err).NotTo(HaveOccurred())
			defer cache.Release()
			s, err := m.NewState()
			Expect(err).NotTo(HaveOccurred())
			defer s.Release()
			var small, kv, state, candidates int64
			seen := false
			for _, e := range dev.Trace().Events {
				if e.Kind != device.EventAlloc {
					continue
				}
				n := int64(e.LengthBytes)
				switch {
				case e.Label == "kv keys" || e.Label == "kv values":
					kv += n
					seen = true
				case e.Label == "argmax logits" || e.Label == "argmax tokens":
					candidates += n
				case seen:
					state += n
				case len(e.Label) < 8 || e.Label[:8] != "weights ":
					small += n
				}
			}
			want := model.PredictMemory(f.Config(), f.Format(), 300)
			Expect(m.Memory()).To(Equal(want))
			Expect(kv).To(Equal(want.KVCache))
			Expect(state).To(Equal(want.State))
			Expect(small).To(Equal(want.Small))
			Expect(candidates).To(BeNumerically("<", 1<<16))
			var bound int64
			for _, t := range f.Shards() {
				bound += int64(len(t.Data))
			}
			Expect(want.Packed + want.Embeddings + want.Router).To(BeNumerically("<=", bound))
			Expect(want.Packed + want.Embeddings + want.Router).To(BeNumerically(">", bound*9/10))
		})
	}

	It("knows what Qwen3-30B-A3B takes", Label("purpose:execution"), func() {
		c := checkpoint.Config{
			ModelType: "qwen3_moe", VocabSize: 151936, HiddenSize: 2048, NumLayers: 48, NumHeads: 32, NumKVHeads: 4, HeadDim: 128,
			RMSNormEps: 1e-6, RopeTheta: 1e6, MaxPositionEmbeddings: 40960, MoEIntermediateSize: 768, NumExperts: 128,
			NumExpertsPerTok: 8, NormTopKProb: true, DecoderSparseStep: 1,
		}
		Expect(model.Check(c)).To(Succeed())
		m := model.PredictMemory(c, int4.Format{Scheme: int4.Symmetric, GroupSize: 64}, 4096)
		Expect(float64(m.Packed+m.Embeddings+m.Router) / 1e9).To(BeNumerically("~", 16.70, 0.01))
		Expect(m.KVCache).To(Equal(int64(2 * 48 * 4 * 4096 * 128 * 2)))
	})

	DescribeTable("refuses what the kernels cannot do, naming the field", Label("purpose:validation"),
		func(field string, breakIt func(*checkpoint.Config)) {
			c := open("tiny-qwen3-moe-mixed-int4").Config()
			Expect(model.Check(c)).To(Succeed())
			breakIt(&c)
			Expect(model.Check(c)).To(MatchError(ContainSubstring("config: " + field + " is ")))
		},
		Entry("hidden size", "hidden_size", func(c *checkpoint.Config) { c.HiddenSize = 100 }),
		Entry("head size", "head_dim", func(c *checkpoint.Config) { c.HeadDim = 288 }),
		Entry("uneven heads", "num_key_value_heads", func(c *checkpoint.Config) { c.NumKVHeads = 3 }),
		Entry("epsilon", "rms_norm_eps", func(c *checkpoint.Config) { c.RMSNormEps = 0 }),
		Entry("RoPE base", "rope_theta", func(c *checkpoint.Config) { c.RopeTheta = 0 }),
		Entry("dense width", "intermediate_size", func(c *checkpoint.Config) { c.IntermediateSize = 200 }),
		Entry("expert width", "moe_intermediate_size", func(c *checkpoint.Config) { c.MoEIntermediateSize = 90 }),
		Entry("too many experts", "num_experts", func(c *checkpoint.Config) { c.NumExperts = 2000 }),
		Entry("too many experts a token", "num_experts_per_tok", func(c *checkpoint.Config) { c.NumExpertsPerTok = 17 }),
		Entry("layers", "num_hidden_layers", func(c *checkpoint.Config) { c.NumLayers = 0 }),
		Entry("vocabulary", "vocab_size", func(c *checkpoint.Config) { c.VocabSize = 0 }),
	)

	It("refuses a model the device has no room for, before binding a weight", Label("purpose:validation"), func() {
		dev := device.Record(limited{Device: msl.New(msl.Options{CompareLanes: true}), workingSet: 1 << 20})
		_, err := model.New(dev, open("gosling-4m-int4"), 4096, nil)
		Expect(err).To(MatchError(ContainSubstring(fmt.Sprintf("at most %d", 1<<20))))
		Expect(dev.Trace().Count(device.EventAlloc)).To(BeZero())
	})

	It("covers a file longer than the longest buffer with several views", Label("purpose:execution"), func() {
		f := open("tiny-qwen3-moe-int4")
		dev := device.Record(limited{Device: msl.New(msl.Options{CompareLanes: true}), maxBuffer: 96 << 10})
		m, err := model.New(dev, f, 32, nil)
		Expect(err).NotTo(HaveOccurred())
		defer m.Release()
		views := 0
		for _, e := range dev.Trace().Events {
			if e.Kind == device.EventAlloc && e.Label == "weights model.safetensors" {
				views++
				Expect(e.LengthBytes).To(BeNumerically("<=", 96<<10))
			}
		}
		Expect(views).To(BeNumerically(">", 2))
		_, err = model.New(limited{Device: msl.New(msl.Options{CompareLanes: true}), maxBuffer: 8 << 10}, f, 32, nil)
		Expect(err).To(MatchError(ContainSubstring("the device's buffers hold 8192")))
	})
})

// limited is a device that says it has less room.
type limited struct {
	device.Device
	workingSet int64
	maxBuffer  int
}

func (l limited) Info() device.Info {
	i := l.Device.Info()
	if l.workingSet > 0 {
		i.RecommendedWorkingSetBytes = l.workingSet
	}
	if l.maxBuffer > 0 {
		i.MaxBufferBytes = l.maxBuffer
	}
	return i
}
