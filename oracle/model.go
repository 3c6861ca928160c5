package oracle

import (
	"context"

	"github.com/octoryn/assay/oracle/weights"
)

// Config is the model's configuration; see [weights.Config].
type Config = weights.Config

// Model is an open checkpoint. It is safe for concurrent use by several sequences.
type Model struct {
	ckpt *weights.Checkpoint
}

// Open maps a Hugging Face folder (bf16, f16 or f32 safetensors) or a packed int4 folder and checks all of it:
// configuration, tensor names, shapes, types, and that every weight is finite. Weights stay in the files and are
// widened row by row as they are used.
func Open(dir string) (*Model, error) { return OpenContext(context.Background(), dir, nil) }

// OpenContext is [Open] that can be cancelled and reports how many bytes of weights it has checked.
func OpenContext(ctx context.Context, dir string, progress func(doneBytes, totalBytes int64)) (*Model, error) {
	c, err := weights.Open(ctx, dir, progress)
	if err != nil {
		return nil, err
	}
	return &Model{ckpt: c}, nil
}

// Config returns the configuration.
func (m *Model) Config() Config { return m.ckpt.Config }

// Close unmaps the files. Sequences of the model must not be used afterwards.
func (m *Model) Close() error { return m.ckpt.Close() }
