package checkpoint_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/checkpoint"
)

// Plan. A synthetic folder opens like any packed one; every word is the counter's, so that a slice made again alone is equal; the
// values have the spread that is promised; another seed gives other codes; shards do not change a byte; a cancelled run leaves nothing.

var _ = Describe("Synthetic checkpoints", func() {
	const config = "../../fixtures/tiny-qwen3-moe-int4/config.json"
	write := func(o checkpoint.SyntheticOptions) *checkpoint.Folder {
		GinkgoHelper()
		dir := filepath.Join(GinkgoT().TempDir(), "made")
		Expect(checkpoint.Synthesise(context.Background(), config, dir, o)).To(Succeed())
		f, err := checkpoint.Open(dir)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		return f
	}

	It("hold the words of their counter", func() {
		f := write(checkpoint.SyntheticOptions{Seed: 7})
		codes := f.GateUpProj(1).Codes
		for i := 0; i+8 <= len(codes.Data); i += 8 {
			Expect(binary.LittleEndian.Uint64(codes.Data[i:])).To(Equal(checkpoint.SyntheticWord(7, codes.Name, int64(i/8))))
		}
		for i := 0; i < len(f.QKVProj(0).Scales.Data); i += 2 {
			s := float16.Frombits(binary.LittleEndian.Uint16(f.QKVProj(0).Scales.Data[i:])).Float32()
			Expect(s).To(And(BeNumerically(">=", 0.0041), BeNumerically("<=", 0.0045)))
		}
		value := func(t checkpoint.Tensor, i int) float32 {
			return math.Float32frombits(uint32(binary.LittleEndian.Uint16(t.Data[2*i:])) << 16)
		}
		for i := range 64 {
			Expect(value(f.InputNorm(2), i)).To(And(BeNumerically(">=", 1), BeNumerically("<=", 1.25)))
			Expect(math.Abs(float64(value(f.Router(0), i)))).To(And(BeNumerically(">=", 0.031), BeNumerically("<=", 0.0625)))
		}
	})

	It("depend on the seed, and not on the shards", func() {
		one := write(checkpoint.SyntheticOptions{Seed: 1})
		cut := write(checkpoint.SyntheticOptions{Seed: 1, ShardBytes: 40000})
		Expect(len(cut.Shards())).To(BeNumerically(">", 2))
		other := write(checkpoint.SyntheticOptions{Seed: 2})
		Expect(cut.LMHead().Codes.Data).To(Equal(one.LMHead().Codes.Data))
		Expect(other.LMHead().Codes.Data).NotTo(Equal(one.LMHead().Codes.Data))
		Expect(one.OProj(0).Codes.Data).NotTo(Equal(one.OProj(1).Codes.Data))
	})

	It("leave nothing behind when cancelled, and refuse a config that cannot be", func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		dir := GinkgoT().TempDir()
		Expect(checkpoint.Synthesise(ctx, config, filepath.Join(dir, "made"), checkpoint.SyntheticOptions{})).To(MatchError(context.Canceled))
		Expect(checkpoint.Synthesise(context.Background(), filepath.Join(dir, "none.json"), filepath.Join(dir, "made"), checkpoint.SyntheticOptions{})).To(MatchError(ContainSubstring("none.json")))
		Expect(os.ReadDir(dir)).To(BeEmpty())
	})
})
