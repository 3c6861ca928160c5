package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/octoryn/assay/engine/kvcache"
	"github.com/octoryn/assay/engine/model"
)

// prefillTokens is the number of prompt positions of a command buffer unless the caller says otherwise: long enough to
// hide the cost of a commit, short enough to cancel and to report progress.
const prefillTokens = 16

// Sequence is one growing context: the tokens whose keys and values are in its KV cache, and the
// greedy continuation of the last of them.
type Sequence struct {
	e       *Engine
	cache   *kvcache.Cache
	state   *model.State
	length  int   // tokens in the cache
	pending bool  // the token at position length is known on the device: Decode may feed it
	broken  error // a device error after which the cache's contents are unknown
}

// Len is the number of tokens in the KV cache, which is the position of the next one.
func (s *Sequence) Len() int { return s.length }

// Prefill appends ids to the sequence, whose positions are Len, Len+1, ..., and returns the greedy
// continuation of the last one. That token is not in the cache yet: Decode feeds it first. A caller
// that goes on with other tokens simply calls Prefill again.
//
// No ids, an id outside the vocabulary, or more ids than the context has room for is an error, and the sequence stays as it was.
// When ctx ends, the tokens whose command buffer has completed stay in the sequence.
func (s *Sequence) Prefill(ctx context.Context, ids []int, o PrefillOptions) (next int, err error) {
	if err := s.usable(); err != nil {
		return 0, err
	}
	if len(ids) == 0 {
		return 0, errors.New("engine: prefill: no token ids")
	}
	if room := s.e.MaxSeqLen() - s.length; len(ids) > room {
		return 0, fmt.Errorf("engine: prefill: %d tokens at position %d, the context of %d has room for %d", len(ids), s.length, s.e.MaxSeqLen(), room)
	}
	for i, id := range ids {
		if vocab := s.e.Config().VocabSize; id < 0 || id >= vocab {
			return 0, fmt.Errorf("engine: prefill: token id %d at index %d, want 0 to %d", id, i, vocab-1)
		}
	}
	perBuffer, err := tokensPerBuffer(o.TokensPerCommandBuffer, prefillTokens)
	if err != nil {
		return 0, err
	}
	s.pending = false
	if err := s.prepare(s.length, ids); err != nil {
		return 0, err
	}
	start := s.length
	for done := 0; done < len(ids); {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := min(perBuffer, len(ids)-done)
		steps := make([]model.Step, n)
		rows := 0
		for i := range steps {
			pos := start + done + i
			steps[i] = model.Step{Index: i, Pos: pos, LogitRow: -1, Argmax: done+i == len(ids)-1}
			if o.OnLogits != nil && pos >= o.LogitsFrom {
				steps[i].LogitRow = rows
				rows++
			}
		}
		if err := s.run(steps, rows); err != nil {
			return 0, err
		}
		s.length += n
		for _, step := range steps {
			if step.LogitRow < 0 {
				continue
			}
			logits := make([]float32, s.e.Config().VocabSize)
			if err := s.state.Logits(step.LogitRow, logits); err != nil {
				return 0, s.fail(err)
			}
			if err := finite(logits, step.Pos); err != nil {
				return 0, s.fail(err)
			}
			o.OnLogits(step.Pos, logits)
		}
		done += n
		if o.Progress != nil {
			o.Progress(done, len(ids))
		}
	}
	tokens, err := s.state.Tokens(s.length, 1)
	if err != nil {
		return 0, s.fail(err)
	}
	if tokens[0] == model.NoToken {
		return 0, s.fail(notFinite(s.length - 1))
	}
	s.pending = true
	return int(tokens[0]), nil
}

// Decode continues the sequence greedily: it feeds the pending token (the one that Prefill returned, or
// the last one of the previous Decode) and returns the tokens that follow it, one for each step, n of
// them unless an end-of-sequence token comes first, which is returned as the last one.
//
// So the 96 tokens after a prompt are the result of Prefill and 95 of Decode.
//
// The n steps must fit the context. When ctx ends, the tokens decoded so far are returned with its error.
func (s *Sequence) Decode(ctx context.Context, n int, o DecodeOptions) ([]int, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if !s.pending {
		return nil, errors.New("engine: decode: no token to feed: Prefill comes first")
	}
	if n < 0 {
		return nil, fmt.Errorf("engine: decode: %d tokens asked for", n)
	}
	if room := s.e.MaxSeqLen() - s.length; n > room {
		return nil, fmt.Errorf("engine: decode: %d tokens from position %d, the context of %d has room for %d", n, s.length, s.e.MaxSeqLen(), room)
	}
	perBuffer, err := tokensPerBuffer(o.TokensPerCommandBuffer, DefaultTokensPerCommandBuffer)
	if err != nil {
		return nil, err
	}
	var stop []int
	if !o.IgnoreEOS {
		stop = s.e.Config().EOSTokenIDs
	}
	if err := s.prepare(s.length, nil); err != nil {
		return nil, err
	}
	var out []int
	for len(out) < n {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		steps := make([]model.Step, min(perBuffer, n-len(out)))
		rows := 0
		for i := range steps {
			steps[i] = model.Step{Index: i, Pos: s.length + i, LogitRow: -1, Argmax: true}
			if o.Logits {
				steps[i].LogitRow = rows
				rows++
			}
		}
		if err := s.run(steps, rows); err != nil {
			return out, err
		}
		first := s.length
		tokens, err := s.state.Tokens(first+1, len(steps))
		if err != nil {
			return out, s.fail(err)
		}
		for i, token := range tokens {
			if token == model.NoToken {
				return out, s.fail(notFinite(first + i))
			}
			s.length++
			out = append(out, int(token))
			if err := s.report(o, steps[i], int(token)); err != nil {
				return out, err
			}
			if slices.Contains(stop, int(token)) {
				return out, s.forget(first + len(steps))
			}
		}
	}
	return out, nil
}

// report hands a token, and its logits when asked for, to the caller.
func (s *Sequence) report(o DecodeOptions, step model.Step, token int) error {
	if o.OnToken == nil {
		return nil
	}
	var logits []float32
	if step.LogitRow >= 0 {
		logits = make([]float32, s.e.Config().VocabSize)
		if err := s.state.Logits(step.LogitRow, logits); err != nil {
			return s.fail(err)
		}
		if err := finite(logits, step.Pos); err != nil {
			return s.fail(err)
		}
	}
	o.OnToken(token, logits)
	return nil
}

// Truncate forgets the tokens from position n on. The pending token is forgotten too: Prefill must come
// before Decode.
func (s *Sequence) Truncate(n int) error {
	if err := s.usable(); err != nil {
		return err
	}
	if n < 0 || n > s.length {
		return fmt.Errorf("engine: truncate to %d tokens, the sequence has %d", n, s.length)
	}
	end := s.length
	s.length, s.pending = n, false
	return s.forget(end)
}

// forget poisons the slots from the sequence's length to position end.
func (s *Sequence) forget(end int) error {
	if err := s.cache.Poison(s.length, end); err != nil {
		return s.fail(err)
	}
	return nil
}

// Close releases the sequence's device memory.
func (s *Sequence) Close() {
	s.cache.Release()
	s.state.Release()
	s.broken = errors.New("engine: the sequence is closed")
}

// prepare tells the device the position and the token ids from there on.
func (s *Sequence) prepare(pos int, ids []int) error {
	if err := s.state.SetPosition(pos); err != nil {
		return s.fail(err)
	}
	if len(ids) == 0 {
		return nil
	}
	if err := s.state.SetTokens(pos, ids); err != nil {
		return s.fail(err)
	}
	return nil
}

// run executes steps in one command buffer.
func (s *Sequence) run(steps []model.Step, logitRows int) error {
	m := s.e.model
	if err := s.state.ReserveLogits(logitRows); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	cb, err := m.Device().NewCommandBuffer(fmt.Sprintf("positions %d to %d", steps[0].Pos, steps[len(steps)-1].Pos))
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	for _, step := range steps {
		if err := m.EncodeStep(cb, s.state, s.cache, step); err != nil {
			return fmt.Errorf("engine: %w", err)
		}
	}
	if err := cb.Commit(); err != nil {
		return s.fail(err)
	}
	if err := cb.Wait(); err != nil {
		return s.fail(fmt.Errorf("positions %d to %d: %w", steps[0].Pos, steps[len(steps)-1].Pos, err))
	}
	return nil
}

// fail marks the sequence as unusable: what its cache holds is not known any more.
func (s *Sequence) fail(err error) error {
	s.broken = fmt.Errorf("engine: the sequence cannot go on after: %w", err)
	return fmt.Errorf("engine: %w", err)
}

func (s *Sequence) usable() error { return s.broken }

func tokensPerBuffer(asked, otherwise int) (int, error) {
	if asked < 0 {
		return 0, fmt.Errorf("engine: TokensPerCommandBuffer is %d, want 0 or more", asked)
	}
	if asked == 0 {
		return otherwise, nil
	}
	return asked, nil
}

// finite refuses logits of which some are NaN or infinite.
func finite(logits []float32, pos int) error {
	for id, v := range logits {
		if !(math.Abs(float64(v)) <= math.MaxFloat32) {
			return fmt.Errorf("logits of position %d are not finite: logits[%d] is %v", pos, id, v)
		}
	}
	return nil
}

func notFinite(pos int) error {
	return fmt.Errorf("logits of position %d are not finite: there is no argmax", pos)
}
