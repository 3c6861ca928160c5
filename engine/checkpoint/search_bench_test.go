package checkpoint

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/int4"
)

// BenchmarkScaleSearch packs every linear weight of gosling-4m with each scale search and reports, besides the
// time, the relative root-mean-square error sqrt(sum (w-w')^2 / sum w^2) and the bias of row dot products.
//
//	go test ./engine/checkpoint -run '^$' -bench ScaleSearch -benchtime 1x
func BenchmarkScaleSearch(b *testing.B) {
	dir := filepath.Join("..", "..", "fixtures", "gosling-4m")
	c, err := ReadConfig(dir)
	if err != nil {
		b.Fatal(err)
	}
	ts, err := openTensors(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer ts.close()
	blocks, err := (&origins{ts: ts, c: c, used: map[string]bool{}}).all()
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []int4.Format{{Scheme: int4.Symmetric, GroupSize: 64}, {Scheme: int4.Affine, GroupSize: 64}} {
		for _, s := range []int4.Search{int4.AbsMax, int4.SignedMax, int4.MSE, int4.WeightedMSE, int4.Exhaustive} {
			if f.Scheme == int4.Affine && (s == int4.SignedMax || s == int4.Exhaustive) {
				continue
			}
			b.Run(fmt.Sprintf("%v/%v", f.Scheme, s), func(b *testing.B) {
				var err2, sum2, n float64
				for range b.N {
					err2, sum2, n = 0, 0, 0
					for _, bs := range blocks {
						for _, blk := range bs {
							for _, sp := range blk.from {
								e, w := rowErrors(b, f, s, sp, blk.rows)
								err2, sum2, n = err2+e, sum2+w, n+float64(blk.rows*sp.k)
							}
						}
					}
				}
				b.ReportMetric(math.Sqrt(err2/sum2), "rel-rmse")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/weight")
			})
		}
	}
}

// rowErrors returns the sums of squared errors and of squared weights of a span.
func rowErrors(b *testing.B, f int4.Format, s int4.Search, sp span, rows int) (err2, sum2 float64) {
	n := sp.k * sp.tensor.dtype.Bytes()
	raw, row, back := make([]byte, n), make([]float32, sp.k), make([]float64, sp.k)
	nibbles := make([]byte, sp.k)
	scales := make([]float16.Float16, f.NumGroups(sp.k))
	var offsets []float16.Float16
	if f.Scheme == int4.Affine {
		offsets = make([]float16.Float16, len(scales))
	}
	for r := range rows {
		if err := sp.tensor.file.readAt(sp.tensor.entry, raw, int64(sp.first+r)*int64(n)); err != nil {
			b.Fatal(err)
		}
		widen(row, raw, sp.tensor.dtype)
		if err := f.QuantizeRow(row, s, nibbles, scales, offsets); err != nil {
			b.Fatal(err)
		}
		f.DequantizeRow(back, nibbles, scales, offsets)
		for i, w := range row {
			d := float64(w) - back[i]
			err2 += float64(d * d)
			sum2 += float64(float64(w) * float64(w))
		}
	}
	return err2, sum2
}
