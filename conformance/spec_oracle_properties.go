package conformance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/oracle"
)

// propertyTokens is how many tokens of the shortest prompt the oracle's properties are shown on.
const propertyTokens = 32

var oracleCausality = Spec{
	Claim: "A",
	Name:  "a later token changes no earlier logits of the oracle",
	Doc:   "The last token of a prompt is replaced; every earlier position keeps its logits bit for bit.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		m, ids, err := s.propertySetup(ctx)
		if err != nil {
			return Outcome{}, err
		}
		changed := append([]int(nil), ids...)
		changed[len(ids)-1] = (ids[len(ids)-1] + 1) % m.Config().VocabSize
		a, err := wholeLogits(ctx, m, ids)
		if err != nil {
			return Outcome{}, err
		}
		b, err := wholeLogits(ctx, m, changed)
		if err != nil {
			return Outcome{}, err
		}
		n := len(ids) - 1
		findings := sameBits(b[:n], a[:n])
		if len(sameBits(b[n:], a[n:])) == 0 {
			findings = append(findings, "the replaced token changed nothing: its own logits are the same")
		}
		return outcome("causal", report.Figures{"causality_positions": n}, findings), nil
	},
}

var oracleAppend = Spec{
	Claim: "A",
	Name:  "tokens appended later give the oracle's logits of the whole prompt",
	Doc:   "A prompt given in one piece, token by token, and in two pieces: the same logits bit for bit at every position.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		m, ids, err := s.propertySetup(ctx)
		if err != nil {
			return Outcome{}, err
		}
		whole, err := wholeLogits(ctx, m, ids)
		if err != nil {
			return Outcome{}, err
		}
		var findings []string
		for _, piece := range []int{1, (len(ids) + 1) / 2} {
			seq := m.NewSequence(oracle.Options{})
			var got [][]float64
			for from := 0; from < len(ids); from += piece {
				out, err := seq.Extend(ctx, ids[from:min(from+piece, len(ids))], oracle.Want{})
				if err != nil {
					return Outcome{}, err
				}
				got = append(got, out.Logits...)
			}
			for _, f := range sameBits(got, whole) {
				findings = append(findings, fmt.Sprintf("in pieces of %d: %s", piece, f))
			}
		}
		return outcome("append-invariant", report.Figures{"append_positions": len(ids)}, findings), nil
	},
}

// propertySetup picks the model and the ids that properties are shown on.
func (s *Subject) propertySetup(ctx context.Context) (Reference, []int, error) {
	open := s.source
	if s.Source == "" {
		open = s.packed
	}
	m, err := open(ctx)
	if err != nil {
		return nil, nil, err
	}
	ids := slices.Clone(s.Prompts[0].IDs)
	if len(ids) == 1 {
		ids = append(ids, ids[0])
	}
	return m, ids[:min(len(ids), propertyTokens)], nil
}

func wholeLogits(ctx context.Context, m Reference, ids []int) ([][]float64, error) {
	out, err := m.NewSequence(oracle.Options{}).Extend(ctx, ids, oracle.Want{})
	if err != nil {
		return nil, err
	}
	return out.Logits, nil
}

// sameBits says where two lists of logits differ in a bit.
func sameBits(got, want [][]float64) []string {
	if len(got) != len(want) {
		return []string{fmt.Sprintf("%d rows of logits, want %d", len(got), len(want))}
	}
	var out []string
	for pos := range want {
		for i := range want[pos] {
			if math.Float64bits(got[pos][i]) != math.Float64bits(want[pos][i]) {
				out = append(out, fmt.Sprintf("position %d: logits[%d] got %v, want %v", pos, i, got[pos][i], want[pos][i]))
				break
			}
		}
	}
	return out
}
