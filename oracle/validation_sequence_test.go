package oracle_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle"
)

// Plan
//
//   - Purpose: requests without an answer are refused with one clear error and leave the sequence as it was; greedy
//     decoding stops where it is told to; the logits file is a safetensors file and appears whole or not at all.
//   - Control: the nearest request that is answered.
//   - Boundary: the first and last id, the last position.
//   - Source: the list of bad input; the safetensors format.

var _ = Describe("A sequence", Label("purpose:validation"), func() {
	const name = "tiny-qwen3"
	ids := outsidePrompts(name)["short"].IDs

	DescribeTable("refuses", func(ctx SpecContext, ids []int, want oracle.Want, message string) {
		s := open(name).NewSequence(oracle.Options{})
		_, err := s.Extend(ctx, ids, want)
		Expect(err).To(MatchError(message))
		Expect(s.Len()).To(BeZero())
	},
		Entry("no ids", []int{}, oracle.Want{}, "oracle: token ids: got none, want at least one"),
		Entry("an id of the vocabulary's size", []int{0, 320}, oracle.Want{}, "oracle: token id at position 1: got 320, want 0 to 319"),
		Entry("a negative id", []int{-1}, oracle.Want{}, "oracle: token id at position 0: got -1, want 0 to 319"),
		Entry("more tokens than positions", make([]int, 2049), oracle.Want{}, "oracle: context: got 2049 tokens, want at most max_position_embeddings = 2048"),
		Entry("logits of a token that is not new", []int{1, 2}, oracle.Want{LogitsFrom: 2}, "oracle: logits from new token 2: want -1 to 1"),
		Entry("logits from below -1", []int{1, 2}, oracle.Want{LogitsFrom: -2}, "oracle: logits from new token -2: want -1 to 1"),
	)
	It("takes the first and the last id, and gives no logits when none are wanted", func(ctx SpecContext) {
		s := open(name).NewSequence(oracle.Options{})
		out, err := s.Extend(ctx, []int{0, 319}, oracle.Want{LogitsFrom: -1})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Logits).To(BeEmpty())
		Expect(s.Len()).To(Equal(2))
	})
	It("counts the positions it holds against the context", func(ctx SpecContext) {
		s := open(name).NewSequence(oracle.Options{})
		_, err := s.Extend(ctx, ids, oracle.Want{LogitsFrom: -1})
		Expect(err).NotTo(HaveOccurred())
		_, err = s.Extend(ctx, make([]int, 2048-len(ids)+1), oracle.Want{})
		Expect(err).To(MatchError(ContainSubstring("got 2049 tokens")))
		_, err = s.Extend(ctx, []int{999}, oracle.Want{})
		Expect(err).To(MatchError(ContainSubstring("token id at position 9: got 999")))
	})
	It("is as it was after being cancelled half way", func(ctx SpecContext) {
		whole, err := open(name).NewSequence(oracle.Options{}).Extend(ctx, ids, oracle.Want{})
		Expect(err).NotTo(HaveOccurred())

		cancelled, cancel := context.WithCancel(ctx)
		defer cancel()
		s := open(name).NewSequence(oracle.Options{Progress: func(done, _ int) {
			if done == 2 {
				cancel()
			}
		}})
		_, err = s.Extend(cancelled, ids[:7], oracle.Want{})
		Expect(err).To(MatchError(context.Canceled))
		Expect(s.Len()).To(BeZero())
		out, err := s.Extend(ctx, ids, oracle.Want{})
		Expect(err).NotTo(HaveOccurred())
		Expect(sameBits(out.Logits, whole.Logits)).To(Succeed())
	})
	It("tells its progress up to the end", func(ctx SpecContext) {
		var last, of, calls int
		s := open(name).NewSequence(oracle.Options{Progress: func(done, total int) { last, of, calls = done, total, calls+1 }})
		_, err := s.Extend(ctx, ids, oracle.Want{})
		Expect(err).NotTo(HaveOccurred())
		Expect([]int{last, of}).To(Equal([]int{calls, calls}))
	})
	It("gives every router's choices when asked", func(ctx SpecContext) {
		prompt := outsidePrompts("tiny-qwen3-moe-mixed")["short"].IDs
		out, err := open("tiny-qwen3-moe-mixed").NewSequence(oracle.Options{}).Extend(ctx, prompt, oracle.Want{Router: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Router).To(HaveLen(1), "layers 0 and 2 are off the sparse step, layer 1 is listed as dense")
		Expect(out.Router[0].Layer).To(Equal(3))
		for t := range prompt {
			Expect(out.Router[0].Experts[t]).To(HaveLen(4))
			Expect(out.Router[0].Weights[t]).To(HaveLen(4))
			Expect(out.Router[0].Margins[t]).To(BeNumerically(">", 0))
		}
	})
})

var _ = Describe("Greedy", func() {
	const name = "tiny-qwen3-moe"
	It("stops after a stop token, which it returns, and reports each token", func(ctx SpecContext) {
		p := outsidePrompts(name)["short"]
		stop := p.GreedyF64[4]
		var reported []int
		g, err := oracle.Greedy(ctx, open(name).NewSequence(oracle.Options{}), p.IDs, oracle.GreedyOptions{
			MaxTokens: 48, Stop: []int{stop}, KeepLogits: true, OnToken: func(id int, _ float64) { reported = append(reported, id) }})
		Expect(err).NotTo(HaveOccurred())
		Expect(g.IDs).To(Equal(p.GreedyF64[:len(g.IDs)]))
		Expect(g.IDs[len(g.IDs)-1]).To(Equal(stop))
		Expect(len(g.IDs)).To(BeNumerically("<=", 5))
		Expect(reported).To(Equal(g.IDs))
		for i, row := range g.Logits {
			id, margin := oracle.Choose(row)
			Expect([]any{id, margin}).To(Equal([]any{g.IDs[i], g.Margins[i]}))
		}
	})
	It("passes on what the sequence refuses", func(ctx SpecContext) {
		_, err := oracle.Greedy(ctx, open(name).NewSequence(oracle.Options{}), []int{320}, oracle.GreedyOptions{MaxTokens: 1})
		Expect(err).To(MatchError(ContainSubstring("token id at position 0: got 320")))
	})
	It("does nothing when no tokens are asked for", func(ctx SpecContext) {
		s := open(name).NewSequence(oracle.Options{})
		g, err := oracle.Greedy(ctx, s, []int{1}, oracle.GreedyOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(g.IDs).To(BeEmpty())
		Expect(s.Len()).To(BeZero())
	})
})

var _ = Describe("WriteLogits", func() {
	It("writes a safetensors file of float64", func() {
		file := filepath.Join(GinkgoT().TempDir(), "l.safetensors")
		rows := [][]float64{{1, math.Copysign(0, -1), 0.1}, {-2.5, math.MaxFloat64, 5e-324}}
		Expect(oracle.WriteLogits(file, rows)).To(Succeed())
		b, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		n := binary.LittleEndian.Uint64(b)
		Expect(n % 8).To(BeZero())
		var header map[string]struct {
			DType   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets []int  `json:"data_offsets"`
		}
		Expect(json.Unmarshal(b[8:8+n], &header)).To(Succeed())
		Expect(header).To(HaveLen(1))
		Expect(header["logits"].DType).To(Equal("F64"))
		Expect(header["logits"].Shape).To(Equal([]int{2, 3}))
		Expect(header["logits"].Offsets).To(Equal([]int{0, 48}))
		Expect(b[8+n:]).To(HaveLen(48))
		for i := range 6 {
			Expect(binary.LittleEndian.Uint64(b[8+n:][8*i:])).To(Equal(math.Float64bits(rows[i/3][i%3])))
		}
	})
	It("leaves nothing behind when it cannot write", func() {
		dir := GinkgoT().TempDir()
		Expect(oracle.WriteLogits(filepath.Join(dir, "no", "l.safetensors"), [][]float64{{1}})).To(MatchError(os.ErrNotExist))
		Expect(oracle.WriteLogits(filepath.Join(dir, "l.safetensors"), [][]float64{{1, 2}, {3}})).To(MatchError("oracle: logits row 1: got 1 values, want 2"))
		Expect(os.ReadDir(dir)).To(BeEmpty())
	})
	It("leaves nothing behind when the name is taken by a folder", func() {
		dir := GinkgoT().TempDir()
		Expect(os.MkdirAll(filepath.Join(dir, "l", "full"), 0o755)).To(Succeed())
		Expect(oracle.WriteLogits(filepath.Join(dir, "l"), [][]float64{{1}})).To(MatchError(And(HavePrefix("oracle: write logits: "), Not(ContainSubstring("\n")))))
		entries, err := os.ReadDir(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(entries).To(HaveLen(1))
	})
})
