package exec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Plan. Every lane kernel in assembly against its twin in Go, bit for bit, on values that lie where instructions differ: NaN of both
// kinds, infinities, zeros of both signs, subnormals, ties of every conversion, integers at the ends of their ranges, shift counts past
// the width. A destination that is one of the operands too. Which of two NaN an arithmetic operation hands on is open, so there one NaN
// equals another; a conversion has one operand and must keep its payload. Control: a kernel exchanged for another is noticed.

var _ = Describe("Lane kernels in assembly", Label("area:executor"), func() {
	if fastLanes == nil {
		It("do not exist here, and the Go lanes run", func() {
			Expect(Fastest.kernels()).To(BeIdenticalTo(goLanes))
			Expect(Fastest.String()).To(Equal("Go lanes"))
		})
		return
	}

	It("are chosen unless the portable ones are asked for", func() {
		Expect(Fastest.kernels()).To(BeIdenticalTo(fastLanes))
		Expect(Portable.kernels()).To(BeIdenticalTo(goLanes))
	})

	It("give the bits of those in Go", func() {
		Expect(compareLanes(fastLanes)).To(BeEmpty())
	})

	It("are compared in a way that notices each exchange", func() {
		for i := range fastLanes.two {
			k := *fastLanes
			k.two[i] = fastLanes.two[(i+1)%num2]
			Expect(compareLanes(&k)).NotTo(BeEmpty(), "binary kernel %d", i)
		}
		for i := range fastLanes.cmp {
			k := *fastLanes
			k.cmpS[i] = fastLanes.cmpS[(i+1)%numC]
			Expect(compareLanes(&k)).NotTo(BeEmpty(), "comparison %d", i)
		}
		for i := range fastLanes.one {
			k := *fastLanes
			k.one[i] = fastLanes.one[(i+1)%num1]
			Expect(compareLanes(&k)).NotTo(BeEmpty(), "unary kernel %d", i)
		}
		k := *fastLanes
		k.fmaSC = func(d, a *f32s, s, c float32) {
			for i := range d {
				d[i] = float32(a[i]*s) + c
			}
		}
		Expect(compareLanes(&k)).To(ContainElement(ContainSubstring("fmaSC")))
	})
})

// delicate are register values where instructions differ.
func delicate() []uint32 {
	out := []uint32{0, 1 << 31, 1, 2, 31, 32, 33, 63, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000001, 0xffffffff,
		0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0x7fa00000, // infinities and NaN, quiet and signalling
		0x00800000, 0x807fffff, 0x7f7fffff, 0xff7fffff, // ends of the normal range
		0x7c00, 0xfc00, 0x7e01, 0x7d01, 0x03ff, 0x0400, 0x83ff, // halves
	}
	for _, f := range []float32{1, -1, 0.5, 1.5, 2.5, -0.5, -1.5, 65504, 65519.996, 65520, 6.1035156e-05, 5.9604645e-08, 2.9802322e-08, 2.9802326e-08,
		2147483648, 2147483520, -2147483648, -2147483904, 4294967296, 4294967040, 16777216, 16777215, 8388608.5, 1e-40, 3.4e38, 1.00048828125, 1.00146484375} {
		out = append(out, math.Float32bits(f))
	}
	return out
}

// compareLanes lists the differences between k and the Go lanes.
func compareLanes(k *laneKernels) []string {
	r := rand.New(rand.NewPCG(7, 8))
	known := delicate()
	draw := func() (out u32s) {
		for i := range out {
			switch r.IntN(3) {
			case 0:
				out[i] = r.Uint32()
			case 1:
				out[i] = math.Float32bits(float32(math.Ldexp(r.Float64()*2-1, r.IntN(40)-20)))
			default:
				out[i] = known[r.IntN(len(known))]
			}
		}
		return
	}
	var problems []string
	seen := map[string]bool{}
	report := func(name string) {
		if !seen[name] {
			seen[name] = true
			problems = append(problems, name)
		}
	}
	nan := func(x uint32) bool { return x&0x7fffffff > 0x7f800000 }
	same := func(name string, number int, float bool, got, want u32s) {
		for i := range got {
			if got[i] != want[i] && !(float && nan(got[i]) && nan(want[i])) {
				report(sprint(name, number))
			}
		}
	}
	for range 400 {
		a, b, c := draw(), draw(), draw()
		s, t := b[0], c[0]
		shift, mask, bias := r.Uint32N(32), r.Uint32()>>(9+r.Uint32N(23)), r.Uint32N(1<<20)-1<<19 // sums that are exact in float32
		var x, y u32s
		for i := range k.one {
			float := i == oneSqrtF || i == oneRintF || i == oneFloorF // how Go's code treats a signalling NaN is open there
			k.one[i](&x, &a)
			goLanes.one[i](&y, &a)
			same("one", i, float, x, y)
			z := a
			k.one[i](&z, &z)
			same("one in place", i, float, z, y)
		}
		for i := range k.two {
			k.two[i](&x, &a, &b)
			goLanes.two[i](&y, &a, &b)
			same("two", i, i <= twoMaxF, x, y)
			z := b
			k.two[i](&z, &a, &z)
			same("two in place", i, i <= twoMaxF, z, y)
			k.twoS[i](&x, &a, s)
			goLanes.twoS[i](&y, &a, s)
			same("twoS", i, i <= twoMaxF, x, y)
		}
		for i := range k.cmp {
			if k.cmp[i](&a, &b) != goLanes.cmp[i](&a, &b) || k.cmp[i](&a, &a) != goLanes.cmp[i](&a, &a) {
				report(sprint("cmp", i))
			}
			if k.cmpS[i](&a, s) != goLanes.cmpS[i](&a, s) || k.cmpS[i](&a, a[5]) != goLanes.cmpS[i](&a, a[5]) {
				report(sprint("cmpS", i))
			}
		}
		fa, fb, fc, fx, fy := floats(&a), floats(&b), floats(&c), floats(&x), floats(&y)
		float := func(name string, run func(k *laneKernels, d *f32s)) {
			run(k, fx)
			run(goLanes, fy)
			same(name, 0, true, x, y)
		}
		float("fma", func(k *laneKernels, d *f32s) { k.fma(d, fa, fb, fc) })
		float("fmaS", func(k *laneKernels, d *f32s) { k.fmaS(d, fa, fv(s), fc) })
		float("fmaC", func(k *laneKernels, d *f32s) { k.fmaC(d, fa, fb, fv(t)) })
		float("fmaSC", func(k *laneKernels, d *f32s) { k.fmaSC(d, fa, fv(s), fv(t)) })
		float("field", func(k *laneKernels, d *f32s) { k.fieldF32(d, &a, shift, mask, bias) })
		float("fieldFma", func(k *laneKernels, d *f32s) { k.fieldFma(d, &a, shift, mask, bias, fb, fc) })
		float("code fma", func(k *laneKernels, d *f32s) { k.fieldFma(d, &a, shift&^3, 15, ^uint32(7), fb, fc) })
		float("tree sum", func(k *laneKernels, d *f32s) { *d = f32s{k.treeSum(fb)} })
		word := func(name string, run func(k *laneKernels, d *u32s)) {
			run(k, &x)
			run(goLanes, &y)
			same(name, 0, false, x, y)
		}
		for m := range uint32(32) {
			float(sprint("xor add", int(m)), func(k *laneKernels, d *f32s) { k.xorAdd(d, fa, m) })
			word(sprint("xor lane", int(m)), func(k *laneKernels, d *u32s) { k.xorLane(d, &a, m) })
		}
		word("xor in place", func(k *laneKernels, d *u32s) { *d = a; k.xorLane(d, d, 4); k.xorLane(d, d, 16) })
		word("select", func(k *laneKernels, d *u32s) { k.sel(d, s, &a, &b) })
		word("select in place", func(k *laneKernels, d *u32s) { *d = b; k.sel(d, s, &a, d) })
		word("selectS", func(k *laneKernels, d *u32s) { k.selS(d, s, &a, t) })
		word("splat", func(k *laneKernels, d *u32s) { k.splat(d, s) })
		data := [4]u32s{a, b, c, a}
		p := (*byte)(unsafe.Pointer(&data))
		word("half", func(k *laneKernels, d *u32s) { k.half(d, p) })
		halves := (*byte)(unsafe.Pointer(&a))
		float("half fma", func(k *laneKernels, d *f32s) { var z u32s; k.halfFma(d, &z, halves, fv(s), fc) })
		word("half fma's halves", func(k *laneKernels, d *u32s) { var z f32s; k.halfFma(&z, d, halves, fv(s), fc) })
		float("half fma in place", func(k *laneKernels, d *f32s) { *d = *fc; k.halfFma(d, (*u32s)(unsafe.Pointer(d)), halves, 2, fc) })
		parts := func(name string, n int, run func(k *laneKernels, d *[4]u32s)) {
			for i := range n {
				word(sprint(name, i), func(k *laneKernels, d *u32s) {
					var all [4]u32s
					run(k, &all)
					*d = all[i]
				})
			}
		}
		parts("half4", 4, func(k *laneKernels, d *[4]u32s) { k.half4(&d[0], &d[1], &d[2], &d[3], p) })
		parts("words2", 2, func(k *laneKernels, d *[4]u32s) { k.words2(&d[0], &d[1], p) })
		parts("words4", 4, func(k *laneKernels, d *[4]u32s) { k.words4(&d[0], &d[1], &d[2], &d[3], p) })
	}
	return problems
}

func sprint(name string, number int) string { return fmt.Sprintf("%s %d", name, number) }
