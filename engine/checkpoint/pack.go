package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/octoryn/assay/engine/int4"
)

// DefaultShardBytes is the largest shard Pack makes, unless one matrix alone is larger.
const DefaultShardBytes = 4 << 30

// PackOptions says how Pack quantises. The zero value is what `assay pack` does by default.
type PackOptions struct {
	Scheme     int4.Scheme // symmetric unless set
	GroupSize  int         // 0: int4.DefaultGroupSize
	Search     int4.Search // the scheme's default unless set
	ShardBytes int64       // 0: DefaultShardBytes
	Workers    int         // goroutines; 0: GOMAXPROCS
	// Progress is called from one goroutine at a time with the bytes handled so far and in all, source bytes
	// hashed and source bytes packed together.
	Progress func(done, total int64)
}

// Pack writes a packed-int4 folder from a Hugging Face folder in bf16, f16 or f32.
//
// It reads and writes a few rows at a time: memory does not grow with the model. The output is a function of
// source and options alone; the number of workers does not change a byte. It is written to a temporary
// folder beside dst, which is renamed at the end: dst is complete or absent. dst may be an empty folder.
//
// Linear weights are quantised as QuantizeRow does; embeddings, norms, router and biases keep their bits
// (a bf16 tensor stays bf16; f16 and f32 tensors become bf16 when every value is one, else f32).
//
// Errors are *Error, or the context's when cancelled; nothing is left behind.
func Pack(ctx context.Context, src, dst string, o PackOptions) (err error) {
	if o.GroupSize == 0 {
		o.GroupSize = int4.DefaultGroupSize
	}
	if o.ShardBytes <= 0 {
		o.ShardBytes = DefaultShardBytes
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	format := int4.Format{Scheme: o.Scheme, GroupSize: o.GroupSize}
	if err := format.Validate(); err != nil {
		return err
	}
	o.Search = o.Search.For(o.Scheme)
	if o.Scheme == int4.Affine && (o.Search == int4.SignedMax || o.Search == int4.Exhaustive) {
		return fmt.Errorf("checkpoint: scale search %q is for the symmetric scheme only", o.Search)
	}
	if IsPacked(src) {
		return &Error{Kind: Unsupported, File: filepath.Join(src, packedFile), Got: "a packed folder", Want: "a folder with bf16, f16 or f32 weights"}
	}
	config, err := ReadConfig(src)
	if err != nil {
		return err
	}
	if err := checkPackable(filepath.Join(src, "config.json"), config); err != nil {
		return err
	}
	ts, err := openTensors(src)
	if err != nil {
		return err
	}
	defer ts.close()
	plan, err := planPack(ctx, ts, config, format, o)
	if err != nil {
		return err
	}
	work, err := beginOutput(dst)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(work)
		}
	}()
	if err := plan.write(ctx, src, work, o); err != nil {
		return err
	}
	return finishOutput(work, dst)
}

// beginOutput makes the temporary folder beside dst, after checking that dst is absent or empty.
func beginOutput(dst string) (string, error) {
	names, err := os.ReadDir(dst)
	switch {
	case err == nil && len(names) > 0:
		return "", &Error{Kind: Exists, File: dst, Got: fmt.Sprintf("a folder with %d entries", len(names)), Want: "no such folder, or an empty one"}
	case err != nil && !isNotExist(err):
		return "", &Error{Kind: Exists, File: dst, Err: err}
	}
	dst = filepath.Clean(dst)
	work, err := os.MkdirTemp(filepath.Dir(dst), "."+filepath.Base(dst)+".partial-*")
	if err != nil {
		return "", &Error{Kind: Unwritable, File: dst, Err: err}
	}
	if err := os.Chmod(work, 0o755); err != nil {
		os.Remove(work)
		return "", &Error{Kind: Unwritable, File: dst, Err: err}
	}
	return work, nil
}

// finishOutput puts the finished folder in place.
func finishOutput(work, dst string) error {
	if err := os.Remove(dst); err != nil && !isNotExist(err) {
		return &Error{Kind: Unwritable, File: dst, Err: err}
	}
	if err := os.Rename(work, dst); err != nil {
		return &Error{Kind: Unwritable, File: dst, Err: err}
	}
	return nil
}

// copiedFiles are taken over byte for byte; all but config.json only when present.
var copiedFiles = []string{"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"}

// copySmallFiles copies copiedFiles and returns the names of those that were there.
func copySmallFiles(src, dst string) ([]string, error) {
	var names []string
	for _, name := range copiedFiles {
		from := filepath.Join(src, name)
		in, err := os.Open(from)
		if isNotExist(err) && name != "config.json" {
			continue
		}
		if err != nil {
			return nil, unreadable(from, err)
		}
		err = writeFile(filepath.Join(dst, name), in)
		in.Close()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func writeFile(path string, from io.Reader) error {
	out, err := os.Create(path)
	if err != nil {
		return &Error{Kind: Unwritable, File: path, Err: err}
	}
	_, err = io.Copy(out, from)
	if err = errors.Join(err, out.Close()); err != nil {
		return &Error{Kind: Unwritable, File: path, Err: err}
	}
	return nil
}
