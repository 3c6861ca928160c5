package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// result is what one run of the program gave.
type result struct {
	code           int
	stdout, stderr string
}

// assay runs the program to its end.
func assay(args ...string) result {
	GinkgoHelper()
	cmd := exec.Command(program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		Fail(err.Error())
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// copied is a temporary copy of a folder.
func copied(folder string) string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	entries, err := os.ReadDir(folder)
	Expect(err).NotTo(HaveOccurred())
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(dir, e.Name()), data, 0o600)).To(Succeed())
	}
	return dir
}

// rewrite changes a file of a folder.
func rewrite(file string, change func([]byte) []byte) func(dir string) {
	return func(dir string) {
		GinkgoHelper()
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, change(data), 0o600)).To(Succeed())
	}
}

// setJSON changes a JSON object of a folder.
func setJSON(file string, change func(map[string]any)) func(dir string) {
	return rewrite(file, func(data []byte) []byte {
		GinkgoHelper()
		var object map[string]any
		Expect(json.Unmarshal(data, &object)).To(Succeed())
		change(object)
		out, err := json.Marshal(object)
		Expect(err).NotTo(HaveOccurred())
		return out
	})
}

// inHeader replaces text within the header of a safetensors file by text of the same length.
func inHeader(file, tensor, old, replacement string) func(dir string) {
	return rewrite(file, func(data []byte) []byte {
		GinkgoHelper()
		Expect(replacement).To(HaveLen(len(old)))
		end := 8 + int(binary.LittleEndian.Uint64(data))
		header := string(data[8:end])
		from := strings.Index(header, `"`+tensor+`"`)
		Expect(from).To(BeNumerically(">=", 0), "tensor "+tensor)
		at := strings.Index(header[from:], old)
		Expect(at).To(BeNumerically(">=", 0), old)
		copy(data[8+from+at:], replacement)
		return data
	})
}

// setBF16 writes one bf16 value into a tensor of a safetensors file.
func setBF16(file, tensor string, index int, bits uint16) func(dir string) {
	return rewrite(file, func(data []byte) []byte {
		GinkgoHelper()
		end := 8 + int(binary.LittleEndian.Uint64(data))
		var header map[string]struct {
			Offsets [2]int `json:"data_offsets"`
		}
		Expect(json.Unmarshal(data[8:end], &header)).To(Succeed())
		Expect(header).To(HaveKey(tensor))
		binary.LittleEndian.PutUint16(data[end+header[tensor].Offsets[0]+2*index:], bits)
		return data
	})
}
