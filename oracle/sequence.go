package oracle

import "context"

// Sequence is a growing context: tokens so far, with their keys and values. It is for one goroutine at a time.
type Sequence struct {
	model   *Model
	options Options
	length  int        // tokens so far
	cache   []*kvCache // by layer
}

// NewSequence starts an empty context.
func (m *Model) NewSequence(o Options) *Sequence {
	s := &Sequence{model: m, options: o}
	for range m.ckpt.Layers {
		s.cache = append(s.cache, newKVCache(m.ckpt.Config.NumKVHeads, m.ckpt.Config.HeadDim))
	}
	return s
}

// Len is the number of tokens so far.
func (s *Sequence) Len() int { return s.length }

// Extend runs new tokens through the model, after those already in the sequence, and returns what is wanted of them.
// Cutting a prompt into several calls gives the same bits as one call. After an error, cancellation included, the
// sequence is as it was.
func (s *Sequence) Extend(ctx context.Context, ids []int, want Want) (*Output, error) {
	return s.forward(ctx, ids, want)
}
