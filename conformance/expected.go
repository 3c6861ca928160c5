package conformance

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Expected holds answers from elsewhere for one checkpoint: the files expected.json and expected.safetensors, as
// fixtures/README.md describes them.
type Expected struct {
	Source  string // what made the answers, such as "transformers 5.17.0, torch 2.11.0"
	Prompts []ExpectedPrompt
}

// ExpectedPrompt is what one prompt must give.
type ExpectedPrompt struct {
	Name   string
	IDs    []int
	Greedy []int         // the greedy continuation of the float64 model
	Logits [][]float64   // [kept rows, vocab]: the last positions of the prompt
	Hidden [][][]float64 // [layers+1][tokens][hidden]: the embedding first, the final norm's output last; nil when absent
}

// ReadExpected reads the answers in a checkpoint folder. It returns nil without an error unless both files are
// there. An error names the file and the field.
func ReadExpected(dir string) (*Expected, error) {
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	tensors, err := readTensorsF64(filepath.Join(dir, "expected.safetensors"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var doc struct {
		Torch, Transformers string
		Prompts             map[string]struct {
			IDs      []int `json:"ids"`
			KeptRows int   `json:"kept_rows"`
			Greedy   []int `json:"greedy_f64"`
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("expected.json: %w", err)
	}
	e := &Expected{Source: fmt.Sprintf("transformers %s, torch %s", doc.Transformers, doc.Torch)}
	for name, p := range doc.Prompts {
		out := ExpectedPrompt{Name: name, IDs: p.IDs, Greedy: p.Greedy}
		logits, ok := tensors[name+".logits.f64"]
		if !ok {
			return nil, fmt.Errorf("expected.safetensors: tensor %q is missing", name+".logits.f64")
		}
		out.Logits = logits
		if len(p.IDs) == 0 || len(p.Greedy) == 0 || len(logits) != p.KeptRows || p.KeptRows > len(p.IDs) {
			return nil, fmt.Errorf("expected.json: prompt %q: %d ids, %d greedy ids, kept_rows %d, tensor of %d rows", name,
				len(p.IDs), len(p.Greedy), p.KeptRows, len(logits))
		}
		for layer := 0; ; layer++ {
			h, ok := tensors[fmt.Sprintf("%s.hidden.%d.f64", name, layer)]
			if !ok {
				break
			}
			out.Hidden = append(out.Hidden, h)
		}
		e.Prompts = append(e.Prompts, out)
	}
	if len(e.Prompts) == 0 {
		return nil, errors.New("expected.json: prompts is missing or empty")
	}
	slices.SortFunc(e.Prompts, func(a, b ExpectedPrompt) int {
		if d := len(a.IDs) - len(b.IDs); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return e, nil
}

// Prompt finds the answers for a prompt by name and ids; nil when there are none.
func (e *Expected) Prompt(name string, ids []int) *ExpectedPrompt {
	if e == nil {
		return nil
	}
	i := slices.IndexFunc(e.Prompts, func(p ExpectedPrompt) bool { return p.Name == name && slices.Equal(p.IDs, ids) })
	if i < 0 {
		return nil
	}
	return &e.Prompts[i]
}

// readTensorsF64 reads every two-dimensional F64 tensor of a safetensors file.
func readTensorsF64(path string) (map[string][][]float64, error) {
	entries, err := readTensorEntries(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string][][]float64{}
	for name, t := range entries {
		if t.DType != "F64" || len(t.Shape) != 2 {
			continue
		}
		rows, cols := t.Shape[0], t.Shape[1]
		if rows < 0 || cols < 0 || t.length() != 8*rows*cols {
			return nil, fmt.Errorf("%s: tensor %q: %d bytes for shape %v", filepath.Base(path), name, t.length(), t.Shape)
		}
		values := make([][]float64, rows)
		for r := range values {
			values[r] = make([]float64, cols)
			for c := range values[r] {
				values[r][c] = math.Float64frombits(binary.LittleEndian.Uint64(data[t.At+8*(r*cols+c):]))
			}
		}
		out[name] = values
	}
	return out, nil
}
