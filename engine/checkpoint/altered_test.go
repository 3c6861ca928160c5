package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// fixture is the path of a checkpoint in fixtures.
func fixture(name string) string { return filepath.Join("..", "..", "fixtures", name) }

// copyOf is a copy of a fixture without its answers, that lives as long as the spec.
func copyOf(name string) string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	entries, err := os.ReadDir(fixture(name))
	Expect(err).NotTo(HaveOccurred())
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "expected") || e.Name() == "prompts.json" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(fixture(name), e.Name()))
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(dir, e.Name()), data, 0o644)).To(Succeed())
	}
	return dir
}

// change edits a copy of a fixture.
type change func(dir string)

// editJSON changes one JSON object; a nil value removes the key.
func editJSON(file string, f func(m map[string]any)) change {
	return func(dir string) {
		GinkgoHelper()
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		var m map[string]any
		Expect(json.Unmarshal(data, &m)).To(Succeed())
		f(m)
		data, err = json.Marshal(m)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, data, 0o644)).To(Succeed())
	}
}

func setKey(file, key string, value any) change {
	return editJSON(file, func(m map[string]any) {
		if value == nil {
			delete(m, key)
			return
		}
		m[key] = value
	})
}

func setConfig(key string, value any) change { return setKey("config.json", key, value) }

// stored is one tensor of a file being altered.
type stored struct {
	dtype string
	shape []int
	data  []byte
}

// readFile reads a safetensors file whole; it is right, being a fixture.
func readFile(path string) map[string]*stored {
	GinkgoHelper()
	raw, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	n := binary.LittleEndian.Uint64(raw)
	var header map[string]json.RawMessage
	Expect(json.Unmarshal(raw[8:8+n], &header)).To(Succeed())
	out := map[string]*stored{}
	for name, text := range header {
		if name == "__metadata__" {
			continue
		}
		var e struct {
			DType   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		Expect(json.Unmarshal(text, &e)).To(Succeed())
		out[name] = &stored{e.DType, e.Shape, raw[8+int(n)+e.Offsets[0] : 8+int(n)+e.Offsets[1]]}
	}
	return out
}

// fileOf writes tensors as a safetensors file.
func fileOf(tensors map[string]*stored) []byte {
	GinkgoHelper()
	header, data := map[string]any{}, []byte{}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		t := tensors[name]
		header[name] = map[string]any{"dtype": t.dtype, "shape": t.shape, "data_offsets": []int{len(data), len(data) + len(t.data)}}
		data = append(data, t.data...)
	}
	text, err := json.Marshal(header)
	Expect(err).NotTo(HaveOccurred())
	return frame(string(text), data)
}

// frame puts a header's length before it and data behind.
func frame(header string, data []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

// editTensors changes the tensors of model.safetensors.
func editTensors(f func(t map[string]*stored)) change {
	return func(dir string) {
		GinkgoHelper()
		path := filepath.Join(dir, singleFile)
		t := readFile(path)
		f(t)
		Expect(os.WriteFile(path, fileOf(t), 0o644)).To(Succeed())
	}
}

// editBytes changes a file as bytes.
func editBytes(name string, f func(b []byte) []byte) change {
	return func(dir string) {
		GinkgoHelper()
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, f(b), 0o644)).To(Succeed())
	}
}

func removeFile(name string) change {
	return func(dir string) { Expect(os.Remove(filepath.Join(dir, name))).To(Succeed()) }
}

// expectRefusal demands one *Error of the kind, on one line, that holds the words.
func expectRefusal(err error, kind Kind, words ...string) {
	GinkgoHelper()
	Expect(err).To(HaveOccurred())
	var e *Error
	Expect(errors.As(err, &e)).To(BeTrue(), "got %T: %v", err, err)
	Expect(e.Kind).To(Equal(kind), "%v", err)
	Expect(err.Error()).NotTo(ContainSubstring("\n"))
	for _, w := range words {
		Expect(err.Error()).To(ContainSubstring(w))
	}
}
