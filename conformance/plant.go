package conformance

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyFolder copies the regular files of src into dst, which must exist.
func copyFolder(src, dst string) error {
	entries, err := os.ReadDir(src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(src, e.Name())) // follow links
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if err := copyFile(filepath.Join(src, e.Name()), filepath.Join(dst, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// folderBytes is the total size of the regular files of a folder.
func folderBytes(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err != nil {
			return 0, err
		}
		if info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n, nil
}

// editTensor rewrites the bytes of one tensor of a folder in place, wherever its shard is. edit changes data, whose
// length it keeps. It is an error when the folder has no such tensor: a fault that was not planted proves nothing.
func editTensor(dir, name string, edit func(t tensorEntry, data []byte)) error {
	shards, err := fs.Glob(os.DirFS(dir), "*.safetensors")
	if err != nil {
		return err
	}
	for _, shard := range shards {
		path := filepath.Join(dir, shard)
		entries, err := readTensorEntries(path)
		if err != nil {
			return err
		}
		t, ok := entries[name]
		if !ok {
			continue
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		data := make([]byte, t.length())
		_, err = f.ReadAt(data, int64(t.At))
		if err == nil {
			edit(t, data)
			_, err = f.WriteAt(data, int64(t.At))
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	}
	return fmt.Errorf("%s: no tensor %q", dir, name)
}

// copyRow makes rows of a [rows, ...] tensor equal to row from, byte for byte.
func copyRow(from int, to []int) func(t tensorEntry, data []byte) {
	return func(t tensorEntry, data []byte) {
		n := len(data) / t.Shape[0]
		for _, r := range to {
			copy(data[r*n:(r+1)*n], data[from*n:(from+1)*n])
		}
	}
}

// tieLogits edits a packed folder so that the given tokens have exactly the logit of token id, whatever the input:
// their rows of the output head become copies of its row.
func tieLogits(dir string, id int, tied []int) error {
	for _, part := range []string{"lm_head.codes", "lm_head.scales", "lm_head.offsets"} {
		err := editTensor(dir, part, copyRow(id, tied))
		if err != nil && strings.HasSuffix(part, ".offsets") { // the symmetric scheme has none
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
