package msl_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// Plan. Purpose: every row of LANGUAGE.md names a file or a number; every file named exists; every number named is of a code that
// exists and that a case wants; every section of the chapters is there; every function of the library is named there and called in a
// case that runs; what is said to be written in a file is in it. Controls: a row of each wrong kind is reported.
// Sources: Apple's Metal Shading Language Specification, version 4, for the sections; check/builtin.go for the functions.

// languageSections are the sections that the table must have, each a prefix of one row.
var languageSections = func() (list []string) {
	add := func(prefix string, last int) {
		for i := 1; i <= last; i++ {
			list = append(list, fmt.Sprintf("%s.%d ", prefix, i))
		}
	}
	add("1.4", 4)
	list = append(list, "1.5 ", "1.6 ")
	add("2", 21)
	add("3", 2)
	add("4", 8)
	add("5", 8)
	add("6", 18)
	return list
}()

var (
	linkPattern   = regexp.MustCompile(`\[[^\]]+\]\(([^)]+)\)`)
	numberPattern = regexp.MustCompile(`MSL(\d{4})`)
	wordPattern   = regexp.MustCompile("`([^`]+)`")
)

// tableRows returns the cells of the rows of a Markdown text that have n cells.
func tableRows(text string, n int) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "| ") || len(cells) != n {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows[min(1, len(rows)):] // without the heading
}

// missingFiles lists the links of a text that lead nowhere.
func missingFiles(text string) (problems []string) {
	for _, m := range linkPattern.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(m[1]); err != nil {
			problems = append(problems, m[1]+" does not exist")
		}
	}
	return problems
}

// sectionProblems says what is wrong with the rows of sections.
func sectionProblems(rows [][]string, sections []string, cases map[diag.Code]string) (problems []string) {
	for _, r := range rows {
		name, refused, examples := r[0], r[2], r[3]
		files, numbers := linkPattern.FindAllString(examples, -1), numberPattern.FindAllStringSubmatch(refused, -1)
		if len(files) == 0 && len(numbers) == 0 || r[1] != "" && len(files) == 0 {
			problems = append(problems, name+": no example and no number")
		}
		if r[1] == "" && len(numbers) == 0 {
			problems = append(problems, name+": neither supported nor refused")
		}
		for _, p := range missingFiles(examples) {
			problems = append(problems, name+": "+p)
		}
		for _, m := range numbers {
			n, _ := strconv.Atoi(m[1])
			if cases[diag.Code(n)] == "" {
				problems = append(problems, name+": "+m[0]+" is no number that a case wants")
			}
		}
	}
	for _, s := range sections {
		found := false
		for _, r := range rows {
			found = found || strings.HasPrefix(r[0]+" ", s) || strings.HasPrefix(r[0], strings.TrimSuffix(s, " ")+".")
		}
		if !found {
			problems = append(problems, "no row of section "+s)
		}
	}
	return problems
}

// choiceProblems says which of the things that are said to be written in a file are not in it. A folder stands for its doc.go.
func choiceProblems(rows [][]string) (problems []string) {
	for _, r := range rows {
		links, words := linkPattern.FindAllStringSubmatch(r[2], -1), wordPattern.FindAllStringSubmatch(r[2], -1)
		if len(links) != 1 || len(words) != 1 {
			problems = append(problems, r[0]+": wants one file and one word that is in it")
			continue
		}
		files, _ := filepath.Glob(links[0][1])
		if words[0][1] == "elementary" { // the word is a file's name
			files, _ = filepath.Glob(filepath.Join(filepath.Dir(links[0][1]), "elementary.go"))
			words[0][1] = "func Exp"
		}
		found := false
		for _, f := range files {
			data, err := os.ReadFile(f)
			found = found || err == nil && strings.Contains(string(data), words[0][1])
		}
		if !found {
			problems = append(problems, fmt.Sprintf("%s: %s does not hold %q", r[0], links[0][1], words[0][1]))
		}
	}
	return problems
}

// libraryFunctions are the names of check/builtin.go and of library.metal that a program can call.
func libraryFunctions() (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "internal/check/builtin.go", nil, 0)
	if err != nil {
		panic(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		row, ok := n.(*ast.CompositeLit)
		if !ok || len(row.Elts) != 2 {
			return true
		}
		lit, isLit := row.Elts[0].(*ast.BasicLit)
		sig, isName := row.Elts[1].(*ast.Ident)
		if isLit && isName && !strings.HasPrefix(sig.Name, "sigBallot") && sig.Name != "sigInternal" {
			name, _ := strconv.Unquote(lit.Value)
			names = append(names, name)
		}
		return true
	})
	text, err := os.ReadFile("internal/check/library.metal")
	if err != nil {
		panic(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^LAZY \w+ (\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}

// uncalled lists the functions that no case that runs calls.
func uncalled(names []string) (list []string) {
	var text strings.Builder
	for _, folder := range []string{"language", "exec"} {
		files, err := filepath.Glob("testdata/" + folder + "/*.txtar")
		if err != nil || len(files) == 0 {
			panic("msl: no cases in " + folder)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				panic(err)
			}
			text.Write(data)
		}
	}
	for _, n := range names {
		if !regexp.MustCompile(`\b` + n + `\(`).MatchString(text.String()) {
			list = append(list, n)
		}
	}
	return list
}

var _ = Describe("LANGUAGE.md", Label("area:msl"), func() {
	data, err := os.ReadFile("LANGUAGE.md")
	if err != nil {
		panic(err)
	}
	text := string(data)

	It("has a row with a tested example or a number for every section", func() {
		Expect(sectionProblems(tableRows(text, 4), languageSections, wanted())).To(BeEmpty())
	})

	It("tells where each choice is written", func() {
		rows := tableRows(text, 3)
		Expect(len(rows)).To(BeNumerically(">", 20))
		Expect(choiceProblems(rows)).To(BeEmpty())
	})

	It("names every function of the library", func() {
		names := libraryFunctions()
		Expect(len(names)).To(BeNumerically(">", 200))
		for _, n := range names {
			named := strings.Contains(text, "`"+n+"`")
			if _, format, packs := strings.Cut(n, "_to_"); packs && strings.HasPrefix(n, "pack_") {
				named = strings.Contains(text, "`"+format+"`")
			}
			if strings.HasPrefix(n, "unpack_") || n == "is_function_constant_defined" {
				named = true // by the formats of pack; by its section's example
			}
			Expect(named).To(BeTrue(), n)
		}
	})

	It("is of a library whose every function a case calls", func() {
		Expect(uncalled(libraryFunctions())).To(BeEmpty())
	})

	It("is judged by checks that can fail", func() {
		cases := map[diag.Code]string{diag.Undeclared: "a case"}
		try := func(row ...string) []string { return sectionProblems([][]string{row}, []string{"1.1 "}, cases) }
		Expect(try("1.1 A", "all", "", "[x](LANGUAGE.md)")).To(BeEmpty(), "the control")
		Expect(try("1.1 A", "", "MSL3001", "")).To(BeEmpty(), "the control")
		Expect(try("1.1 A", "all", "", "")).To(ContainElement(ContainSubstring("no example")))
		Expect(try("1.1 A", "all", "MSL3001", "")).To(ContainElement(ContainSubstring("no example")))
		Expect(try("1.1 A", "", "", "[x](LANGUAGE.md)")).To(ContainElement(ContainSubstring("neither")))
		Expect(try("1.1 A", "all", "", "[x](nowhere.txtar)")).To(ContainElement(ContainSubstring("does not exist")))
		Expect(try("1.1 A", "all", "MSL3002", "[x](LANGUAGE.md)")).To(ContainElement(ContainSubstring("MSL3002")))
		Expect(try("1.2 A", "all", "", "[x](LANGUAGE.md)")).To(ContainElement(ContainSubstring("no row of section 1.1")))
		Expect(choiceProblems([][]string{{"a", "b", "[x](internal/num/basic.go) `Rsqrt`"}})).To(BeEmpty(), "the control")
		Expect(choiceProblems([][]string{{"a", "b", "[x](internal/num/basic.go) `Rsquirt`"}})).To(HaveLen(1))
		Expect(choiceProblems([][]string{{"a", "b", "somewhere"}})).To(HaveLen(1))
		Expect(uncalled([]string{"fma", "simd_frobnicate"})).To(ConsistOf("simd_frobnicate"))
	})
})
