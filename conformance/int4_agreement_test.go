package conformance_test

// Plan. Purpose: engine and oracle, who share no code, make the same numbers of the same packed bytes: every matrix of every packed
// fixture, and the same folders with their codes and scales replaced by patterns that put all 16 codes at every column under
// scales from the smallest subnormal to the largest finite f16, symmetric and affine. Row lengths are those of the fixtures:
// 64, 96, 128, 160, 192, 256 and 512. Controls: one nibble, one scale or one offset changed for one of the two is seen.
// Source: the layout drawn in engine/int4; the oracle's own text in oracle/weights.

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/x448/float16"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/harness"
	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/int4"
	"github.com/octoryn/assay/oracle/weights"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// engineRow is row r of a packed matrix, as the engine's package reads it.
func engineRow(m checkpoint.Matrix, r int) []float64 {
	nibbles, out := make([]byte, m.K), make([]float64, m.K)
	rowBytes, groups := int4.RowBytes(m.K), m.Format.NumGroups(m.K)
	int4.UnpackRow(nibbles, m.Codes.Data[r*rowBytes:(r+1)*rowBytes])
	halves := func(data []byte) []float16.Float16 {
		if len(data) == 0 {
			return nil
		}
		out := make([]float16.Float16, groups)
		for g := range out {
			out[g] = float16.Frombits(binary.LittleEndian.Uint16(data[2*(r*groups+g):]))
		}
		return out
	}
	m.Format.DequantizeRow(out, nibbles, halves(m.Scales.Data), halves(m.Offsets.Data))
	return out
}

// pairing is rows [0, n) of an oracle matrix and where the engine keeps row i.
type pairing struct {
	name   string
	oracle weights.Matrix
	engine checkpoint.Matrix
	row    func(i int) int
}

// pairings matches every linear matrix of the two readings of a folder.
func pairings(f *checkpoint.Folder, c *weights.Checkpoint) []pairing {
	plain := func(i int) int { return i }
	after := func(n int) func(int) int { return func(i int) int { return n + i } }
	alternate := func(expert, rows, half int) func(int) int { return func(i int) int { return expert*rows + 2*i + half } }
	out := []pairing{{"lm_head", c.Head, f.LMHead(), plain}}
	for n, l := range c.Layers {
		qkv, gateUp, down := f.QKVProj(n), f.GateUpProj(n), f.DownProj(n)
		out = append(out,
			pairing{"q", l.Q.Weight, qkv, plain},
			pairing{"k", l.K.Weight, qkv, after(l.Q.Weight.Rows)},
			pairing{"v", l.V.Weight, qkv, after(l.Q.Weight.Rows + l.K.Weight.Rows)},
			pairing{"o", l.O.Weight, f.OProj(n), plain})
		var mlps []weights.MLP
		if l.MoE != nil {
			mlps = l.MoE.Experts
		} else {
			mlps = []weights.MLP{*l.MLP}
		}
		for e, m := range mlps {
			out = append(out,
				pairing{fmt.Sprintf("gate %d", e), m.Gate, gateUp, alternate(e, gateUp.Rows, 0)},
				pairing{fmt.Sprintf("up %d", e), m.Up, gateUp, alternate(e, gateUp.Rows, 1)},
				pairing{fmt.Sprintf("down %d", e), m.Down, down, after(e * down.Rows)})
		}
	}
	return out
}

// disagreement compares every weight of two packed folders of one model, the first read by the engine's packages and the
// second by the oracle's. It says where they first differ and how many weights it compared.
func disagreement(ctx context.Context, engineDir, oracleDir string) (where string, compared int) {
	GinkgoHelper()
	f, err := checkpoint.Open(engineDir)
	Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	c, err := weights.Open(ctx, oracleDir, nil)
	Expect(err).NotTo(HaveOccurred())
	defer c.Close()
	for _, p := range pairings(f, c) {
		want := make([]float64, p.oracle.Cols)
		for i := range p.oracle.Rows {
			p.oracle.Row(want, i)
			for column, got := range engineRow(p.engine, p.row(i)) {
				compared++
				if !(got == want[column]) && where == "" {
					where = fmt.Sprintf("%s (%s) row %d column %d: engine %g, oracle %g", p.name, p.engine.Name, i, column, got, want[column])
				}
			}
		}
	}
	return where, compared
}

// extremes are f16 scales and offsets: zero, the ends of the subnormals and of the normals, one and its neighbour, of both signs.
var extremes = []uint16{0x0000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0x3c01, 0x7bff, 0x8001, 0x83ff, 0x8400, 0xbc00, 0xfbff}

// patterned copies a packed folder and replaces its codes and scales: byte i of the codes becomes i*17+shift*31 and scale i is an
// extreme, so that over the shifts every column meets every code under every scale.
func patterned(folder string, shift int) string {
	GinkgoHelper()
	dir := copyOf(folder)
	f, err := checkpoint.Open(dir)
	Expect(err).NotTo(HaveOccurred())
	c := f.Config()
	names := []string{f.LMHead().Name}
	for n := range c.NumLayers {
		names = append(names, f.QKVProj(n).Name, f.OProj(n).Name, f.GateUpProj(n).Name, f.DownProj(n).Name)
	}
	Expect(f.Close()).To(Succeed())
	halves := func(_ conformance.Entry, data []byte) {
		for i := range len(data) / 2 {
			binary.LittleEndian.PutUint16(data[2*i:], extremes[(i+shift)%len(extremes)])
		}
	}
	for _, name := range names {
		Expect(conformance.EditTensor(dir, name+".codes", func(_ conformance.Entry, data []byte) {
			for i := range data {
				data[i] = byte(i*17 + i>>4*3 + shift*31)
			}
		})).To(Succeed())
		Expect(conformance.EditTensor(dir, name+".scales", halves)).To(Succeed())
		if strings.HasSuffix(folder, "affine") {
			Expect(conformance.EditTensor(dir, name+".offsets", halves)).To(Succeed())
		}
	}
	return dir
}

var _ = Describe("The two readings of packed int4", Label("area:int4"), func() {
	folders := []string{"gosling-4m-int4", "tiny-qwen3-moe-int4", "tiny-qwen3-moe-mixed-int4", "tiny-qwen3-int4", "tiny-qwen3-moe-int4-affine"}

	for _, name := range folders {
		It("agree on every weight of "+name, func(ctx SpecContext) {
			where, compared := disagreement(ctx, harness.Fixture(name), harness.Fixture(name))
			Expect(where).To(BeEmpty())
			Expect(compared).To(BeNumerically(">", 50_000))
		})
	}

	for _, name := range folders[1:] {
		It("agree on all codes, columns and extreme scales in the shapes of "+name, func(ctx SpecContext) {
			for shift := range 16 {
				dir := patterned(harness.Fixture(name), shift)
				where, _ := disagreement(ctx, dir, dir)
				Expect(where).To(BeEmpty(), "shift %d", shift)
			}
		})
	}

	DescribeTable("are told apart when one of them reads", func(ctx SpecContext, tensor string, edit func(data []byte), want string) {
		good := harness.Fixture("tiny-qwen3-moe-int4-affine")
		bad := copyOf(good)
		Expect(conformance.EditTensor(bad, tensor, func(_ conformance.Entry, data []byte) { edit(data) })).To(Succeed())
		where, _ := disagreement(ctx, bad, good)
		Expect(where).To(ContainSubstring(want))
	},
		Entry("another nibble", "model.layers.1.mlp.experts.down_proj.codes", func(d []byte) { d[100] ^= 0x10 }, "down 0"),
		Entry("another scale", "model.layers.2.self_attn.qkv_proj.scales", func(d []byte) { d[0] ^= 1 }, "q (model.layers.2.self_attn.qkv_proj) row 0"),
		Entry("another offset", "lm_head.offsets", func(d []byte) { d[2*7] ^= 1 }, "lm_head (lm_head) row 7"),
		Entry("gate rows for up rows", "model.layers.0.mlp.experts.gate_up_proj.codes", func(d []byte) {
			row := int4.RowBytes(64)
			for i := range row {
				d[i], d[row+i] = d[row+i], d[i]
			}
		}, "gate 0"),
	)
})
