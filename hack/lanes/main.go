package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	unary()
	binary()
	comparisons()
	fused()
	across()
	selects()
	loads()
	Generate()
}

// kernel starts a function; its parameters are loaded by name.
func kernel(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
}

func pointer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// at is the i-th eighth-lane group of a register in memory.
func at(p reg.Register, i int) Mem { return Mem{Base: p, Disp: 32 * i} }

func end() {
	VZEROUPPER()
	RET()
}

// broadcast fills a YMM register with a 32-bit parameter.
func broadcast(name string) reg.VecVirtual {
	g, x, y := GP32(), XMM(), YMM()
	Load(Param(name), g)
	VMOVD(g, x)
	VPBROADCASTD(x, y)
	return y
}

// literal fills a YMM register with 32 bits.
func literal(bits uint32) reg.VecVirtual {
	g, x, y := GP32(), XMM(), YMM()
	MOVL(U32(bits), g)
	VMOVD(g, x)
	VPBROADCASTD(x, y)
	return y
}

// shiftCount is a parameter modulo 32, in the low part of an XMM register.
func shiftCount(name string) reg.VecVirtual {
	g, x := GP32(), XMM()
	Load(Param(name), g)
	ANDL(U8(31), g)
	VMOVD(g, x)
	return x
}

// each calls f for the four parts of a register loaded from p.
func each(p reg.Register, f func(i int, y reg.VecVirtual)) {
	for i := range 4 {
		y := YMM()
		VMOVDQU(at(p, i), y)
		f(i, y)
	}
}

func unary() {
	sig := "func(d, a *[32]uint32)"
	simple := func(name, doc string, setup func() reg.VecVirtual, f func(y, k reg.VecVirtual)) {
		kernel(name, sig, doc)
		d, a := pointer("d"), pointer("a")
		var k reg.VecVirtual
		if setup != nil {
			k = setup()
		}
		each(a, func(i int, y reg.VecVirtual) {
			f(y, k)
			VMOVDQU(y, at(d, i))
		})
		end()
	}
	constant := func(bits uint32) func() reg.VecVirtual { return func() reg.VecVirtual { return literal(bits) } }
	simple("avxNegF", "flips the sign.", constant(1<<31), func(y, k reg.VecVirtual) { VPXOR(k, y, y) })
	simple("avxAbsF", "clears the sign.", constant(1<<31-1), func(y, k reg.VecVirtual) { VPAND(k, y, y) })
	simple("avxSqrtF", "is the square root.", nil, func(y, _ reg.VecVirtual) { VSQRTPS(y, y) })
	simple("avxRintF", "rounds to whole numbers, ties to even.", nil, func(y, _ reg.VecVirtual) { VROUNDPS(U8(8), y, y) })
	simple("avxFloorF", "rounds down to whole numbers.", nil, func(y, _ reg.VecVirtual) { VROUNDPS(U8(9), y, y) })
	simple("avxI32ToF", "converts signed integers.", nil, func(y, _ reg.VecVirtual) { VCVTDQ2PS(y, y) })
	simple("avxNot", "inverts all bits.", constant(0xffffffff), func(y, k reg.VecVirtual) { VPXOR(k, y, y) })
	simple("avxNegI", "negates integers.", constant(0), func(y, k reg.VecVirtual) { VPSUBD(y, k, y) })
	simple("avxLow8", "keeps eight bits.", constant(0xff), func(y, k reg.VecVirtual) { VPAND(k, y, y) })
	simple("avxLow16", "keeps sixteen bits.", constant(0xffff), func(y, k reg.VecVirtual) { VPAND(k, y, y) })
	simple("avxExt8", "extends the sign of eight bits.", nil, func(y, _ reg.VecVirtual) { VPSLLD(U8(24), y, y); VPSRAD(U8(24), y, y) })
	simple("avxExt16", "extends the sign of sixteen bits.", nil, func(y, _ reg.VecVirtual) { VPSLLD(U8(16), y, y); VPSRAD(U8(16), y, y) })
	simple("avxBF16Bits", "widens bfloat16 bits.", nil, func(y, _ reg.VecVirtual) { VPSLLD(U8(16), y, y) })

	// Both halves convert exactly, and their sum is rounded once.
	kernel("avxU32ToF", sig, "converts unsigned integers.")
	d, a := pointer("d"), pointer("a")
	low, scale := literal(0xffff), literal(0x47800000) // 2^16
	each(a, func(i int, y reg.VecVirtual) {
		h := YMM()
		VPSRLD(U8(16), y, h)
		VPAND(low, y, y)
		VCVTDQ2PS(h, h)
		VCVTDQ2PS(y, y)
		VMULPS(scale, h, h)
		VADDPS(y, h, y)
		VMOVDQU(y, at(d, i))
	})
	end()

	// The instruction gives 0x80000000 for NaN and for values out of range; that is right for large negative ones only.
	kernel("avxFToI32", sig, "truncates to signed integers; NaN gives 0, and values out of range saturate.")
	d, a = pointer("d"), pointer("a")
	limit, most := literal(0x4f000000), literal(1<<31-1) // 2^31
	each(a, func(i int, y reg.VecVirtual) {
		r, over, ordered := YMM(), YMM(), YMM()
		VCVTTPS2DQ(y, r)
		VCMPPS(U8(29), limit, y, over) // y >= 2^31, false for NaN
		VCMPPS(U8(7), y, y, ordered)
		VPBLENDVB(over, most, r, r)
		VPAND(ordered, r, r)
		VMOVDQU(r, at(d, i))
	})
	end()

	kernel("avxRoundF16", sig, "rounds to float16 and widens again.")
	d, a = pointer("d"), pointer("a")
	each(a, func(i int, y reg.VecVirtual) {
		x := XMM()
		VCVTPS2PH(U8(0), y, x)
		VCVTPH2PS(x, y)
		VMOVDQU(y, at(d, i))
	})
	end()

	kernel("avxToF16Bits", sig, "rounds to float16 bits.")
	d, a = pointer("d"), pointer("a")
	each(a, func(i int, y reg.VecVirtual) {
		x := XMM()
		VCVTPS2PH(U8(0), y, x)
		VPMOVZXWD(x, y)
		VMOVDQU(y, at(d, i))
	})
	end()

	kernel("avxF16Bits", sig, "widens float16 bits, the low halves.")
	d, a = pointer("d"), pointer("a")
	low = literal(0xffff)
	each(a, func(i int, y reg.VecVirtual) {
		VPAND(low, y, y)
		widenHalves(y)
		VMOVDQU(y, at(d, i))
	})
	end()
}

// widenHalves turns eight float16 in the low halves, the high halves being zero, into float32.
func widenHalves(y reg.VecVirtual) {
	VPACKUSDW(y, y, y)
	VPERMQ(U8(8), y, y)
	VCVTPH2PS(y.AsX(), y)
}

func binary() {
	type op struct {
		name, doc string
		f         func(a Op, b, d reg.VecVirtual) // d = b op a
		swapped   bool
	}
	list := []op{
		{"AddF", "adds floats.", func(a Op, b, d reg.VecVirtual) { VADDPS(a, b, d) }, false},
		{"SubF", "subtracts floats.", func(a Op, b, d reg.VecVirtual) { VSUBPS(a, b, d) }, false},
		{"RsubF", "subtracts the first float from the second.", func(a Op, b, d reg.VecVirtual) { VSUBPS(a, b, d) }, true},
		{"MulF", "multiplies floats.", func(a Op, b, d reg.VecVirtual) { VMULPS(a, b, d) }, false},
		{"DivF", "divides floats.", func(a Op, b, d reg.VecVirtual) { VDIVPS(a, b, d) }, false},
		{"RdivF", "divides the second float by the first.", func(a Op, b, d reg.VecVirtual) { VDIVPS(a, b, d) }, true},
		{"AddI", "adds integers.", func(a Op, b, d reg.VecVirtual) { VPADDD(a, b, d) }, false},
		{"SubI", "subtracts integers.", func(a Op, b, d reg.VecVirtual) { VPSUBD(a, b, d) }, false},
		{"RsubI", "subtracts the first integer from the second.", func(a Op, b, d reg.VecVirtual) { VPSUBD(a, b, d) }, true},
		{"MulI", "multiplies integers.", func(a Op, b, d reg.VecVirtual) { VPMULLD(a, b, d) }, false},
		{"And", "is the bitwise and.", func(a Op, b, d reg.VecVirtual) { VPAND(a, b, d) }, false},
		{"Or", "is the bitwise or.", func(a Op, b, d reg.VecVirtual) { VPOR(a, b, d) }, false},
		{"Xor", "is the bitwise exclusive or.", func(a Op, b, d reg.VecVirtual) { VPXOR(a, b, d) }, false},
		{"MinU", "is the smaller unsigned integer.", func(a Op, b, d reg.VecVirtual) { VPMINUD(a, b, d) }, false},
		{"MaxU", "is the larger unsigned integer.", func(a Op, b, d reg.VecVirtual) { VPMAXUD(a, b, d) }, false},
		{"MinI", "is the smaller signed integer.", func(a Op, b, d reg.VecVirtual) { VPMINSD(a, b, d) }, false},
		{"MaxI", "is the larger signed integer.", func(a Op, b, d reg.VecVirtual) { VPMAXSD(a, b, d) }, false},
	}
	for _, o := range list {
		kernel("avx"+o.name, "func(d, a, b *[32]uint32)", o.doc)
		d, a, b := pointer("d"), pointer("a"), pointer("b")
		if o.swapped {
			a, b = b, a
		}
		each(a, func(i int, y reg.VecVirtual) {
			o.f(at(b, i), y, y)
			VMOVDQU(y, at(d, i))
		})
		end()

		kernel("avx"+o.name+"S", "func(d, a *[32]uint32, s uint32)", o.doc+" The second operand is equal in all lanes.")
		d, a = pointer("d"), pointer("a")
		s := broadcast("s")
		each(a, func(i int, y reg.VecVirtual) {
			if o.swapped {
				o.f(y, s, y)
			} else {
				o.f(s, y, y)
			}
			VMOVDQU(y, at(d, i))
		})
		end()
	}
	for _, o := range []struct {
		name string
		v    func(counts, y reg.VecVirtual)
		s    func(count, y reg.VecVirtual)
	}{
		{"Shl", func(c, y reg.VecVirtual) { VPSLLVD(c, y, y) }, func(c, y reg.VecVirtual) { VPSLLD(c, y, y) }},
		{"ShrU", func(c, y reg.VecVirtual) { VPSRLVD(c, y, y) }, func(c, y reg.VecVirtual) { VPSRLD(c, y, y) }},
		{"ShrI", func(c, y reg.VecVirtual) { VPSRAVD(c, y, y) }, func(c, y reg.VecVirtual) { VPSRAD(c, y, y) }},
	} {
		kernel("avx"+o.name, "func(d, a, b *[32]uint32)", "shifts by counts modulo 32.")
		d, a, b := pointer("d"), pointer("a"), pointer("b")
		five := literal(31)
		each(a, func(i int, y reg.VecVirtual) {
			c := YMM()
			VPAND(at(b, i), five, c)
			o.v(c, y)
			VMOVDQU(y, at(d, i))
		})
		end()

		kernel("avx"+o.name+"S", "func(d, a *[32]uint32, s uint32)", "shifts by one count modulo 32.")
		d, a = pointer("d"), pointer("a")
		count := shiftCount("s")
		each(a, func(i int, y reg.VecVirtual) {
			o.s(count, y)
			VMOVDQU(y, at(d, i))
		})
		end()
	}
}

func comparisons() {
	floats := []struct {
		name      string
		predicate uint8
	}{{"EqF", 0}, {"NeF", 4}, {"LtF", 17}, {"LeF", 18}, {"GtF", 30}, {"GeF", 29}}
	for _, o := range floats {
		compare(o.name, func() (any, func(k any, a reg.VecVirtual, b Op)) {
			return nil, func(_ any, a reg.VecVirtual, b Op) { VCMPPS(U8(o.predicate), b, a, a) }
		}, false)
	}
	// Integers have equal and signed greater; the others follow by exchange, inversion, and by flipping the sign bits of unsigned ones.
	for _, o := range []struct {
		name                      string
		equal, exchange, inverted bool
		unsigned                  bool
	}{
		{"EqI", true, false, false, false}, {"NeI", true, false, true, false},
		{"LtU", false, true, false, true}, {"LeU", false, false, true, true}, {"GtU", false, false, false, true}, {"GeU", false, true, true, true},
		{"LtI", false, true, false, false}, {"LeI", false, false, true, false}, {"GtI", false, false, false, false}, {"GeI", false, true, true, false},
	} {
		compare(o.name, func() (any, func(k any, a reg.VecVirtual, b Op)) {
			var flip reg.VecVirtual
			if o.unsigned {
				flip = literal(1 << 31)
			}
			return flip, func(_ any, a reg.VecVirtual, b Op) {
				y := YMM()
				if m, ok := b.(Mem); ok {
					VMOVDQU(m, y)
				} else {
					VMOVDQA(b, y)
				}
				if o.unsigned {
					VPXOR(flip, a, a)
					VPXOR(flip, y, y)
				}
				switch {
				case o.equal:
					VPCMPEQD(y, a, a)
				case o.exchange:
					VPCMPGTD(a, y, a) // b > a
				default:
					VPCMPGTD(y, a, a) // a > b
				}
			}
		}, o.inverted)
	}
}

// compare writes a comparison of two registers, and of a register and a scalar: one bit a lane.
func compare(name string, setup func() (any, func(k any, a reg.VecVirtual, b Op)), inverted bool) {
	for _, scalar := range []bool{false, true} {
		if scalar {
			kernel("avxCmp"+name+"S", "func(a *[32]uint32, s uint32) (m uint32)", "compares with a value equal in all lanes.")
		} else {
			kernel("avxCmp"+name, "func(a, b *[32]uint32) (m uint32)", "compares lane by lane.")
		}
		a := pointer("a")
		var b reg.GPVirtual
		var s reg.VecVirtual
		if scalar {
			s = broadcast("s")
		} else {
			b = pointer("b")
		}
		k, f := setup()
		m := GP32()
		each(a, func(i int, y reg.VecVirtual) {
			if scalar {
				f(k, y, s)
			} else {
				f(k, y, at(b, i))
			}
			bits := GP32()
			VMOVMSKPS(y, bits)
			if i == 0 {
				MOVL(bits, m)
				return
			}
			SHLL(U8(8*i), bits)
			ORL(bits, m)
		})
		if inverted {
			NOTL(m)
		}
		Store(m, ReturnIndex(0))
		end()
	}
}

func fused() {
	kernel("avxFma", "func(d, a, b, c *[32]float32)", "is a*b + c, rounded once.")
	d, a, b, c := pointer("d"), pointer("a"), pointer("b"), pointer("c")
	each(a, func(i int, y reg.VecVirtual) {
		z := YMM()
		VMOVUPS(at(c, i), z)
		VFMADD231PS(at(b, i), y, z)
		VMOVUPS(z, at(d, i))
	})
	end()

	kernel("avxFmaS", "func(d, a *[32]float32, s float32, c *[32]float32)", "is a*s + c, rounded once.")
	d, a, c = pointer("d"), pointer("a"), pointer("c")
	s := broadcastF("s")
	each(a, func(i int, y reg.VecVirtual) {
		VFMADD213PS(at(c, i), s, y)
		VMOVUPS(y, at(d, i))
	})
	end()

	kernel("avxFmaC", "func(d, a, b *[32]float32, s float32)", "is a*b + s, rounded once.")
	d, a, b = pointer("d"), pointer("a"), pointer("b")
	s = broadcastF("s")
	each(a, func(i int, y reg.VecVirtual) {
		VFMADD132PS(at(b, i), s, y)
		VMOVUPS(y, at(d, i))
	})
	end()

	kernel("avxFmaSC", "func(d, a *[32]float32, s, c float32)", "is a*s + c, rounded once, both equal in all lanes.")
	d, a = pointer("d"), pointer("a")
	s = broadcastF("s")
	t := broadcastF("c")
	each(a, func(i int, y reg.VecVirtual) {
		VFMADD213PS(t, s, y)
		VMOVUPS(y, at(d, i))
	})
	end()

	field := func(y, shift, mask, bias reg.VecVirtual) {
		VPSRLD(shift, y, y)
		VPAND(mask, y, y)
		VPADDD(bias, y, y)
		VCVTDQ2PS(y, y)
	}
	kernel("avxField", "func(d *[32]float32, a *[32]uint32, shift, mask, bias uint32)", "is float(((a >> shift) & mask) + bias).")
	d, a = pointer("d"), pointer("a")
	shift, mask, bias := shiftCount("shift"), broadcast("mask"), broadcast("bias")
	each(a, func(i int, y reg.VecVirtual) {
		field(y, shift, mask, bias)
		VMOVUPS(y, at(d, i))
	})
	end()

	kernel("avxFieldFma", "func(d *[32]float32, a *[32]uint32, shift, mask, bias uint32, b, c *[32]float32)", "is float(((a >> shift) & mask) + bias)*b + c, rounded once.")
	d, a, b, c = pointer("d"), pointer("a"), pointer("b"), pointer("c")
	shift, mask, bias = shiftCount("shift"), broadcast("mask"), broadcast("bias")
	each(a, func(i int, y reg.VecVirtual) {
		z := YMM()
		field(y, shift, mask, bias)
		VMOVUPS(at(c, i), z)
		VFMADD231PS(at(b, i), y, z)
		VMOVUPS(z, at(d, i))
	})
	end()
}

// broadcastF fills a YMM register with a float parameter.
func broadcastF(name string) reg.VecVirtual {
	x, y := XMM(), YMM()
	Load(Param(name), x)
	VBROADCASTSS(x, y)
	return y
}

func across() {
	// As xor 16, 8, 4, 2, 1 pairs the lanes.
	kernel("avxTreeSum", "func(a *[32]float32) float32", "adds the lanes as the butterfly 16, 8, 4, 2, 1 pairs them.")
	a := pointer("a")
	y, z, t := YMM(), YMM(), YMM()
	VMOVUPS(at(a, 0), y)
	VMOVUPS(at(a, 1), z)
	VADDPS(at(a, 2), y, y)
	VADDPS(at(a, 3), z, z)
	VADDPS(z, y, y)
	VPERM2F128(U8(1), y, y, t)
	VADDPS(t, y, y)
	VPERMILPS(U8(0x4e), y, t)
	VADDPS(t, y, y)
	VPERMILPS(U8(0xb1), y, t)
	VADDPS(t, y, y)
	Store(y.AsX(), ReturnIndex(0))
	end()

	for _, add := range []bool{true, false} {
		for _, m := range []int{1, 2, 4, 8, 16} {
			if add {
				kernel(fmt.Sprintf("avxXorAdd%d", m), "func(d, a *[32]float32)", fmt.Sprintf("is a[i] + a[i^%d].", m))
			} else {
				kernel(fmt.Sprintf("avxXor%dLane", m), "func(d, a *[32]uint32)", fmt.Sprintf("is a[i^%d].", m))
			}
			d, a := pointer("d"), pointer("a")
			var own, other [4]reg.VecVirtual
			for i := range own {
				own[i] = YMM()
				VMOVUPS(at(a, i), own[i])
			}
			for i := range own {
				switch m {
				case 16, 8:
					other[i] = own[i^m/8]
				default:
					other[i] = YMM()
					switch m {
					case 4:
						VPERM2F128(U8(1), own[i], own[i], other[i])
					case 2:
						VPERMILPS(U8(0x4e), own[i], other[i])
					case 1:
						VPERMILPS(U8(0xb1), own[i], other[i])
					}
				}
			}
			for i := range own {
				out := other[i]
				if add {
					out = YMM()
					VADDPS(other[i], own[i], out)
				}
				VMOVUPS(out, at(d, i))
			}
			end()
		}
	}
}

func selects() {
	bits := GLOBL("laneBits", RODATA|NOPTR)
	for i := range 32 {
		DATA(4*i, U32(1<<i))
	}
	// chosen fills y with ones in the lanes of group i whose bit is set in m.
	chosen := func(m reg.VecVirtual, i int) reg.VecVirtual {
		b, y := YMM(), YMM()
		VMOVDQU(bits.Offset(32*i), b)
		VPAND(b, m, y)
		VPCMPEQD(b, y, y)
		return y
	}
	kernel("avxSelect", "func(d *[32]uint32, m uint32, a, b *[32]uint32)", "is a in the lanes of m, else b.")
	d, a, b := pointer("d"), pointer("a"), pointer("b")
	m := broadcast("m")
	for i := range 4 {
		y, z := chosen(m, i), YMM()
		VMOVDQU(at(b, i), z)
		VPBLENDVB(y, at(a, i), z, z)
		VMOVDQU(z, at(d, i))
	}
	end()

	kernel("avxSelectS", "func(d *[32]uint32, m uint32, a *[32]uint32, s uint32)", "is a in the lanes of m, else s.")
	d, a = pointer("d"), pointer("a")
	m = broadcast("m")
	s := broadcast("s")
	for i := range 4 {
		y, z := chosen(m, i), YMM()
		VPBLENDVB(y, at(a, i), s, z)
		VMOVDQU(z, at(d, i))
	}
	end()
}

func loads() {
	kernel("avxLoadHalf", "func(d *[32]uint32, p *byte)", "widens 32 float16 that follow each other.")
	d, p := pointer("d"), pointer("p")
	for i := range 4 {
		y := YMM()
		VCVTPH2PS(Mem{Base: p, Disp: 16 * i}, y)
		VMOVUPS(y, at(d, i))
	}
	end()

	kernel("avxHalfFma", "func(d *[32]float32, a *[32]uint32, p *byte, s float32, c *[32]float32)", "widens 32 float16 into a; d is a*s + c, rounded once.")
	d, p = pointer("d"), pointer("p")
	w, s, c := pointer("a"), broadcastF("s"), pointer("c")
	for i := range 4 {
		y := YMM()
		VCVTPH2PS(Mem{Base: p, Disp: 16 * i}, y)
		VMOVUPS(y, at(w, i))
		VFMADD213PS(at(c, i), s, y)
		VMOVUPS(y, at(d, i))
	}
	end()

	kernel("avxLoadHalf4", "func(d0, d1, d2, d3 *[32]uint32, p *byte)", "widens 32 vectors of four float16 that follow each other.")
	var ds [4]reg.GPVirtual
	for i := range ds {
		ds[i] = pointer(fmt.Sprintf("d%d", i))
	}
	p = pointer("p")
	low := literal(0xffff)
	for i := range 4 {
		a, b := YMM(), YMM()
		VMOVDQU(Mem{Base: p, Disp: 64 * i}, a)
		VMOVDQU(Mem{Base: p, Disp: 64*i + 32}, b)
		for pair, order := range []uint8{0x88, 0xdd} {
			y, z := YMM(), YMM()
			VSHUFPS(U8(order), b, a, y)
			VPERMQ(U8(0xd8), y, y)
			VPSRLD(U8(16), y, z)
			VPAND(low, y, y)
			widenHalves(y)
			widenHalves(z)
			VMOVUPS(y, at(ds[2*pair], i))
			VMOVUPS(z, at(ds[2*pair+1], i))
		}
	}
	end()

	// Groups of eight lanes: transposed within the register halves, then across them.
	kernel("avxWords4", "func(d0, d1, d2, d3 *[32]uint32, p *byte)", "takes 32 vectors of four words apart.")
	for i := range ds {
		ds[i] = pointer(fmt.Sprintf("d%d", i))
	}
	p = pointer("p")
	for i := range 4 {
		var in, mid [4]reg.VecVirtual
		for k := range in { // lanes k and k+4 of the group
			in[k] = YMM()
			VMOVDQU(Mem{Base: p, Disp: 128*i + 16*k}, in[k])
			VINSERTI128(U8(1), Mem{Base: p, Disp: 128*i + 16*(k+4)}, in[k], in[k])
		}
		for k := range mid {
			mid[k] = YMM()
		}
		VPUNPCKLDQ(in[1], in[0], mid[0]) // x0 x1 y0 y1
		VPUNPCKHDQ(in[1], in[0], mid[1]) // z0 z1 w0 w1
		VPUNPCKLDQ(in[3], in[2], mid[2])
		VPUNPCKHDQ(in[3], in[2], mid[3])
		for k := range 4 {
			y := YMM()
			if k%2 == 0 {
				VPUNPCKLQDQ(mid[2+k/2], mid[k/2], y)
			} else {
				VPUNPCKHQDQ(mid[2+k/2], mid[k/2], y)
			}
			VMOVDQU(y, at(ds[k], i))
		}
	}
	end()

	kernel("avxWords2", "func(d0, d1 *[32]uint32, p *byte)", "takes 32 vectors of two words apart.")
	d0, d1 := pointer("d0"), pointer("d1")
	p = pointer("p")
	for i := range 4 {
		a, b, x, y := YMM(), YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: p, Disp: 64 * i}, a)
		VMOVDQU(Mem{Base: p, Disp: 64*i + 32}, b)
		VSHUFPS(U8(0x88), b, a, x) // x0 x1 x4 x5 x2 x3 x6 x7
		VSHUFPS(U8(0xdd), b, a, y)
		VPERMQ(U8(0xd8), x, x)
		VPERMQ(U8(0xd8), y, y)
		VMOVDQU(x, at(d0, i))
		VMOVDQU(y, at(d1, i))
	}
	end()

	kernel("avxSplat", "func(d *[32]uint32, s uint32)", "fills all lanes.")
	d = pointer("d")
	x := broadcast("s")
	for i := range 4 {
		VMOVDQU(x, at(d, i))
	}
	end()
}
