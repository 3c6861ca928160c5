package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
})
