package msl_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestMSL(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "msl")
}
