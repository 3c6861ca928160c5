package oracle_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle"
)

// Plan
//
//   - Purpose: perturbed runs stray from the reference as far as float32 code does. The outside float32 run is such
//     code, of an order of operations nobody here knows: its root mean square distance to our float64 logits is 0.58 to
//     0.76 of a perturbed run's on the short prompts (measured), so the model of errors is on the safe side by less
//     than 2.
//   - Control: errors eight times too large, or four times too small, would leave that range.
//   - Boundary: prompts of up to 19 tokens; at large positions the outside float32 angles err by the position, which the
//     model does not allow.
//   - Source: fixtures/*/expected.safetensors, NAME.logits.f32; the table in the comment of Perturb.

var _ = Describe("Perturb", Label("area:forward"), func() {
	logits := func(ctx SpecContext, name string, p *oracle.Perturb) [][]float64 {
		prompt := outsidePrompts(name)["short"]
		out, err := open(name).NewSequence(oracle.Options{Perturb: p}).Extend(ctx, prompt.IDs, oracle.Want{LogitsFrom: len(prompt.IDs) - prompt.KeptRows})
		Expect(err).NotTo(HaveOccurred())
		return out.Logits
	}
	for _, name := range outsideFixtures {
		It("strays as far as outside float32 code on "+name, func(ctx SpecContext) {
			exact := logits(ctx, name, nil)
			outside := rootMeanSquare(outsideTensor(name, "short.logits.f32"), exact)
			share := func(scale float64) float64 {
				return outside / rootMeanSquare(logits(ctx, name, &oracle.Perturb{Seed: 1, Scale: scale}), exact)
			}
			low, high := 0.4, 1.0
			Expect(share(1)).To(And(BeNumerically(">", low), BeNumerically("<", high)))
			Expect(share(8)).To(BeNumerically("<", low), "planted: errors too large")
			Expect(share(0.25)).To(BeNumerically(">", high), "planted: errors too small")
		})
	}

	const name = "tiny-qwen3-moe"
	It("is a function of its seed", func(ctx SpecContext) {
		a := logits(ctx, name, &oracle.Perturb{Seed: 1})
		Expect(sameBits(logits(ctx, name, &oracle.Perturb{Seed: 1, Scale: 1}), a)).To(Succeed())
		Expect(sameBits(logits(ctx, name, &oracle.Perturb{Seed: 2}), a)).NotTo(Succeed())
	})
	It("moves logits in proportion to its scale", func(ctx SpecContext) {
		exact := logits(ctx, name, nil)
		one := rootMeanSquare(logits(ctx, name, &oracle.Perturb{Seed: 5}), exact)
		three := rootMeanSquare(logits(ctx, name, &oracle.Perturb{Seed: 5, Scale: 3}), exact)
		Expect(three / one).To(BeNumerically("~", 3, 1e-3))
	})
	It("adds errors whose mean is zero", func(ctx SpecContext) {
		// The mean of n independent runs strays by 1/sqrt(n) of what one does; a bias would not shrink.
		const n = 64
		exact := logits(ctx, name, nil)
		mean := make([][]float64, len(exact))
		single := 0.0
		for seed := range uint64(n) {
			l := logits(ctx, name, &oracle.Perturb{Seed: seed})
			single += rootMeanSquare(l, exact) / n
			for r := range l {
				if mean[r] == nil {
					mean[r] = make([]float64, len(l[r]))
				}
				for c := range l[r] {
					mean[r][c] += l[r][c] / n
				}
			}
		}
		Expect(rootMeanSquare(mean, exact) / single).To(BeNumerically("<", 1.5/math.Sqrt(n)))
	})
})

// Plan
//
//   - Purpose: KVFloat16 keeps keys and values in float16 and changes nothing else (what it stores:
//     execution_kv_test.go).
//   - Control: logits differ from KVExact, by no more than float16 can.

var _ = Describe("KVFloat16", Label("area:attention"), func() {
	for _, name := range outsideFixtures {
		It("moves logits a little on "+name, func(ctx SpecContext) {
			ids := outsidePrompts(name)["short"].IDs
			run := func(kv oracle.KVFormat) [][]float64 {
				out, err := open(name).NewSequence(oracle.Options{KV: kv}).Extend(ctx, ids, oracle.Want{})
				Expect(err).NotTo(HaveOccurred())
				return out.Logits
			}
			// Float16 has 11 bits: 2^-11 = 4.9e-4 for each key and value; some of it averages out over positions.
			worst, err := compare(run(oracle.KVFloat16), run(oracle.KVExact), 1e-3)
			Expect(err).NotTo(HaveOccurred())
			Expect(worst).To(BeNumerically(">", 1e-7), "planted: keys and values left as they are")
		})
	}
})
