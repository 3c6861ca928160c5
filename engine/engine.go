package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/model"
)

// Engine is a loaded checkpoint bound to a device. Sequences made by it are independent of one another
// and may be used from different goroutines, one goroutine a sequence.
type Engine struct {
	folder *checkpoint.Folder
	model  *model.Model
}

// Load maps the packed folder dir and prepares it for decoding on o.Device.
//
// A folder of bf16 weights is refused with the command that packs it. A model that cannot fit the device is refused
// before a weight is read.
func Load(ctx context.Context, dir string, o Options) (_ *Engine, err error) {
	if o.Device == nil {
		return nil, errors.New("engine: no device given")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !checkpoint.IsPacked(dir) {
		if _, err := checkpoint.ReadConfig(dir); err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
		return nil, fmt.Errorf("engine: %s holds no packed.json: pack it first with: assay pack %s -o DIR", dir, dir)
	}
	folder, err := checkpoint.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	defer func() {
		if err != nil {
			folder.Close()
		}
	}()
	if o.MaxSeqLen < 0 {
		return nil, fmt.Errorf("engine: MaxSeqLen is %d, want 0 or more", o.MaxSeqLen)
	}
	maxSeqLen := o.MaxSeqLen
	if maxSeqLen == 0 {
		maxSeqLen = min(folder.Config().MaxPositionEmbeddings, DefaultMaxSeqLen)
	}
	var progress func(done, total int64)
	if o.Progress != nil {
		progress = func(done, total int64) { o.Progress("load", done, total) }
	}
	m, err := model.New(o.Device, folder, maxSeqLen, progress)
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	return &Engine{folder: folder, model: m}, nil
}

// Config is the checkpoint's configuration.
func (e *Engine) Config() checkpoint.Config { return e.model.Config() }

// MaxSeqLen is the longest context of a sequence, in tokens.
func (e *Engine) MaxSeqLen() int { return e.model.MaxSeqLen() }

// Memory is what the engine takes on the device by kind, with one sequence, predicted from the configuration.
func (e *Engine) Memory() model.Memory { return e.model.Memory() }

// NewSequence makes an empty sequence with its own KV cache.
func (e *Engine) NewSequence() (*Sequence, error) {
	cache, err := e.model.NewCache()
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	state, err := e.model.NewState()
	if err != nil {
		cache.Release()
		return nil, fmt.Errorf("engine: %w", err)
	}
	return &Sequence{e: e, cache: cache, state: state}, nil
}

// Close releases the weights. Sequences must be closed before.
func (e *Engine) Close() error {
	e.model.Release()
	return e.folder.Close()
}
