package main

// Purpose: bad input is one clear line on standard error and exit code 2, whichever command meets it, and nothing is
// printed or left behind. Control case: the same folder unharmed passes (execution_command_test.go). Each entry
// breaks one rule.

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	tiny    = "fixtures/tiny-qwen3-moe"
	weights = "model.safetensors"
	qProj   = "model.layers.1.self_attn.q_proj.weight"
)

// expectRefusal demands exit code 2, one line on standard error that holds the pieces, and no output.
func expectRefusal(r result, pieces ...string) {
	GinkgoHelper()
	Expect(r.code).To(Equal(2), r.stderr+r.stdout)
	Expect(r.stdout).To(BeEmpty())
	Expect(r.stderr).To(HavePrefix("assay: "))
	Expect(strings.Count(r.stderr, "\n")).To(Equal(1), r.stderr)
	for _, p := range pieces {
		Expect(r.stderr).To(ContainSubstring(p))
	}
}

var _ = Describe("A bad model folder", Label("purpose:fault", "area:command", "level:required"), func() {
	commands := map[string]func(dir string) []string{
		"certify":  func(dir string) []string { return []string{"certify", dir} },
		"generate": func(dir string) []string { return []string{"generate", dir, "--ids", "5,6,7", "--max-tokens", "2"} },
		"oracle":   func(dir string) []string { return []string{"oracle", dir, "--ids", "5,6,7", "--max-tokens", "2"} },
		"pack":     func(dir string) []string { return []string{"pack", dir, "-o", filepath.Join(dir, "packed")} },
	}
	DescribeTable("is refused by every command:", func(harm func(dir string), pieces ...string) {
		for name, args := range commands {
			By(name)
			dir := copied(tiny)
			harm(dir)
			expectRefusal(assay(args(dir)...), pieces...)
			Expect(filepath.Join(dir, "packed")).NotTo(BeAnExistingFile())
		}
	},
		Entry("missing weights", func(dir string) { os.Remove(filepath.Join(dir, weights)) }, weights),
		Entry("missing config", func(dir string) { os.Remove(filepath.Join(dir, "config.json")) }, "config.json"),
		Entry("truncated shard", rewrite(weights, func(b []byte) []byte { return b[:len(b)-1000] }), weights),
		Entry("header longer than the file", rewrite(weights, func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b, uint64(len(b))*3)
			return b
		}), weights, "header"),
		Entry("wrong dtype", inHeader(weights, qProj, `"BF16"`, `"I16" `), qProj, "I16"),
		Entry("wrong shape", inHeader(weights, qProj, `[128,64]`, `[64,128]`), qProj, "64", "128"),
		Entry("missing key in config", setJSON("config.json", func(m map[string]any) { delete(m, "num_attention_heads") }), "num_attention_heads"),
		Entry("unsupported model_type", setJSON("config.json", func(m map[string]any) { m["model_type"] = "mamba" }), "model_type", "mamba"),
		Entry("NaN in the weights", setBF16(weights, qProj, 17, 0x7fc0), qProj, "NaN"),
		Entry("infinity in the weights", setBF16(weights, qProj, 17, 0xff80), qProj, "finite"),
		Entry("config that is no JSON", rewrite("config.json", func([]byte) []byte { return []byte("{") }), "config.json"),
	)
	It("is refused when it does not exist at all", func() {
		for _, args := range commands {
			expectRefusal(assay(args("fixtures/no-such-folder")...), "no-such-folder")
		}
	})
})

var _ = Describe("A bad packed folder", Label("purpose:fault", "area:command", "level:required"), func() {
	DescribeTable("is refused:", func(harm func(dir string), pieces ...string) {
		for _, args := range [][]string{{"certify"}, {"generate", "--ids", "5,6,7"}, {"oracle", "--ids", "5,6,7"}} {
			By(args[0])
			dir := filepath.Join(GinkgoT().TempDir(), "packed")
			Expect(assay("pack", tiny, "-o", dir).code).To(Equal(0))
			harm(dir)
			expectRefusal(assay(append(args, dir)...), pieces...)
		}
	},
		Entry("packed.json that is no JSON", rewrite("packed.json", func([]byte) []byte { return []byte("int4") }), "packed.json"),
		Entry("unknown version", setJSON("packed.json", func(m map[string]any) { m["version"] = 99 }), "packed.json", "version"),
		Entry("unknown scheme", setJSON("packed.json", func(m map[string]any) { m["scheme"] = "ternary" }), "packed.json", "ternary"),
		Entry("truncated weights", rewrite(weights, func(b []byte) []byte { return b[:len(b)-64] }), weights),
	)
})

var _ = Describe("A bad command line", Label("purpose:fault", "area:command", "level:required"), func() {
	file := func(name, text string) string {
		path := filepath.Join(GinkgoT().TempDir(), name)
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		return path
	}
	DescribeTable("is refused:", func(args func() []string, pieces ...string) {
		expectRefusal(assay(args()...), pieces...)
	},
		Entry("token id out of range, oracle", func() []string { return []string{"oracle", tiny, "--ids", "5,320"} }, "320", "319"),
		Entry("token id out of range, generate", func() []string { return []string{"generate", tiny, "--ids", "5,320"} }, "320", "319"),
		Entry("negative token id", func() []string { return []string{"oracle", tiny, "--ids=-1"} }, "-1"),
		Entry("token id that is no number", func() []string { return []string{"oracle", tiny, "--ids", "5;6"} }, "5;6"),
		Entry("token id out of range in a prompts file", func() []string {
			return []string{"certify", tiny, "--prompts", file("p.json", `{"prompts":{"x":{"ids":[1,320]}}}`)}
		}, `"x"`, "320"),
		Entry("prompt longer than the context, oracle", func() []string {
			return []string{"oracle", tiny, "--ids-file", file("ids", strings.Repeat("7\n", 2049)), "--max-tokens", "0"}
		}, "2049", "2048"),
		Entry("prompt longer than the context, generate", func() []string {
			return []string{"generate", tiny, "--ids-file", file("ids", strings.Repeat("7, ", 2040)), "--max-tokens", "20"}
		}, "2040", "2048"),
		Entry("empty ids", func() []string { return []string{"oracle", tiny, "--ids", " , "} }, "no token ids"),
		Entry("empty ids file", func() []string { return []string{"generate", tiny, "--ids-file", file("ids", "\n")} }, "no token ids"),
		Entry("missing ids file", func() []string { return []string{"generate", tiny, "--ids-file", "no-such-file"} }, "no-such-file"),
		Entry("text without a tokenizer", func() []string { return []string{"generate", tiny, "-p", "hello"} }, "tokenizer.json"),
		Entry("no prompt at all", func() []string { return []string{"generate", tiny} }, "--ids"),
		Entry("unwritable logits file", func() []string {
			return []string{"oracle", tiny, "--ids", "5", "--logits-out", "no-such-folder/x.safetensors"}
		}, "no-such-folder"),
		Entry("unwritable packed folder", func() []string { return []string{"pack", tiny, "-o", file("plain", "") + "/packed"} }, "plain"),
		Entry("packed folder that holds something", func() []string { return []string{"pack", tiny, "-o", "fixtures/tiny-qwen3"} }, "fixtures/tiny-qwen3"),
		Entry("unwritable report folder", func() []string { return []string{"certify", tiny, "--report", file("plain", "") + "/report"} }, "plain"),
		Entry("unknown device", func() []string { return []string{"generate", tiny, "--ids", "5", "--device", "abacus"} }, "abacus", "msl"),
		Entry("device that is not in this build", func() []string { return []string{"certify", tiny, "--device", "metal"} }, "metal", "not in this build"),
		Entry("unknown flag", func() []string { return []string{"certify", tiny, "--frobnicate"} }, "--frobnicate"),
		Entry("unknown command", func() []string { return []string{"frobnicate"} }, "frobnicate"),
		Entry("unknown claim", func() []string { return []string{"certify", tiny, "--claims", "A,Z"} }, `"Z"`),
		Entry("missing model", func() []string { return []string{"certify"} }, "MODEL"),
		Entry("negative max-tokens", func() []string { return []string{"generate", tiny, "--ids", "5", "--max-tokens", "-3"} }, "--max-tokens", "-3"),
		Entry("unknown scheme", func() []string { return []string{"pack", tiny, "-o", "x", "--scheme", "ternary"} }, "ternary"),
		Entry("packing a packed folder", func() []string {
			dir := filepath.Join(GinkgoT().TempDir(), "packed")
			Expect(assay("pack", tiny, "-o", dir).code).To(Equal(0))
			return []string{"pack", dir, "-o", dir + "2"}
		}, "packed"),
	)
})
