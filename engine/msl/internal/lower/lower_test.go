package lower

// Plan. Purpose: what the README of package ir shows is what lowering prints; every kernel this project runs, and every case of the
// executor, lowers to a function that ir.Verify accepts, the same text each time; a constant that is missing or of another type is
// refused by name. Control: a README example with one character changed is seen. Source: ir/README.md.

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// update rewrites the printed examples of the README. Read the diff: the examples teach what lowering does.
var update = flag.Bool("update", false, "rewrite the examples of ir/README.md; read the diff")

const readme = "../ir/README.md"

var example = regexp.MustCompile("(?s)```metal\n(.*?)```(.*?)```ir\n(.*?)```")

// lowered checks and lowers the only kernel of a text.
func lowered(text string, constants map[int]Constant) *ir.Func {
	GinkgoHelper()
	p, err := check.Check([]check.Source{{Name: "case.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}})
	Expect(err).NotTo(HaveOccurred())
	Expect(p.Kernels).To(HaveLen(1))
	f, err := Kernel(p, p.Kernels[0].HostName, constants)
	Expect(err).NotTo(HaveOccurred())
	Expect(ir.Verify(f)).To(Succeed())
	return f
}

// printed is a kernel's text without the variables that nothing reads or writes any more.
func printed(text string) string {
	GinkgoHelper()
	out := lowered(text, map[int]Constant{0: {Type: ir.U32, Bits: 2}}).String()
	var kept []string
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "var "); ok {
			name, _, _ = strings.Cut(name, ":")
			if !strings.Contains(out, "get "+name+"\n") && !strings.Contains(out, "set "+name+" ") {
				continue
			}
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

// differing lists the examples of a README that are not what lowering prints.
func differing(text string) (bad []string) {
	for _, m := range example.FindAllStringSubmatch(text, -1) {
		if got := strings.TrimRight(printed(m[1]), "\n"); got != strings.TrimRight(m[3], "\n") {
			bad = append(bad, got)
		}
	}
	return bad
}

var _ = Describe("lowering", Label("area:executor"), func() {
	It("prints the examples of the IR's README", func() {
		text, err := os.ReadFile(readme)
		Expect(err).NotTo(HaveOccurred())
		if *update {
			text = []byte(example.ReplaceAllStringFunc(string(text), func(s string) string {
				m := example.FindStringSubmatch(s)
				return "```metal\n" + m[1] + "```" + m[2] + "```ir\n" + strings.TrimRight(printed(m[1]), "\n") + "\n```"
			}))
			Expect(os.WriteFile(readme, text, 0o644)).To(Succeed())
		}
		Expect(example.FindAllString(string(text), -1)).To(HaveLen(4))
		Expect(differing(string(text))).To(BeEmpty())
		Expect(differing(strings.Replace(string(text), "fma %7 2 0", "fma %7 2 1", 1))).To(HaveLen(1))
	})

	It("gives functions that verify, and the same text again, for every case of the executor", func() {
		files, err := filepath.Glob("../../testdata/exec/*.txtar")
		Expect(err).NotTo(HaveOccurred())
		Expect(len(files)).To(BeNumerically(">", 30))
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			Expect(err).NotTo(HaveOccurred())
			text := string(archive.Files[0].Data)
			constants := map[int]Constant{0: {Type: ir.U32, Bits: 3}, 1: {Type: ir.Bool, Bits: 1}, 2: {Type: ir.F32}}
			once, again := lowered(text, constants), lowered(text, constants)
			Expect(once.String()).To(Equal(again.String()), file)
		}
	})

	DescribeTable("refuses a function constant", func(constants map[int]Constant, want string) {
		p, err := check.Check([]check.Source{{Name: "case.metal", Text: "constant uint N [[function_constant(4)]];\nkernel void k(device uint *o [[buffer(0)]]) { o[0] = N; }\n"}})
		Expect(err).NotTo(HaveOccurred())
		_, err = Kernel(p, "k", constants)
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("that is missing", map[int]Constant{}, `"N"`),
		Entry("of another type", map[int]Constant{4: {Type: ir.F32}}, `"N"`),
	)

	It("refuses a kernel that is not there", func() {
		p, err := check.Check([]check.Source{{Name: "case.metal", Text: "kernel void k() {}\n"}})
		Expect(err).NotTo(HaveOccurred())
		_, err = Kernel(p, "j", nil)
		Expect(err).To(MatchError(ContainSubstring(`"j"`)))
	})
})
