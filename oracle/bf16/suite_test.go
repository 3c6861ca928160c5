package bf16_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestBF16(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "oracle/bf16")
}
