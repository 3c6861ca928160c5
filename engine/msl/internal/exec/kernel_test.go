package exec

import (
	"encoding/binary"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Plan: hand-built kernels through every stage, from the simplest (store a value per thread) to barriers and divergence.
// Each result is computed a second time in plain Go. The differential specs cover the single operations.

// root adds a device buffer to the function being built.
func root(b *ir.Builder, name string, readOnly bool) *ir.Root {
	r := &ir.Root{Number: len(b.F.Roots), Name: name, Space: ir.Device, Slot: len(b.F.Roots), ReadOnly: readOnly, Bytes: -1, Align: 4, Elem: ir.F32}
	b.F.Roots = append(b.F.Roots, r)
	return r
}

// element is the address of element i (u32) of a root of 4-byte elements.
func element(b *ir.Builder, r *ir.Root, i *ir.Value) ir.Addr {
	return ir.Addr{Root: r, Off: b.Op(ir.OpMul, ir.I64, b.Convert(i, ir.I64), b.ConstI(ir.I64, 4))}
}

func finish(b *ir.Builder) *Kernel {
	GinkgoHelper()
	Expect(ir.Verify(b.F)).To(Succeed())
	f := ir.Optimize(b.F)
	Expect(ir.Verify(f)).To(Succeed(), f.String())
	k, err := NewKernel(f)
	Expect(err).NotTo(HaveOccurred())
	return k
}

func floatBytes(x ...float32) []byte {
	var b []byte
	for _, f := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

func floatsOf(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[i*4:]))
	}
	return out
}

var _ = Describe("Kernel", func() {
	It("gives every thread its own element", func() {
		b := ir.NewBuilder("scale")
		x, y := root(b, "x", true), root(b, "y", false)
		i := b.Builtin(ir.GridX)
		v := b.Load(element(b, x, i), ir.F32, 1)[0]
		b.Store(element(b, y, i), ir.F32, b.Op(ir.OpMul, ir.F32, v, b.ConstF(ir.F32, 3)))
		k := finish(b)
		in := make([]float32, 200)
		for i := range in {
			in[i] = float32(i)
		}
		out := make([]byte, 800)
		f := k.Launch(Launch{Threadgroups: [3]int{2, 1, 1}, ThreadsPerThreadgroup: [3]int{100, 1, 1}, Bindings: []Binding{{Data: floatBytes(in...)}, {Data: out}}, Workers: 2})
		Expect(f).To(BeNil())
		for i, v := range floatsOf(out) {
			Expect(v).To(Equal(float32(3 * i)))
		}
	})

	It("loops with a trip count per lane", func() {
		// y[i] = sum of x[0..i%7]
		b := ir.NewBuilder("prefix")
		x, y := root(b, "x", true), root(b, "y", false)
		i := b.Builtin(ir.ThreadIndex)
		n := b.Op(ir.OpRem, ir.U32, i, b.ConstI(ir.U32, 7))
		acc, j := b.NewVar("acc", ir.F32), b.NewVar("j", ir.U32)
		b.Declare(acc)
		b.Set(acc, b.ConstF(ir.F32, 0))
		b.Declare(j)
		b.Set(j, b.ConstI(ir.U32, 0))
		b.Loop([]*ir.Var{acc, j}, func(l *ir.Loop) {
			b.If(b.Op(ir.OpLt, ir.Bool, n, b.Get(j)), func() { b.Break(l) }, nil)
			v := b.Load(element(b, x, b.Get(j)), ir.F32, 1)[0]
			b.Set(acc, b.Op(ir.OpAdd, ir.F32, b.Get(acc), v))
			b.Set(j, b.Op(ir.OpAdd, ir.U32, b.Get(j), b.ConstI(ir.U32, 1)))
		})
		b.Store(element(b, y, i), ir.F32, b.Get(acc))
		k := finish(b)
		out := make([]byte, 4*50)
		f := k.Launch(Launch{ThreadsPerThreadgroup: [3]int{50, 1, 1}, Bindings: []Binding{{Data: floatBytes(1, 2, 3, 4, 5, 6, 7)}, {Data: out}}})
		Expect(f).To(BeNil())
		for i, v := range floatsOf(out) {
			n := i % 7
			Expect(v).To(Equal(float32((n+1)*(n+2)/2)), "thread %d", i)
		}
	})

	It("lets every thread see the others' writes after a barrier", func() {
		b := ir.NewBuilder("rotate")
		y := root(b, "y", false)
		t := &ir.Root{Number: 1, Name: "t", Space: ir.Threadgroup, Slot: -1, Bytes: 400, Elem: ir.U32}
		b.F.Roots = append(b.F.Roots, t)
		b.F.ThreadgroupBytes = 400
		i := b.Builtin(ir.ThreadIndex)
		b.Store(element(b, t, i), ir.U32, i)
		b.Barrier(ir.OpBarrier, 2)
		j := b.Op(ir.OpRem, ir.U32, b.Op(ir.OpAdd, ir.U32, i, b.ConstI(ir.U32, 33)), b.ConstI(ir.U32, 100))
		b.Store(element(b, y, i), ir.U32, b.Load(element(b, t, j), ir.U32, 1)[0])
		k := finish(b)
		out := make([]byte, 400)
		f := k.Launch(Launch{ThreadsPerThreadgroup: [3]int{100, 1, 1}, Bindings: []Binding{{Data: out}}})
		Expect(f).To(BeNil())
		for i := range 100 {
			Expect(binary.LittleEndian.Uint32(out[4*i:])).To(Equal(uint32((i + 33) % 100)))
		}
	})
})
