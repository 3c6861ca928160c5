package conformance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/oracle"
)

// Bounds says how far a float32 implementation may stray from the oracle on one prompt.
type Bounds struct {
	*tolerance.Spread // by kept row of the trace
	Doubt             *RoutingDoubt
}

// RoutingDoubt is the first routing decision of a prompt that lies inside the error bound. An implementation may
// choose the other expert there and be as right as the oracle; every position from there on follows a choice that
// the reference does not decide.
type RoutingDoubt struct {
	Pos, Layer    int
	Margin, Bound float64 // of the router's logits: last expert chosen above the best one not chosen
}

// String names the doubt.
func (d *RoutingDoubt) String() string {
	return fmt.Sprintf("undecided routing at position %d, layer %d: margin %.3g <= bound %.3g", d.Pos, d.Layer, d.Margin, d.Bound)
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
		routers := tolerance.NewSpread(len(want.Routing))
		for run := range perturbedRuns {
			stage := fmt.Sprintf("error bound, run %d of %d: %s", run+1, perturbedRuns, want.Prompt.Name)
			seq := m.NewSequence(oracle.Options{KV: oracle.KVFloat16, Perturb: &oracle.Perturb{Seed: uint64(perturbSeed + run)}, Progress: s.count(stage)})
			out, err := seq.Extend(ctx, want.fed(), oracle.Want{LogitsFrom: want.From, Router: true})
			if err != nil {
				return nil, err
			}
			for row, logits := range out.Logits {
				b.Add(row, want.Logits[row], logits)
			}
			for l, r := range out.Router {
				routers.Add(l, want.Routing[l].Margins, signedMargins(r, want.Routing[l]))
			}
		}
		b.Doubt = firstDoubt(want.Routing, routers)
		return b, nil
	})
}

// signedMargins are the margins of a perturbed run as margins of the reference's choice: negative where the run
// chose another set of experts.
func signedMargins(run, want oracle.Routing) []float64 {
	out := slices.Clone(run.Margins)
	for pos, m := range out {
		if math.IsInf(m, 1) { // every expert is chosen: nothing to decide
			out[pos] = want.Margins[pos]
			continue
		}
		a, b := slices.Clone(run.Experts[pos]), slices.Clone(want.Experts[pos])
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			out[pos] = -m
		}
	}
	return out
}

func firstDoubt(routing []oracle.Routing, spread *tolerance.Spread) *RoutingDoubt {
	var first *RoutingDoubt
	for l, r := range routing {
		bound := spread.Bound(l) // the spread is of margins, not of logits
		for pos, m := range r.Margins {
			if math.IsInf(m, 1) || m > bound {
				continue
			}
			if first == nil || pos < first.Pos {
				first = &RoutingDoubt{Pos: pos, Layer: r.Layer, Margin: m, Bound: bound}
			}
			break
		}
	}
	return first
}
