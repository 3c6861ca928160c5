package syntax_test

// Plan. Purpose: txtar cases under testdata. expand/: the tokens of input.metal after preprocessing, joined by spaces, are
// those of the file "tokens". print/: input.metal prints as "printed". refuse/: the first mistake is where // want
// "regexp" says, and nothing is reported without a mark. Besides, every source that package check accepts, and every
// kernel we ship, prints to text that parses and prints the same. Controls: a printer that loses a token turns
// the last two red, since the second print is compared with the first.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// glob lists files; none is an error.
func glob(pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("no files match %s: %v", pattern, err))
	}
	sort.Strings(files)
	return files
}

func entries(pattern string) []TableEntry {
	var out []TableEntry
	for _, f := range glob(pattern) {
		out = append(out, Entry(filepath.Base(f), f))
	}
	return out
}

// archive reads a case: its sources, its headers and its other files.
func archive(path string) (sources []syntax.Source, opts syntax.Options, other map[string]string) {
	GinkgoHelper()
	data, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	other = map[string]string{}
	for _, f := range txtar.Parse(data).Files {
		if strings.HasSuffix(f.Name, ".metal") {
			sources = append(sources, syntax.Source{Name: f.Name, Text: string(f.Data)})
			continue
		}
		other[f.Name] = string(f.Data)
	}
	opts.Include = func(path, _ string) (syntax.Source, bool) {
		text, ok := other[path]
		return syntax.Source{Name: path, Text: text}, ok && strings.HasSuffix(path, ".h")
	}
	return sources, opts, other
}

// expectStable prints, parses and prints again.
func expectStable(sources []syntax.Source, opts syntax.Options) string {
	GinkgoHelper()
	f, err := syntax.Parse(sources, opts)
	Expect(err).NotTo(HaveOccurred())
	first := syntax.Print(f)
	g, err := syntax.Parse([]syntax.Source{{Name: "printed.metal", Text: first}}, syntax.Options{})
	if err != nil {
		Fail(diag.Render(err))
	}
	Expect(syntax.Print(g)).To(Equal(first))
	return first
}

var wantMark = regexp.MustCompile(`// want ("(?:[^"\\]|\\.)*")`)

var _ = Describe("the preprocessor", Label("area:msl"), func() {
	DescribeTable("expands", func(path string) {
		sources, opts, other := archive(path)
		toks, err := syntax.Tokens(sources, opts)
		Expect(err).NotTo(HaveOccurred())
		var b strings.Builder
		line := ""
		for _, t := range toks {
			if t.Kind == syntax.EOF {
				break
			}
			n, file := t.Pos.Presumed()
			if at := fmt.Sprintf("%s:%d:", file, n); at != line {
				if line != "" {
					b.WriteByte('\n')
				}
				line = at
				b.WriteString(at)
			}
			b.WriteByte(' ')
			if t.Kind == syntax.Pragma {
				b.WriteString("#pragma ")
			}
			b.WriteString(t.Text)
		}
		Expect(b.String() + "\n").To(Equal(other["tokens"]))
	}, entries("testdata/expand/*.txtar"))
})

var _ = Describe("the parser", Label("area:msl"), func() {
	DescribeTable("prints", func(path string) {
		sources, opts, other := archive(path)
		Expect(expectStable(sources, opts)).To(Equal(other["printed"]))
	}, entries("testdata/print/*.txtar"))

	DescribeTable("refuses", func(path string) {
		data, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		for _, f := range txtar.Parse(data).Files {
			_, err := syntax.Parse([]syntax.Source{{Name: f.Name, Text: string(f.Data)}}, syntax.Options{})
			var got *diag.Error
			Expect(errors.As(err, &got)).To(BeTrue(), f.Name)
			marked := false
			for i, line := range strings.Split(string(f.Data), "\n") {
				m := wantMark.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				marked = true
				text, err := strconv.Unquote(m[1])
				Expect(err).NotTo(HaveOccurred())
				Expect(got.Code.String()+": "+got.Msg).To(MatchRegexp(text), f.Name)
				Expect(got.Pos.Line).To(Equal(i+1), "%s: %s", f.Name, got)
			}
			Expect(marked).To(BeTrue(), "%s has no mark: %s", f.Name, got)
		}
	}, entries("testdata/refuse/*.txtar"))

	DescribeTable("prints what parses to the same print", func(path string) {
		if strings.HasSuffix(path, ".metal") {
			text, err := os.ReadFile(path)
			Expect(err).NotTo(HaveOccurred())
			sources := []syntax.Source{{Name: path, Text: string(text)}}
			if filepath.Base(path) != "contract.metal" {
				prelude, err := os.ReadFile(filepath.Join(filepath.Dir(path), "contract.metal"))
				Expect(err).NotTo(HaveOccurred())
				sources = append([]syntax.Source{{Name: "contract.metal", Text: string(prelude)}}, sources...)
			}
			expectStable(sources, syntax.Options{})
			return
		}
		sources, opts, _ := archive(path)
		expectStable(sources, opts)
	}, entries("../check/testdata/accept/*.txtar"), entries("../check/testdata/tree/*.txtar"), entries("../../../kernels/*.metal"))
})
