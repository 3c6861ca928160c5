package kernels_test

import (
	"math"

	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/int4"
)

// The scalar reference: NUMERICS.md in Go, one value at a time, independent on purpose of the Metal sources. Every
// product that must be rounded on its own is written float32(a*b), because the Go compiler may fuse otherwise.

// subnormals counts the float32 operations of the reference whose result was subnormal. The contract says there are none.
var subnormals int

// seen notes a result.
func seen(r float32) float32 {
	if b := math.Float32bits(r) &^ (1 << 31); b != 0 && b < 1<<23 {
		subnormals++
	}
	return r
}

func add(a, b float32) float32 { return seen(a + b) }
func mul(a, b float32) float32 { return seen(float32(a * b)) }

// fma32 is a*b+c rounded once: the product is exact in float64, the sum is rounded to odd there, so that the last
// rounding sees on which side it lies.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b) // exact: 48 bits
	s := float64(p + float64(c))
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	t := float64(s - p)
	e := float64(float64(p-float64(s-t)) + float64(float64(c)-t))
	if bits := math.Float64bits(s); e != 0 && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return seen(float32(s))
}

func zap(r float32) float32 {
	if math.Abs(float64(r)) < 0x1p-40 {
		return 0
	}
	return r
}

func divide(a, b float32) float32 { return seen(a / b) }

// root: a float64 square root rounded again is right for float32 (53 >= 2*24+2).
func root(x float32) float32 { return seen(float32(math.Sqrt(float64(x)))) }

func exponential(x float32) float32 {
	c := min(max(x, -80), 80)
	n := float32(math.RoundToEven(float64(mul(c, 1.44269502162933349609375))))
	r := fma32(-n, 0.693359375, c)
	r = fma32(-n, -0x1.bd0106p-13, r)
	p := float32(0x1.6a2430p-10)
	for _, c := range []float32{0x1.1239e4p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2, 1, 1} {
		p = fma32(p, r, c)
	}
	return seen(float32(math.Ldexp(float64(p), int(n))))
}

func sigmoid(x float32) float32 { return divide(1, add(1, exponential(-x))) }

// tree sums a power of two of values, pairing by xor from the largest distance down.
func tree(v []float32) float32 {
	v = append([]float32(nil), v...)
	for m := len(v) / 2; m > 0; m /= 2 {
		for i := range m {
			v[i] = add(v[i], v[i+m])
		}
	}
	return v[0]
}

// packedMatrix is a matrix as the reference sees it: codes unpacked, scales and offsets as float16 bits.
type packedMatrix struct {
	rows, k, group  int
	affine          bool
	codes           []int    // [rows, k]: -8..7, or 0..15 when affine
	scales, offsets []uint16 // [rows, groups]
}

func half(bits uint16) float32 { return float16.Frombits(bits).Float32() }

// dot is section 4: the row's value, not zapped.
func (m packedMatrix) dot(row int, x []float32) float32 {
	s := m.k / 32
	groups := (m.k + m.group - 1) / m.group
	var lanes [32]float32
	for l := range lanes {
		var acc, g, sum float32
		for column := l * s; column < l*s+s; column++ {
			g = fma32(float32(m.codes[row*m.k+column]), x[column], g)
			sum = add(sum, x[column])
			if column+1 == l*s+s || (column+1)%m.group == 0 {
				at := row*groups + column/m.group
				acc = fma32(half(m.scales[at]), g, acc)
				if m.affine {
					acc = fma32(half(m.offsets[at]), sum, acc)
				}
				g, sum = 0, 0
			}
		}
		lanes[l] = acc
	}
	return tree(lanes[:])
}

// bytes packs the codes as engine/int4 draws them.
func (m packedMatrix) bytes() []byte {
	out := make([]byte, m.rows*int4.RowBytes(m.k))
	for row := range m.rows {
		for column := range m.k {
			nibble := m.codes[row*m.k+column]
			if !m.affine {
				nibble += 8
			}
			at, shift := int4.Locate(m.k, column)
			out[row*int4.RowBytes(m.k)+at] |= byte(nibble) << shift
		}
	}
	return out
}

// plainDot is the router's row.
func plainDot(w, x []float32) float32 {
	s := len(x) / 32
	var lanes [32]float32
	for l := range lanes {
		for i := l * s; i < l*s+s; i++ {
			lanes[l] = fma32(w[i], x[i], lanes[l])
		}
	}
	return tree(lanes[:])
}

// inverseRoot is steps 3 of section 5.
func inverseRoot(total float32, n int, eps float32) float32 {
	return zap(divide(1, root(add(divide(zap(total), float32(n)), eps))))
}

// rmsNorm is section 5.
func rmsNorm(x, w []float32, eps float32) []float32 {
	span := (len(x) + 255) / 256
	threads := make([]float32, 256)
	for i, v := range x {
		threads[i/span] = fma32(v, v, threads[i/span])
	}
	groups := make([]float32, 8)
	for i := range groups {
		groups[i] = tree(threads[32*i : 32*i+32])
	}
	return scaled(x, w, inverseRoot(tree(groups), len(x), eps))
}

func headNorm(x, w []float32, eps float32) []float32 {
	c := len(x) / 32
	lanes := make([]float32, 32)
	for i, v := range x {
		lanes[i/c] = fma32(v, v, lanes[i/c])
	}
	return scaled(x, w, inverseRoot(tree(lanes), len(x), eps))
}

func scaled(x, w []float32, inverse float32) []float32 {
	y := make([]float32, len(x))
	for i := range x {
		y[i] = zap(mul(zap(mul(x[i], inverse)), w[i]))
	}
	return y
}

// rotate is RoPE of one head; rope holds (cos, sin) pairs.
func rotate(x, rope []float32) []float32 {
	y := make([]float32, len(x))
	for i := range len(x) / 2 {
		a, b, cos, sin := x[i], x[i+len(x)/2], rope[2*i], rope[2*i+1]
		y[i] = zap(fma32(-b, sin, mul(a, cos)))
		y[i+len(x)/2] = zap(fma32(a, sin, mul(b, cos)))
	}
	return y
}

// attend is section 6 for one query head; keys and values hold positions 0..p as float16 bits, [p+1][headDim].
func attend(q []float32, keys, values [][]uint16) []float32 {
	headDim := len(q)
	c := headDim / 32
	type block struct {
		m, l float32
		o    []float32
	}
	var blocks []block
	for from := 0; from < len(keys); from += 256 {
		to := min(from+256, len(keys))
		scores := make([]float32, to-from)
		for j := range scores {
			var lanes [32]float32
			for d := range headDim {
				lanes[d/c] = fma32(q[d], half(keys[from+j][d]), lanes[d/c])
			}
			scores[j] = zap(tree(lanes[:]))
		}
		b := block{m: scores[0], o: make([]float32, headDim)}
		for _, s := range scores {
			b.m = max(b.m, s)
		}
		var w [256]float32
		var lanes [32]float32
		for j, s := range scores {
			w[j] = zap(exponential(add(s, -b.m)))
		}
		for j, v := range w {
			lanes[j/8] = add(lanes[j/8], v)
		}
		b.l = zap(tree(lanes[:]))
		for d := range headDim {
			strips := make([]float32, 8)
			for j := range scores {
				strips[j/32] = fma32(w[j], half(values[from+j][d]), strips[j/32])
			}
			b.o[d] = zap(tree(strips))
		}
		blocks = append(blocks, b)
	}
	m := blocks[0].m
	for _, b := range blocks {
		m = max(m, b.m)
	}
	var total float32
	out := make([]float32, headDim)
	for _, b := range blocks {
		u := zap(exponential(add(b.m, -m)))
		total = fma32(u, b.l, total)
		for d := range out {
			out[d] = fma32(u, b.o[d], out[d])
		}
	}
	for d := range out {
		out[d] = zap(divide(zap(out[d]), total))
	}
	return out
}

// route is section 7.
func route(logits []float32, topK int, normTopK bool) (ids []uint32, weights []float32) {
	taken := make([]bool, len(logits))
	for range topK {
		best := -1
		for e, l := range logits {
			if !taken[e] && (best < 0 || l > logits[best]) {
				best = e
			}
		}
		taken[best] = true
		ids = append(ids, uint32(best))
	}
	top := logits[ids[0]]
	var sum float32
	p := make([]float32, topK)
	for k, id := range ids {
		p[k] = zap(exponential(add(logits[id], -top)))
		sum = add(sum, p[k])
	}
	if !normTopK {
		var lanes [32]float32
		span := (len(logits) + 31) / 32
		for e, l := range logits {
			lanes[e/span] = add(lanes[e/span], zap(exponential(add(l, -top))))
		}
		sum = tree(lanes[:])
	}
	for k := range p {
		weights = append(weights, zap(divide(p[k], sum)))
	}
	return ids, weights
}

// act is the first half of section 8 for one pair of rows.
func act(gate, up float32) float32 {
	gate, up = zap(gate), zap(up)
	return zap(mul(zap(mul(gate, zap(sigmoid(gate)))), up))
}

// laneOrder puts value i of virtual lane l at i*32 + l.
func laneOrder(x []float32) []float32 {
	s := len(x) / 32
	out := make([]float32, len(x))
	for i, v := range x {
		out[i%s*32+i/s] = v
	}
	return out
}
