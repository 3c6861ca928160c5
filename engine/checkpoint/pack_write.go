package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// write makes every file of the output in the folder work.
func (p *packPlan) write(ctx context.Context, src, work string, o PackOptions) (err error) {
	progress := p.newProgress(o)
	names, err := copySmallFiles(src, work)
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, name := range names {
		if sums[name], err = hashFile(ctx, filepath.Join(src, name), nil); err != nil {
			return err
		}
	}
	files, err := p.createShards(work)
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	if err != nil {
		return err
	}
	if err := p.runWorkers(ctx, files, sums, progress, o); err != nil {
		return err
	}
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return &Error{Kind: Unwritable, File: f.Name(), Err: err}
		}
	}
	index, err := p.index()
	if err != nil {
		return err
	}
	if index != nil {
		if err := os.WriteFile(filepath.Join(work, indexFile), index, 0o644); err != nil {
			return &Error{Kind: Unwritable, File: filepath.Join(work, indexFile), Err: err}
		}
	}
	return packedHeader{Format: packedName, Version: packedVersion, Scheme: p.format.Scheme.String(), GroupSize: p.format.GroupSize,
		ScaleSearch: o.Search.String(), Source: packedSource{Files: sums}}.write(work)
}

// createShards makes the shard files at full length with their headers.
func (p *packPlan) createShards(work string) ([]*os.File, error) {
	var files []*os.File
	for i, size := range p.sizes {
		path := filepath.Join(work, p.shardName(i))
		f, err := os.Create(path)
		if err != nil {
			return files, &Error{Kind: Unwritable, File: path, Err: err}
		}
		files = append(files, f)
		if _, err = f.WriteAt(p.headers[i], 0); err == nil {
			err = f.Truncate(size)
		}
		if err != nil {
			return files, &Error{Kind: Unwritable, File: path, Err: err}
		}
	}
	return files, nil
}

// runWorkers hashes the source files, copies the plain tensors and quantises the matrices. Every piece of work
// writes bytes nothing else writes, so the order in which pieces are done does not show.
func (p *packPlan) runWorkers(ctx context.Context, files []*os.File, sums map[string]string, progress func(int64), o PackOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan func(*packWorker) error)
	go func() {
		defer close(work)
		send := func(f func(*packWorker) error) bool {
			select {
			case work <- f:
				return true
			case <-ctx.Done():
				return false
			}
		}
		var mu sync.Mutex
		for _, f := range p.ts.files {
			if !send(func(*packWorker) error {
				sum, err := hashFile(ctx, f.path, progress)
				mu.Lock()
				defer mu.Unlock()
				sums[filepath.Base(f.path)] = sum
				return err
			}) {
				return
			}
		}
		for _, t := range p.plain {
			if !send(func(*packWorker) error { return t.write(ctx, files[t.out.shard], progress) }) {
				return
			}
		}
		for i := range p.matrices {
			m := &p.matrices[i]
			for _, u := range m.units() {
				if !send(func(w *packWorker) error {
					err := w.do(u, files[m.codes.shard])
					progress(int64(u.values() * u.b.from[0].tensor.dtype.Bytes()))
					return err
				}) {
					return
				}
			}
		}
	}()
	var wg sync.WaitGroup
	for range o.Workers {
		wg.Go(func() {
			w := &packWorker{format: p.format, search: o.Search}
			for f := range work {
				if ctx.Err() != nil {
					return
				}
				if err := f(w); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// newProgress returns a function that adds bytes and reports; it may be called from any goroutine.
func (p *packPlan) newProgress(o PackOptions) func(int64) {
	var total, done int64
	for _, f := range p.ts.files {
		total += f.size
	}
	for _, t := range p.plain {
		for _, s := range t.from {
			total += s.length
		}
	}
	for i := range p.matrices {
		for _, b := range p.matrices[i].blocks {
			for _, s := range b.from {
				total += int64(b.rows) * int64(s.k) * int64(s.tensor.dtype.Bytes())
			}
		}
	}
	var mu sync.Mutex
	return func(n int64) {
		if o.Progress != nil {
			mu.Lock()
			defer mu.Unlock()
			done += n
			o.Progress(done, total)
		}
	}
}

// hashFile returns the sha256 of a file in hex.
func hashFile(ctx context.Context, path string, progress func(int64)) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer f.Close()
	h, buf := sha256.New(), make([]byte, copyChunk)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.Read(buf)
		h.Write(buf[:n])
		if progress != nil {
			progress(int64(n))
		}
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", unreadable(path, err)
		}
	}
}
