package oracle

import (
	"context"
	"fmt"

	"github.com/octoryn/assay/oracle/weights"
)

// forward is the model, top to bottom. The sequence grows by the new tokens only if it returns no error.
func (s *Sequence) forward(ctx context.Context, ids []int, want Want) (*Output, error) {
	m, c := s.model.ckpt, s.model.ckpt.Config
	if err := s.check(ids, want); err != nil {
		return nil, err
	}
	p := &pass{ctx: ctx, options: s.options, start: s.length}
	out := &Output{}
	steps, total := 0, 2*c.NumLayers+1
	step := func() bool { // between parts: progress, cancellation
		p.fail(ctx.Err())
		if steps++; s.options.Progress != nil && p.err == nil {
			s.options.Progress(steps, total)
		}
		return p.err == nil
	}

	x := embed(m.Embed, ids)                             // [tokens, hidden], the residual stream
	r := p.newRotation(len(ids), c.HeadDim, c.RopeTheta) // [tokens, headDim/2]

	for n, l := range m.Layers {
		p.layer = n
		out.keepHidden(want, x)

		h := p.rmsNorm("input norm", x, l.InputNorm, c.RMSNormEps) // [tokens, hidden]
		h = p.attention(h, l, c, r, s.cache[n])                    // [tokens, hidden]
		x = p.add("attention residual", x, h)
		if !step() {
			return nil, p.err
		}

		h = p.rmsNorm("mlp norm", x, l.PostAttnNorm, c.RMSNormEps) // [tokens, hidden]
		if l.MoE != nil {
			var routing Routing
			h, routing = p.moe(h, l.MoE, c) // [tokens, hidden]
			out.keepRouting(want, routing)
		} else {
			h = p.mlp("", h, l.MLP) // [tokens, hidden]
		}
		x = p.add("mlp residual", x, h)
		if !step() {
			return nil, p.err
		}
	}

	p.layer = c.NumLayers
	x = p.rmsNorm("final norm", x, m.FinalNorm, c.RMSNormEps) // [tokens, hidden]
	out.keepHidden(want, x)
	if want.LogitsFrom >= 0 {
		p.start += want.LogitsFrom
		logits := p.linear("head", x.from(want.LogitsFrom), weights.Linear{Weight: m.Head}) // [tokens wanted, vocab]
		out.Logits = logits.split()
	}
	if !step() {
		return nil, p.err
	}
	s.length += len(ids)
	return out, nil
}

// check refuses what the model has no answer for.
func (s *Sequence) check(ids []int, want Want) error {
	c := s.model.ckpt.Config
	if len(ids) == 0 {
		return fmt.Errorf("oracle: token ids: got none, want at least one")
	}
	for i, id := range ids {
		if id < 0 || id >= c.VocabSize {
			return fmt.Errorf("oracle: token id at position %d: got %d, want 0 to %d", s.length+i, id, c.VocabSize-1)
		}
	}
	if n := s.length + len(ids); n > c.MaxPositionEmbeddings {
		return fmt.Errorf("oracle: context: got %d tokens, want at most max_position_embeddings = %d", n, c.MaxPositionEmbeddings)
	}
	if want.LogitsFrom < -1 || want.LogitsFrom >= len(ids) {
		return fmt.Errorf("oracle: logits from new token %d: want -1 to %d", want.LogitsFrom, len(ids)-1)
	}
	return nil
}

func (o *Output) keepHidden(want Want, x rows) {
	if want.Hidden {
		o.Hidden = append(o.Hidden, x.split())
	}
}

func (o *Output) keepRouting(want Want, r Routing) {
	if want.Router {
		o.Router = append(o.Router, r)
	}
}
