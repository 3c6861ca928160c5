package exec

import (
	"encoding/binary"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Plan: a grid in threads that full threadgroups do not divide, in each dimension alone and in all. Every thread of the grid runs
// once, at its own position; threadgroups at the edges see their own size, and the size of the grid is what was asked for.
// Control: a grid that divides gives what the same launch in threadgroups gives. Source: MSL specification 5.2.3.6
// (threads_per_threadgroup of a nonuniform threadgroup); Metal, dispatchThreads:threadsPerThreadgroup:.

var _ = Describe("A grid in threads", Label("area:executor"), func() {
	type grid struct{ threads, full [3]int }
	// record stores position, threadgroup size and grid size at the place that the thread's position gives.
	record := func() *Kernel {
		b := ir.NewBuilder("record")
		y := root(b, "y", false)
		at := b.Builtin(ir.GridZ)
		for _, k := range []ir.Builtin{ir.GridY, ir.GridX} {
			at = b.Op(ir.OpAdd, ir.U32, b.Op(ir.OpMul, ir.U32, at, b.Builtin(ir.GridSizeX+k-ir.GridX)), b.Builtin(k))
		}
		at = b.Op(ir.OpMul, ir.U32, at, b.ConstI(ir.U32, 12))
		for i, k := range []ir.Builtin{ir.GridX, ir.GridY, ir.GridZ, ir.GroupSizeX, ir.GroupSizeY, ir.GroupSizeZ, ir.GridSizeX, ir.GridSizeY, ir.GridSizeZ, ir.GroupX, ir.ThreadX, ir.NumGroupsX} {
			b.Store(element(b, y, b.Op(ir.OpAdd, ir.U32, at, b.ConstI(ir.U32, int64(i)))), ir.U32, b.Builtin(k))
		}
		return finish(b)
	}
	DescribeTable("runs every thread once", func(g grid) {
		n := g.threads[0] * g.threads[1] * g.threads[2]
		out := make([]byte, 48*n)
		for i := range out {
			out[i] = 0xee
		}
		var c Counters
		f := record().Launch(Launch{Threads: g.threads, ThreadsPerThreadgroup: g.full, Bindings: []Binding{{Data: out}}, Workers: 2, Counters: &c})
		Expect(f).To(BeNil())
		Expect(c.Roots[0].Stores).To(Equal(uint64(12 * n)))
		for i := range n {
			p := [3]int{i % g.threads[0], i / g.threads[0] % g.threads[1], i / (g.threads[0] * g.threads[1])}
			var want []uint32
			for _, x := range p {
				want = append(want, uint32(x))
			}
			for d, x := range p {
				want = append(want, uint32(min(g.full[d], g.threads[d]-x/g.full[d]*g.full[d])))
			}
			for _, x := range g.threads {
				want = append(want, uint32(x))
			}
			want = append(want, uint32(p[0]/g.full[0]), uint32(p[0]%g.full[0]), uint32((g.threads[0]+g.full[0]-1)/g.full[0]))
			var got []uint32
			for k := range want {
				got = append(got, binary.LittleEndian.Uint32(out[48*i+4*k:]))
			}
			Expect(got).To(Equal(want), "thread %v", p)
		}
	},
		Entry("that full threadgroups divide", grid{[3]int{64, 2, 2}, [3]int{32, 1, 2}}),
		Entry("with a short last threadgroup", grid{[3]int{100, 1, 1}, [3]int{64, 1, 1}}),
		Entry("smaller than a threadgroup", grid{[3]int{5, 1, 1}, [3]int{64, 1, 1}}),
		Entry("with edges in three dimensions", grid{[3]int{19, 7, 3}, [3]int{8, 4, 2}}),
	)
})
