package conformance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine"
)

// The ways of cutting that must not change a bit: prompt positions, and decoded tokens, of one command buffer.
var (
	prefillCuts = []int{1, 7, 64}
	decodeCuts  = []int{1, 2, 64}
)

// Lengths of the run that is cut.
const (
	identityPrompt = 40
	identityTokens = 24
)

var samePrefill = Spec{
	Claim: "D",
	Name:  "a prompt cut into pieces of 1, 7 or 64 tokens gives the logits of the whole, bit for bit",
	Doc:   "The first tokens of the longest prompt, appended whole and in pieces to sequences of one engine; the logits of every position are compared bit for bit.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		return s.identity(ctx, "prompt positions", prefillCuts, func(q *engine.Sequence, ids []int, cut int) ([][]float32, error) {
			var out [][]float32
			_, err := q.Prefill(ctx, ids, engine.PrefillOptions{TokensPerCommandBuffer: cut, OnLogits: func(_ int, logits []float32) {
				out = append(out, slices.Clone(logits))
			}})
			return out, err
		})
	},
}

var sameDecode = Spec{
	Claim: "D",
	Name:  "decoding 1, 2 or 64 tokens a command buffer gives the tokens and logits of the default, bit for bit",
	Doc:   "Greedy decoding after the same prompt; the logits of every step are compared bit for bit.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		return s.identity(ctx, "decoded tokens", decodeCuts, func(q *engine.Sequence, ids []int, cut int) ([][]float32, error) {
			if _, err := q.Prefill(ctx, ids, engine.PrefillOptions{}); err != nil {
				return nil, err
			}
			var out [][]float32
			_, err := q.Decode(ctx, min(identityTokens, s.room(q)), engine.DecodeOptions{TokensPerCommandBuffer: cut, IgnoreEOS: true, Logits: true, OnToken: func(_ int, logits []float32) {
				out = append(out, slices.Clone(logits))
			}})
			return out, err
		})
	},
}

// room is how many tokens still fit the sequence.
func (s *Subject) room(q *engine.Sequence) int {
	e, _ := s.engine.peek()
	return e.engine.MaxSeqLen() - q.Len()
}

// identity compares runs cut in different ways with the run of the default.
func (s *Subject) identity(ctx context.Context, what string, cuts []int, run func(q *engine.Sequence, ids []int, cut int) ([][]float32, error)) (Outcome, error) {
	loaded, err := s.loaded(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if loaded.problem != nil {
		return outcome("", nil, []string{loaded.problem.Error()}), nil
	}
	ids := s.Prompts[len(s.Prompts)-1].IDs
	ids = ids[:min(len(ids), identityPrompt)]
	logits := func(cut int) ([][]float32, error) {
		q, err := loaded.engine.NewSequence()
		if err != nil {
			return nil, err
		}
		defer q.Close()
		return run(q, ids, cut)
	}
	want, err := logits(0)
	var findings []string
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	if err != nil {
		findings = append(findings, err.Error())
	}
	values := 0
	for _, cut := range cuts {
		if err != nil {
			break
		}
		s.report(fmt.Sprintf("engine: %s in pieces of %d", what, cut), 0, 0)
		got, err := logits(cut)
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		if err != nil {
			findings = append(findings, fmt.Sprintf("in pieces of %d: %v", cut, err))
			continue
		}
		values += len(got) * rowLength(got)
		if at := firstUnequal(got, want); at != "" {
			findings = append(findings, fmt.Sprintf("in pieces of %d: %s", cut, at))
		}
	}
	return outcome(fmt.Sprintf("%d %s cut %d ways: %d logits equal, bit for bit", len(want), what, len(cuts), values), report.Figures{"equal_logits": values}, findings), nil
}

func rowLength(rows [][]float32) int {
	if len(rows) == 0 {
		return 0
	}
	return len(rows[0])
}

// firstUnequal names the first logit whose bits differ.
func firstUnequal(got, want [][]float32) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows of logits, want %d", len(got), len(want))
	}
	for i := range want {
		for j := range want[i] {
			if g, w := math.Float32bits(got[i][j]), math.Float32bits(want[i][j]); g != w {
				return fmt.Sprintf("row %d, logit %d: %v (%#x), and %v (%#x) by default", i, j, got[i][j], g, want[i][j], w)
			}
		}
	}
	return ""
}
