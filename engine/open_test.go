package engine_test

import (
	"context"
	"math"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// fixture is the path of a packed fixture.
func fixture(name string) string { return filepath.Join("..", "fixtures", name) }

// tiny are the fixtures small enough for specs that run many steps.
var tiny = []string{"tiny-qwen3-int4", "tiny-qwen3-moe-int4", "tiny-qwen3-moe-int4-affine", "tiny-qwen3-moe-mixed-int4"}

// open loads a fixture on dev, or on a fresh device when dev is nil, and closes it when the spec ends.
func open(name string, dev device.Device, maxSeqLen int) *engine.Engine {
	GinkgoHelper()
	if dev == nil {
		dev = msl.New(msl.Options{CompareLanes: true})
	}
	e, err := engine.Load(context.Background(), fixture(name), engine.Options{Device: dev, MaxSeqLen: maxSeqLen})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(e.Close)
	return e
}

func newSequence(e *engine.Engine) *engine.Sequence {
	GinkgoHelper()
	s, err := e.NewSequence()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(s.Close)
	return s
}

// ids makes a prompt of n ids below 320, the smallest vocabulary of the fixtures.
func ids(n, seed int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = (i*i*7 + i*31 + seed*101) % 320
	}
	return out
}

// recorded is a run as bits: ids and the logits of every position.
type recorded struct {
	ids    []int
	logits [][]uint32
}

func (r *recorded) keep(logits []float32) {
	row := make([]uint32, len(logits))
	for i, v := range logits {
		row[i] = math.Float32bits(v)
	}
	r.logits = append(r.logits, row)
}

// prefill appends ids and keeps every position's logits.
func (r *recorded) prefill(s *engine.Sequence, ids []int, perBuffer int) int {
	GinkgoHelper()
	next, err := s.Prefill(context.Background(), ids, engine.PrefillOptions{
		TokensPerCommandBuffer: perBuffer,
		OnLogits:               func(_ int, logits []float32) { r.keep(logits) },
	})
	Expect(err).NotTo(HaveOccurred())
	r.ids = append(r.ids, next)
	return next
}

// decode continues and keeps ids and logits.
func (r *recorded) decode(s *engine.Sequence, n, perBuffer int) {
	GinkgoHelper()
	out, err := s.Decode(context.Background(), n, engine.DecodeOptions{
		TokensPerCommandBuffer: perBuffer, IgnoreEOS: true, Logits: true,
		OnToken: func(_ int, logits []float32) { r.keep(logits) },
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(out).To(HaveLen(n))
	r.ids = append(r.ids, out...)
}

func cacheBytes(s *engine.Sequence) []byte {
	GinkgoHelper()
	b, err := s.CacheBytes()
	Expect(err).NotTo(HaveOccurred())
	return b
}
