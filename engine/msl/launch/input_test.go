package launch_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/msl/launch"
)

// Plan. A launch that is right, and each field of it broken in one way: the error is one line that names the field, what it held and
// what was wanted. The elements of each type: what is printed reads back as the same bits, at the edges of each type. Control: the
// launch as it stands is accepted.

const healthy = `{"kernel": "k", "threads": [8], "threads_per_threadgroup": [8], "constants": {"0": {"type": "uint", "value": 4}},
 "threadgroup_memory": [{"index": 0, "bytes": 32}], "buffers": [{"index": 0, "type": "float", "count": 8, "fill": "random", "seed": 1}],
 "bytes": [{"index": 3, "type": "uint", "data": [64]}], "checks": ["all"], "schedules": 1, "expect": [{"index": 0, "data": [1], "ulp": 3}]}`

const healthyKernel = `#include <metal_stdlib>
using namespace metal;
constant uint K [[function_constant(0)]];
kernel void k(device float *out [[buffer(0)]], constant uint &n [[buffer(3)]], threadgroup uint *t [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) {
    t[i] = n + K;
    out[i] = 1;
}
`

var _ = Describe("A launch in JSON", Label("purpose:validation", "area:executor"), func() {
	parse := func(text string) error {
		dir := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(dir, "three.bin"), []byte("123"), 0o600)).To(Succeed())
		metal := filepath.Join(dir, "k.metal")
		Expect(os.WriteFile(metal, []byte(healthyKernel), 0o600)).To(Succeed())
		s, err := launch.ParseSpec([]byte(text), dir)
		if err != nil {
			return err
		}
		_, err = launch.Run(metal, launch.Sources{}, s)
		return err
	}
	It("is accepted when nothing is wrong", func() {
		Expect(parse(healthy)).To(Succeed())
	})
	DescribeTable("is refused with field, got and want:", func(old, replacement, want string) {
		Expect(strings.Count(healthy, old)).To(Equal(1), "the text to break")
		err := parse(strings.Replace(healthy, old, replacement, 1))
		Expect(err).To(BeAssignableToTypeOf(&launch.InputError{}))
		Expect(err.Error()).To(ContainSubstring(want))
		Expect(err.Error()).NotTo(ContainSubstring("\n"))
	},
		Entry("no JSON", `"kernel": "k",`, `"kernel" "k",`, "line 1, column 11: no JSON"),
		Entry("something behind it", `"ulp": 3}]}`, `"ulp": 3}]} 5`, "something follows"),
		Entry("a list", healthy, `[]`, "got [], want an object"),
		Entry("nothing", healthy, ``, "got an empty file"),
		Entry("unknown field", `"schedules"`, `"schedule"`, "schedule: unknown field"),
		Entry("unknown field inside", `"fill"`, `"full"`, "buffers[0].full: unknown field"),
		Entry("field given twice", `"seed": 1`, `"seed": 1, "seed": 2`, "buffers[0].seed: given twice"),
		Entry("unknown kernel", `"kernel": "k"`, `"kernel": "q"`, `kernel: got "q", want one of those in`),
		Entry("no kernel", `"kernel": "k", `, ``, "kernel: missing"),
		Entry("kernel that is no name", `"kernel": "k"`, `"kernel": 5`, "kernel: got 5, want a string"),
		Entry("no grid", `"threads": [8], `, ``, "threads: missing"),
		Entry("two grids", `"threads": [8]`, `"threads": [8], "threadgroups": [1]`, "threads: got threads and threadgroups"),
		Entry("no threadgroup", `"threads_per_threadgroup": [8], `, ``, "threads_per_threadgroup: missing"),
		Entry("empty size", `"threads": [8]`, `"threads": []`, "threads: got [], want one to three sizes"),
		Entry("four sizes", `"threads": [8]`, `"threads": [8,1,1,1]`, "want one to three sizes"),
		Entry("size zero", `"threads": [8]`, `"threads": [0]`, "threads[0]: got 0, want a whole number from 1"),
		Entry("grid past 32 bits", `"threads": [8]`, `"threadgroups": [4294967295]`, "positions have 32 bits"),
		Entry("grid past all bounds", `"threads": [8]`, `"threads": [4294967295, 4294967295]`, "want at most"),
		Entry("constant without index", `"0": {`, `"zero": {`, `constants.zero: got index "zero"`),
		Entry("constant that the program lacks", `"0": {`, `"1": {`, "constants.1: the program has no function constant"),
		Entry("constant of another type", `{"type": "uint", "value": 4}`, `{"type": "int", "value": 4}`, "constants.0.type: got int, want uint"),
		Entry("constant out of range", `"value": 4`, `"value": -4`, "constants.0.value: got -4, want a whole number from 0 to 4294967295 (uint)"),
		Entry("constant without value", `, "value": 4`, ``, "constants.0: value is missing"),
		Entry("constant left out", `"0": {"type": "uint", "value": 4}`, ``, `function constant 0 ("K") has no value`),
		Entry("threadgroup memory without bytes", `, "bytes": 32`, ``, "threadgroup_memory[0]: bytes is missing"),
		Entry("threadgroup memory for no argument", `{"index": 0, "bytes": 32}`, `{"index": 2, "bytes": 32}`, "threadgroup_memory[0].index: got 2, want that of an argument of the kernel: [0]"),
		Entry("buffer for no argument", `"bytes": [{"index": 3`, `"bytes": [{"index": 4`, "bytes[0].index: got 4, want that of an argument of the kernel: [0 3]"),
		Entry("two things at one index", `"bytes": [{"index": 3`, `"bytes": [{"index": 0`, "bytes[0].index: got 0, which buffers[0] has too"),
		Entry("unknown type", `"type": "float"`, `"type": "double"`, `buffers[0].type: got "double", want one of bool, char,`),
		Entry("negative count", `"count": 8`, `"count": -3`, "buffers[0].count: got -3, want a whole number from 1"),
		Entry("no count", `"count": 8, `, ``, "buffers[0]: count is missing"),
		Entry("unknown fill", `"random"`, `"ones"`, `buffers[0].fill: got "ones", want one of zero, iota, random, nan, poison`),
		Entry("seed without random", `"random"`, `"iota"`, "buffers[0].seed: got a seed without"),
		Entry("two contents", `"fill": "random", "seed": 1`, `"fill": "zero", "data": [1]`, "buffers[0]: got more than one of fill, data and file"),
		Entry("count that is not that of the data", `"fill": "random", "seed": 1`, `"data": [1, 2]`, "buffers[0].count: got 8, want 2"),
		Entry("data of another type", `"fill": "random", "seed": 1`, `"data": [1, true]`, "buffers[0].data[1]: got true, want a float"),
		Entry("float out of range", `"fill": "random", "seed": 1`, `"data": [1e39]`, "buffers[0].data[0]: got 1e39, want a float: a finite number"),
		Entry("bits too wide", `"fill": "random", "seed": 1`, `"data": ["0x123456789"]`, "want the bits of a float, 8 hexadecimal digits at most"),
		Entry("missing file", `"fill": "random", "seed": 1`, `"file": "no-such.bin"`, "no-such.bin: no such file"),
		Entry("file with half an element", `"count": 8, "fill": "random", "seed": 1`, `"file": "three.bin"`, "got 3 bytes, want a positive multiple of 4"),
		Entry("nan for integers", `{"index": 0, "type": "float", "count": 8, "fill": "random", "seed": 1}`, `{"index": 0, "type": "int", "count": 8, "fill": "nan"}`, `buffers[0].fill: got "nan" for a buffer of int`),
		Entry("inline bytes without values", `"data": [64]`, `"data": []`, "bytes[0].data: got no values"),
		Entry("unknown check", `"all"`, `"everything"`, `checks[0]: got "everything", want "all" or one of`),
		Entry("no schedule", `"schedules": 1`, `"schedules": 0`, "schedules: got 0, want a whole number from 1"),
		Entry("expectation of no buffer", `{"index": 0, "data": [1]`, `{"index": 3, "data": [1]`, "expect[0].index: got 3, want the index of one of the buffers"),
		Entry("expectation longer than the buffer", `"data": [1], "ulp"`, `"data": [1,1,1,1,1,1,1,1,1], "ulp"`, "expect[0].data: got 9 values, want 1 to 8"),
		Entry("empty expected fault", `"schedules": 1`, `"expect_fault": ""`, "expect_fault: got"),
		Entry("no dispatches", `"kernel": "k", "threads": [8], "threads_per_threadgroup": [8]`, `"dispatches": []`, "dispatches: got none"),
		Entry("dispatches beside a kernel", `"schedules": 1`, `"dispatches": []`, "dispatches: got a single kernel or grid beside it"),
		Entry("dispatch without grid", `"kernel": "k", "threads": [8], "threads_per_threadgroup": [8]`, `"dispatches": [{"kernel": "k"}]`, "dispatches[0].threads: missing"),
		Entry("dispatch of an unknown kernel", `"kernel": "k", "threads": [8], "threads_per_threadgroup": [8]`,
			`"dispatches": [{"kernel": "q", "threads": [8], "threads_per_threadgroup": [8], "barrier_before": true}]`, `dispatches[0].kernel: got "q"`),
	)
	It("names the file", func() {
		file := filepath.Join(GinkgoT().TempDir(), "launch.json")
		_, err := launch.ReadSpec(file)
		Expect(err).To(MatchError(file + ": no such file or directory"))
		Expect(os.WriteFile(file, []byte(`{"kernel": 1}`), 0o600)).To(Succeed())
		_, err = launch.ReadSpec(file)
		Expect(err).To(MatchError(file + ": kernel: got 1, want a string"))
	})
	It("refuses ULP for integers", func() {
		text := strings.Replace(strings.Replace(healthy, `"type": "float"`, `"type": "int"`, 1), `"data": [1]`, `"data": [1]`, 1)
		Expect(parse(text)).To(MatchError(ContainSubstring("expect[0].ulp: got 3 for a buffer of int, want 0")))
	})

	DescribeTable("holds elements of type", func(name string, values ...string) {
		text := `{"kernel":"k","threads":[1],"threads_per_threadgroup":[1],"buffers":[{"index":0,"type":"` + name + `","data":[` + strings.Join(values, ",") + `]}]}`
		s, err := launch.ParseSpec([]byte(text), ".")
		Expect(err).NotTo(HaveOccurred())
		b := s.Buffers[0]
		for i, want := range values {
			bits := uint64(0)
			for k := range b.Element.Bytes() {
				bits |= uint64(b.Data[i*b.Element.Bytes()+k]) << (8 * k)
			}
			Expect(string(b.Element.JSON(bits))).To(Equal(want))
		}
	},
		Entry("bool", "bool", "true", "false"),
		Entry("char", "char", "-128", "127"), Entry("uchar", "uchar", "0", "255"),
		Entry("short", "short", "-32768", "32767"), Entry("ushort", "ushort", "65535"),
		Entry("int", "int", "-2147483648", "2147483647"), Entry("uint", "uint", "4294967295"),
		Entry("long", "long", "-9223372036854775808", "9223372036854775807"), Entry("ulong", "ulong", "18446744073709551615"),
		Entry("half", "half", "65504", "5.9604645e-08", "-0", `"inf"`, `"nan"`),
		Entry("bfloat", "bfloat", "1.0078125", `"-inf"`), Entry("float", "float", "3.4028235e+38", "1e-45", "-0", `"nan"`),
	)
})
