package check_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
)

// caseWords returns the tokens of each source of the cases.
func caseWords(f testing.TB) [][]string {
	var out [][]string
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("no cases", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range txtar.Parse(data).Files {
			toks, err := syntax.Tokens([]syntax.Source{{Name: s.Name, Text: string(s.Data)}}, syntax.Options{})
			if err != nil || !strings.HasSuffix(s.Name, ".metal") {
				continue
			}
			var words []string
			for _, t := range toks {
				if t.Kind == syntax.Pragma {
					words = append(words, "\n#pragma "+t.Text+"\n")
				} else {
					words = append(words, t.Text)
				}
			}
			out = append(out, words)
		}
	}
	return out
}

// FuzzMutants deletes, repeats, exchanges and replaces whole tokens of the cases, which reaches further than changing
// bytes does: most mutants parse.
func FuzzMutants(f *testing.F) {
	corpus := caseWords(f)
	for i := range 2 * len(corpus) {
		f.Add(uint64(i), uint8(i), uint8(1+i%3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, which, count uint8) {
		r := rand.New(rand.NewPCG(seed, uint64(which)))
		words := append([]string(nil), corpus[int(which)%len(corpus)]...)
		other := corpus[r.IntN(len(corpus))]
		for range int(count%4) + 1 {
			i, j := r.IntN(len(words)), r.IntN(len(words))
			switch r.IntN(5) {
			case 0:
				words = append(words[:i:i], words[i+1:]...)
			case 1:
				words = append(words[:i:i], append([]string{words[i]}, words[i:]...)...)
			case 2:
				words[i], words[j] = words[j], words[i]
			case 3:
				words[i] = words[j]
			case 4:
				words[i] = other[r.IntN(len(other))]
			}
			if len(words) == 0 {
				return
			}
		}
		text := strings.Join(words, " ")
		if p, err := check.Check([]check.Source{{Name: "mutant.metal", Text: text}}); err == nil && strings.Contains(check.Dump(p), "<invalid>") {
			t.Fatalf("an invalid type was accepted:\n%s", text)
		}
		file, err := syntax.Parse([]syntax.Source{{Name: "mutant.metal", Text: text}}, syntax.Options{})
		if err != nil {
			return
		}
		first := syntax.Print(file)
		again, err := syntax.Parse([]syntax.Source{{Name: "printed.metal", Text: first}}, syntax.Options{})
		if err != nil {
			t.Fatalf("print does not parse: %v\n%s", err, first)
		}
		if syntax.Print(again) != first {
			t.Fatalf("print changes:\n%s", first)
		}
	})
}
