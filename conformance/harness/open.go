package harness

import (
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/engine/device"
)

// Open opens the default device. A device that cannot be opened fails the spec: it is never a skip.
func Open() device.Device {
	ginkgo.GinkgoHelper()
	d, err := backend.Open(backend.Default)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return d
}

// Root is the repository's root folder: the nearest parent that holds go.mod.
func Root() string {
	ginkgo.GinkgoHelper()
	dir, err := os.Getwd()
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		gomega.Expect(parent).NotTo(gomega.Equal(dir), "no go.mod above the working folder")
		dir = parent
	}
}

// Fixture is the path of a checkpoint in fixtures/.
func Fixture(name string) string {
	ginkgo.GinkgoHelper()
	return filepath.Join(Root(), "fixtures", name)
}
