package tolerance_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestTolerance(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "tolerance")
}
