package check_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// FuzzCheck looks for text that makes the checker panic or run without end. A program that is returned must dump
// without a node that stands for a mistake.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.txtar", "../../../kernels/*.metal"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			if strings.HasSuffix(file, ".metal") {
				f.Add(string(data))
				continue
			}
			for _, s := range txtar.Parse(data).Files {
				f.Add(string(s.Data))
				for _, line := range strings.Split(string(s.Data), "\n") {
					f.Add(line)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := check.Check([]check.Source{{Name: "fuzz.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}})
		if err != nil {
			var list diag.List
			var one *diag.Error
			if !errors.As(err, &list) && !errors.As(err, &one) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			if len(list) > 0 && list[0].Code == 0 || diag.Render(err) == "" {
				t.Fatalf("diagnostic without a code: %v", err)
			}
			return
		}
		if strings.Contains(check.Dump(p), "<invalid>") {
			t.Fatalf("an invalid type was accepted:\n%s", check.Dump(p))
		}
	})
}
