package exec

import (
	"math"
	"sync"
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/num"
)

// The fused multiply-adds repeat the test of num.NearTie by hand: as a function it is too large to be inlined, and a
// call a lane would double the time. The slow path reads its operands again through the pointers, so that no register
// is kept alive across it.

func goFma(d, a, b, c *f32s) {
	for i := 0; i < 32; i++ {
		s := float64(float64(a[i])*float64(b[i])) + float64(c[i])
		u := math.Float64bits(s)
		if u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
			d[i] = fmaAt(a, b, c, i)
		} else {
			d[i] = float32(s)
		}
	}
}

//go:noinline
func fmaAt(a, b, c *f32s, i int) float32 { return num.FMA(a[i&31], b[i&31], c[i&31]) }

func goFmaS(d, a *f32s, k float32, c *f32s) {
	b := float64(k)
	for i := 0; i < 32; i++ {
		s := float64(float64(a[i])*b) + float64(c[i])
		u := math.Float64bits(s)
		if u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
			d[i] = fmaAtS(a, k, c, i)
		} else {
			d[i] = float32(s)
		}
	}
}

//go:noinline
func fmaAtS(a *f32s, k float32, c *f32s, i int) float32 { return num.FMA(a[i&31], k, c[i&31]) }

func goHalfFma(d *f32s, a *u32s, p *byte, k float32, c *f32s) {
	b, h, t := float64(k), (*[32]uint16)(unsafe.Pointer(p)), wide()
	for i := 0; i < 32; i++ {
		x := t[h[i]]
		a[i] = x
		s := float64(float64(math.Float32frombits(x))*b) + float64(c[i])
		u := math.Float64bits(s)
		if u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
			d[i] = fmaAtS(floats(a), k, c, i)
		} else {
			d[i] = float32(s)
		}
	}
}

func goFmaC(d, a, b *f32s, k float32) {
	c := float64(k)
	for i := 0; i < 32; i++ {
		s := float64(float64(a[i])*float64(b[i])) + c
		u := math.Float64bits(s)
		if u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
			d[i] = num.FMA(a[i], b[i], k)
		} else {
			d[i] = float32(s)
		}
	}
}

func goFmaSC(d, a *f32s, k, l float32) {
	b, c := float64(k), float64(l)
	for i := 0; i < 32; i++ {
		s := float64(float64(a[i])*b) + c
		u := math.Float64bits(s)
		if u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
			d[i] = num.FMA(a[i], k, l)
		} else {
			d[i] = float32(s)
		}
	}
}

func goField(d *f32s, a *u32s, shift, mask, add uint32) {
	sh, bias := shift&31, int32(add)
	for i := 0; i < 32; i++ {
		d[i] = float32(int32(a[i]>>sh&mask) + bias)
	}
}

// goFieldFma tells short codes from others, because ties are common among them: with a code of at most five bits the
// product has at most 29. If c is the larger operand, every sum that could lie in the middle of two float32 values is
// exact in float64; if the product is, s-p tells whether the sum is. An exact sum needs no care, and an inexact one is
// rare, so the branch is predicted.
func goFieldFma(d *f32s, a *u32s, shift, mask, add uint32, b, c *f32s) {
	sh, bias := shift&31, int32(add)
	if mask <= 15 && -16 <= bias && bias <= 0 {
		for i := 0; i < 32; i++ {
			p, z := float64(float64(int32(a[i]>>sh&mask)+bias)*float64(b[i])), float64(c[i])
			s := p + z
			if float64(s-p) != z || math.Float64bits(s)<<1-1 < 897<<53-1 {
				d[i] = fieldFmaAt(a, fieldToF32{sh, mask, bias}, b, c, i)
			} else {
				d[i] = float32(s)
			}
		}
		return
	}
	for i := 0; i < 32; i++ {
		s := float64(float64(int32(a[i]>>sh&mask)+bias)*float64(b[i])) + float64(c[i])
		u := math.Float64bits(s)
		if u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
			d[i] = fieldFmaAt(a, fieldToF32{sh, mask, bias}, b, c, i)
		} else {
			d[i] = float32(s)
		}
	}
}

//go:noinline
func fieldFmaAt(a *u32s, k fieldToF32, b, c *f32s, i int) float32 {
	return num.FMA(float32(int32(a[i&31]>>(k.shift&31)&k.mask)+k.bias), b[i&31], c[i&31])
}

// goTreeSum adds as the butterfly xor 16, 8, 4, 2, 1 pairs the lanes: all lanes would end with these bits.
func goTreeSum(a *f32s) float32 {
	var t [16]float32
	for i := range t {
		t[i] = a[i] + a[i+16]
	}
	for i := 0; i < 8; i++ {
		t[i] += t[i+8]
	}
	for i := 0; i < 4; i++ {
		t[i] += t[i+4]
	}
	return (t[0] + t[2]) + (t[1] + t[3])
}

func goXorAdd(d, a *f32s, m uint32) {
	var t f32s
	for i := range t {
		t[i] = a[i] + a[(uint32(i)^m)&31]
	}
	*d = t
}

// wide holds the bits of every float16 as float32: looking them up takes half the time of working them out.
var wide = sync.OnceValue(func() *[1 << 16]uint32 {
	t := new([1 << 16]uint32)
	for i := range t {
		t[i] = math.Float32bits(num.F16ToF32(uint16(i)))
	}
	return t
})

func goF16Bits(d, a *u32s) {
	t := wide()
	for i := range d {
		d[i] = t[a[i]&0xffff]
	}
}
