package oracle

import "context"

// Sequence is a growing context: tokens so far, with their keys and values. It is for one goroutine at a time.
type Sequence struct {
	model   *Model
	options Options
	length  int // tokens so far
}

// NewSequence starts an empty context.
func (m *Model) NewSequence(o Options) *Sequence { return &Sequence{model: m, options: o} }

// Len is the number of tokens so far.
func (s *Sequence) Len() int { return s.length }

// Extend runs new tokens through the model, after those already in the sequence, and returns what is wanted of them.
func (s *Sequence) Extend(ctx context.Context, ids []int, want Want) (*Output, error) {
	return s.forward(ctx, ids, want)
}
