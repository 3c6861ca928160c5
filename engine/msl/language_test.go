package msl_test

import (
	"fmt"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. Every file of testdata/language is a case as in testdata/exec: a part of the language, used so that what it means can be
// read off a buffer. The part "twin" lists wrong twins, one a line:
//
//	OLD ==> NEW
//
// With OLD replaced in case.metal the case must be refused by the compiler or give other values: it shows that the case would notice
// the mistake that NEW stands for. Expected values are worked out by hand from the C++ rules and the MSL specification, never taken from
// a run.

var _ = Describe("The language", Label("area:msl", "backend:msl"), func() {
	files, err := filepath.Glob("testdata/language/*.txtar")
	if err != nil || len(files) == 0 {
		panic("msl: no cases in testdata/language")
	}
	for _, file := range files {
		It(caseName(file), func() {
			archive, err := txtar.ParseFile(file)
			Expect(err).NotTo(HaveOccurred())
			Expect(languageProblems(archive)).To(BeEmpty())
		})
	}

	It("is judged by twins that can fail", func() {
		text := "a\n-- case.metal --\nkernel void k(device int *out [[buffer(0)]]) { out[0] = 1 + 2; }\n" +
			"-- launch --\nthreads 1\nbuffer 0 int 1 zero\nexpect 0 3\n-- twin --\n%s\n"
		problems := func(twin string) []string { return languageProblems(txtar.Parse(fmt.Appendf(nil, text, twin))) }
		Expect(problems("1 + 2 ==> 1 - 2")).To(BeEmpty())
		Expect(problems("1 + 2 ==> 1 + true")).To(BeEmpty())
		Expect(problems("1 + 2 ==> x")).To(BeEmpty(), "refused by the compiler")
		Expect(problems("1 + 2 ==> 2 + 1")).To(ConsistOf(ContainSubstring("nothing notices")))
		Expect(problems("4 + 2 ==> 2 + 1")).To(ConsistOf(ContainSubstring("does not hold")))
		Expect(problems("")).To(ConsistOf(ContainSubstring("has no twin")))
	})
})

// languageProblems runs a case, which must be as it wants, and its twins, which must not.
func languageProblems(a *txtar.Archive) (problems []string) {
	GinkgoHelper()
	var base txtar.Archive
	var twins []string
	for _, f := range a.Files {
		if f.Name != "twin" {
			base.Files = append(base.Files, f)
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			if strings.TrimSpace(line) != "" {
				twins = append(twins, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	problems = runCase(&base)
	if len(twins) == 0 {
		problems = append(problems, "the case has no twin")
	}
	for _, t := range twins {
		from, to, ok := strings.Cut(t, " ==> ")
		Expect(ok).To(BeTrue(), "twin %q", t)
		wrong := txtar.Archive{Files: append([]txtar.File(nil), base.Files...)}
		changed := false
		for i, f := range wrong.Files {
			if text := string(f.Data); f.Name == "case.metal" && strings.Contains(text, from) {
				changed = true
				wrong.Files[i].Data = []byte(strings.Replace(text, from, to, 1))
			}
		}
		switch {
		case !changed:
			problems = append(problems, fmt.Sprintf("twin %q: the case does not hold its text", t))
		case compiles(&wrong) && len(runCase(&wrong)) == 0:
			problems = append(problems, fmt.Sprintf("twin %q: nothing notices it", t))
		}
	}
	return problems
}

// compiles reports whether the source of a case is accepted, and its only kernel.
func compiles(a *txtar.Archive) bool {
	var text string
	for _, f := range a.Files {
		if f.Name == "case.metal" {
			text = string(f.Data)
		}
	}
	library, err := msl.New(msl.Options{Workers: 1, CompareLanes: true}).Compile([]device.Source{{Name: "case.metal", Text: text}})
	return err == nil && len(library.Kernels()) == 1
}
