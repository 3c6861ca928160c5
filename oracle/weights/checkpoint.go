package weights

import (
	"context"
	"errors"
)

const (
	embedName = "model.embed_tokens.weight"
	normName  = "model.norm.weight"
)

// Checkpoint is an open folder. Its matrices read the mapped files and must not be used after Close.
type Checkpoint struct {
	Config    Config
	Packed    bool   // linear weights are int4
	Embed     Matrix // [vocab, hidden]
	Layers    []Layer
	FinalNorm []float64 // [hidden]
	Head      Matrix    // [vocab, hidden]
	folder    *folder
}

// Open maps and checks a folder. The error is an [InputError], or that of ctx. Progress, if not nil, is told how many
// bytes of weights have been read so far.
func Open(ctx context.Context, dir string, progress func(doneBytes, totalBytes int64)) (_ *Checkpoint, err error) {
	c, family, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	packing, err := readPacking(dir)
	if err != nil {
		return nil, err
	}
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	l := &loader{folder: f, packing: packing, used: map[string]bool{}, layouts: map[int]*packedRows{}}
	m := &Checkpoint{Config: c, Packed: packing != nil, folder: f}
	m.Embed = l.plain(embedName, c.VocabSize, c.HiddenSize)
	for n := 0; n < c.NumLayers && l.err == nil; n++ {
		m.Layers = append(m.Layers, family.layer(l, c, n))
	}
	m.FinalNorm = l.vector(normName, c.HiddenSize)
	m.Head = l.head(m.Embed, c)
	l.rest()
	if l.err != nil {
		return nil, l.err
	}
	if err := checkFinite(ctx, f, progress); err != nil {
		return nil, err
	}
	return m, nil
}

// Close unmaps the files.
func (c *Checkpoint) Close() error { return c.folder.close() }
