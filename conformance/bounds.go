package conformance

import (
	"context"
	"fmt"
	"slices"

	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/oracle"
)

// Bounds says how far a float32 implementation may stray from the oracle on one prompt.
type Bounds struct {
	*tolerance.Spread // by kept row of the trace
	Doubt             *RoutingDoubt
}

// RoutingDoubt is the first position of a prompt at which a perturbed run chose other experts than the reference. An
// implementation may do so too and be as right as the oracle; every position from there on follows a choice that the
// reference does not decide.
type RoutingDoubt struct {
	Pos, Layer int
	Margin     float64 // of the reference's router logits: last expert chosen above the best one not chosen
}

// String names the doubt.
func (d *RoutingDoubt) String() string {
	return fmt.Sprintf("undecided routing at position %d, layer %d: a perturbed run chooses other experts (margin %.3g)", d.Pos, d.Layer, d.Margin)
}

// covers reports whether a position follows the doubtful choice.
func (d *RoutingDoubt) covers(pos int) bool { return d != nil && pos >= d.Pos }

// bounds runs the oracle again over what packedTrace fed, with perturbations, and gathers how far it strays.
func (s *Subject) bounds(ctx context.Context, i int) (*Bounds, error) {
	want, err := s.packedTrace(ctx, i)
	if err != nil {
		return nil, err
	}
	return slot(&s.bounded, i).get(func() (*Bounds, error) {
		m, err := s.packed(ctx)
		if err != nil {
			return nil, err
		}
		b := &Bounds{Spread: tolerance.NewSpread(len(want.Logits))}
		for run, p := range perturbations() {
			stage := fmt.Sprintf("error bound, run %d of %d: %s", run+1, perturbedRuns, want.Prompt.Name)
			seq := m.NewSequence(oracle.Options{KV: oracle.KVFloat16, Perturb: p, Progress: s.count(stage)})
			out, err := seq.Extend(ctx, want.fed(), oracle.Want{LogitsFrom: want.From, Router: true})
			if err != nil {
				return nil, err
			}
			for row, logits := range out.Logits {
				b.Add(row, want.Logits[row], logits)
			}
			b.Doubt = earlier(b.Doubt, firstDoubt(want.Routing, out.Router))
		}
		return b, nil
	})
}

// perturbations are the perturbed runs: pairs with the same errors of opposite sign.
func perturbations() []*oracle.Perturb {
	var out []*oracle.Perturb
	for pair := range perturbedRuns / 2 {
		for _, sign := range []float64{1, -1} {
			out = append(out, &oracle.Perturb{Seed: uint64(perturbSeed + pair), Scale: sign * tolerance.PerturbScale})
		}
	}
	return out
}

// firstDoubt finds the first position at which a run chose another set of experts than the reference.
func firstDoubt(want, run []oracle.Routing) *RoutingDoubt {
	var first *RoutingDoubt
	for l, r := range want {
		for pos := range r.Experts {
			if !sameSet(r.Experts[pos], run[l].Experts[pos]) {
				first = earlier(first, &RoutingDoubt{Pos: pos, Layer: r.Layer, Margin: r.Margins[pos]})
				break
			}
		}
	}
	return first
}

func sameSet(a, b []int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func earlier(a, b *RoutingDoubt) *RoutingDoubt {
	if a == nil || b != nil && b.Pos < a.Pos {
		return b
	}
	return a
}
