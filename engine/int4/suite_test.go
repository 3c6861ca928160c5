package int4_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestInt4(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "engine/int4")
}
