package golden_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/golden"
)

// Plan
//
//   - Purpose: golden files read back as written, say the same as the outside answers where there are any, and are
//     compared strictly.
//   - Control: files changed by hand, and numbers just beyond the tolerance, are refused.
//   - Boundary: the tolerance; NaN.
//   - Source: fixtures/*/expected.json. That the files are what the oracle computes is for hack/golden to show.

var _ = Describe("The golden files", Label("area:golden"), func() {
	It("give the outside greedy tokens for every bf16 prompt", func() {
		compared := 0
		for _, name := range golden.Names() {
			f, err := golden.Open(name)
			Expect(err).NotTo(HaveOccurred())
			Expect(name).To(Equal(golden.Name(filepath.Base(f.Provenance.Fixture), f.Prompt.Name)))
			text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(f.Prompt.From)))
			Expect(err).NotTo(HaveOccurred())
			var outside struct {
				Prompts map[string]struct {
					Greedy  []int     `json:"greedy_f64"`
					Margins []float64 `json:"margin_f64"`
				} `json:"prompts"`
			}
			Expect(json.Unmarshal(text, &outside)).To(Succeed())
			p := outside.Prompts[f.Prompt.Name]
			Expect(f.Steps).To(HaveLen(len(p.Greedy)), name)
			if f.Provenance.Weights != "as stored" {
				continue
			}
			for i, s := range f.Steps {
				Expect(s.ID).To(Equal(p.Greedy[i]), "%s, step %d", name, i)
				Expect(s.Margin).To(BeNumerically("~", p.Margins[i], 1e-3), "%s, step %d", name, i)
			}
			compared++
		}
		Expect(compared).To(BeNumerically(">", 0))
	})
})

func sample() *golden.File {
	return &golden.File{
		Provenance: golden.Provenance{Command: "c", Fixture: "fixtures/x"},
		Prompt:     golden.Prompt{Name: "p", Tokens: 3},
		Steps:      []golden.Step{{ID: 7, Margin: 0.25, LogSumExp: -1.5, Projection: 3}, {ID: 0, Margin: 0, LogSumExp: 2, Projection: -0.125}},
	}
}

var _ = Describe("A golden file", Label("area:golden"), func() {
	It("reads back as written, one line a step", func() {
		text := golden.Format(sample())
		Expect(string(text)).To(ContainSubstring("\n    {\"id\": 7, \"margin\": 0.250000000, \"log_sum_exp\": -1.500000000, \"projection\": 3.000000000},\n"))
		f, err := golden.Parse("x/p.json", text)
		Expect(err).NotTo(HaveOccurred())
		Expect(f).To(Equal(sample()))
	})
	DescribeTable("is refused", func(from, to, want string) {
		text := string(golden.Format(sample()))
		Expect(text).To(ContainSubstring(from))
		_, err := golden.Parse("x/p.json", []byte(strings.Replace(text, from, to, 1)))
		Expect(err).To(MatchError(And(ContainSubstring("x/p.json"), ContainSubstring(want))))
	},
		Entry("with more decimals than are written", "0.250000000", "0.25", "edited by hand"),
		Entry("with a key nobody knows", `"name"`, `"nom"`, "unknown field"),
		Entry("without a key", `"margin": 0.250000000, `, "", "edited by hand"),
		Entry("with text after it", "]\n}\n", "]\n}\n{}", "more text"),
		Entry("cut short", "]\n}\n", "", "EOF"),
	)
	It("that does not exist is an error", func() {
		_, err := golden.Open("nowhere/p.json")
		Expect(err).To(MatchError(os.ErrNotExist))
	})
})

var _ = Describe("Difference", Label("area:golden"), func() {
	with := func(change func(s []golden.Step) []golden.Step) []golden.Step { return change(sample().Steps) }
	It("is empty for numbers within the tolerance", func() {
		Expect(golden.Difference(sample().Steps, sample().Steps)).To(BeEmpty())
		Expect(golden.Difference(with(func(s []golden.Step) []golden.Step { s[1].Projection += 0.9 * golden.Tolerance; return s }), sample().Steps)).To(BeEmpty())
	})
	DescribeTable("names", Label("purpose:fault"), func(want string, change func(s []golden.Step) []golden.Step) {
		Expect(golden.Difference(with(change), sample().Steps)).To(ContainSubstring(want))
	},
		Entry("another token", "step 1: id: got 1, want 0", func(s []golden.Step) []golden.Step { s[1].ID = 1; return s }),
		Entry("another margin", "step 0: margin", func(s []golden.Step) []golden.Step { s[0].Margin += 1.1 * golden.Tolerance; return s }),
		Entry("another sum", "step 1: log_sum_exp", func(s []golden.Step) []golden.Step { s[1].LogSumExp -= 1.1 * golden.Tolerance; return s }),
		Entry("another projection", "step 1: projection", func(s []golden.Step) []golden.Step { s[1].Projection = 0.125; return s }),
		Entry("NaN", "step 0: margin: got NaN", func(s []golden.Step) []golden.Step { s[0].Margin = math.NaN(); return s }),
		Entry("a step too few", "got 1 steps, want 2", func(s []golden.Step) []golden.Step { return s[:1] }),
		Entry("no steps", "got 0 steps, want 2", func([]golden.Step) []golden.Step { return nil }),
	)
})

var _ = Describe("Digest", Label("area:golden"), func() {
	It("has the sum of exponentials as worked out on paper", func() {
		sum, _ := golden.Digest([]float64{math.Log(1), math.Log(2), math.Log(5)})
		Expect(sum).To(BeNumerically("~", math.Log(8), 1e-15))
		sum, _ = golden.Digest([]float64{1000, 1000})
		Expect(sum).To(BeNumerically("~", 1000+math.Ln2, 1e-12))
	})
	It("moves by d/sqrt(n) when any one logit moves by d, to either side", func() {
		logits := make([]float64, 256)
		_, base := golden.Digest(logits)
		Expect(base).To(BeZero())
		ups := 0
		for i := range logits {
			logits[i] = 4
			_, p := golden.Digest(logits)
			Expect(math.Abs(p)).To(Equal(0.25), "logit %d", i)
			if p > 0 {
				ups++
			}
			logits[i] = 0
		}
		Expect(ups).To(BeNumerically("~", 128, 32), "signs are balanced, so that a shift of all logits does not drown the rest")
	})
	It("tells exchanged logits apart somewhere", Label("purpose:fault"), func() {
		logits := make([]float64, 64)
		for i := range logits {
			logits[i] = float64(i)
		}
		_, p := golden.Digest(logits)
		found := 0
		for i := range 63 {
			logits[i], logits[i+1] = logits[i+1], logits[i]
			if _, q := golden.Digest(logits); q != p {
				found++
			}
			logits[i], logits[i+1] = logits[i+1], logits[i]
		}
		Expect(found).To(BeNumerically(">", 16))
	})
})
