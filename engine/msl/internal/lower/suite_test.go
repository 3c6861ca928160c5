package lower

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestLower(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "engine/msl/internal/lower")
}
