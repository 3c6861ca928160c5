package weights

import (
	"context"
	"errors"
)

// Checkpoint is an open folder.
type Checkpoint struct {
	Config Config
}

// Open maps and checks a folder.
func Open(ctx context.Context, dir string, progress func(doneBytes, totalBytes int64)) (*Checkpoint, error) {
	return nil, errors.New("weights: not written yet")
}

// Close unmaps the files.
func (c *Checkpoint) Close() error { return nil }
