package conformance_test

// Purpose: answers and prompts are read as written, and a file that does not say what it should is refused by name.
// Control case: the fixtures' own files. Boundaries: a prompt that just fits its context, ids at the end of the
// vocabulary, a folder with neither prompts nor tokenizer.

import (
	"errors"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/harness"
)

var _ = Describe("Answers from elsewhere", Label("purpose:validation", "area:answers", "level:required"), func() {
	It("are read with every prompt, shortest first", func() {
		e, err := conformance.ReadExpected(harness.Fixture("gosling-4m"))
		Expect(err).NotTo(HaveOccurred())
		Expect(e.Prompts).To(HaveLen(5))
		Expect(e.Source).To(HavePrefix("transformers 5."))
		book := e.Prompts[4]
		Expect(book.Name).To(Equal("book"))
		Expect(book.IDs).To(HaveLen(2000))
		Expect(book.Greedy).To(HaveLen(96))
		Expect(book.Logits).To(HaveLen(32))
		Expect(book.Logits[0]).To(HaveLen(4096))
		Expect(book.Hidden).To(BeNil())
		Expect(e.Prompts[0].Hidden).To(HaveLen(7))
	})
	It("are absent, without an error, unless both files are there", func() {
		dir := copyOf(harness.Fixture("tiny-qwen3"))
		Expect(os.Remove(filepath.Join(dir, "expected.safetensors"))).To(Succeed())
		e, err := conformance.ReadExpected(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(e).To(BeNil())
	})
	DescribeTable("are refused:", func(file string, change func([]byte) []byte, piece string) {
		dir := copyOf(harness.Fixture("tiny-qwen3"))
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, change(data), 0o600)).To(Succeed())
		_, err = conformance.ReadExpected(dir)
		Expect(err).To(MatchError(ContainSubstring(piece)))
	},
		Entry("truncated tensors", "expected.safetensors", func(b []byte) []byte { return b[:len(b)-8] }, "leave the file"),
		Entry("no header", "expected.safetensors", func(b []byte) []byte { return b[:4] }, "want at least 8"),
		Entry("header longer than the file", "expected.safetensors", func(b []byte) []byte { b[7] = 1; return b }, "longer than the file"),
		Entry("no JSON", "expected.json", func([]byte) []byte { return []byte("[") }, "expected.json"),
		Entry("no prompts", "expected.json", func([]byte) []byte { return []byte("{}") }, "prompts is missing or empty"),
	)
	It("never match by accident: NaN, a missing row and a missing column are findings", func() {
		want := [][]float64{{1, 2}, {3, 4}}
		for _, got := range [][][]float64{{{1, 2}, {3, math.NaN()}}, {{1, 2}}, {{1, 2}, {3}}} {
			_, _, finding := conformance.CheckAnswer(got, want)
			Expect(finding).NotTo(BeEmpty())
		}
		share, rows, finding := conformance.CheckAnswer([][]float64{{1, 2}, {3, 4 + 3.9e-5}}, want)
		Expect([]any{rows, finding}).To(Equal([]any{2, ""}))
		Expect(share).To(BeNumerically("~", 0.975e-5, 1e-9))
	})
})

// spelled is a tokenizer whose ids are the bytes of the text.
type spelled struct{ broken bool }

func (s spelled) Encode(text string) ([]int, error) {
	if s.broken {
		return nil, errors.New("no vocabulary")
	}
	var ids []int
	for _, b := range []byte(text) {
		ids = append(ids, int(b))
	}
	return ids, nil
}

var _ = Describe("Prompts", Label("purpose:validation", "area:prompts", "level:required"), func() {
	file := func(text string) string {
		path := filepath.Join(GinkgoT().TempDir(), "p.json")
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		return path
	}
	It("come from the file named, the folder, the answers, built-in texts, or a seed, in that order", func() {
		gosling, tiny := harness.Fixture("gosling-4m"), harness.Fixture("tiny-qwen3")
		answers, err := conformance.ReadExpected(tiny)
		Expect(err).NotTo(HaveOccurred())
		bare := GinkgoT().TempDir()

		p, source, err := conformance.ChoosePrompts(gosling, file(`{"prompts":{"x":{"ids":[1,2]}}}`), nil, nil, 4096, 4096, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(source).To(Equal("p.json"))
		Expect(p).To(Equal([]conformance.Prompt{{Name: "x", IDs: []int{1, 2}, MaxTokens: 96}}))

		p, source, err = conformance.ChoosePrompts(gosling, "", nil, nil, 4096, 4096, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(source).To(Equal("prompts.json"))
		Expect(p).To(HaveLen(5))
		Expect(p[0].Name).To(Equal("short"))

		p, source, err = conformance.ChoosePrompts(tiny, "", answers, nil, 320, 2048, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(source).To(Equal("expected.json"))
		Expect([]int{p[0].MaxTokens, p[1].MaxTokens}).To(Equal([]int{48, 48}))

		p, source, err = conformance.ChoosePrompts(bare, "", nil, spelled{}, 256, 4096, 5)
		Expect(err).NotTo(HaveOccurred())
		Expect(source).To(Equal("built-in texts"))
		Expect(p[0].Text).NotTo(BeEmpty())

		p, source, err = conformance.ChoosePrompts(bare, "", nil, nil, 10, 100, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(source).To(ContainSubstring("seed"))
		Expect(p).To(HaveLen(2))
	})
	It("may just fit the context", func() {
		_, _, err := conformance.ChoosePrompts("", file(`{"prompts":{"x":{"ids":[1,2,3]}}}`), nil, nil, 4, 6, 4)
		Expect(err).NotTo(HaveOccurred())
	})
	DescribeTable("are refused:", func(text string, tok conformance.Encoder, piece string) {
		_, _, err := conformance.ChoosePrompts("", file(text), nil, tok, 4, 6, 4)
		Expect(err).To(MatchError(ContainSubstring(piece)))
	},
		Entry("an id at the end of the vocabulary", `{"prompts":{"x":{"ids":[1,4]}}}`, nil, `"x": token 1 has id 4, want 0 to 3`),
		Entry("a negative id", `{"prompts":{"x":{"ids":[-1]}}}`, nil, "id -1"),
		Entry("one token too many", `{"prompts":{"x":{"ids":[1,2,3,0]}}}`, nil, "do not fit the context of 6"),
		Entry("no ids", `{"prompts":{"x":{"ids":[]}}}`, nil, "no token ids"),
		Entry("a text without a tokenizer", `{"prompts":{"x":{"text":"hello"}}}`, nil, "no tokenizer.json"),
		Entry("a text the tokenizer refuses", `{"prompts":{"x":{"text":"hello"}}}`, spelled{broken: true}, "no vocabulary"),
		Entry("nothing", `{}`, nil, "missing or empty"),
		Entry("no JSON", `{`, nil, "p.json"),
	)
})
