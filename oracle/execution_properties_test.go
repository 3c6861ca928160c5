package oracle_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle"
	"github.com/octoryn/assay/oracle/internal/altered"
)

// Plan
//
//   - Purpose: what must hold of any decoder, whatever its weights: a later token changes nothing before it; tokens
//     appended, and prompts cut anywhere, give the same bits; experts have no order.
//   - Control: each property is a function of the run it judges, and is also shown a run that breaks it.
//   - Boundary: cuts after the first token and before the last; the storage formats and perturbed runs included.
//   - Source: causal attention (Vaswani et al. 2017); design, claim A.

// run gives the logits of every token of a prompt.
type run func(ids []int) [][]float64

// mode is a checkpoint and how it is run.
type mode struct {
	name, fixture string
	options       oracle.Options
}

var modes = []mode{
	{"float64", "tiny-qwen3-moe", oracle.Options{}},
	{"float64 with biases and dense layers", "tiny-qwen3-moe-mixed", oracle.Options{}},
	{"float64 of a dense model", "tiny-qwen3", oracle.Options{}},
	{"BFloat16", "tiny-qwen3-moe", oracle.Options{Arithmetic: oracle.BFloat16}},
	{"symmetric int4 with KVFloat16", "tiny-qwen3-moe-int4", oracle.Options{KV: oracle.KVFloat16}},
	{"affine int4 with KVFloat16", "tiny-qwen3-moe-int4-affine", oracle.Options{KV: oracle.KVFloat16}},
	{"perturbed", "tiny-qwen3-moe-int4-affine", oracle.Options{KV: oracle.KVFloat16, Perturb: &oracle.Perturb{Seed: 3}}},
}

// inPieces runs a prompt cut at the given places through one sequence.
func (m mode) inPieces(ctx context.Context, cuts ...int) run {
	return func(ids []int) [][]float64 {
		s := open(m.fixture).NewSequence(m.options)
		var logits [][]float64
		from := 0
		for _, to := range append(slices.Clone(cuts), len(ids)) {
			out, err := s.Extend(ctx, ids[from:to], oracle.Want{})
			Expect(err).NotTo(HaveOccurred())
			logits, from = append(logits, out.Logits...), to
		}
		return logits
	}
}

// sameBits is an error that names the first place where two matrices differ in any bit.
func sameBits(got, want [][]float64) error {
	if len(got) != len(want) || len(want) == 0 {
		return fmt.Errorf("got %d rows, want %d", len(got), len(want))
	}
	for r := range want {
		for c := range want[r] {
			if math.Float64bits(got[r][c]) != math.Float64bits(want[r][c]) {
				return fmt.Errorf("[%d][%d]: got %v, want %v", r, c, got[r][c], want[r][c])
			}
		}
	}
	return nil
}

// causal is an error unless replacing each token leaves the logits before it as they were and changes its own.
func causal(f run, ids []int, vocab int) error {
	whole := f(ids)
	for at := 1; at < len(ids); at += 5 {
		changed := slices.Clone(ids)
		changed[at] = (changed[at] + 1) % vocab
		other := f(changed)
		if err := sameBits(other[:at], whole[:at]); err != nil {
			return fmt.Errorf("token %d replaced: %w", at, err)
		}
		if sameBits(other[at:at+1], whole[at:at+1]) == nil {
			return fmt.Errorf("token %d replaced: its own logits are the same", at)
		}
	}
	return nil
}

var _ = Describe("A decoder", Label("area:forward"), func() {
	ids := outsidePrompts("tiny-qwen3-moe")["long"].IDs[:24]

	for _, m := range modes {
		It("is causal: "+m.name, func(ctx SpecContext) {
			Expect(causal(m.inPieces(ctx), ids, open(m.fixture).Config().VocabSize)).To(Succeed())
		})
		It("gives the same bits for tokens appended and prompts cut anywhere: "+m.name, func(ctx SpecContext) {
			whole := m.inPieces(ctx)(ids)
			every := make([]int, len(ids)-1)
			for i := range every {
				every[i] = i + 1
			}
			for _, cuts := range [][]int{{1}, {7}, {len(ids) - 1}, {3, 4, 16}, every} {
				Expect(sameBits(m.inPieces(ctx, cuts...)(ids), whole)).To(Succeed(), "cut at %v", cuts)
			}
			Expect(sameBits(m.inPieces(ctx)(ids[:9]), whole[:9])).To(Succeed(), "without the tokens appended")
		})
	}

	Context("whose run is faulty", Label("purpose:fault"), func() {
		m := modes[0]
		It("is found not causal when the last token leaks a last bit backwards", func(ctx SpecContext) {
			leak := func(ids []int) [][]float64 {
				logits := m.inPieces(ctx)(ids)
				if ids[len(ids)-1]%2 == 1 {
					logits[0][0] = math.Nextafter(logits[0][0], 0)
				}
				return logits
			}
			long := append(slices.Clone(ids), 0)[:22] // token 21 is among those replaced
			Expect(causal(leak, long, open(m.fixture).Config().VocabSize)).NotTo(Succeed())
		})
		It("is found not causal when it ignores its tokens", func(ctx SpecContext) {
			deaf := func([]int) [][]float64 { return m.inPieces(ctx)(ids) }
			Expect(causal(deaf, ids, open(m.fixture).Config().VocabSize)).To(MatchError(ContainSubstring("its own logits")))
		})
		It("is told apart when a cut forgets what came before", func(ctx SpecContext) {
			whole := m.inPieces(ctx)(ids)
			forgotten := append(m.inPieces(ctx)(ids[:7]), m.inPieces(ctx)(ids[7:])...)
			Expect(sameBits(forgotten, whole)).NotTo(Succeed())
		})
	})

	Context("whose experts are numbered otherwise", Label("area:expert"), func() {
		// Expert e becomes expert order[e]. Only the order in which experts are added up may change: some roundings.
		order := []int{3, 0, 7, 1, 6, 2, 5, 4}
		renumbered := func(ctx SpecContext, router bool) [][]float64 {
			dir := GinkgoT().TempDir()
			Expect(altered.Copy(dir, fixture("tiny-qwen3-moe"))).To(Succeed())
			Expect(altered.Tensors(dir, "model.safetensors", func(t map[string]*altered.Tensor) { renumber(t, order, router) })).To(Succeed())
			m, err := oracle.Open(dir)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(m.Close)
			out, err := m.NewSequence(oracle.Options{}).Extend(ctx, ids, oracle.Want{})
			Expect(err).NotTo(HaveOccurred())
			return out.Logits
		}
		It("gives the same logits", func(ctx SpecContext) {
			_, err := compare(renumbered(ctx, true), modes[0].inPieces(ctx)(ids), 1e-13)
			Expect(err).NotTo(HaveOccurred())
		})
		It("does not when the router is not told", Label("purpose:fault"), func(ctx SpecContext) {
			_, err := compare(renumbered(ctx, false), modes[0].inPieces(ctx)(ids), 1e-3)
			Expect(err).To(HaveOccurred())
		})
	})
})

// renumber gives expert e of every layer the number order[e], in the experts' names and, if asked, in the router's rows.
func renumber(tensors map[string]*altered.Tensor, order []int, router bool) {
	before := map[string]*altered.Tensor{}
	for name, t := range tensors {
		before[name] = t
	}
	for name, t := range before {
		var layer, e int
		var rest string
		if n, _ := fmt.Sscanf(name, "model.layers.%d.mlp.experts.%d.%s", &layer, &e, &rest); n == 3 {
			tensors[fmt.Sprintf("model.layers.%d.mlp.experts.%d.%s", layer, order[e], rest)] = t
		}
		if matched, _ := filepath.Match("model.layers.*.mlp.gate.weight", name); matched && router {
			row, old := len(t.Data)/len(order), slices.Clone(t.Data)
			for e, to := range order {
				copy(t.Data[to*row:(to+1)*row], old[e*row:(e+1)*row])
			}
		}
	}
}
