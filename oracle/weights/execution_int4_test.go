package weights

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle/f16"
)

// Plan
//
//   - Purpose: unpacking int4. Every code at every position of every row length up to 1056, with scales from the
//     smallest subnormal to the largest finite float16; then whole packed folders against the bf16 ones they were
//     made from, where rows that changed places would show.
//   - Control: packers that read one sentence of the layout otherwise.
//   - Boundary: odd numbers of values a lane, short last groups, units of 8, 4, 2 and 1 bytes.
//   - Source: the layout drawn in int4.go. The packer below is written from its sentences and shares nothing with the
//     unpacker; the expected value of a code is computed where the code is chosen.

// layout says how packRow differs from the text; the zero value follows it.
type layout struct {
	highFirst, lanesWhole, unitOfOne, columnsAcross bool
	padding                                         byte // of the last high nibble when a lane has an odd number of values
}

// packRow lays out the nibbles of a row of len(nibbles) columns.
func packRow(nibbles []byte, l layout) []byte {
	perLane := len(nibbles) / 32
	var laneBytes [32][]byte
	for lane := range 32 {
		var mine []byte // nibbles of the lane, rising columns
		for i := range perLane {
			if l.columnsAcross {
				mine = append(mine, nibbles[i*32+lane])
			} else {
				mine = append(mine, nibbles[lane*perLane+i])
			}
		}
		if perLane%2 == 1 {
			mine = append(mine, l.padding)
		}
		for i := 0; i < len(mine); i += 2 {
			low, high := mine[i], mine[i+1]
			if l.highFirst {
				low, high = high, low
			}
			laneBytes[lane] = append(laneBytes[lane], low|high<<4)
		}
	}
	bytesPerLane := len(laneBytes[0])
	unit := bytesPerLane
	if !l.lanesWhole {
		for _, unit = range []int{8, 4, 2, 1} {
			if bytesPerLane%unit == 0 {
				break
			}
		}
	}
	if l.unitOfOne {
		unit = 1
	}
	var row []byte
	for first := 0; first < bytesPerLane; first += unit {
		for lane := range 32 {
			row = append(row, laneBytes[lane][first:first+unit]...)
		}
	}
	return row
}

// extremes are float16 bits: smallest and largest subnormal, smallest normal, largest, one, a third; either sign; zero.
var extremes = []uint16{0x0001, 0x03ff, 0x0400, 0x7bff, 0x3c00, 0x3555, 0x8001, 0x83ff, 0x8400, 0xfbff, 0xbc00, 0xb555, 0}

// unpackAll packs rows in which every column takes each of the 16 codes and checks each unpacked weight.
func unpackAll(cols int, affine bool, l layout) error {
	const rows = 16
	p := &packedRows{cols: cols, groups: (cols + 63) / 64}
	p.rowBytes, p.place = rowLayout(cols)
	random := rand.New(rand.NewPCG(uint64(cols), 1))
	base := make([]byte, cols)
	for c := range base {
		base[c] = byte(random.IntN(16))
	}
	want := make([][]float64, rows)
	for r := range want {
		scales, offsets := make([]float64, p.groups), make([]float64, p.groups)
		for g := range p.groups {
			s, o := extremes[(r+3*g)%len(extremes)], extremes[(5*r+g)%len(extremes)]
			scales[g], offsets[g] = f16.ToFloat64(s), f16.ToFloat64(o)
			p.scales = binary.LittleEndian.AppendUint16(p.scales, s)
			if affine {
				p.offsets = binary.LittleEndian.AppendUint16(p.offsets, o)
			}
		}
		nibbles := make([]byte, cols)
		for c := range nibbles {
			q := (base[c] + byte(r)) % 16
			nibbles[c] = q
			if affine {
				want[r] = append(want[r], scales[c/64]*float64(q)+offsets[c/64])
			} else {
				want[r] = append(want[r], scales[c/64]*float64(int(q)-8))
			}
		}
		p.codes = append(p.codes, packRow(nibbles, l)...)
	}
	if got := rows * p.rowBytes; got != len(p.codes) {
		return fmt.Errorf("K = %d: rows of codes: got %d bytes, want %d", cols, got, len(p.codes))
	}
	m, dst := whole(p, rows, cols), make([]float64, cols)
	for r := range want {
		m.Row(dst, r)
		for c, w := range want[r] {
			if dst[c] != w {
				return fmt.Errorf("K = %d: row %d, column %d: got %v, want %v", cols, r, c, dst[c], w)
			}
		}
	}
	return nil
}

var _ = Describe("Unpacking int4", Label("area:int4"), func() {
	for _, affine := range []bool{false, true} {
		name := map[bool]string{false: "symmetric", true: "affine"}[affine]
		It("gives every code at every position under every scale, "+name, func() {
			for cols := 32; cols <= 1056; cols += 32 {
				Expect(unpackAll(cols, affine, layout{})).To(Succeed())
			}
		})
		It("ignores the padding of odd lanes, "+name, func() {
			Expect(unpackAll(96, affine, layout{padding: 15})).To(Succeed())
		})
		DescribeTable("tells apart, "+name, Label("purpose:fault"), func(cols int, l layout) {
			Expect(unpackAll(cols, affine, layout{})).To(Succeed())
			Expect(unpackAll(cols, affine, l)).NotTo(Succeed())
		},
			Entry("the high nibble first", 64, layout{highFirst: true}),
			Entry("lanes one after the other", 1024, layout{lanesWhole: true}),
			Entry("units of one byte", 128, layout{unitOfOne: true}),
			Entry("columns dealt to the lanes in turn", 64, layout{columnsAcross: true}),
		)
	}

	It("counts the squares of the parts of a weight", func() {
		// Two weights of scale 2, codes 9 and 3 of 16, among 30 of code 0 in the affine form with offset -4:
		// 18-4 and 6-4, else 0-4. Squares: 18^2 + 6^2 + 32*16 = 872. Symmetric, codes 1, -5 and -8: 4 + 100 + 30*256 = 7784.
		codes := packRow(append([]byte{9, 3}, make([]byte, 30)...), layout{})
		p := &packedRows{cols: 32, groups: 1, codes: codes, scales: []byte{0, 0x40}, offsets: []byte{0, 0xc4}}
		p.rowBytes, p.place = rowLayout(32)
		row, m := make([]float64, 32), whole(p, 1, 32)
		m.Row(row, 0)
		Expect(m.Affine()).To(BeTrue())
		Expect(m.PartSquares(row, 0)).To(Equal(872.0))
		p.offsets = nil
		m.Row(row, 0)
		Expect(m.Affine()).To(BeFalse())
		Expect(m.PartSquares(row, 0)).To(Equal(7784.0))
	})
	It("reads the rows drawn in the comment", func() {
		// K = 96: S = 3, B = 2, U = 2. Lane 0 holds columns 0, 1, 2 in bytes 0 and 1, lane 1 columns 3, 4, 5 in 2 and 3.
		p := &packedRows{cols: 96, groups: 2, scales: []byte{0, 0x3c, 0, 0x40}, codes: make([]byte, 64)} // scales 1 and 2
		p.rowBytes, p.place = rowLayout(96)
		copy(p.codes, []byte{0x10, 0x02, 0x43, 0x05})
		p.codes[63] = 0x0f // column 95
		row := make([]float64, 96)
		whole(p, 1, 96).Row(row, 0)
		Expect(row[:7]).To(Equal([]float64{-8, -7, -6, -5, -4, -3, -8}))
		Expect(row[95]).To(Equal(14.0))
		// K = 192: S = 6, B = 3, U = 1. Byte 32 holds columns 2 and 3 of lane 0, byte 64 columns 4 and 5.
		_, place := rowLayout(192)
		Expect([]nibble{place[0], place[1], place[2], place[4], place[6], place[188]}).To(Equal([]nibble{{0, 0}, {0, 4}, {32, 0}, {64, 0}, {1, 0}, {63, 0}}))
	})
})

var _ = Describe("A packed folder", Label("area:int4"), func() {
	// With groups of 64 normal weights and 15 steps, the error of rounding is about a tenth of the weights (root mean
	// square); rows, experts or projections that changed places would make it about 1.4 times the weights.
	const most = 0.2

	for _, pair := range [][2]string{{"gosling-4m-int4", "gosling-4m"}, {"tiny-qwen3-moe-int4", "tiny-qwen3-moe"},
		{"tiny-qwen3-moe-int4-affine", "tiny-qwen3-moe"}, {"tiny-qwen3-moe-mixed-int4", "tiny-qwen3-moe-mixed"}, {"tiny-qwen3-int4", "tiny-qwen3"}} {
		packed, source := pair[0], pair[1]
		It("holds the weights of "+source+" in "+packed, func(ctx SpecContext) {
			a, b := openFixture(ctx, packed), openFixture(ctx, source)
			Expect(a.Packed).To(BeTrue())
			Expect(b.Packed).To(BeFalse())
			got, want := linears(a), linears(b)
			Expect(got).To(HaveLen(len(want)))
			for name := range want {
				Expect(relative(got[name], want[name])).To(BeNumerically("<", most), name)
			}
			Expect(relative(a.Embed, b.Embed)).To(BeZero())
			Expect(a.FinalNorm).To(Equal(b.FinalNorm))
			for n := range b.Layers {
				x, y := a.Layers[n], b.Layers[n]
				Expect([][]float64{x.InputNorm, x.PostAttnNorm, x.QNorm, x.KNorm, x.Q.Bias, x.K.Bias, x.V.Bias, x.O.Bias}).
					To(Equal([][]float64{y.InputNorm, y.PostAttnNorm, y.QNorm, y.KNorm, y.Q.Bias, y.K.Bias, y.V.Bias, y.O.Bias}))
			}
		})
	}
	It("is told apart from one with gate and up exchanged", Label("purpose:fault"), func(ctx SpecContext) {
		a, b := openFixture(ctx, "tiny-qwen3-int4"), openFixture(ctx, "tiny-qwen3")
		Expect(relative(a.Layers[0].MLP.Up, b.Layers[0].MLP.Gate)).To(BeNumerically(">", 1))
	})
})

func openFixture(ctx context.Context, name string) *Checkpoint {
	c, err := Open(ctx, filepath.Join("..", "..", "fixtures", name), nil)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(c.Close)
	return c
}

// linears lists the matrices that are packed, by a name.
func linears(c *Checkpoint) map[string]Matrix {
	all := map[string]Matrix{"head": c.Head}
	mlp := func(name string, m *MLP) {
		all[name+"gate"], all[name+"up"], all[name+"down"] = m.Gate, m.Up, m.Down
	}
	for n, l := range c.Layers {
		name := fmt.Sprintf("layer %d ", n)
		all[name+"q"], all[name+"k"], all[name+"v"], all[name+"o"] = l.Q.Weight, l.K.Weight, l.V.Weight, l.O.Weight
		if l.MLP != nil {
			mlp(name, l.MLP)
			continue
		}
		for e := range l.MoE.Experts {
			mlp(fmt.Sprintf("%sexpert %d ", name, e), &l.MoE.Experts[e])
		}
	}
	return all
}

// relative is the root mean square of got - want over that of want.
func relative(got, want Matrix) float64 {
	if got.Rows != want.Rows || got.Cols != want.Cols {
		return math.Inf(1)
	}
	a, b, error2, size2 := make([]float64, want.Cols), make([]float64, want.Cols), 0.0, 0.0
	for r := range want.Rows {
		got.Row(a, r)
		want.Row(b, r)
		for c := range b {
			error2 += (a[c] - b[c]) * (a[c] - b[c])
			size2 += b[c] * b[c]
		}
	}
	return math.Sqrt(error2 / size2)
}
