package msl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/lower"
	"github.com/octoryn/assay/engine/msl/internal/sanitize"
)

// Plan. Whatever text the checker accepts is lowered plainly and for an observer to something ir.Verify accepts, or refused; what is
// lowered runs under every sanitizer without a panic, in bounded steps and memory. Seeds: all cases and our kernels. A handful of bombs
// (huge arrays, deep nesting, doubling macros, templates without end) must be refused or run within the same bounds.

var constantTypes = map[string]ir.Type{"bool": ir.Bool, "int": ir.I32, "uint": ir.U32, "float": ir.F32, "short": ir.I16, "ushort": ir.U16}

// exercise takes a text through everything and reports what broke; a refusal is not.
func exercise(text string) string {
	prog, err := check.Check([]check.Source{{Name: "fuzz.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}})
	if err != nil {
		return ""
	}
	constants := map[int]lower.Constant{}
	for _, v := range prog.FunctionConstants {
		if t, ok := constantTypes[v.Type.String()]; ok {
			constants[v.FunctionConstant] = lower.Constant{Type: t, Bits: 1}
		}
	}
	for _, k := range prog.Kernels {
		for _, how := range []func(*check.Program, string, map[int]lower.Constant) (*ir.Func, error){lower.Kernel, lower.Observed} {
			f, err := how(prog, k.HostName, constants)
			if err != nil {
				continue
			}
			if err := ir.Verify(f); err != nil {
				return "lowered to what Verify refuses: " + err.Error() + "\n" + text
			}
			kernel, err := exec.NewKernel(f)
			if err != nil {
				continue
			}
			l := exec.Launch{Threadgroups: [3]int{2, 1, 1}, ThreadsPerThreadgroup: [3]int{40, 1, 1}, MaxSteps: 20000, Bindings: make([]exec.Binding, len(f.Roots)),
				Schedule: exec.Schedule{Kind: exec.Shuffled, Seed: 1}}
			for i, r := range f.Roots {
				if r.Space == ir.Threadgroup {
					l.Bindings[i].ThreadgroupBytes = 256
				} else {
					l.Bindings[i].Data = make([]byte, 1024)
				}
			}
			kernel.Launch(l)
			l.Observer, l.Schedule = sanitize.New(sanitize.Names()), exec.Schedule{}
			kernel.Launch(l)
		}
	}
	return ""
}

func fuzzSeeds() []string {
	var out []string
	for _, pattern := range []string{"testdata/*/*.txtar", "launch/testdata/*/*.txtar", "internal/check/testdata/accept/*.txtar"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				panic(err)
			}
			for _, s := range txtar.Parse(data).Files {
				if strings.HasSuffix(s.Name, ".metal") {
					out = append(out, string(s.Data))
				}
			}
		}
	}
	return out
}

func FuzzExercise(f *testing.F) {
	for _, s := range fuzzSeeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if problem := exercise(text); problem != "" {
			t.Fatal(problem)
		}
	})
}

var _ = Describe("Any text", Label("area:executor"), func() {
	It("of the cases goes through everything", func() {
		seeds := fuzzSeeds()
		Expect(len(seeds)).To(BeNumerically(">", 100))
		for _, s := range seeds {
			Expect(exercise(s)).To(BeEmpty())
		}
	})

	DescribeTable("that would need the world is refused, or bounded",
		func(text string) { Expect(exercise(text)).To(BeEmpty()) },
		Entry("a thread array of a gigabyte", "kernel void k(device int *o [[buffer(0)]], uint i [[thread_position_in_grid]]) { int a[1 << 28]; a[i] = 1; o[0] = a[i + 1]; }"),
		Entry("threadgroup memory of a gigabyte", "kernel void k(device int *o [[buffer(0)]], uint i [[thread_position_in_grid]]) { threadgroup int a[1 << 28]; a[i] = 1; o[0] = a[0]; }"),
		Entry("a constant table of a gigabyte", "constant int t[1 << 28] = {1}; kernel void k(device int *o [[buffer(0)]], uint i [[thread_position_in_grid]]) { o[0] = t[i]; }"),
		Entry("a loop without end", "kernel void k(device int *o [[buffer(0)]]) { for (;;) { o[0] = o[0] + 1; } }"),
		Entry("macros that double", "#define A 1+1\n#define B A+A+A+A+A+A+A+A\n#define C B+B+B+B+B+B+B+B\n#define D C+C+C+C+C+C+C+C\n#define E D+D+D+D+D+D+D+D\n#define F E+E+E+E+E+E+E+E\n#define G F+F+F+F+F+F+F+F\nkernel void k(device int *o [[buffer(0)]]) { o[0] = G+G+G+G+G+G+G+G; }"),
		Entry("templates without end", "template <int n> struct T { static constant int v = T<n + 1>::v; }; kernel void k(device int *o [[buffer(0)]]) { o[0] = T<0>::v; }"),
		Entry("brackets without end", "kernel void k(device int *o [[buffer(0)]]) { o[0] = "+strings.Repeat("(", 100000)+"1"+strings.Repeat(")", 100000)+"; }"),
		Entry("loops that unroll without end", "kernel void k(device int *o [[buffer(0)]]) { int s = 0; for (int i = 0; i < 1000; ++i) for (int j = 0; j < 1000; ++j) for (int l = 0; l < 1000; ++l) s += i * j; o[0] = s; }"),
		Entry("calls that fan out", "int a(int x) { return x + 1; } int b(int x) { return a(x) + a(x) + a(x) + a(x); } int c(int x) { return b(x) + b(x) + b(x) + b(x); } int d(int x) { return c(x) + c(x) + c(x) + c(x); } int e(int x) { return d(x) + d(x) + d(x) + d(x); } int f(int x) { return e(x) + e(x) + e(x) + e(x); } int g(int x) { return f(x) + f(x) + f(x) + f(x); } int h(int x) { return g(x) + g(x) + g(x) + g(x); } int i(int x) { return h(x) + h(x) + h(x) + h(x); } int j(int x) { return i(x) + i(x) + i(x) + i(x); } kernel void k(device int *o [[buffer(0)]]) { o[0] = j(o[1]) + j(o[2]); }"),
	)
})
