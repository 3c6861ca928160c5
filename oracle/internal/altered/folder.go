package altered

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Tensor is one tensor of a safetensors file.
type Tensor struct {
	DType string
	Shape []int
	Data  []byte
}

// Copy copies a folder into dst, which must not hold the same files.
func Copy(dst, src string) error { return os.CopyFS(dst, os.DirFS(src)) }

// JSON changes the object in a JSON file of a folder.
func JSON(dir, name string, change func(object map[string]any)) error {
	file := filepath.Join(dir, name)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	change(object)
	if text, err = json.Marshal(object); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// Tensors changes the tensors of a safetensors file of a folder.
func Tensors(dir, name string, change func(tensors map[string]*Tensor)) error {
	file := filepath.Join(dir, name)
	bytes, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(bytes)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(bytes[8:8+n], &header); err != nil {
		return err
	}
	delete(header, "__metadata__")
	tensors := map[string]*Tensor{}
	for name, text := range header {
		var h entry
		if err := json.Unmarshal(text, &h); err != nil {
			return err
		}
		tensors[name] = &Tensor{h.DType, h.Shape, slices.Clone(bytes[8+n:][h.Offsets[0]:h.Offsets[1]])}
	}
	change(tensors)
	return Write(file, tensors)
}

type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// Write writes a safetensors file, tensors in order of their names.
func Write(file string, tensors map[string]*Tensor) error {
	header, data := map[string]entry{}, []byte{}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		t := tensors[name]
		header[name] = entry{t.DType, t.Shape, [2]int{len(data), len(data) + len(t.Data)}}
		data = append(data, t.Data...)
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	return os.WriteFile(file, Frame(string(text), data), 0o644)
}

// Frame is the bytes of a safetensors file with this header text, whatever it says.
func Frame(header string, data []byte) []byte {
	bytes := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(bytes, header...), data...)
}
