package ir

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestIR(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "engine/msl/internal/ir")
}
