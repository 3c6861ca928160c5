package sovereignty_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestSovereignty(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "sovereignty")
}
