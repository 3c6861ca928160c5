package exec

import (
	"math"
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/num"
)

// u32s and f32s are a vector register seen as integers or floats; u64s is a pair of registers.
type (
	u32s = [32]uint32
	f32s = [32]float32
	u64s = [32]uint64
)

// The kinds of lane kernels. A destination may be the same register as an operand.
type (
	lane1  func(d, a *u32s)
	lane2  func(d, a, b *u32s)
	lane2s func(d, a *u32s, s uint32) // the second operand is equal in all lanes
	lane3  func(d, a, b, c *u32s)
	laneC  func(a, b *u32s) uint32 // a comparison: one bit a lane
	laneCs func(a *u32s, s uint32) uint32
)

// laneKernels is a set of lane kernels, by kernel number. goLanes works everywhere; another set must give the same bits.
type laneKernels struct {
	one      [num1]lane1
	two      [num2]lane2
	twoS     [num2]lane2s
	cmp      [numC]laneC
	cmpS     [numC]laneCs
	fma      func(d, a, b, c *f32s)
	fmaS     func(d, a *f32s, s float32, c *f32s)             // a*s + c
	fmaC     func(d, a, b *f32s, s float32)                   // a*b + s
	fmaSC    func(d, a *f32s, s, c float32)                   // a*s + c, both equal in all lanes
	fieldF32 func(d *f32s, a *u32s, shift, mask, bias uint32) // float(((a >> shift) & mask) + bias), exact
	fieldFma func(d *f32s, a *u32s, shift, mask, bias uint32, b, c *f32s)
	treeSum  func(a *f32s) float32
	xorAdd   func(d, a *f32s, m uint32) // a[i] + a[i^m]
	xorLane  func(d, a *u32s, m uint32) // a[i^m]
	sel      func(d *u32s, m uint32, a, b *u32s)
	selS     func(d *u32s, m uint32, a *u32s, s uint32)
	splat    func(d *u32s, s uint32)

	// Loads from memory of 32 lanes that follow each other without gaps; every byte was checked. Vectors come apart.
	half    func(d *u32s, p *byte)
	halfFma func(d *f32s, a *u32s, p *byte, s float32, c *f32s) // half into a, then a*s + c
	half4   func(d0, d1, d2, d3 *u32s, p *byte)
	words2  func(d0, d1 *u32s, p *byte)
	words4  func(d0, d1, d2, d3 *u32s, p *byte)
}

// fieldToF32 takes bits out of an integer, adds an integer and converts: how an int4 code becomes a float.
type fieldToF32 struct {
	shift, mask uint32
	bias        int32
}

// Unary kernels.
const (
	oneNegF = iota
	oneAbsF
	oneSqrtF
	oneRintF
	oneFloorF
	oneI32ToF
	oneU32ToF
	oneFToI32
	oneFToU32
	oneRoundF16
	oneRoundBF16
	oneF16Bits // bits of a float16 to float32
	oneBF16Bits
	oneToF16Bits
	oneToBF16Bits
	oneExt8
	oneExt16
	oneLow8
	oneLow16
	oneNot
	oneNegI
	num1
)

// Binary kernels.
const (
	twoAddF = iota
	twoSubF
	twoRsubF // b - a
	twoMulF
	twoDivF
	twoRdivF // b / a
	twoMinF
	twoMaxF
	twoAddI
	twoSubI
	twoRsubI
	twoMulI
	twoAnd
	twoOr
	twoXor
	twoShl
	twoShrU
	twoShrI
	twoMinU
	twoMaxU
	twoMinI
	twoMaxI
	num2
)

// Comparisons.
const (
	cmpEqF = iota
	cmpNeF
	cmpLtF
	cmpLeF
	cmpGtF
	cmpGeF
	cmpEqI
	cmpNeI
	cmpLtU
	cmpLeU
	cmpGtU
	cmpGeU
	cmpLtI
	cmpLeI
	cmpGtI
	cmpGeI
	numC
)

func fv(u uint32) float32 { return math.Float32frombits(u) }
func fb(f float32) uint32 { return math.Float32bits(f) }

// floats sees a register as floats: loading them as such saves a move between register files a lane.
func floats(r *u32s) *f32s { return (*f32s)(unsafe.Pointer(r)) }

// goLanes is written in Go.
var goLanes = newGoLanes()

func newGoLanes() *laneKernels {
	k := &laneKernels{fma: goFma, fmaS: goFmaS, fmaC: goFmaC, fmaSC: goFmaSC, fieldF32: goField, fieldFma: goFieldFma, treeSum: goTreeSum, xorAdd: goXorAdd,
		xorLane: goXorLane, sel: goSel, selS: goSelS, splat: goSplat, half: goHalf, halfFma: goHalfFma, half4: goHalf4, words2: goWords2, words4: goWords4}
	k.one = [num1]lane1{
		oneNegF: func(d, a *u32s) {
			for i := range d {
				d[i] = a[i] ^ 1<<31
			}
		},
		oneAbsF: func(d, a *u32s) {
			for i := range d {
				d[i] = a[i] &^ (1 << 31)
			}
		},
		oneSqrtF: func(d, a *u32s) {
			for i := range d {
				d[i] = fb(float32(math.Sqrt(float64(fv(a[i])))))
			}
		},
		oneRintF: func(d, a *u32s) {
			for i := range d {
				d[i] = fb(num.Rint(fv(a[i])))
			}
		},
		oneFloorF: func(d, a *u32s) {
			for i := range d {
				d[i] = fb(num.Floor(fv(a[i])))
			}
		},
		oneI32ToF: func(d, a *u32s) {
			for i := range d {
				d[i] = fb(float32(int32(a[i])))
			}
		},
		oneU32ToF: func(d, a *u32s) {
			for i := range d {
				d[i] = fb(float32(int64(a[i])))
			}
		},
		oneFToI32: func(d, a *u32s) {
			for i := range d {
				d[i] = uint32(num.F32ToI32(fv(a[i])))
			}
		},
		oneFToU32: func(d, a *u32s) {
			for i := range d {
				d[i] = num.F32ToU32(fv(a[i]))
			}
		},
		oneRoundF16: func(d, a *u32s) {
			for i := range d {
				d[i] = fb(num.RoundF16(fv(a[i])))
			}
		},
		oneRoundBF16: func(d, a *u32s) {
			for i := range d {
				d[i] = fb(num.RoundBF16(fv(a[i])))
			}
		},
		oneF16Bits: goF16Bits,
		oneBF16Bits: func(d, a *u32s) {
			for i := range d {
				d[i] = a[i] << 16
			}
		},
		oneToF16Bits: func(d, a *u32s) {
			for i := range d {
				d[i] = uint32(num.F32ToF16(fv(a[i])))
			}
		},
		oneToBF16Bits: func(d, a *u32s) {
			for i := range d {
				d[i] = uint32(num.F32ToBF16(fv(a[i])))
			}
		},
		oneExt8: func(d, a *u32s) {
			for i := range d {
				d[i] = uint32(int8(a[i]))
			}
		},
		oneExt16: func(d, a *u32s) {
			for i := range d {
				d[i] = uint32(int16(a[i]))
			}
		},
		oneLow8: func(d, a *u32s) {
			for i := range d {
				d[i] = a[i] & 0xff
			}
		},
		oneLow16: func(d, a *u32s) {
			for i := range d {
				d[i] = a[i] & 0xffff
			}
		},
		oneNot: func(d, a *u32s) {
			for i := range d {
				d[i] = ^a[i]
			}
		},
		oneNegI: func(d, a *u32s) {
			for i := range d {
				d[i] = -a[i]
			}
		},
	}
	k.two = [num2]lane2{
		twoAddF: func(d, a, b *u32s) {
			x, y, z := floats(d), floats(a), floats(b)
			for i := range x {
				x[i] = y[i] + z[i]
			}
		},
		twoSubF: func(d, a, b *u32s) {
			x, y, z := floats(d), floats(a), floats(b)
			for i := range x {
				x[i] = y[i] - z[i]
			}
		},
		twoRsubF: func(d, a, b *u32s) {
			x, y, z := floats(d), floats(a), floats(b)
			for i := range x {
				x[i] = z[i] - y[i]
			}
		},
		twoMulF: func(d, a, b *u32s) {
			x, y, z := floats(d), floats(a), floats(b)
			for i := range x {
				x[i] = float32(y[i] * z[i])
			}
		},
		twoDivF: func(d, a, b *u32s) {
			for i := range d {
				d[i] = fb(fv(a[i]) / fv(b[i]))
			}
		},
		twoRdivF: func(d, a, b *u32s) {
			for i := range d {
				d[i] = fb(fv(b[i]) / fv(a[i]))
			}
		},
		twoMinF: func(d, a, b *u32s) {
			for i := range d {
				d[i] = fb(num.Min(fv(a[i]), fv(b[i])))
			}
		},
		twoMaxF: func(d, a, b *u32s) {
			for i := range d {
				d[i] = fb(num.Max(fv(a[i]), fv(b[i])))
			}
		},
		twoAddI: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] + b[i]
			}
		},
		twoSubI: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] - b[i]
			}
		},
		twoRsubI: func(d, a, b *u32s) {
			for i := range d {
				d[i] = b[i] - a[i]
			}
		},
		twoMulI: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] * b[i]
			}
		},
		twoAnd: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] & b[i]
			}
		},
		twoOr: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] | b[i]
			}
		},
		twoXor: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] ^ b[i]
			}
		},
		twoShl: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] << (b[i] & 31)
			}
		},
		twoShrU: func(d, a, b *u32s) {
			for i := range d {
				d[i] = a[i] >> (b[i] & 31)
			}
		},
		twoShrI: func(d, a, b *u32s) {
			for i := range d {
				d[i] = uint32(int32(a[i]) >> (b[i] & 31))
			}
		},
		twoMinU: func(d, a, b *u32s) {
			for i := range d {
				d[i] = min(a[i], b[i])
			}
		},
		twoMaxU: func(d, a, b *u32s) {
			for i := range d {
				d[i] = max(a[i], b[i])
			}
		},
		twoMinI: func(d, a, b *u32s) {
			for i := range d {
				d[i] = uint32(min(int32(a[i]), int32(b[i])))
			}
		},
		twoMaxI: func(d, a, b *u32s) {
			for i := range d {
				d[i] = uint32(max(int32(a[i]), int32(b[i])))
			}
		},
	}
	k.twoS = [num2]lane2s{
		twoAddF: func(d, a *u32s, s uint32) {
			x, y, f := floats(d), floats(a), fv(s)
			for i := range x {
				x[i] = y[i] + f
			}
		},
		twoSubF: func(d, a *u32s, s uint32) {
			x, y, f := floats(d), floats(a), fv(s)
			for i := range x {
				x[i] = y[i] - f
			}
		},
		twoRsubF: func(d, a *u32s, s uint32) {
			x, y, f := floats(d), floats(a), fv(s)
			for i := range x {
				x[i] = f - y[i]
			}
		},
		twoMulF: func(d, a *u32s, s uint32) {
			x, y, f := floats(d), floats(a), fv(s)
			for i := range x {
				x[i] = float32(y[i] * f)
			}
		},
		twoDivF: func(d, a *u32s, s uint32) {
			f := fv(s)
			for i := range d {
				d[i] = fb(fv(a[i]) / f)
			}
		},
		twoRdivF: func(d, a *u32s, s uint32) {
			f := fv(s)
			for i := range d {
				d[i] = fb(f / fv(a[i]))
			}
		},
		twoMinF: func(d, a *u32s, s uint32) {
			f := fv(s)
			for i := range d {
				d[i] = fb(num.Min(fv(a[i]), f))
			}
		},
		twoMaxF: func(d, a *u32s, s uint32) {
			f := fv(s)
			for i := range d {
				d[i] = fb(num.Max(fv(a[i]), f))
			}
		},
		twoAddI: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] + s
			}
		},
		twoSubI: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] - s
			}
		},
		twoRsubI: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = s - a[i]
			}
		},
		twoMulI: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] * s
			}
		},
		twoAnd: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] & s
			}
		},
		twoOr: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] | s
			}
		},
		twoXor: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] ^ s
			}
		},
		twoShl: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] << (s & 31)
			}
		},
		twoShrU: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = a[i] >> (s & 31)
			}
		},
		twoShrI: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = uint32(int32(a[i]) >> (s & 31))
			}
		},
		twoMinU: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = min(a[i], s)
			}
		},
		twoMaxU: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = max(a[i], s)
			}
		},
		twoMinI: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = uint32(min(int32(a[i]), int32(s)))
			}
		},
		twoMaxI: func(d, a *u32s, s uint32) {
			for i := range d {
				d[i] = uint32(max(int32(a[i]), int32(s)))
			}
		},
	}
	k.cmp = [numC]laneC{
		cmpEqF: func(a, b *u32s) (m uint32) {
			x, y := floats(a), floats(b)
			for i := range x {
				m |= one(x[i] == y[i]) << i
			}
			return
		},
		cmpNeF: func(a, b *u32s) (m uint32) {
			x, y := floats(a), floats(b)
			for i := range x {
				m |= one(x[i] != y[i]) << i
			}
			return
		},
		cmpLtF: func(a, b *u32s) (m uint32) {
			x, y := floats(a), floats(b)
			for i := range x {
				m |= one(x[i] < y[i]) << i
			}
			return
		},
		cmpLeF: func(a, b *u32s) (m uint32) {
			x, y := floats(a), floats(b)
			for i := range x {
				m |= one(x[i] <= y[i]) << i
			}
			return
		},
		cmpGtF: func(a, b *u32s) (m uint32) {
			x, y := floats(a), floats(b)
			for i := range x {
				m |= one(x[i] > y[i]) << i
			}
			return
		},
		cmpGeF: func(a, b *u32s) (m uint32) {
			x, y := floats(a), floats(b)
			for i := range x {
				m |= one(x[i] >= y[i]) << i
			}
			return
		},
		cmpEqI: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(a[i] == b[i]) << i
			}
			return
		},
		cmpNeI: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(a[i] != b[i]) << i
			}
			return
		},
		cmpLtU: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(a[i] < b[i]) << i
			}
			return
		},
		cmpLeU: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(a[i] <= b[i]) << i
			}
			return
		},
		cmpGtU: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(a[i] > b[i]) << i
			}
			return
		},
		cmpGeU: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(a[i] >= b[i]) << i
			}
			return
		},
		cmpLtI: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) < int32(b[i])) << i
			}
			return
		},
		cmpLeI: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) <= int32(b[i])) << i
			}
			return
		},
		cmpGtI: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) > int32(b[i])) << i
			}
			return
		},
		cmpGeI: func(a, b *u32s) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) >= int32(b[i])) << i
			}
			return
		},
	}
	k.cmpS = [numC]laneCs{
		cmpEqF: func(a *u32s, s uint32) (m uint32) {
			x, f := floats(a), fv(s)
			for i := range x {
				m |= one(x[i] == f) << i
			}
			return
		},
		cmpNeF: func(a *u32s, s uint32) (m uint32) {
			x, f := floats(a), fv(s)
			for i := range x {
				m |= one(x[i] != f) << i
			}
			return
		},
		cmpLtF: func(a *u32s, s uint32) (m uint32) {
			x, f := floats(a), fv(s)
			for i := range x {
				m |= one(x[i] < f) << i
			}
			return
		},
		cmpLeF: func(a *u32s, s uint32) (m uint32) {
			x, f := floats(a), fv(s)
			for i := range x {
				m |= one(x[i] <= f) << i
			}
			return
		},
		cmpGtF: func(a *u32s, s uint32) (m uint32) {
			x, f := floats(a), fv(s)
			for i := range x {
				m |= one(x[i] > f) << i
			}
			return
		},
		cmpGeF: func(a *u32s, s uint32) (m uint32) {
			x, f := floats(a), fv(s)
			for i := range x {
				m |= one(x[i] >= f) << i
			}
			return
		},
		cmpEqI: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(a[i] == s) << i
			}
			return
		},
		cmpNeI: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(a[i] != s) << i
			}
			return
		},
		cmpLtU: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(a[i] < s) << i
			}
			return
		},
		cmpLeU: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(a[i] <= s) << i
			}
			return
		},
		cmpGtU: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(a[i] > s) << i
			}
			return
		},
		cmpGeU: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(a[i] >= s) << i
			}
			return
		},
		cmpLtI: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) < int32(s)) << i
			}
			return
		},
		cmpLeI: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) <= int32(s)) << i
			}
			return
		},
		cmpGtI: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) > int32(s)) << i
			}
			return
		},
		cmpGeI: func(a *u32s, s uint32) (m uint32) {
			for i := range a {
				m |= one(int32(a[i]) >= int32(s)) << i
			}
			return
		},
	}
	return k
}

// one is 1 for true; the compiler makes it a flag move.
func one(b bool) uint32 {
	var x uint32
	if b {
		x = 1
	}
	return x
}
