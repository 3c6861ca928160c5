package int4_test

// Plan. Purpose: QuantizeRow gives nearest codes for the scale it chose, in both schemes and every search; dequantising is
// exact; a row that f16 scales cannot carry is refused with group and value. Controls: codes moved by one are worse; least squares
// is never worse than the plain maximum. Boundaries: zero groups, one huge value, f16's smallest subnormal and largest finite scale,
// a short last group. Source: doc.go of the package; the error of each search on real weights is measured in checkpoint's benchmark.

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/int4"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var (
	symmetric = int4.Format{Scheme: int4.Symmetric, GroupSize: 64}
	affine    = int4.Format{Scheme: int4.Affine, GroupSize: 64}
)

type quantized struct {
	nibbles         []byte
	scales, offsets []float16.Float16
}

func quantize(f int4.Format, row []float32, s int4.Search) (quantized, error) {
	q := quantized{nibbles: make([]byte, len(row)), scales: make([]float16.Float16, f.NumGroups(len(row)))}
	if f.Scheme == int4.Affine {
		q.offsets = make([]float16.Float16, len(q.scales))
	}
	return q, f.QuantizeRow(row, s, q.nibbles, q.scales, q.offsets)
}

func (q quantized) values(f int4.Format) []float64 {
	out := make([]float64, len(q.nibbles))
	f.DequantizeRow(out, q.nibbles, q.scales, q.offsets)
	return out
}

// squares is the sum of squared errors.
func squares(row []float32, got []float64) float64 {
	sum := 0.0
	for i, v := range row {
		sum += (float64(v) - got[i]) * (float64(v) - got[i])
	}
	return sum
}

func normal(k int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	row := make([]float32, k)
	for i := range row {
		row[i] = float32(r.NormFloat64() * 0.02)
	}
	return row
}

func half(bits uint16) float16.Float16 { return float16.Frombits(bits) }

var searches = map[int4.Format][]int4.Search{
	symmetric: {int4.Default, int4.AbsMax, int4.SignedMax, int4.MSE, int4.WeightedMSE, int4.Exhaustive},
	affine:    {int4.Default, int4.AbsMax, int4.MSE, int4.WeightedMSE},
}

var _ = Describe("quantising a row", Label("area:int4"), func() {
	It("takes the nearest code the chosen scale allows, in every scheme and search", func() {
		for f, list := range searches {
			for _, s := range list {
				for _, k := range []int{32, 96, 128, 160, 768} {
					row := normal(k, uint64(k))
					q, err := quantize(f, row, s)
					Expect(err).NotTo(HaveOccurred())
					best := squares(row, q.values(f))
					for column := range k { // control: any code moved by one is no better
						for _, step := range []int{-1, 1} {
							if n := int(q.nibbles[column]) + step; n >= 0 && n <= 15 {
								old := q.nibbles[column]
								q.nibbles[column] = byte(n)
								Expect(squares(row, q.values(f))).To(BeNumerically(">=", best), "%v %v K %d column %d", f, s, k, column)
								q.nibbles[column] = old
							}
						}
					}
				}
			}
		}
	})

	It("is deterministic", func() {
		for f, list := range searches {
			for _, s := range list {
				a, errA := quantize(f, normal(256, 9), s)
				b, errB := quantize(f, normal(256, 9), s)
				Expect(errA).NotTo(HaveOccurred())
				Expect(errB).NotTo(HaveOccurred())
				Expect(a).To(Equal(b))
			}
		}
	})

	It("resolves the default by scheme", func() {
		for f, want := range map[int4.Format]int4.Search{symmetric: int4.SignedMax, affine: int4.MSE} {
			a, _ := quantize(f, normal(128, 4), int4.Default)
			b, _ := quantize(f, normal(128, 4), want)
			Expect(a).To(Equal(b))
			Expect(int4.Default.For(f.Scheme)).To(Equal(want))
		}
	})

	It("gives the value of largest magnitude code -8 under the signed maximum", func() {
		for seed := range uint64(20) {
			row := normal(64, seed)
			q, err := quantize(symmetric, row, int4.SignedMax)
			Expect(err).NotTo(HaveOccurred())
			at := 0
			for i, v := range row {
				if math.Abs(float64(v)) > math.Abs(float64(row[at])) {
					at = i
				}
			}
			Expect(q.nibbles[at]).To(BeZero())
		}
	})

	It("never does worse with a richer search", func() {
		for seed := range uint64(50) {
			row := normal(128, seed)
			e := map[int4.Search]float64{}
			for _, s := range searches[symmetric] {
				q, err := quantize(symmetric, row, s)
				Expect(err).NotTo(HaveOccurred())
				e[s] = squares(row, q.values(symmetric))
			}
			Expect(e[int4.MSE]).To(BeNumerically("<=", min(e[int4.AbsMax], e[int4.SignedMax])))
			Expect(e[int4.Exhaustive]).To(BeNumerically("<=", e[int4.MSE]*(1+1e-12)))
		}
	})

	It("gives a group of zeros scale +0 and value 0", func() {
		row := make([]float32, 128)
		row[3] = float32(math.Copysign(0, -1))
		for f, list := range searches {
			for _, s := range list {
				q, err := quantize(f, row, s)
				Expect(err).NotTo(HaveOccurred())
				Expect(q.scales).To(HaveEach(half(0)))
				Expect(q.values(f)).To(HaveEach(0.0))
			}
		}
	})

	It("uses f16's smallest subnormal where a scale would round to nothing", func() {
		row := make([]float32, 64)
		row[5], row[6] = 3e-8, -3e-8
		q, err := quantize(symmetric, row, int4.SignedMax)
		Expect(err).NotTo(HaveOccurred())
		Expect(q.scales[0] & 0x7fff).To(Equal(half(1)))
		Expect(math.Abs(q.values(symmetric)[5] - 3e-8)).To(BeNumerically("<", 3e-8))
		row[5], row[6] = 1e-9, 0 // nearer to zero than to any code
		q, err = quantize(symmetric, row, int4.SignedMax)
		Expect(err).NotTo(HaveOccurred())
		Expect(q.values(symmetric)).To(HaveEach(0.0))
	})

	It("carries values up to eight times the largest f16, and no further", func() {
		row := make([]float32, 64)
		row[0] = 8 * 65504
		q, err := quantize(symmetric, row, int4.SignedMax)
		Expect(err).NotTo(HaveOccurred())
		Expect(q.values(symmetric)[0]).To(Equal(8 * 65504.0))
		row[0] = 8 * 65600
		_, err = quantize(symmetric, row, int4.SignedMax)
		var out *int4.RangeError
		Expect(errors.As(err, &out)).To(BeTrue())
		Expect(err).To(MatchError("int4: group 0 holds 524800, out of reach of an f16 scale of at most 65504"))
	})

	It("refuses NaN and infinities by group", func() {
		for f := range searches {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				row := normal(160, 2)
				row[130] = float32(bad)
				_, err := quantize(f, row, int4.MSE)
				Expect(err).To(MatchError(HavePrefix("int4: group 2 holds")))
			}
		}
	})

	It("keeps the groups of a row apart, the short last one too", func() {
		row := normal(160, 6)
		whole, err := quantize(symmetric, row, int4.SignedMax)
		Expect(err).NotTo(HaveOccurred())
		row[159] *= 100 // last group: columns 128 to 159
		changed, err := quantize(symmetric, row, int4.SignedMax)
		Expect(err).NotTo(HaveOccurred())
		Expect(changed.scales[:2]).To(Equal(whole.scales[:2]))
		Expect(changed.nibbles[:128]).To(Equal(whole.nibbles[:128]))
		Expect(changed.scales[2]).NotTo(Equal(whole.scales[2]))
	})

	It("leaves the row unchanged", func() {
		row, copied := normal(128, 3), normal(128, 3)
		_, err := quantize(symmetric, row, int4.MSE)
		Expect(err).NotTo(HaveOccurred())
		Expect(row).To(Equal(copied))
	})
})

var _ = Describe("dequantising a row", Label("area:int4"), func() {
	// Scales at the ends of f16: smallest subnormal, largest subnormal, smallest normal, one and its neighbour, largest finite, and
	// each of them negative.
	scales := []uint16{0x0000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0x3c01, 0x7bff, 0x8001, 0x8400, 0xbc00, 0xfbff}

	It("is exact for all 16 codes at every column and every extreme scale", func() {
		for _, k := range []int{64, 96, 160, 768} {
			for _, bits := range scales {
				scale := float64(half(bits).Float32())
				for code := range byte(16) {
					q := quantized{nibbles: make([]byte, k), scales: make([]float16.Float16, symmetric.NumGroups(k))}
					for i := range q.nibbles {
						q.nibbles[i] = (code + byte(i)) % 16
					}
					for g := range q.scales {
						q.scales[g] = half(bits)
					}
					row := unpack(pack(q.nibbles), k)
					q.nibbles = row
					for i, v := range q.values(symmetric) {
						want := scale * float64(int((code+byte(i))%16)-8)
						Expect(v == want).To(BeTrue(), "K %d column %d: got %g, want %g", k, i, v, want)
					}
				}
			}
		}
	})

	It("adds the offset exactly in the affine scheme", func() {
		for _, s := range scales {
			for _, o := range scales {
				q := quantized{nibbles: randomNibbles(64, 1), scales: []float16.Float16{half(s)}, offsets: []float16.Float16{half(o)}}
				for i, v := range q.values(affine) {
					want := float64(half(s).Float32())*float64(q.nibbles[i]) + float64(half(o).Float32())
					Expect(v == want).To(BeTrue())
				}
			}
		}
	})

	It("sees a scale that belongs to the neighbouring group", func() {
		row := normal(128, 8)
		q, err := quantize(symmetric, row, int4.SignedMax)
		Expect(err).NotTo(HaveOccurred())
		good := squares(row, q.values(symmetric))
		q.scales[0], q.scales[1] = q.scales[1], q.scales[0]
		Expect(squares(row, q.values(symmetric))).To(BeNumerically(">", good))
	})
})

var _ = Describe("a format", Label("area:int4"), func() {
	It("has 4.25 bits a weight when symmetric and 4.5 when affine", func() {
		bits := func(f int4.Format, arrays int) float64 {
			return 8 * float64(int4.RowBytes(2048)+2*arrays*f.NumGroups(2048)) / 2048
		}
		Expect(bits(symmetric, 1)).To(Equal(4.25))
		Expect(bits(affine, 2)).To(Equal(4.5))
	})

	It("refuses other group sizes, schemes, searches and row lengths", func() {
		Expect(int4.Format{Scheme: int4.Symmetric, GroupSize: 48}.Validate()).To(MatchError("int4: group size 48, want 32, 64 or 128"))
		Expect(int4.Format{Scheme: 7, GroupSize: 64}.Validate()).To(MatchError("int4: unknown scheme 7"))
		Expect(symmetric.Validate()).To(Succeed())
		_, err := int4.ParseScheme("q4_k")
		Expect(err).To(MatchError(ContainSubstring(`scheme "q4_k"`)))
		_, err = int4.ParseSearch("best")
		Expect(err).To(MatchError(ContainSubstring(`scale search "best"`)))
		Expect(int4.CheckK(100)).To(MatchError("int4: row length 100 values, want a positive multiple of 32"))
		for _, s := range searches[symmetric] {
			Expect(int4.ParseSearch(s.String())).To(Equal(s))
		}
	})
})

func FuzzPack(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(2))
	f.Add([]byte{0xff}, uint8(23))
	f.Fuzz(func(t *testing.T, data []byte, lanes uint8) {
		k := 32 * (int(lanes)%80 + 1)
		nibbles := make([]byte, k)
		for i := range nibbles {
			if len(data) > 0 {
				nibbles[i] = data[i%len(data)] >> (i % 5) & 15
			}
		}
		back := unpack(pack(nibbles), k)
		for i := range nibbles {
			if nibbles[i] != back[i] {
				t.Fatalf("K %d column %d: got %d, want %d", k, i, back[i], nibbles[i])
			}
		}
	})
}

func BenchmarkUnpackRow(b *testing.B) {
	row, nibbles := pack(randomNibbles(2048, 1)), make([]byte, 2048)
	b.SetBytes(int64(len(row)))
	for b.Loop() {
		int4.UnpackRow(nibbles, row)
	}
}
