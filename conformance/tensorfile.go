package conformance

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// tensorEntry says where a tensor lies in a safetensors file.
type tensorEntry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"` // from the end of the header
	At      int    `json:"-"`            // from the start of the file
}

// length is the tensor's size in bytes.
func (t tensorEntry) length() int { return t.Offsets[1] - t.Offsets[0] }

// readTensorEntries reads the header of a safetensors file. It is its own reader on purpose: those of oracle and
// engine are among the things judged with its help.
func readTensorEntries(path string) (map[string]tensorEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	var prefix [8]byte
	if _, err := io.ReadFull(f, prefix[:]); err != nil {
		return nil, fmt.Errorf("%s: %d bytes, want at least 8", name, info.Size())
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > uint64(info.Size()-8) {
		return nil, fmt.Errorf("%s: header of %d bytes is longer than the file of %d", name, n, info.Size())
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(f, text); err != nil {
		return nil, fmt.Errorf("%s: header: %w", name, err)
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, fmt.Errorf("%s: header: %w", name, err)
	}
	out := map[string]tensorEntry{}
	for tensor, raw := range header {
		if tensor == "__metadata__" {
			continue
		}
		var t tensorEntry
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("%s: tensor %q: %w", name, tensor, err)
		}
		if t.Offsets[0] < 0 || t.Offsets[1] < t.Offsets[0] || int64(t.Offsets[1]) > info.Size()-8-int64(n) {
			return nil, fmt.Errorf("%s: tensor %q: bytes %d..%d leave the file", name, tensor, t.Offsets[0], t.Offsets[1])
		}
		t.At = 8 + int(n) + t.Offsets[0]
		out[tensor] = t
	}
	return out, nil
}
