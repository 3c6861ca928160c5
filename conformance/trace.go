package conformance

import (
	"context"
	"fmt"

	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/oracle"
)

const (
	// keptValues caps the logits kept of one trace, in float64 values (1 GiB).
	keptValues = 1 << 27
	// driftRows is how many positions of a prompt the drift of int4 against the original weights is measured on.
	driftRows = 256
	// perturbedRuns is how many perturbed runs the error bound rests on: pairs of opposite sign.
	perturbedRuns = 2
	// perturbSeed seeds the first pair of perturbed runs; the others follow.
	perturbSeed = 1
)

// Trace is what the oracle makes of one prompt: logits, greedy tokens, and what decided them.
//
// Positions 0..T-1 are the prompt's; the logits at T-1+k choose Generated[k]; the last generated token is not fed.
type Trace struct {
	Prompt    Prompt
	From      int         // position of Logits[0]
	Logits    [][]float64 // [positions kept][vocab]
	Generated []int
	Margins   []float64        // first logit above the second, at each generated token
	Hidden    [][][]float64    // as oracle.Output has it; nil unless asked for
	Routing   []oracle.Routing // of every position fed, by sparse layer; empty for dense models
}

// row is the logits at a position.
func (t *Trace) row(pos int) []float64 { return t.Logits[pos-t.From] }

// fed lists the tokens fed: the prompt and all generated ones but the last.
func (t *Trace) fed() []int {
	return append(append([]int(nil), t.Prompt.IDs...), t.Generated[:len(t.Generated)-1]...)
}

// decode runs a reference greedily over a prompt. Logits of the prompt's last rows positions are kept, and of all
// later ones.
func decode(ctx context.Context, m Reference, p Prompt, o oracle.Options, rows int, hidden bool) (*Trace, error) {
	from := max(0, len(p.IDs)-rows)
	seq := m.NewSequence(o)
	out, err := seq.Extend(ctx, p.IDs, oracle.Want{LogitsFrom: from, Hidden: hidden, Router: true})
	if err != nil {
		return nil, err
	}
	t := &Trace{Prompt: p, From: from, Logits: out.Logits, Hidden: out.Hidden, Routing: out.Router}
	for k := range p.MaxTokens {
		last := t.Logits[len(t.Logits)-1]
		id, _, margin := tolerance.Margin(last)
		if id < 0 {
			return nil, fmt.Errorf("oracle: prompt %q: logits at position %d are not finite", p.Name, len(p.IDs)-1+k)
		}
		t.Generated = append(t.Generated, id)
		t.Margins = append(t.Margins, margin)
		if k == p.MaxTokens-1 {
			break
		}
		if out, err = seq.Extend(ctx, []int{id}, oracle.Want{Router: true}); err != nil {
			return nil, err
		}
		t.Logits = append(t.Logits, out.Logits...)
		for l := range t.Routing {
			t.Routing[l].Experts = append(t.Routing[l].Experts, out.Router[l].Experts...)
			t.Routing[l].Margins = append(t.Routing[l].Margins, out.Router[l].Margins...)
		}
	}
	return t, nil
}

// sourceTrace is the oracle on the original weights, exact, over prompt i. It keeps the rows that the answers from
// elsewhere hold, and at least driftRows.
func (s *Subject) sourceTrace(ctx context.Context, i int) (*Trace, error) {
	return slot(&s.sourceTraces, i).get(func() (*Trace, error) {
		m, err := s.source(ctx)
		if err != nil {
			return nil, err
		}
		p, rows, hidden := s.Prompts[i], driftRows, false
		if x := s.Expected.Prompt(p.Name, p.IDs); x != nil {
			rows, hidden = max(rows, len(x.Logits)), x.Hidden != nil
		}
		return decode(ctx, m, p, oracle.Options{Progress: s.count("oracle, original weights: " + p.Name)}, rows, hidden)
	})
}

// packedTrace is the oracle on the packed weights over prompt i, in float64, with keys and values rounded to float16
// as the engine declares to store them, and nothing else of the engine's.
func (s *Subject) packedTrace(ctx context.Context, i int) (*Trace, error) {
	return slot(&s.packedTraces, i).get(func() (*Trace, error) {
		m, err := s.packed(ctx)
		if err != nil {
			return nil, err
		}
		p := s.Prompts[i]
		rows := max(1, keptValues/m.Config().VocabSize-p.MaxTokens)
		return decode(ctx, m, p, oracle.Options{KV: oracle.KVFloat16, Progress: s.count("oracle, int4 weights: " + p.Name)}, rows, false)
	})
}

// count turns the oracle's progress into the subject's.
func (s *Subject) count(stage string) func(done, total int) {
	return func(done, total int) { s.report(stage, int64(done), int64(total)) }
}
