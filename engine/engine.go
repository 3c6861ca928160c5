package engine

import (
	"context"
	"errors"
)

// Engine is a loaded checkpoint bound to a device. Sequences made by it are independent of one another
// and may be used from different goroutines, one goroutine a sequence.
type Engine struct{}

// Load maps the packed folder dir and prepares it for decoding on o.Device.
func Load(ctx context.Context, dir string, o Options) (*Engine, error) {
	return nil, errors.New("engine: loading is under construction")
}

// MaxSeqLen is the longest context of a sequence, in tokens.
func (e *Engine) MaxSeqLen() int { return 0 }

// NewSequence makes an empty sequence with its own KV cache.
func (e *Engine) NewSequence() (*Sequence, error) { return nil, nil }

// Close releases the weights. Sequences must be closed before.
func (e *Engine) Close() error { return nil }
