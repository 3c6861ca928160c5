package golden_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestGolden(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "golden")
}
