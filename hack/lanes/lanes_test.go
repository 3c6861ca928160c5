package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestLanes(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "hack/lanes")
}

// Plan. The committed assembly is what the generator writes: nobody edits it by hand, and nobody forgets to run the generator.
// Control: a changed byte is noticed.

var _ = Describe("The lane generator", func() {
	It("writes the committed files", func() {
		dir := GinkgoT().TempDir()
		tool := filepath.Join(dir, "lanes")
		out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		folder := filepath.Join("engine", "msl", "internal", "exec")
		Expect(os.MkdirAll(filepath.Join(dir, folder), 0o755)).To(Succeed())
		assembly, stubs := filepath.Join(folder, "lanes_amd64.s"), filepath.Join(folder, "lanes_stub_amd64.go")
		run := exec.Command(tool, "-pkg", "exec", "-out", assembly, "-stubs", stubs)
		run.Dir = dir
		out, err = run.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		for _, name := range []string{assembly, stubs} {
			got, err := os.ReadFile(filepath.Join(dir, name))
			Expect(err).NotTo(HaveOccurred())
			want, err := os.ReadFile(filepath.Join("..", "..", name))
			Expect(err).NotTo(HaveOccurred())
			Expect(string(got) == string(want)).To(BeTrue(), "%s is not what hack/lanes writes: run the command of its doc.go", name)
			Expect(string(append(got, '\n')) == string(want)).To(BeFalse())
		}
	})

	It("is not needed on arm64, where the Go lanes hold no fused multiply-add that the source did not ask for", func() {
		fused := func(dir string, args ...string) string {
			build := exec.Command("go", append([]string{"build", "-gcflags=-S"}, args...)...)
			build.Dir = dir
			build.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux")
			out, err := build.CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(out))
			return strings.Join(regexp.MustCompile(`.*\bFN?M(ADD|SUB)[SD]\b.*`).FindAllString(string(out), -1), "\n")
		}
		root := filepath.Join("..", "..")
		for _, name := range []string{"exec", "num", "ir"} {
			Expect(fused(root, "./engine/msl/internal/"+name)).To(BeEmpty())
		}
		control := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(control, "go.mod"), []byte("module control\n\ngo 1.26\n"), 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(control, "f.go"), []byte("package control\n\nfunc F(a, b, c float32) float32 { return a*b + c }\n"), 0o600)).To(Succeed())
		Expect(fused(control, ".")).NotTo(BeEmpty())
	})
})
