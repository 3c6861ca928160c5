package check_test

import (
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/octoryn/assay/engine/msl/internal/check"
)

// BenchmarkKernels parses and checks the kernels we ship, as one translation unit. The contract comes first.
func BenchmarkKernels(b *testing.B) {
	first := map[string]int{"contract.metal": -3, "int4.metal": -2, "norm.metal": -1, "router.metal": -1}
	files, err := filepath.Glob("../../../kernels/*.metal")
	if err != nil || len(files) == 0 {
		b.Fatal("no kernels", err)
	}
	sort.SliceStable(files, func(i, j int) bool { return first[filepath.Base(files[i])] < first[filepath.Base(files[j])] })
	var sources []check.Source
	bytes := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		bytes += len(text)
		sources = append(sources, check.Source{Name: filepath.Base(f), Text: string(text)})
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		if _, err := check.Check(sources); err != nil {
			b.Fatal(err)
		}
	}
}
