package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestCommand(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "assay")
}

// program is the path of the built command.
var program string

var _ = SynchronizedBeforeSuite(func() []byte {
	dir, err := os.MkdirTemp("", "assay-command-*")
	Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(dir, "assay")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	return []byte(path)
}, func(path []byte) { program = string(path) })

var _ = SynchronizedAfterSuite(func() {}, func() { os.RemoveAll(filepath.Dir(program)) })
