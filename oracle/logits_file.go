package oracle

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
)

// WriteLogits writes rows of logits as a safetensors file with one tensor, `logits`, float64 [tokens, vocab]. The
// file appears under its name only when it is complete: it is written beside it and renamed.
func WriteLogits(file string, rows [][]float64) (err error) {
	vocab := 0
	if len(rows) > 0 {
		vocab = len(rows[0])
	}
	for i, row := range rows {
		if len(row) != vocab {
			return fmt.Errorf("oracle: logits row %d: got %d values, want %d", i, len(row), vocab)
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return fmt.Errorf("oracle: write logits: %w", err)
	}
	defer func() {
		if err != nil {
			temp.Close() // may be closed already; err says what went wrong
			os.Remove(temp.Name())
			err = fmt.Errorf("oracle: write logits: %w", err)
		}
	}()
	if err := writeLogits(temp, rows, vocab); err != nil {
		return err
	}
	if err := temp.Chmod(0o644); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

func writeLogits(w io.Writer, rows [][]float64, vocab int) error {
	type entry struct {
		DType   string `json:"dtype"`
		Shape   [2]int `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header, err := json.Marshal(map[string]entry{"logits": {"F64", [2]int{len(rows), vocab}, [2]int{0, 8 * len(rows) * vocab}}})
	if err != nil {
		return err
	}
	for len(header)%8 != 0 { // data starts on a multiple of 8 bytes
		header = append(header, ' ')
	}
	b := bufio.NewWriterSize(w, 1<<20)
	word := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	if _, err := b.Write(append(word, header...)); err != nil {
		return err
	}
	for _, row := range rows {
		for _, v := range row {
			binary.LittleEndian.PutUint64(word, math.Float64bits(v))
			if _, err := b.Write(word[:8]); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}
