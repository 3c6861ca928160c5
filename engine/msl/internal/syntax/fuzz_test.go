package syntax_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
)

// seeds are the sources of all cases and of our kernels.
func seeds() []string {
	var out []string
	for _, pattern := range []string{"testdata/*/*.txtar", "../check/testdata/*/*.txtar", "../../../kernels/*.metal"} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				panic(err)
			}
			if strings.HasSuffix(f, ".metal") {
				out = append(out, string(data))
				continue
			}
			for _, s := range txtar.Parse(data).Files {
				out = append(out, string(s.Data))
				if strings.Contains(f, "refuse") { // a line each, so that mistakes late in a file are reached
					out = append(out, strings.Split(string(s.Data), "\n")...)
				}
			}
		}
	}
	return out
}

// FuzzParse looks for text that makes the preprocessor, scanner or parser panic, and for text that prints as something
// that does not parse or prints differently.
func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := syntax.Parse([]syntax.Source{{Name: "fuzz.metal", Text: text}}, syntax.Options{})
		if err != nil {
			var e *diag.Error
			if !errors.As(err, &e) || diag.Render(err) == "" {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		first := syntax.Print(file)
		again, err := syntax.Parse([]syntax.Source{{Name: "printed.metal", Text: first}}, syntax.Options{})
		if err != nil {
			t.Fatalf("print does not parse:\n%s\n%s", diag.Render(err), first)
		}
		if second := syntax.Print(again); second != first {
			t.Fatalf("print changes:\n%s\nbecomes\n%s", first, second)
		}
	})
}
