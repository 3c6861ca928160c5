package msl_test

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// Plan. Purpose: DIAGNOSTICS.md lists every code of internal/diag/codes.go, its meaning and its example; each example in the table
// provokes its code, under a caret, when it is compiled and its kernels are lowered; each code is given by the code base; each code
// is wanted by a case of a testdata folder. Controls: a code that is in codes.go and nowhere else is found in none of the three.
// `go test ./engine/msl -update` writes the table from codes.go.

var update = flag.Bool("update", false, "write DIAGNOSTICS.md")

const diagnosticsHead = `# Diagnostics

What the front end refuses, by number. Every example is a program after ` + "`#include <metal_stdlib>`" + ` and
` + "`using namespace metal;`" + `; ⏎ stands for a line break. A spec compiles each of them and demands its number. The text comes
from [codes.go](internal/diag/codes.go): edit it there and run ` + "`go test ./engine/msl -update`" + `.

1xxx preprocessor and scanner, 2xxx parser, 3xxx names and declarations, 4xxx types and expressions, 5xxx statements and constants,
6xxx kernels, 9xxx parts of C++ or MSL that are refused, 91xx what compiles and cannot be executed.

| number | name | meaning | example |
|---|---|---|---|
`

// diagnostic is a code as codes.go describes it.
type diagnostic struct {
	name, meaning, example string
	code                   diag.Code
}

// row is the diagnostic's line in DIAGNOSTICS.md. A bar would end a cell, so it is escaped.
func (d diagnostic) row() string {
	cell := strings.NewReplacer("\n", " ⏎ ", "|", "\\|")
	return fmt.Sprintf("| %s | %s | %s | `%s` |\n", d.code, d.name, cell.Replace(d.meaning), cell.Replace(d.example))
}

var rowPattern = regexp.MustCompile("^\\| MSL(\\d{4}) \\| (\\w+) \\| (.*) \\| `(.*)` \\|$")

// diagnosticRows reads the rows of DIAGNOSTICS.md back.
func diagnosticRows(text string) (list []diagnostic) {
	uncell := strings.NewReplacer(" ⏎ ", "\n", "\\|", "|")
	for line := range strings.Lines(text) {
		if m := rowPattern.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			n, _ := strconv.Atoi(m[1])
			list = append(list, diagnostic{code: diag.Code(n), name: m[2], meaning: uncell.Replace(m[3]), example: uncell.Replace(m[4])})
		}
	}
	return list
}

// codesOf reads the constants of a file like codes.go.
func codesOf(path string) (list []diagnostic) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		panic(err)
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			n, _ := strconv.Atoi(v.Values[0].(*ast.BasicLit).Value)
			e := diagnostic{name: v.Names[0].Name, code: diag.Code(n)}
			var meaning, example []string
			for _, c := range v.Doc.List {
				if text, isCode := strings.CutPrefix(c.Text, "//\t"); isCode {
					example = append(example, text)
				} else if text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//")); text != "" {
					meaning = append(meaning, text)
				}
			}
			e.meaning = strings.TrimPrefix(strings.Join(meaning, " "), e.name+": ")
			e.example = strings.Join(example, "\n")
			list = append(list, e)
		}
	}
	return list
}

// provoked compiles a program, lowers its kernels, and returns the codes of its diagnostics and their text.
func provoked(program string) (codes []diag.Code, text string) {
	library, err := msl.New(msl.Options{Workers: 1}).Compile([]device.Source{
		{Name: "prelude.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n"}, {Name: "example.metal", Text: program},
	})
	if err == nil {
		for _, k := range library.Kernels() {
			_, more := library.Pipeline(k, nil)
			err = errors.Join(err, more)
		}
	}
	var list diag.List
	var one *diag.Error
	if !errors.As(err, &list) && errors.As(err, &one) {
		list = diag.List{one}
	}
	for _, d := range list {
		codes = append(codes, d.Code)
	}
	if list != nil {
		return codes, diag.Render(list)
	}
	return nil, fmt.Sprint(err)
}

// given lists the codes that the front end's packages name, tests left out.
func given() map[string]bool {
	found := map[string]bool{}
	for _, folder := range []string{"syntax", "check", "lower"} {
		files, err := filepath.Glob("internal/" + folder + "/*.go")
		if err != nil || len(files) == 0 {
			panic("msl: no sources in " + folder)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
			if err != nil {
				panic(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "diag" {
						found[s.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	return found
}

// wantedCode is a number that a case wants and no other: one with an alternative shows nothing.
var wantedCode = regexp.MustCompile(`(?:want |" )"MSL(\d{4})(?:"|: |\.\*)|^\S+:\d+:\d+: MSL(\d{4}): |refused: \S+: MSL(\d{4}): `)

// wanted lists the codes that cases want, each with a file.
func wanted() map[diag.Code]string {
	found := map[diag.Code]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".txtar") {
			return err
		}
		data, err := os.ReadFile(path)
		for line := range strings.Lines(string(data)) {
			for _, m := range wantedCode.FindAllStringSubmatch(line, -1) {
				n, _ := strconv.Atoi(m[1] + m[2] + m[3])
				found[diag.Code(n)] = path
			}
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	return found
}

var _ = Describe("DIAGNOSTICS.md", Label("area:msl"), func() {
	codes := codesOf("internal/diag/codes.go")
	data, err := os.ReadFile("DIAGNOSTICS.md")
	if err != nil && !os.IsNotExist(err) {
		panic(err)
	}
	text := string(data)

	It("says of every code what codes.go says", func() {
		want := diagnosticsHead
		for _, d := range codes {
			want += d.row()
		}
		if *update {
			Expect(os.WriteFile("DIAGNOSTICS.md", []byte(want), 0o644)).To(Succeed())
			text = want
		}
		got, wants := strings.Split(text, "\n"), strings.Split(want, "\n")
		for i := range min(len(got), len(wants)) {
			Expect(got[i]).To(Equal(wants[i]), "line %d; go test ./engine/msl -update writes it", i+1)
		}
		Expect(got).To(HaveLen(len(wants)))
	})

	for _, d := range diagnosticRows(text) {
		It(fmt.Sprintf("has an example that provokes %s %s", d.code, d.name), func() {
			got, rendered := provoked(d.example)
			Expect(got).NotTo(BeEmpty(), rendered)
			for _, c := range got {
				Expect(c).To(Equal(d.code), rendered)
			}
			Expect(rendered).To(ContainSubstring("^"))
		})
	}

	It("has only codes that the front end gives", func() {
		names := given()
		for _, d := range codes {
			Expect(names).To(HaveKey(d.name), "%s is given nowhere", d.code)
		}
	})

	It("has only codes that a case wants", func() {
		cases := wanted()
		var without []string
		for _, d := range codes {
			if cases[d.code] == "" {
				without = append(without, d.code.String()+" "+d.name)
			}
		}
		Expect(without).To(BeEmpty(), "codes without a case")
	})

	It("is judged by checks that can fail", func() {
		d := diagnostic{name: "Bar", code: 1234, meaning: "a | b", example: "int f(int a) {\nreturn a | 1; }"}
		Expect(diagnosticRows(d.row())).To(Equal([]diagnostic{d}), "a row is read back as it was")
		Expect(diagnosticRows("| MSL12 | Bar | x | `y` |\n")).To(BeEmpty())
		got, _ := provoked("kernel void k(device int *out) { out[0] = 1; }")
		Expect(got).To(BeEmpty(), "a program without a mistake")
		got, _ = provoked("int f() { return x; }\nint f() { return 1 }")
		Expect(got).To(ConsistOf(diag.UnexpectedToken), "another mistake than the one asked for")
		Expect(given()).NotTo(HaveKey("List"+"Of"), "a name that no code base holds")
		Expect(given()).To(HaveKey("Undeclared"))
		Expect(wanted()).NotTo(HaveKey(diag.Code(9999)))
		Expect(wantedCode.MatchString(`int x; // want "MSL2001|MSL2003"`)).To(BeFalse(), "an alternative shows neither")
		Expect(wantedCode.MatchString(`int x; // want "MSL2001: unexpected"`)).To(BeTrue())
		Expect(wantedCode.MatchString(`case.metal:2:14: MSL3001: "x" is not declared`)).To(BeTrue())
	})
})
