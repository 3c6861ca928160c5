package conformance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/engine"
)

// Parity is the engine beside the oracle on one prompt.
type Parity struct {
	Prompt Prompt
	Rows   []ParityRow // every position compared, rising
	Doubt  *RoutingDoubt
	// Tokens holds the engine's choice at each greedy step. Up to and including the first mismatch they are the
	// engine's own continuation; after it, its choices in the oracle's context.
	Tokens   []int
	Steps    []Step // disagreements with the oracle
	Problem  error  // what stopped the engine: a fault, a logit that is not finite
	Seconds  [2]float64
	Complete bool // every position and step was compared
	wantRows int  // positions there were to compare
}

// ParityRow compares the logits of one position.
type ParityRow struct {
	Pos    int
	Cosine float64 // 1 - cosine, without cancellation
	Worst  tolerance.Worst
	Bound  float64 // of one logit
	RMS    float64 // root mean square of the differences
	Sigma  float64 // of the perturbed runs
	KL     float64
	Regret float64
}

// Step is a greedy step at which engine and oracle chose differently.
type Step struct {
	Step      int // 0 is the first generated token
	Got, Want int
	Margin    float64       // the oracle's, between first and second
	Bound     float64       // a margin at most this does not decide
	Doubt     *RoutingDoubt // set when the step follows a doubtful routing choice
}

// Undecided reports that the reference does not decide the step: its margin lies inside the error bound, or a
// routing choice before it did.
func (s Step) Undecided() bool { return s.Doubt != nil || tolerance.AtMost(s.Margin, s.Bound) }

// String names the disagreement.
func (s Step) String() string {
	switch {
	case s.Doubt != nil:
		return fmt.Sprintf("undecided at step %d: got id %d, want %d after %s", s.Step, s.Got, s.Want, s.Doubt)
	case s.Undecided():
		return fmt.Sprintf("undecided at step %d: margin %.3g <= bound %.3g (got id %d, want %d)", s.Step, s.Margin, s.Bound, s.Got, s.Want)
	}
	return fmt.Sprintf("step %d: got id %d, want %d (margin %.3g, bound %.3g)", s.Step, s.Got, s.Want, s.Margin, s.Bound)
}

// comparison feeds one engine run into a Parity.
type comparison struct {
	*Parity
	want   *Trace
	bounds *Bounds
	wide   []float64 // the engine's logits, widened
}

// row compares the logits the engine gave at a position and returns the token they choose, -1 when they are not
// finite.
func (c *comparison) row(pos int, logits []float32) int {
	for i, v := range logits {
		c.wide[i] = float64(v)
	}
	if pos >= c.want.From {
		want := c.want.row(pos)
		b := c.bounds.Bound(pos - c.want.From)
		c.Rows = append(c.Rows, ParityRow{Pos: pos, Bound: b,
			RMS:    tolerance.RMSDifference(c.wide, want),
			Sigma:  c.bounds.Sigma(pos - c.want.From),
			Cosine: tolerance.CosineDistance(c.wide, want),
			Worst:  tolerance.Elements(c.wide, want, func(int) float64 { return b }),
			KL:     tolerance.KL(want, c.wide),
			Regret: tolerance.Regret(want, c.wide)})
	}
	return tolerance.Argmax(c.wide)
}

// token records the engine's choice at a greedy step and reports whether it is the oracle's.
func (c *comparison) token(step, id int) bool {
	c.Tokens = append(c.Tokens, id)
	if id == c.want.Generated[step] {
		return true
	}
	pos := len(c.Prompt.IDs) - 1 + step
	s := Step{Step: step, Got: id, Want: c.want.Generated[step], Margin: c.want.Margins[step], Bound: c.bounds.MarginBound(pos - c.want.From)}
	if c.Doubt.covers(pos) {
		s.Doubt = c.Doubt
	}
	c.Steps = append(c.Steps, s)
	return false
}

// parity runs the engine over prompt i and compares it with the oracle on the same packed weights: the prompt's
// positions, then the greedy continuation. After a first disagreement the engine is put back into the oracle's
// context, so that every later position is still compared.
func (s *Subject) parity(ctx context.Context, i int) (*Parity, error) {
	return slot(&s.parities, i).get(func() (*Parity, error) {
		want, err := s.packedTrace(ctx, i)
		if err != nil {
			return nil, err
		}
		bounds, err := s.bounds(ctx, i)
		if err != nil {
			return nil, err
		}
		loaded, err := s.loaded(ctx)
		if err != nil {
			return nil, err
		}
		p := &Parity{Prompt: want.Prompt, Doubt: bounds.Doubt, wantRows: len(want.Logits)}
		if loaded.problem != nil {
			p.Problem = loaded.problem
			return p, nil
		}
		c := &comparison{Parity: p, want: want, bounds: bounds, wide: make([]float64, len(want.Logits[0]))}
		err = c.run(ctx, loaded.engine, func(done, total int) {
			s.report(fmt.Sprintf("engine: %s", want.Prompt.Name), int64(done), int64(total))
		})
		if cause := ctx.Err(); cause != nil {
			return nil, cause
		}
		p.Problem = err
		p.Complete = err == nil && len(p.Rows) == len(want.Logits) && len(p.Tokens) == len(want.Generated)
		return p, nil
	})
}

func (c *comparison) run(ctx context.Context, e *engine.Engine, progress func(done, total int)) error {
	seq, err := e.NewSequence()
	if err != nil {
		return err
	}
	defer seq.Close()
	prompt, n := len(c.Prompt.IDs), len(c.want.Generated)
	total := prompt + n - 1

	start := time.Now()
	next, err := seq.Prefill(ctx, c.Prompt.IDs, engine.PrefillOptions{LogitsFrom: c.want.From,
		OnLogits: func(pos int, logits []float32) { c.row(pos, logits) },
		Progress: func(done, _ int) { progress(done, total) }})
	c.Seconds[0] = time.Since(start).Seconds()
	if err != nil {
		return fmt.Errorf("prompt %q: prefill: %w", c.Prompt.Name, err)
	}
	agreed := c.token(0, next)
	step := 1
	if agreed && n > 1 {
		start = time.Now()
		_, err = seq.Decode(ctx, n-1, engine.DecodeOptions{IgnoreEOS: true, Logits: true, OnToken: func(id int, logits []float32) {
			if !agreed { // the contexts have parted: nothing to compare until the engine is put back
				return
			}
			c.row(prompt-1+step, logits)
			agreed = c.token(step, id)
			step++
			progress(prompt+step-1, total)
		}})
		c.Seconds[1] = time.Since(start).Seconds()
		if err != nil {
			return fmt.Errorf("prompt %q: decode, step %d: %w", c.Prompt.Name, step, err)
		}
	}
	if step == n {
		return nil
	}
	if agreed {
		return errors.New("decode: stopped early")
	}
	if err := seq.Truncate(prompt + step - 1); err != nil {
		return err
	}
	_, err = seq.Prefill(ctx, c.want.Generated[step-1:n-1], engine.PrefillOptions{LogitsFrom: prompt + step - 1,
		OnLogits: func(pos int, logits []float32) {
			c.token(step, c.row(pos, logits))
			step++
			progress(prompt+step-1, total)
		}})
	if err != nil {
		return fmt.Errorf("prompt %q: prefill of the oracle's tokens: %w", c.Prompt.Name, err)
	}
	return nil
}
