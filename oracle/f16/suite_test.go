package f16_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestF16(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "oracle/f16")
}
