package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle"
)

// Plan
//
//   - Purpose: the repository's golden files are what the oracle computes today; any change of checkpoint, oracle or
//     generator without writing them again is found, and so is a file changed by hand.
//   - Control: the unchanged copy passes, and so does one in which only tests changed.
//   - Boundary: an error of float32 size in the oracle; one digit of one margin.
//   - Source: the contract of golden files, issue item 9.

const repository = "../.."

// command runs the command and gives exit code and all it printed.
func command(ctx context.Context, args ...string) (code int, printed string) {
	var b bytes.Buffer
	code = run(ctx, args, &b, &b)
	return code, b.String()
}

// smallRoot copies what the command looks at, with one small checkpoint and the one packed from it.
func smallRoot() string {
	root := GinkgoT().TempDir()
	for _, folder := range []string{"oracle", "hack/golden", "fixtures/tiny-qwen3", "fixtures/tiny-qwen3-int4", "golden/tiny-qwen3", "golden/tiny-qwen3-int4"} {
		Expect(os.CopyFS(filepath.Join(root, folder), os.DirFS(filepath.Join(repository, folder)))).To(Succeed())
	}
	sources, err := filepath.Glob(filepath.Join(repository, "golden", "*.go"))
	Expect(err).NotTo(HaveOccurred())
	for _, s := range append(sources, filepath.Join(repository, "go.mod")) {
		text, err := os.ReadFile(s)
		Expect(err).NotTo(HaveOccurred())
		name, err := filepath.Rel(repository, s)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(root, name), text, 0o644)).To(Succeed())
	}
	return root
}

// edit replaces text in a file; an empty from appends.
func edit(root, name, from, to string) {
	file := filepath.Join(root, name)
	text, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	changed := string(text) + to
	if from != "" {
		Expect(string(text)).To(ContainSubstring(from))
		changed = strings.Replace(string(text), from, to, 1)
	}
	Expect(os.WriteFile(file, []byte(changed), 0o644)).To(Succeed())
}

var _ = Describe("The golden files of the repository", Label("area:golden", "level:required"), func() {
	It("are what the oracle computes", Label("cost:slow"), func(ctx SpecContext) {
		code, printed := command(ctx, "--check", "--root", repository)
		Expect(printed).To(ContainSubstring(" files, 0 wrong"))
		Expect(code).To(BeZero())
	})
	It("are written by a command that does not reach the engine", func(ctx SpecContext) {
		out, err := exec.CommandContext(ctx, "go", "list", "-deps", ".").Output()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(out)).To(ContainSubstring("github.com/octoryn/assay/oracle\n"))
		Expect(string(out)).NotTo(ContainSubstring("github.com/octoryn/assay/engine"))
	})
})

var _ = Describe("golden --check", Label("area:golden"), func() {
	It("passes an unchanged copy, and one in which tests changed", func(ctx SpecContext) {
		root := smallRoot()
		edit(root, "oracle/suite_test.go", "", "// changed\n")
		edit(root, "oracle/forward.go", "\n", "\r\n") // as a checkout may
		code, printed := command(ctx, "--check", "--root", root)
		Expect(printed).To(ContainSubstring("golden: 4 files, 0 wrong"))
		Expect(code).To(BeZero())
	})

	DescribeTable("finds", Label("purpose:fault"), func(ctx SpecContext, want, file, from, to string) {
		root := smallRoot()
		edit(root, file, from, to)
		code, printed := command(ctx, "--check", "--root", root, "--only", "tiny-qwen3-int4/short")
		Expect(printed).To(ContainSubstring("golden/tiny-qwen3-int4/short.json: " + want))
		Expect(printed).To(ContainSubstring("run `go run ./hack/golden`"))
		Expect(code).To(Equal(1))
	},
		Entry("a checkpoint that changed", "fixture contents: made with", "fixtures/tiny-qwen3-int4/config.json", "", "\n"),
		Entry("an oracle that changed", "oracle sources: made with", "oracle/forward.go", "", "// changed\n"),
		Entry("a package of the oracle that changed", "oracle sources: made with", "oracle/f16/f16.go", "", "// changed\n"),
		Entry("a generator that changed", "generator sources: made with", "hack/golden/compute.go", "", "// changed\n"),
		Entry("a format that changed", "generator sources: made with", "golden/compare.go", "", "// changed\n"),
		Entry("another hash of the checkpoint", "fixture contents: made with", "golden/tiny-qwen3-int4/short.json", `"fixture_sha256": "`, `"fixture_sha256": "0`),
		Entry("another hash of the oracle", "oracle sources: made with", "golden/tiny-qwen3-int4/short.json", `"oracle_sha256": "`, `"oracle_sha256": "0`),
		Entry("another hash of the generator", "generator sources: made with", "golden/tiny-qwen3-int4/short.json", `"generator_sha256": "`, `"generator_sha256": "0`),
		Entry("another way of keeping keys and values", "kv: made with", "golden/tiny-qwen3-int4/short.json", `"float16"`, `"exact"`),
		Entry("another prompt", "prompt: made with", "golden/tiny-qwen3-int4/short.json", `"tokens": `, `"tokens": 1`),
		Entry("another token", "step 0: id: got 1", "golden/tiny-qwen3-int4/short.json", `{"id": `, `{"id": 1`),
		Entry("another margin", "step 0: margin: got 1", "golden/tiny-qwen3-int4/short.json", `"margin": `, `"margin": 1`),
	)

	DescribeTable("finds of the files themselves", Label("purpose:fault"), func(ctx SpecContext, want string, change func(folder string) error) {
		root := smallRoot()
		Expect(change(filepath.Join(root, "golden", "tiny-qwen3"))).To(Succeed())
		code, printed := command(ctx, "--check", "--root", root, "--only", "tiny-qwen3/*")
		Expect(printed).To(ContainSubstring(want))
		Expect(code).To(Equal(1))
	},
		Entry("one missing", "golden/tiny-qwen3/short.json: missing", func(folder string) error { return os.Remove(filepath.Join(folder, "short.json")) }),
		Entry("one too many", "golden/tiny-qwen3/other.json: no prompt makes it", func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "other.json"), []byte("{}"), 0o644)
		}),
		Entry("one that is no JSON", "tiny-qwen3/short.json: ", func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "short.json"), []byte("{"), 0o644)
		}),
		Entry("one written by another hand", "edited by hand", func(folder string) error {
			edit(folder, "short.json", `"id": `, `"id":  `)
			return nil
		}),
	)

	It("finds an oracle that errs as float32 would", Label("purpose:fault"), func(ctx SpecContext) {
		j := job{root: repository, only: "tiny-qwen3/short", progress: &bytes.Buffer{}, perturb: &oracle.Perturb{Seed: 1}}
		_, found, err := j.run(ctx, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(ConsistOf(ContainSubstring("golden/tiny-qwen3/short.json: step ")))
	})
})

var _ = Describe("golden", Label("area:golden"), func() {
	It("writes what a check then passes, and nothing the second time", func(ctx SpecContext) {
		root := smallRoot()
		edit(root, "oracle/forward.go", "", "// changed\n")
		Expect(os.Remove(filepath.Join(root, "golden", "tiny-qwen3", "long.json"))).To(Succeed())
		Expect(os.WriteFile(filepath.Join(root, "golden", "tiny-qwen3", "other.json"), nil, 0o644)).To(Succeed())
		code, printed := command(ctx, "--root", root)
		Expect(printed).To(ContainSubstring("golden: 4 files, 5 written"))
		Expect(code).To(BeZero())
		Expect(filepath.Join(root, "golden", "tiny-qwen3", "other.json")).NotTo(BeAnExistingFile())
		code, printed = command(ctx, "--root", root, "--check")
		Expect(printed).To(ContainSubstring("golden: 4 files, 0 wrong"))
		Expect(code).To(BeZero())
		_, printed = command(ctx, "--root", root)
		Expect(printed).To(ContainSubstring("golden: 4 files, 0 written"))
	})
	It("leaves the files as they were when it is stopped", func(ctx SpecContext) {
		root := smallRoot()
		edit(root, "oracle/forward.go", "", "// changed\n")
		file := filepath.Join(root, "golden", "tiny-qwen3", "long.json")
		before, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		stopped, stop := context.WithCancel(ctx)
		stop()
		code, printed := command(stopped, "--root", root)
		Expect(printed).To(ContainSubstring("context canceled"))
		Expect(code).To(Equal(2))
		Expect(os.ReadFile(file)).To(Equal(before))
	})
	It("explains itself", func(ctx SpecContext) {
		code, printed := command(ctx, "--help")
		Expect(printed).To(And(ContainSubstring("go run ./hack/golden --check"), ContainSubstring("--only")))
		Expect(code).To(BeZero())
	})

	DescribeTable("refuses with exit code 2", Label("purpose:validation"), func(ctx SpecContext, want string, change func(root string), args ...string) {
		root := smallRoot()
		if change != nil {
			change(root)
		}
		code, printed := command(ctx, append([]string{"--check", "--root", root}, args...)...)
		Expect(printed).To(ContainSubstring(want))
		Expect(code).To(Equal(2))
	},
		Entry("an unknown flag", "unknown flag: --update", nil, "--update"),
		Entry("an argument", "unknown command", nil, "fixtures"),
		Entry("a pattern that matches nothing", `--only "gosling/*": matches no prompt`, nil, "--only", "gosling/*"),
		Entry("a pattern that is none", "syntax error in pattern", nil, "--only", "["),
		Entry("a root without go.mod", "go.mod", func(root string) { Expect(os.Remove(filepath.Join(root, "go.mod"))).To(Succeed()) }),
		Entry("a root without fixtures", "fixtures: no such file", func(root string) { Expect(os.RemoveAll(filepath.Join(root, "fixtures"))).To(Succeed()) }),
		Entry("prompts that are no JSON", "expected.json", func(root string) { edit(root, "fixtures/tiny-qwen3/expected.json", "{", "[") }),
		Entry("a checkpoint that does not open", `config key "model_type"`, func(root string) {
			edit(root, "fixtures/tiny-qwen3/config.json", `"qwen3"`, `"llama"`)
			Expect(os.RemoveAll(filepath.Join(root, "fixtures/tiny-qwen3-int4"))).To(Succeed()) // it would miss its source
		}, "--only", "tiny-qwen3/*"),
		Entry("a packed checkpoint whose source changed", "source.files: no checkpoint in fixtures has these hashes; pack it again", func(root string) {
			edit(root, "fixtures/tiny-qwen3/config.json", "", "\n")
		}),
		Entry("a generator that imports the engine", "the generator imports github.com/octoryn/assay/engine/int4", func(root string) {
			edit(root, "hack/golden/compute.go", "import (", "import (\n\t_ \"github.com/octoryn/assay/engine/int4\"")
		}),
		Entry("an oracle that imports the engine", "the generator imports github.com/octoryn/assay/engine", func(root string) {
			edit(root, "oracle/forward.go", "import (", "import (\n\t_ \"github.com/octoryn/assay/engine\"")
		}),
	)
})
