package engine

import "context"

// Sequence is one growing context: the tokens whose keys and values are in its KV cache, and the
// greedy continuation of the last of them.
type Sequence struct{}

// Len is the number of tokens in the KV cache, which is the position of the next one.
func (s *Sequence) Len() int { return 0 }

// Prefill appends ids to the sequence, whose positions are Len, Len+1, ..., and returns the greedy
// continuation of the last one. That token is not in the cache yet: Decode feeds it first. A caller
// that goes on with other tokens simply calls Prefill again.
func (s *Sequence) Prefill(ctx context.Context, ids []int, o PrefillOptions) (next int, err error) {
	return 0, nil
}

// Decode continues the sequence greedily: it feeds the pending token (the one that Prefill returned, or
// the last one of the previous Decode) and returns the tokens that follow it, one for each step, n of
// them unless an end-of-sequence token comes first, which is returned as the last one.
//
// So the 96 tokens after a prompt are the result of Prefill and 95 of Decode.
func (s *Sequence) Decode(ctx context.Context, n int, o DecodeOptions) ([]int, error) {
	return nil, nil
}

// Truncate forgets the tokens from position n on. The pending token is forgotten too: Prefill must come
// before Decode.
func (s *Sequence) Truncate(n int) error { return nil }

// Close releases the sequence's device memory.
func (s *Sequence) Close() {}
