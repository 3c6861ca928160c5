package check_test

// Plan. Purpose: each txtar case under testdata is a translation unit. Files ending in .metal or .h are sources, the
// former in order, the latter for #include "...". An error is marked on the offending line with // want "regexp"; a
// missing and an unexpected one both fail. accept/ must check; refuse/ must report; tree/ must also dump as its file
// "tree" says. Controls: the harness itself is tried on a wrong mark, a missing mark and an empty folder.

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

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// cases lists the txtar files of a folder; none is an error.
func cases(folder string) []string {
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no cases in testdata/%s", folder)
	}
	if err != nil {
		panic(err)
	}
	sort.Strings(files)
	return files
}

// entries makes a table of the cases of a folder.
func entries(folder string) []TableEntry {
	var out []TableEntry
	for _, f := range cases(folder) {
		out = append(out, Entry(strings.TrimSuffix(filepath.Base(f), ".txtar"), f))
	}
	return out
}

// run checks the sources in an archive.
func run(a *txtar.Archive) (*check.Program, error) {
	var sources []check.Source
	headers := map[string]string{}
	for _, f := range a.Files {
		switch {
		case strings.HasSuffix(f.Name, ".metal"):
			sources = append(sources, check.Source{Name: f.Name, Text: string(f.Data)})
		case strings.HasSuffix(f.Name, ".h"):
			headers[f.Name] = string(f.Data)
		}
	}
	return check.CheckWith(sources, syntax.Options{Include: func(path, _ string) (check.Source, bool) {
		text, ok := headers[path]
		return check.Source{Name: path, Text: text}, ok
	}})
}

var wantMark = regexp.MustCompile(`// want ("(?:[^"\\]|\\.)*"(?: "(?:[^"\\]|\\.)*")*)`)
var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// mismatches compares what was reported with the marks of an archive.
func mismatches(a *txtar.Archive, err error) []string {
	var list diag.List
	var one *diag.Error
	switch {
	case err == nil:
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = diag.List{one}
	default:
		return []string{err.Error()}
	}
	reported := map[string][]string{}
	for _, e := range list {
		key := fmt.Sprintf("%s:%d", e.Pos.File.Name, e.Pos.Line)
		reported[key] = append(reported[key], e.Code.String()+": "+e.Msg)
	}
	var out []string
	for _, f := range a.Files {
		for i, line := range strings.Split(string(f.Data), "\n") {
			m := wantMark.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			key := fmt.Sprintf("%s:%d", f.Name, i+1)
			for _, q := range quoted.FindAllStringSubmatch(m[1], -1) {
				text, err := strconv.Unquote(q[0])
				if err != nil {
					out = append(out, fmt.Sprintf("%s: %s is no string", key, q[0]))
					continue
				}
				re := regexp.MustCompile(text)
				found := -1
				for k, msg := range reported[key] {
					if re.MatchString(msg) {
						found = k
					}
				}
				if found < 0 {
					out = append(out, fmt.Sprintf("%s: no error matches %s", key, q[0]))
					continue
				}
				reported[key] = append(reported[key][:found], reported[key][found+1:]...)
			}
		}
	}
	for key, msgs := range reported {
		for _, m := range msgs {
			out = append(out, fmt.Sprintf("%s: unexpected %s", key, m))
		}
	}
	sort.Strings(out)
	return out
}

func read(path string) *txtar.Archive {
	GinkgoHelper()
	data, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	return txtar.Parse(data)
}

var _ = Describe("the checker", Label("area:msl"), func() {
	DescribeTable("accepts", func(path string) {
		a := read(path)
		p, err := run(a)
		Expect(mismatches(a, err)).To(BeEmpty())
		Expect(err).NotTo(HaveOccurred())
		Expect(p).NotTo(BeNil())
	}, entries("accept"))

	DescribeTable("refuses", func(path string) {
		a := read(path)
		_, err := run(a)
		Expect(err).To(HaveOccurred())
		Expect(mismatches(a, err)).To(BeEmpty())
	}, entries("refuse"))

	DescribeTable("makes explicit", func(path string) {
		a := read(path)
		p, err := run(a)
		Expect(mismatches(a, err)).To(BeEmpty())
		want := ""
		for _, f := range a.Files {
			if f.Name == "tree" {
				want = string(f.Data)
			}
		}
		Expect(want).NotTo(BeEmpty(), "the case has no file called tree")
		Expect(check.Dump(p)).To(Equal(want))
	}, entries("tree"))
})

var _ = Describe("the harness of the cases", Label("area:msl"), func() {
	archive := func(text string) *txtar.Archive {
		return txtar.Parse([]byte("-- a.metal --\n" + text))
	}
	It("notices an error without a mark", func() {
		a := archive("int f() { return x; }\n")
		_, err := run(a)
		Expect(mismatches(a, err)).To(ConsistOf(`a.metal:1: unexpected MSL3001: "x" is not declared`))
	})
	It("notices a mark without an error", func() {
		a := archive("int f() { return 1; } // want \"nothing\"\n")
		_, err := run(a)
		Expect(mismatches(a, err)).To(ConsistOf(`a.metal:1: no error matches "nothing"`))
	})
	It("is content when each error has its mark", func() {
		a := archive("int f() { return x; } // want \"MSL3001\"\n")
		_, err := run(a)
		Expect(mismatches(a, err)).To(BeEmpty())
	})
	It("refuses an empty folder", func() {
		Expect(func() { cases("nowhere") }).To(Panic())
	})
})
