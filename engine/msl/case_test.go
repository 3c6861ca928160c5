package msl_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"
	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. Every file of testdata/exec is a case: a story, case.metal, and a launch. A launch is lines of
//
//	grid 2 1 1              threadgroups; 1 unless given
//	threads 32              threads per threadgroup
//	constant 0 uint 7       a function constant
//	buffer 1 float 64 iota  iota, zero, poison, or the values; "readonly" before them makes a no-copy buffer
//	bytes 2 uint 60         inline bytes
//	threadgroup 0 128       bytes of threadgroup memory
//	expect 1 0 2 4          the buffer's values from the start on; floats compare by bits, nan with any NaN
//
// A comment // want "text" in case.metal demands a fault at that line whose report holds the text; a case without one must run clean, so
// each fault stands beside the nearest launch that has none. A case is run with one worker and with three; both must give the same
// bytes. Source: the MSL specification; each story names the rule.

var _ = Describe("The executor", Label("area:executor", "backend:msl"), func() {
	files, err := filepath.Glob("testdata/exec/*.txtar")
	if err != nil || len(files) == 0 {
		panic("msl: no cases in testdata/exec")
	}
	for _, file := range files {
		It(caseName(file), func() {
			archive, err := txtar.ParseFile(file)
			Expect(err).NotTo(HaveOccurred())
			Expect(runCase(archive)).To(BeEmpty())
		})
	}

	It("is judged by cases that can fail", func() {
		text := "a\n-- case.metal --\nkernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n" +
			"    out[i] = 1;%s\n}\n-- launch --\nthreads 32\nbuffer 0 int %d zero\nexpect 0 %d\n"
		parse := func(want string, n, value int) []string {
			return runCase(txtar.Parse(fmt.Appendf(nil, text, want, n, value)))
		}
		Expect(parse("", 32, 1)).To(BeEmpty())
		Expect(parse("", 32, 2)).To(ConsistOf(ContainSubstring("buffer 0 element 0: got 1, want 2")))
		Expect(parse("", 31, 1)).To(ConsistOf(ContainSubstring("a fault that was not wanted")))
		Expect(parse(` // want "bounds"`, 31, 1)).To(BeEmpty())
		Expect(parse(` // want "race"`, 31, 1)).To(ConsistOf(ContainSubstring(`want "race"`)))
		Expect(parse(` // want "bounds"`, 32, 1)).To(ConsistOf(ContainSubstring("no fault")))
	})
})

// caseName is the file's name as words.
func caseName(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".txtar"), "_", " ")
}

var wantComment = regexp.MustCompile(`// want "([^"]*)"`)

// runCase runs a case with one and with three workers and says what was not as it wanted.
func runCase(archive *txtar.Archive) []string {
	GinkgoHelper()
	var source, launch string
	for _, f := range archive.Files {
		switch f.Name {
		case "case.metal":
			source = string(f.Data)
		case "launch":
			launch = string(f.Data)
		default:
			Fail("unknown part " + f.Name)
		}
	}
	wants := map[string]string{} // position to text
	for i, line := range strings.Split(source, "\n") {
		if m := wantComment.FindStringSubmatch(line); m != nil {
			wants[fmt.Sprintf("case.metal:%d:", i+1)] = m[1]
		}
	}
	one, three := newCaseRun(source, launch, 1), newCaseRun(source, launch, 3)
	problems := one.judge(wants)
	for i, b := range one.buffers {
		if len(problems) == 0 && len(wants) == 0 && !bytes.Equal(one.read(b), three.read(three.buffers[i])) {
			problems = append(problems, fmt.Sprintf("buffer %d: one and three workers differ", i))
		}
	}
	return problems
}

// caseRun is one execution of a case.
type caseRun struct {
	buffers map[int]device.Buffer
	types   map[int]string
	expect  map[int][]string
	err     error
}

func newCaseRun(source, launch string, workers int) *caseRun {
	GinkgoHelper()
	r := &caseRun{buffers: map[int]device.Buffer{}, types: map[int]string{}, expect: map[int][]string{}}
	dev := msl.New(msl.Options{Workers: workers, CompareLanes: true})
	library, err := dev.Compile([]device.Source{{Name: "case.metal", Text: source}})
	Expect(err).NotTo(HaveOccurred())
	var d device.Dispatch
	var constants []device.Constant
	for line := range strings.Lines(launch) {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		index := 0
		if len(w) > 1 {
			index = number(w[1])
		}
		switch w[0] {
		case "grid":
			d.Threadgroups = size(w[1:])
		case "threads":
			d.ThreadsPerThreadgroup = size(w[1:])
		case "constant":
			constants = append(constants, device.Constant{Index: index, Value: constantValue(w[2], w[3])})
		case "threadgroup":
			d.Args = append(d.Args, device.Arg{Index: index, ThreadgroupBytes: number(w[2])})
		case "bytes":
			d.Args = append(d.Args, device.Arg{Index: index, Bytes: encode(w[2], w[3:])})
		case "buffer":
			r.types[index] = w[2]
			r.buffers[index] = newCaseBuffer(dev, w)
			d.Args = append(d.Args, device.Arg{Index: index, Buffer: r.buffers[index]})
		case "expect":
			r.expect[index] = w[2:]
		default:
			Fail("launch: unknown line " + line)
		}
	}
	Expect(library.Kernels()).To(HaveLen(1))
	d.Pipeline, err = library.Pipeline(library.Kernels()[0], constants)
	Expect(err).NotTo(HaveOccurred())
	cb, err := dev.NewCommandBuffer("case")
	Expect(err).NotTo(HaveOccurred())
	Expect(cb.Dispatch(d)).To(Succeed())
	Expect(cb.Commit()).To(Succeed())
	r.err = cb.Wait()
	return r
}

func newCaseBuffer(dev device.Device, w []string) device.Buffer {
	GinkgoHelper()
	count, values := number(w[3]), w[4:]
	readOnly := len(values) > 0 && values[0] == "readonly"
	if readOnly {
		values = values[1:]
	}
	var data []byte
	switch {
	case len(values) == 1 && values[0] == "iota":
		all := make([]string, count)
		for i := range all {
			all[i] = strconv.Itoa(i)
		}
		data = encode(w[2], all)
	case len(values) == 1 && values[0] == "zero":
		data = make([]byte, count*elementBytes(w[2]))
	case len(values) == 1 && values[0] == "poison":
	default:
		Expect(values).To(HaveLen(count), "buffer %s", w[1])
		data = encode(w[2], values)
	}
	if readOnly {
		b, err := dev.NewBufferNoCopy("buffer "+w[1], data)
		Expect(err).NotTo(HaveOccurred())
		return b
	}
	b, err := dev.NewBuffer("buffer "+w[1], count*elementBytes(w[2]))
	Expect(err).NotTo(HaveOccurred())
	Expect(b.Write(0, data)).To(Succeed())
	return b
}

func (r *caseRun) read(b device.Buffer) []byte {
	GinkgoHelper()
	data := make([]byte, b.LengthBytes())
	Expect(b.Read(0, data)).To(Succeed())
	return data
}

// judge compares faults and buffers with what the case wants.
func (r *caseRun) judge(wants map[string]string) (problems []string) {
	GinkgoHelper()
	if len(wants) == 0 && r.err != nil {
		return []string{"a fault that was not wanted: " + r.err.Error()}
	}
	for where, text := range wants {
		if r.err == nil {
			problems = append(problems, fmt.Sprintf("no fault, want %q at %s", text, where))
		} else if got := r.err.Error(); !strings.Contains(got, where) || !strings.Contains(got, text) {
			problems = append(problems, fmt.Sprintf("fault at another place or of another kind: want %q at %s, got %s", text, where, got))
		}
	}
	if r.err != nil {
		return problems // what a kernel that faulted has written is not defined
	}
	for index, values := range r.expect {
		got, want, n := r.read(r.buffers[index]), encode(r.types[index], values), elementBytes(r.types[index])
		for i := range values {
			g, w := got[i*n:(i+1)*n], want[i*n:(i+1)*n]
			if !bytes.Equal(g, w) && !(values[i] == "nan" && isNaN(r.types[index], g)) {
				problems = append(problems, fmt.Sprintf("buffer %d element %d: got %s, want %s", index, i, show(r.types[index], g), values[i]))
			}
		}
	}
	return problems
}

func number(s string) int {
	GinkgoHelper()
	n, err := strconv.Atoi(s)
	Expect(err).NotTo(HaveOccurred())
	return n
}

func size(w []string) device.Size {
	n := [3]int{1, 1, 1}
	for i, s := range w {
		n[i] = number(s)
	}
	return device.Size{X: n[0], Y: n[1], Z: n[2]}
}

func constantValue(kind, s string) any {
	GinkgoHelper()
	switch kind {
	case "bool":
		return s == "true"
	case "int":
		return int32(number(s))
	case "uint":
		return uint32(number(s))
	case "float":
		return math.Float32frombits(binary.LittleEndian.Uint32(encode("float", []string{s})))
	}
	Fail("unknown constant type " + kind)
	return nil
}

func elementBytes(kind string) int {
	switch kind {
	case "char", "uchar", "bool":
		return 1
	case "short", "ushort", "half":
		return 2
	case "int", "uint", "float":
		return 4
	}
	return 8
}

// encode writes values of an element type, little-endian.
func encode(kind string, values []string) []byte {
	GinkgoHelper()
	var out []byte
	for _, s := range values {
		var bits uint64
		switch kind {
		case "float", "half":
			f, err := strconv.ParseFloat(s, 32)
			Expect(err).NotTo(HaveOccurred())
			bits = uint64(math.Float32bits(float32(f)))
			if kind == "half" {
				bits = uint64(float16.Fromfloat32(float32(f)).Bits())
			}
		default:
			i, err := strconv.ParseInt(s, 0, 64)
			if err != nil {
				bits, err = strconv.ParseUint(s, 0, 64)
				i = int64(bits)
			}
			Expect(err).NotTo(HaveOccurred())
			bits = uint64(i)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		out = append(out, word[:elementBytes(kind)]...)
	}
	return out
}

func isNaN(kind string, b []byte) bool {
	switch kind {
	case "float":
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		return f != f
	case "half":
		return float16.Frombits(binary.LittleEndian.Uint16(b)).IsNaN()
	}
	return false
}

// show prints one element.
func show(kind string, b []byte) string {
	var word [8]byte
	copy(word[:], b)
	bits := binary.LittleEndian.Uint64(word[:])
	switch kind {
	case "float":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case "half":
		return fmt.Sprint(float16.Frombits(uint16(bits)).Float32())
	case "char":
		return fmt.Sprint(int8(bits))
	case "short":
		return fmt.Sprint(int16(bits))
	case "int":
		return fmt.Sprint(int32(bits))
	case "long":
		return fmt.Sprint(int64(bits))
	}
	return fmt.Sprint(bits)
}
