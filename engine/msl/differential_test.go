package msl_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. Generated kernels through the whole path (text, compile, lower, run, both kinds of lanes) against two judges that share no code
// with it: math/big over the generator's tree, and a C++ compiler over the same text. Inputs hold the ends of every range. Control: an
// operator exchanged in the text is noticed by both. Where no C++ compiler is found its spec is not registered, and a line says so.

const (
	differentialKernels = 150
	differentialThreads = 40
)

func differentialInputs() (a []int32, x []float32) {
	r := rand.New(rand.NewPCG(3, 5))
	ends := []int32{0, 1, -1, 2, 7, 127, 128, -128, 255, 256, 32767, -32768, 65535, math.MaxInt32, math.MinInt32}
	floats := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1.5, 2.5, 1e-45, -1e-40, 1.17549435e-38, 3.4028235e38, -3.4028235e38, 16777216, 8388607.5, 1e10, 0.1}
	for i := range inputs * differentialThreads {
		a = append(a, int32(r.Uint32()))
		x = append(x, float32(math.Ldexp(r.Float64()*2-1, r.IntN(60)-30)))
		if r.IntN(2) == 0 {
			a[i] = ends[r.IntN(len(ends))]
		}
		if r.IntN(3) == 0 {
			x[i] = floats[r.IntN(len(floats))]
		}
	}
	return a, x
}

// runGenerated executes kernels of one text and gives their outputs by kernel.
func runGenerated(text string, a []int32, x []float32) map[string][]uint64 {
	GinkgoHelper()
	dev := msl.New(msl.Options{CompareLanes: true})
	library, err := dev.Compile([]device.Source{{Name: "generated.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}})
	Expect(err).NotTo(HaveOccurred())
	buffer := func(v any) device.Buffer {
		data, err := binary.Append(nil, binary.LittleEndian, v)
		Expect(err).NotTo(HaveOccurred())
		b, err := dev.NewBuffer("b", len(data))
		Expect(err).NotTo(HaveOccurred())
		Expect(b.Write(0, data)).To(Succeed())
		return b
	}
	ints, floats, out := buffer(a), buffer(x), buffer(make([]uint64, outputs*differentialThreads))
	results := map[string][]uint64{}
	for _, name := range library.Kernels() {
		p, err := library.Pipeline(name, nil)
		Expect(err).NotTo(HaveOccurred())
		cb, err := dev.NewCommandBuffer(name)
		Expect(err).NotTo(HaveOccurred())
		Expect(cb.Dispatch(device.Dispatch{Pipeline: p, Threadgroups: device.Size{X: 1}, ThreadsPerThreadgroup: device.Size{X: differentialThreads},
			Args: []device.Arg{{Index: 0, Buffer: ints}, {Index: 1, Buffer: floats}, {Index: 2, Buffer: out}}})).To(Succeed())
		Expect(cb.Commit()).To(Succeed())
		Expect(cb.Wait()).To(Succeed(), text)
		data := make([]byte, 8*outputs*differentialThreads)
		Expect(out.Read(0, data)).To(Succeed())
		values := make([]uint64, outputs*differentialThreads)
		_, err = binary.Decode(data, binary.LittleEndian, values)
		Expect(err).NotTo(HaveOccurred())
		results[name] = values
	}
	return results
}

// disagreement is the first output in which got and want differ; one NaN is as good as another.
func disagreement(got, want []uint64) string {
	for i := range want {
		nan := i%outputs == 1 && uint32(got[i])&0x7fffffff > 0x7f800000 && uint32(want[i])&0x7fffffff > 0x7f800000
		if got[i] != want[i] && !nan {
			return fmt.Sprintf("thread %d, output %d: got %#x, want %#x", i/outputs, i%outputs, got[i], want[i])
		}
	}
	return ""
}

func generatedKernels() (all []*generated, text string) {
	for seed := range uint64(differentialKernels) {
		g := generateKernel(seed)
		all = append(all, g)
		text += g.String()
	}
	return all, text
}

// exchanged alters the first + of the text's arithmetic.
func exchanged(text string) string {
	i := strings.Index(text, " + ")
	for strings.HasPrefix(text[i:], " + 0u") || strings.HasPrefix(text[i:], " + 1u") || strings.HasPrefix(text[i:], " + 2u") || strings.HasPrefix(text[i:], " + 3u") {
		i += 3 + strings.Index(text[i+3:], " + ")
	}
	return text[:i] + " - " + text[i+3:]
}

var _ = Describe("Generated kernels", Label("area:executor", "backend:msl"), func() {
	It("mean what math/big says", func() {
		all, text := generatedKernels()
		a, x := differentialInputs()
		judge := func(results map[string][]uint64) (wrong []string) {
			for _, g := range all {
				var want []uint64
				for i := range differentialThreads {
					out := g.run(a[inputs*i:inputs*i+inputs], x[inputs*i:inputs*i+inputs])
					want = append(want, out[:]...)
				}
				if d := disagreement(results[g.name], want); d != "" {
					wrong = append(wrong, g.name+": "+d+"\n"+g.String())
				}
			}
			return wrong
		}
		Expect(judge(runGenerated(text, a, x))).To(BeEmpty())
		Expect(judge(runGenerated(exchanged(text), a, x))).NotTo(BeEmpty())
	})

	compiler := ""
	for _, name := range []string{"c++", "g++", "clang++"} {
		if path, err := exec.LookPath(name); err == nil && compiler == "" {
			compiler = path
		}
	}
	if compiler == "" {
		fmt.Fprintln(os.Stderr, "engine/msl: no C++ compiler in PATH: generated kernels are judged by math/big alone")
		return
	}
	It("mean what a C++ compiler says", func() {
		_, text := generatedKernels()
		a, x := differentialInputs()
		want := runCompiled(compiler, text, a, x)
		Expect(want).To(HaveLen(differentialKernels))
		judge := func(results map[string][]uint64) (wrong []string) {
			for name := range want {
				if d := disagreement(results[name], want[name]); d != "" {
					wrong = append(wrong, name+": "+d)
				}
			}
			return wrong
		}
		Expect(judge(runGenerated(text, a, x))).To(BeEmpty())
		Expect(judge(runGenerated(exchanged(text), a, x))).NotTo(BeEmpty())
	})
})

// runCompiled builds the kernels as C++ and runs them, a thread after another.
func runCompiled(compiler, text string, a []int32, x []float32) map[string][]uint64 {
	GinkgoHelper()
	prelude, err := os.ReadFile("testdata/differential/metal.h")
	Expect(err).NotTo(HaveOccurred())
	var b strings.Builder
	b.Write(prelude)
	b.WriteString(text)
	fmt.Fprintf(&b, "int main() {\n    static int a[%d];\n    static uint xbits[%d];\n    static float x[%d];\n    static ulong out[%d];\n", len(a), len(x), len(x), outputs*differentialThreads)
	b.WriteString("    if (fread(a, 4, sizeof a / 4, stdin) != sizeof a / 4 || fread(xbits, 4, sizeof x / 4, stdin) != sizeof x / 4) return 1;\n    memcpy(x, xbits, sizeof x);\n")
	for seed := range differentialKernels {
		fmt.Fprintf(&b, "    for (uint id = 0; id < %du; ++id) k%d(a, x, out, id);\n    fwrite(out, 8, %d, stdout);\n", differentialThreads, seed, outputs*differentialThreads)
	}
	b.WriteString("    return 0;\n}\n")
	dir := GinkgoT().TempDir()
	source, program := filepath.Join(dir, "kernels.cpp"), filepath.Join(dir, "kernels")
	Expect(os.WriteFile(source, []byte(b.String()), 0o600)).To(Succeed())
	// -frounding-math: without it GCC 12 folds 0.0f - (float)0 to -0.0f, even unoptimised.
	out, err := exec.Command(compiler, "-std=c++14", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-frounding-math", "-o", program, source).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	run := exec.Command(program)
	data, err := binary.Append(nil, binary.LittleEndian, a)
	Expect(err).NotTo(HaveOccurred())
	data, err = binary.Append(data, binary.LittleEndian, x)
	Expect(err).NotTo(HaveOccurred())
	run.Stdin = strings.NewReader(string(data))
	answer, err := run.Output()
	Expect(err).NotTo(HaveOccurred())
	results := map[string][]uint64{}
	for seed := range differentialKernels {
		values := make([]uint64, outputs*differentialThreads)
		_, err := binary.Decode(answer[8*len(values)*seed:], binary.LittleEndian, values)
		Expect(err).NotTo(HaveOccurred())
		results[fmt.Sprintf("k%d", seed)] = values
	}
	return results
}
