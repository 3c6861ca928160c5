package oracle

import (
	"context"
	"fmt"
	"math"
)

// Generated is a greedy continuation.
type Generated struct {
	IDs     []int
	Margins []float64   // first logit minus the second, at each token
	Logits  [][]float64 // the logits each token was chosen from, when kept
}

// GreedyOptions say how far [Greedy] goes.
type GreedyOptions struct {
	MaxTokens  int
	Stop       []int                        // a token among these ends the continuation (and is part of it)
	KeepLogits bool                         // fill Generated.Logits
	OnToken    func(id int, margin float64) // called for each token as it is chosen
}

// Greedy extends the sequence by ids and continues with the token of the highest logit, ties to the lowest id, until
// MaxTokens are chosen. The last token chosen is not fed to the sequence.
func Greedy(ctx context.Context, s *Sequence, ids []int, o GreedyOptions) (*Generated, error) {
	g := &Generated{}
	for len(g.IDs) < o.MaxTokens {
		out, err := s.Extend(ctx, ids, Want{LogitsFrom: len(ids) - 1})
		if err != nil {
			return nil, err
		}
		logits := out.Logits[0]
		id, margin := Choose(logits)
		if id < 0 {
			return nil, fmt.Errorf("oracle: position %d: logits are not finite", s.Len()-1)
		}
		g.IDs, g.Margins = append(g.IDs, id), append(g.Margins, margin)
		if o.KeepLogits {
			g.Logits = append(g.Logits, logits)
		}
		if o.OnToken != nil {
			o.OnToken(id, margin)
		}
		for _, stop := range o.Stop {
			if id == stop {
				return g, nil
			}
		}
		ids = []int{id}
	}
	return g, nil
}

// Choose returns the index of the highest logit, the lowest such index on a tie, and how far it stands above the
// second highest (0 on a tie, +Inf when there is no second). The index is -1 if a logit is not finite.
func Choose(logits []float64) (id int, margin float64) {
	id = -1
	first, second := math.Inf(-1), math.Inf(-1)
	for i, v := range logits {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return -1, math.NaN()
		case v > first:
			id, first, second = i, v, first
		case v > second:
			second = v
		}
	}
	return id, first - second
}
