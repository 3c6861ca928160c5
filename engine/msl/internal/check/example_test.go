package check_test

// Plan. Purpose: the program beside each diagnostic code, and beside every code there is one, gives exactly that code; those
// of lowering (91xx) are accepted here, and held to by the spec of ../../DIAGNOSTICS.md. Source: the comments of ../diag/codes.go.

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/diag"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

type example struct {
	name string
	code diag.Code
	text string
}

// examples reads codes.go.
func examples() []example {
	file, err := parser.ParseFile(token.NewFileSet(), "../diag/codes.go", nil, parser.ParseComments)
	if err != nil {
		panic(err)
	}
	var out []example
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			n, _ := strconv.Atoi(v.Values[0].(*ast.BasicLit).Value)
			e := example{name: v.Names[0].Name, code: diag.Code(n)}
			for _, c := range v.Doc.List {
				if text, ok := strings.CutPrefix(c.Text, "//\t"); ok {
					e.text += text + "\n"
				}
			}
			out = append(out, e)
		}
	}
	return out
}

var _ = Describe("each diagnostic code", Label("area:msl"), func() {
	var table []TableEntry
	for _, e := range examples() {
		table = append(table, Entry(e.name, e))
	}
	DescribeTable("is given by its example", func(e example) {
		Expect(e.text).NotTo(BeEmpty(), "%s has no example in diag/codes.go", e.name)
		_, err := check.Check([]check.Source{
			{Name: "prelude.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n"},
			{Name: "example.metal", Text: strings.TrimSuffix(e.text, "\n")},
		})
		if e.code >= 9100 {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(HaveOccurred())
		var list diag.List
		var one *diag.Error
		if !errors.As(err, &list) {
			Expect(errors.As(err, &one)).To(BeTrue())
			list = diag.List{one}
		}
		for _, d := range list {
			Expect(d.Code).To(Equal(e.code), "%s", err)
		}
		Expect(diag.Render(err)).To(ContainSubstring("^"))
	}, table)

	It("has a number of its own", func() {
		seen := map[diag.Code]string{}
		for _, e := range examples() {
			Expect(seen).NotTo(HaveKey(e.code), e.name)
			seen[e.code] = e.name
		}
	})
})
