package kernels_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestKernels(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Kernels")
}
