package main

// Purpose: the commands do what their help says, in the fixed JSON shapes, and leave nothing behind. Control case:
// fault_input_test.go breaks the same inputs. Sources of expected values: fixtures/*/expected.json.

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// decoded parses one JSON object strictly into its keys.
func decoded(text string) map[string]any {
	GinkgoHelper()
	d := json.NewDecoder(strings.NewReader(text))
	var out map[string]any
	Expect(d.Decode(&out)).To(Succeed(), text)
	Expect(d.More()).To(BeFalse())
	return out
}

type answers struct {
	Prompts map[string]struct {
		IDs    []int     `json:"ids"`
		Greedy []float64 `json:"greedy_f64"`
	} `json:"prompts"`
}

func answersOf(fixture string) answers {
	GinkgoHelper()
	data, err := os.ReadFile(filepath.Join(fixture, "expected.json"))
	Expect(err).NotTo(HaveOccurred())
	var a answers
	Expect(json.Unmarshal(data, &a)).To(Succeed())
	return a
}

func joined(ids []int) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.Encode(ids)
	return strings.Trim(strings.TrimSpace(b.String()), "[]")
}

func anySlice(v []float64) []any {
	var out []any
	for _, x := range v {
		out = append(out, x)
	}
	return out
}

var _ = Describe("assay oracle", Label("purpose:execution", "area:command", "level:required"), func() {
	It("gives the greedy ids of the answers, their margins, and the logits of every prompt position", func() {
		short := answersOf(tiny).Prompts["short"]
		file := filepath.Join(GinkgoT().TempDir(), "logits.safetensors")
		r := assay("oracle", tiny, "--ids", joined(short.IDs), "--max-tokens", "48", "--logits-out", file, "--json")
		Expect(r.code).To(Equal(0), r.stderr)
		got := decoded(r.stdout)
		Expect(got).To(HaveLen(3))
		Expect(got["generated_ids"]).To(Equal(anySlice(short.Greedy)))
		Expect(got["margins"]).To(HaveLen(48))
		Expect(got["prompt_ids"]).To(HaveLen(len(short.IDs)))

		data, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		end := 8 + int(binary.LittleEndian.Uint64(data))
		var header map[string]struct {
			DType string `json:"dtype"`
			Shape []int  `json:"shape"`
		}
		Expect(json.Unmarshal(data[8:end], &header)).To(Succeed())
		Expect(header["logits"].DType).To(Equal("F64"))
		Expect(header["logits"].Shape).To(Equal([]int{len(short.IDs), 320}))
		last := data[end+8*320*(len(short.IDs)-1):]
		best := 0
		at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(last[8*i:])) }
		for i := range 320 {
			if at(i) > at(best) {
				best = i
			}
		}
		Expect(float64(best)).To(Equal(short.Greedy[0]))
	})
	It("takes ids from a file, separated by commas or white space", func() {
		file := filepath.Join(GinkgoT().TempDir(), "ids")
		Expect(os.WriteFile(file, []byte(" 183,98\n147\t, 12 \r\n"), 0o600)).To(Succeed())
		r := assay("oracle", tiny, "--ids-file", file, "--max-tokens", "0", "--json")
		Expect(r.stdout).To(Equal(`{"prompt_ids":[183,98,147,12],"generated_ids":[],"margins":[]}` + "\n"))
	})
})

var _ = Describe("assay pack and generate", Label("purpose:execution", "area:command", "level:required"), func() {
	It("generate the oracle's tokens from a packed folder and from the original, in the fixed shape", func() {
		dir := filepath.Join(GinkgoT().TempDir(), "packed")
		Expect(assay("pack", tiny, "-o", dir).code).To(Equal(0))
		ids := joined(answersOf(tiny).Prompts["short"].IDs)
		want := decoded(assay("oracle", dir, "--ids", ids, "--max-tokens", "12", "--json").stdout)
		for _, model := range []string{dir, tiny} {
			r := assay("generate", model, "--ids", ids, "--max-tokens", "12", "--json")
			Expect(r.code).To(Equal(0), r.stderr)
			got := decoded(r.stdout)
			Expect(got).To(HaveLen(5))
			Expect(got["generated_ids"]).To(Equal(want["generated_ids"]))
			Expect(got["device"]).To(Equal("msl"))
			Expect(got["tokens_per_second"]).To(And(HaveKey("prefill"), HaveKey("decode")))
		}
	})
	It("streams text for a prompt given as text", func() {
		r := assay("generate", "fixtures/gosling-4m", "-p", "func (r *Reader) ReadByte() (byte, error) {", "--max-tokens", "8")
		Expect(r.code).To(Equal(0), r.stderr)
		Expect(r.stdout).To(HaveSuffix("\n"))
		Expect(len(r.stdout)).To(BeNumerically(">", 8))
	})
	It("pack the same bytes every time", func() {
		sums := map[string]bool{}
		for range 2 {
			dir := filepath.Join(GinkgoT().TempDir(), "packed")
			Expect(assay("pack", tiny, "-o", dir).code).To(Equal(0))
			data, err := os.ReadFile(filepath.Join(dir, weights))
			Expect(err).NotTo(HaveOccurred())
			sums[string(data)] = true
			Expect(os.RemoveAll(dir)).To(Succeed())
		}
		Expect(sums).To(HaveLen(1))
	})
})

var _ = Describe("assay certify", Label("purpose:execution", "area:command", "level:required"), func() {
	It("passes a healthy model, in the fixed shape, and writes the report folder", func() {
		dir := filepath.Join(GinkgoT().TempDir(), "report")
		r := assay("certify", tiny, "--max-tokens", "4", "--json", "--report", dir)
		Expect(r.code).To(Equal(0), r.stderr+r.stdout)
		got := decoded(r.stdout)
		Expect(got).To(And(HaveLen(4), HaveKeyWithValue("verdict", "pass"), HaveKey("provenance")))
		verdicts := map[string]any{}
		for _, c := range got["claims"].([]any) {
			claim := c.(map[string]any)
			Expect(claim).To(And(HaveLen(4), HaveKey("figures")))
			Expect(claim["rerun"]).To(ContainSubstring("certify " + tiny))
			verdicts[claim["id"].(string)] = claim["verdict"]
		}
		for _, id := range []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"} {
			Expect(verdicts).To(HaveKeyWithValue(id, "pass"))
		}
		for _, id := range []string{"K", "L"} {
			Expect(verdicts).To(HaveKeyWithValue(id, "not-tested"))
		}
		Expect(got["specs"]).To(HaveKeyWithValue("failed", 0.0))
		for _, name := range []string{"report.json", "junit.xml"} {
			Expect(filepath.Join(dir, name)).To(BeAnExistingFile())
		}
	})
	It("ends with exit code 1 and a finding when an answer from elsewhere differs", func() {
		dir := copied(tiny)
		setJSON("expected.json", func(m map[string]any) {
			short := m["prompts"].(map[string]any)["short"].(map[string]any)
			short["greedy_f64"].([]any)[3] = 1.0
		})(dir)
		r := assay("certify", dir, "--claims", "a")
		Expect(r.code).To(Equal(1), r.stderr+r.stdout)
		Expect(r.stdout).To(ContainSubstring("step 3"))
		Expect(r.stdout).To(ContainSubstring("VERDICT: FAIL"))
	})
	It("says which claims it was not asked for", func() {
		r := assay("certify", tiny, "--claims", "G")
		Expect(r.code).To(Equal(0), r.stderr)
		Expect(r.stdout).To(ContainSubstring("not asked for"))
	})
	It("removes its temporary folders when interrupted", func() {
		temp := GinkgoT().TempDir()
		cmd := exec.Command(program, "certify", "fixtures/gosling-4m")
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		stderr, err := cmd.StderrPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(cmd.Start()).To(Succeed())
		Eventually(func() []os.DirEntry { entries, _ := os.ReadDir(temp); return entries }, "20s", "10ms").ShouldNot(BeEmpty())
		Expect(cmd.Process.Signal(syscall.SIGINT)).To(Succeed())
		text, err := io.ReadAll(stderr)
		Expect(err).NotTo(HaveOccurred())
		cmd.Wait()
		Expect(cmd.ProcessState.ExitCode()).To(Equal(130), string(text))
		Expect(string(text)).To(HaveSuffix("assay: interrupted\n"))
		Expect(os.ReadDir(temp)).To(BeEmpty())
	})
})

var _ = Describe("Every command", Label("purpose:execution", "area:command", "level:required"), func() {
	for _, name := range []string{"certify", "generate", "oracle", "pack", "devices"} {
		It("has help with an example: "+name, func() {
			r := assay(name, "--help")
			Expect(r.code).To(Equal(0))
			Expect(r.stdout).To(ContainSubstring("Examples:\n  assay " + name))
		})
	}
	It("and devices says what there is and why the rest is absent", func() {
		r := assay("devices", "--json")
		Expect(r.code).To(Equal(0), r.stderr)
		list := decoded(r.stdout)["devices"].([]any)
		Expect(list[0]).To(And(HaveKeyWithValue("name", "msl"), HaveKeyWithValue("available", true)))
		Expect(list[1]).To(And(HaveKeyWithValue("name", "metal"), HaveKeyWithValue("available", false), HaveKey("reason")))
		Expect(assay("devices").stdout).To(ContainSubstring("metal  absent: "))
	})
})
