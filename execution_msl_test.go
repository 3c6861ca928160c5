package main

// Purpose: msl check, dump and run on files: what they print, in both forms, what they write, and their exit codes; every kind of bad
// input is one line and exit code 2. Control: the launch that is right. Sources: the package launch, whose cases hold the details.

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	scaleMetal = `#include <metal_stdlib>
using namespace metal;
kernel void scale(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = FACTOR * in[i];
}
`
	scaleLaunch = `{"kernel": "scale", "threads": [3], "threads_per_threadgroup": [32],
 "buffers": [{"index": 0, "type": "float", "data": [1, 2, 4]}, {"index": 1, "type": "float", "count": 3}],
 "expect": [{"index": 1, "data": [2, 4, 8]}]}`
)

var _ = Describe("assay msl", Label("purpose:execution", "area:command", "level:required"), func() {
	var dir, metal, launch string
	BeforeEach(func() {
		dir = GinkgoT().TempDir()
		metal, launch = filepath.Join(dir, "scale.metal"), filepath.Join(dir, "launch.json")
		Expect(os.WriteFile(metal, []byte(scaleMetal), 0o600)).To(Succeed())
		Expect(os.WriteFile(launch, []byte(scaleLaunch), 0o600)).To(Succeed())
	})
	It("check lists kernels and exits 0", func() {
		r := assay("msl", "check", metal, "-D", "FACTOR=2.0f")
		Expect(r.code).To(Equal(0), r.stderr)
		Expect(r.stdout).To(And(ContainSubstring(`kernel "scale"`), ContainSubstring("buffer 1: device float * out"), ContainSubstring("1 file, 1 kernel, 0 of them refused")))
		got := decoded(assay("msl", "check", metal, "-D", "FACTOR=2.0f", "--json").stdout)
		Expect(got).To(And(HaveLen(2), HaveKeyWithValue("ok", true)))
		unit := got["files"].([]any)[0].(map[string]any)
		Expect(unit).To(And(HaveLen(4), HaveKeyWithValue("file", metal), HaveKeyWithValue("diagnostics", BeEmpty())))
		Expect(unit["kernels"].([]any)[0]).To(HaveKeyWithValue("arguments", HaveLen(3)))
	})
	It("check prints diagnostics with a caret and exits 1", func() {
		r := assay("msl", "check", metal)
		Expect(r.code).To(Equal(1))
		Expect(r.stdout).To(ContainSubstring(metal + ":4:14: MSL3001: \"FACTOR\" is not declared\n    out[i] = FACTOR * in[i];\n             ^"))
		got := decoded(assay("msl", "check", metal, "--json").stdout)
		Expect(got).To(HaveKeyWithValue("ok", false))
	})
	It("check finds includes by search path, and reads a prelude first", func() {
		sub := filepath.Join(dir, "include")
		Expect(os.Mkdir(sub, 0o700)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(sub, "factor.h"), []byte("#define FACTOR 3.0f\n"), 0o600)).To(Succeed())
		prelude := filepath.Join(dir, "prelude.metal")
		Expect(os.WriteFile(prelude, []byte("#include \"factor.h\"\n"), 0o600)).To(Succeed())
		Expect(assay("msl", "check", metal, "--prelude", prelude).code).To(Equal(1))
		Expect(assay("msl", "check", "-I", sub, metal, "--prelude", prelude).code).To(Equal(0))
	})
	It("dump prints every stage", func() {
		for stage, want := range map[string]string{"tokens": "number\t2.0f", "ast": "kernel scale(", "ir": "root out: device f32 slot 1", "code": "instructions"} {
			r := assay("msl", "dump", metal, "--stage", stage, "-D", "FACTOR=2.0f")
			Expect(r.code).To(Equal(0), r.stderr)
			Expect(r.stdout).To(ContainSubstring(want))
		}
	})
	It("run prints counts and buffers, writes files, and exits 0", func() {
		file := filepath.Join(dir, "out.bin")
		r := assay("msl", "run", metal, launch, "-D", "FACTOR=2.0f", "--out", "1", "--out", "0="+file)
		Expect(r.code).To(Equal(0), r.stderr)
		Expect(r.stdout).To(And(HavePrefix("buffer 1: [2, 4, 8]\n"), ContainSubstring("3 loads (12 B)"), HaveSuffix("ok\n")))
		data, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(data).To(Equal([]byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x80, 0x40}))
		got := decoded(assay("msl", "run", metal, launch, "-D", "FACTOR=2.0f", "--out", "1", "--json").stdout)
		Expect(got).To(And(HaveLen(5), HaveKeyWithValue("ok", true), HaveKeyWithValue("faults", BeEmpty()), HaveKeyWithValue("mismatches", BeEmpty()), HaveKeyWithValue("counts", HaveLen(1))))
		Expect(got["buffers"]).To(Equal(map[string]any{"1": []any{2.0, 4.0, 8.0}}))
	})
	It("run exits 1 after a mismatch and after a fault, and writes no buffer of a launch that faulted", func() {
		r := assay("msl", "run", metal, launch, "-D", "FACTOR=3.0f")
		Expect(r.code).To(Equal(1))
		Expect(r.stdout).To(ContainSubstring("mismatch: buffer 1: element 0: got 3, want 2 (4194304 ULP of float, 0 allowed); 3 of 3 outside"))
		Expect(os.WriteFile(launch, []byte(strings.Replace(scaleLaunch, `"threads": [3]`, `"threads": [4]`, 1)), 0o600)).To(Succeed())
		file := filepath.Join(dir, "out.bin")
		r = assay("msl", "run", metal, launch, "-D", "FACTOR=2.0f", "--out", "1="+file)
		Expect(r.code).To(Equal(1))
		Expect(r.stdout).To(And(ContainSubstring(`fault: out of bounds: device "in"[3], bytes 12..15 of 12 (3 elements), kernel "scale", dispatch 0`), ContainSubstring("thread (3,0,0) of threadgroup (0,0,0) read at "+metal+":4:25")))
		Expect(file).NotTo(BeAnExistingFile())
	})
	DescribeTable("bad input is one line and exit code 2:", func(args func() []string, pieces ...string) {
		expectRefusal(assay(args()...), pieces...)
	},
		Entry("check without a file", func() []string { return []string{"msl", "check"} }, "FILE is missing"),
		Entry("check of no file", func() []string { return []string{"msl", "check", filepath.Join(dir, "no.metal")} }, "no.metal", "no such file"),
		Entry("check with a search path that is no folder", func() []string { return []string{"msl", "check", metal, "-I", launch} }, "launch.json", "want a folder"),
		Entry("dump of an unknown stage", func() []string { return []string{"msl", "dump", metal, "--stage", "asm"} }, "asm", "tokens"),
		Entry("dump without a stage", func() []string { return []string{"msl", "dump", metal} }, "--stage", "tokens"),
		Entry("dump of what does not compile", func() []string { return []string{"msl", "dump", metal, "--stage", "ir"} }, "MSL3001", "FACTOR"),
		Entry("dump of an unknown kernel", func() []string {
			return []string{"msl", "dump", metal, "--stage", "ir", "-D", "FACTOR=1", "--kernel", "q"}
		}, `"q"`, "scale"),
		Entry("run without a launch", func() []string { return []string{"msl", "run", metal} }, "LAUNCH.json"),
		Entry("run of no launch", func() []string { return []string{"msl", "run", metal, filepath.Join(dir, "no.json")} }, "no.json", "no such file"),
		Entry("run of a launch that is none", func() []string { return []string{"msl", "run", metal, metal} }, metal, "no JSON"),
		Entry("run of what does not compile", func() []string { return []string{"msl", "run", metal, launch} }, "MSL3001", "FACTOR"),
		Entry("run of an unknown kernel", func() []string {
			Expect(os.WriteFile(launch, []byte(strings.Replace(scaleLaunch, `"scale"`, `"q"`, 1)), 0o600)).To(Succeed())
			return []string{"msl", "run", metal, launch, "-D", "FACTOR=1"}
		}, launch, "kernel", `got "q"`, "scale"),
		Entry("output of a buffer that is none", func() []string { return []string{"msl", "run", metal, launch, "--out", "7"} }, "--out", "7"),
		Entry("output that is no index", func() []string { return []string{"msl", "run", metal, launch, "--out", "x.bin"} }, "--out", "x.bin"),
		Entry("output into no folder", func() []string {
			return []string{"msl", "run", metal, launch, "-D", "FACTOR=2.0f", "--out", "1=" + filepath.Join(dir, "no", "x.bin")}
		}, "--out", "no such file"),
	)
})
