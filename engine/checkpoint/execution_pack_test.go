package checkpoint

// Plan. Purpose: the packed fixtures are what Pack makes of the original ones, byte for byte, with any number of workers and any
// shard limit's tensors; an interrupted or refused Pack leaves nothing behind.
// Controls: another search or group size gives other bytes. Source: packed.json names the options each fixture was packed with.

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octoryn/assay/engine/int4"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// files reads every file of a folder.
func files(dir string) map[string]string {
	GinkgoHelper()
	entries, err := os.ReadDir(dir)
	Expect(err).NotTo(HaveOccurred())
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		Expect(err).NotTo(HaveOccurred())
		out[e.Name()] = string(data)
	}
	return out
}

// packed packs a fixture with the options and returns where.
func packed(ctx context.Context, name string, o PackOptions) string {
	GinkgoHelper()
	out := filepath.Join(GinkgoT().TempDir(), "out")
	Expect(Pack(ctx, fixture(name), out, o)).To(Succeed())
	return out
}

var _ = Describe("packing", Label("area:checkpoint"), func() {
	for name, o := range map[string]PackOptions{
		"gosling-4m-int4": {}, "tiny-qwen3-moe-int4": {}, "tiny-qwen3-moe-mixed-int4": {}, "tiny-qwen3-int4": {},
		"tiny-qwen3-moe-int4-affine": {Scheme: int4.Affine},
	} {
		It("gives the bytes of "+name, func(ctx SpecContext) {
			original, _, _ := strings.Cut(name, "-int4")
			got, want := files(packed(ctx, original, o)), files(fixture(name))
			Expect(len(got)).To(Equal(len(want)))
			for file := range want {
				Expect(got[file] == want[file]).To(BeTrue(), file)
			}
		})
	}

	It("gives the same bytes with any number of workers", func(ctx SpecContext) {
		want := files(packed(ctx, "tiny-qwen3-moe-mixed", PackOptions{Workers: 1}))
		for _, workers := range []int{2, 7} {
			Expect(files(packed(ctx, "tiny-qwen3-moe-mixed", PackOptions{Workers: workers}))).To(Equal(want))
		}
	})

	It("gives other bytes with another search, scheme or group size", func(ctx SpecContext) {
		want := files(packed(ctx, "tiny-qwen3", PackOptions{}))[singleFile]
		for _, o := range []PackOptions{{Search: int4.AbsMax}, {Scheme: int4.Affine}, {GroupSize: 32}} {
			Expect(files(packed(ctx, "tiny-qwen3", o))[singleFile]).NotTo(Equal(want))
		}
	})

	It("cuts the output into shards that hold the same tensors", func(ctx SpecContext) {
		whole, cut := packed(ctx, "tiny-qwen3-moe", PackOptions{}), packed(ctx, "tiny-qwen3-moe", PackOptions{ShardBytes: 40_000})
		Expect(filepath.Join(cut, singleFile)).NotTo(BeAnExistingFile())
		shards, err := filepath.Glob(filepath.Join(cut, "model-*.safetensors"))
		Expect(err).NotTo(HaveOccurred())
		Expect(len(shards)).To(BeNumerically(">", 3))
		got := map[string]*stored{}
		for _, s := range shards {
			for name, t := range readFile(s) {
				got[name] = t
			}
		}
		Expect(got).To(Equal(readFile(filepath.Join(whole, singleFile))))
		f, err := Open(cut)
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Shards()).To(HaveLen(len(shards)))
		Expect(f.Close()).To(Succeed())
	})

	It("aligns tensors to 64 bytes where their length allows, in files that start on a page", func() {
		f, err := Open(fixture("gosling-4m-int4"))
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		for _, m := range []Matrix{f.LMHead(), f.QKVProj(0), f.GateUpProj(3), f.DownProj(5)} {
			Expect(m.Codes.Offset % 64).To(BeZero())
			Expect(&f.Shards()[m.Codes.Shard].Data[m.Codes.Offset]).To(BeIdenticalTo(&m.Codes.Data[0]))
		}
	})

	It("reports progress that rises to its total", func(ctx SpecContext) {
		var last, total int64
		packed(ctx, "tiny-qwen3", PackOptions{Progress: func(done, all int64) {
			Expect(done).To(BeNumerically(">=", last))
			last, total = done, all
		}})
		Expect(last).To(Equal(total))
		Expect(total).To(BeNumerically(">", 200_000))
	})

	It("leaves nothing behind when it is interrupted", func() {
		ctx, cancel := context.WithCancel(context.Background())
		parent := GinkgoT().TempDir()
		err := Pack(ctx, fixture("gosling-4m"), filepath.Join(parent, "out"), PackOptions{Progress: func(done, total int64) {
			if done > total/2 {
				cancel()
			}
		}})
		Expect(errors.Is(err, context.Canceled)).To(BeTrue(), "%v", err)
		Expect(os.ReadDir(parent)).To(BeEmpty())
	})

	It("takes an empty folder as its destination", func(ctx SpecContext) {
		out := GinkgoT().TempDir()
		Expect(Pack(ctx, fixture("tiny-qwen3"), out, PackOptions{})).To(Succeed())
		Expect(IsPacked(out)).To(BeTrue())
	})

	DescribeTable("refuses", func(ctx SpecContext, source, destination string, o PackOptions, want string) {
		Expect(Pack(ctx, source, destination, o)).To(MatchError(ContainSubstring(want)))
	},
		Entry("a destination with something in it", fixture("tiny-qwen3"), fixture("tiny-qwen3-int4"), PackOptions{}, "exists: got a folder with"),
		Entry("a destination that is a file", fixture("tiny-qwen3"), "pack.go", PackOptions{}, "pack.go: exists"),
		Entry("a destination whose parent is not there", fixture("tiny-qwen3"), "no/such/folder", PackOptions{}, "no/such/folder: unwritable"),
		Entry("a source that is packed", fixture("tiny-qwen3-int4"), "never", PackOptions{}, "got a packed folder"),
		Entry("a source that is not there", "nowhere", "never", PackOptions{}, "nowhere/config.json: missing"),
		Entry("a symmetric search for the affine scheme", fixture("tiny-qwen3"), "never", PackOptions{Scheme: int4.Affine, Search: int4.SignedMax}, "symmetric scheme only"),
		Entry("another group size", fixture("tiny-qwen3"), "never", PackOptions{GroupSize: 20}, "group size 20, want 32, 64 or 128"),
	)
})

// BenchmarkPack packs fixtures of 0.25, 0.8 and 7.9 MB. A source of 1.25 GB (dense, hidden 2048) took 5.4 s on 2 cores with at most
// 20 MB resident (2026-12-01).
func BenchmarkPack(b *testing.B) {
	for _, name := range []string{"tiny-qwen3", "tiny-qwen3-moe", "gosling-4m"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Pack(context.Background(), fixture(name), filepath.Join(b.TempDir(), "out"), PackOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
