package kernels_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kernels"
	"github.com/octoryn/assay/engine/msl"
)

// The executor beside Go written by hand for one shape: the same arithmetic, the same bits (checked before timing), one core
// each, lanes innermost. The executor checks bounds and counts; the hand-written code does neither. Compare the times of one
// run: ratio/hand is printed by dividing by the first sub-benchmark.

// benchLaunch prepares a command buffer factory for one dispatch.
func benchLaunch(b *testing.B, dev device.Device, l kernels.Launch, width int, data ...[]byte) (run func(), buffers []device.Buffer) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	library, err := dev.Compile(kernels.Sources())
	must(err)
	pipeline, err := library.Pipeline(l.Kernel, l.Constants)
	must(err)
	d := device.Dispatch{Pipeline: pipeline, Threadgroups: l.Threadgroups, ThreadsPerThreadgroup: l.ThreadsPerThreadgroup}
	if width > 0 {
		d.Threadgroups.X = width
	}
	for i, x := range data {
		if len(x) == 4 {
			d.Args = append(d.Args, device.Arg{Index: i, Bytes: x})
			buffers = append(buffers, nil)
			continue
		}
		buffer, err := dev.NewBuffer("argument", len(x))
		must(err)
		must(buffer.Write(0, x))
		buffers = append(buffers, buffer)
		d.Args = append(d.Args, device.Arg{Index: i, Buffer: buffer})
	}
	if l.ThreadgroupBytes > 0 {
		d.Args = append(d.Args, device.Arg{ThreadgroupBytes: l.ThreadgroupBytes})
	}
	return func() {
		cb, err := dev.NewCommandBuffer("bench")
		must(err)
		must(cb.Dispatch(d))
		must(cb.Commit())
		must(cb.Wait())
	}, buffers
}

func readFloats(b *testing.B, buffer device.Buffer) []float32 {
	b.Helper()
	o := &out{make([]byte, buffer.LengthBytes())}
	if err := buffer.Read(0, o.data); err != nil {
		b.Fatal(err)
	}
	return o.floats()
}

// benchKinds runs the hand-written code and both kinds of lanes and reports each time over that of the first.
func benchKinds(b *testing.B, hand func() []float32, launch func(b *testing.B, dev device.Device) (run func(), result func() []float32)) {
	var base float64
	unchecked := map[string]float64{}
	want := hand()
	b.Run("hand", func(b *testing.B) {
		for b.Loop() {
			hand()
		}
		base = float64(b.Elapsed()) / float64(b.N)
	})
	for _, kind := range []struct {
		name     string
		portable bool
	}{{"go lanes", true}, {"fastest lanes", false}} {
		b.Run(kind.name, func(b *testing.B) {
			run, result := launch(b, msl.New(msl.Options{Workers: 1, PortableLanes: kind.portable}))
			run()
			if err := sameBits(result(), want); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				run()
			}
			plain := float64(b.Elapsed()) / float64(b.N)
			if base > 0 {
				b.ReportMetric(plain/base, "x-hand")
			}
			unchecked[kind.name] = plain
		})
		b.Run(kind.name+" with race", func(b *testing.B) {
			run, _ := launch(b, msl.New(msl.Options{Workers: 1, PortableLanes: kind.portable, Checks: []string{"race"}}))
			run()
			for b.Loop() {
				run()
			}
			if u := unchecked[kind.name]; u > 0 {
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/u, "x-unchecked")
			}
		})
	}
}

func BenchmarkMatvec2048(b *testing.B) {
	gomega.RegisterTestingT(b)
	const n = 2048
	s := newSource(3)
	m := s.matrix("random", n, n, 64, false)
	x, h := s.vector("random", n), s.vector("random", n)
	codes, lanes := m.bytes(), laneOrder(x)
	scales := make([]float32, len(m.scales))
	for i := range scales {
		scales[i] = half(m.scales[i])
	}
	hand := func() []float32 { return handMatvec(n, codes, scales, lanes, h) }
	benchKinds(b, hand, func(b *testing.B, dev device.Device) (func(), func() []float32) {
		shapes := kernels.ShapesFor(dev.Info())
		shape := kernels.Matrix{Rows: n, K: n, GroupSize: 64}
		l, err := shapes.ProjectResidual(shape, shapes.Tile(n, n, 1), false)
		if err != nil {
			b.Fatal(err)
		}
		run, buffers := benchLaunch(b, dev, l, 0, encode(lanes), codes, encode(m.scales), make([]byte, 8), make([]byte, 8), encode(h), make([]byte, 4*n))
		return run, func() []float32 { return readFloats(b, buffers[6]) }
	})
}

// handMatvec is h + matrix x for K = ROWS = n, groups of 64 symmetric codes, x in lane order.
func handMatvec(n int, codes []byte, scales, x, h []float32) []float32 {
	out := make([]float32, n)
	span := n / 32
	for row := range n {
		var g, acc [32]float32
		words := codes[row*n/2 : (row+1)*n/2]
		for unit := range span / 16 {
			for half := range 2 {
				var w [32]uint32
				for l := range w {
					w[l] = binary.LittleEndian.Uint32(words[unit*256+l*8+half*4:])
				}
				for i := range 8 {
					shift := 4 * uint(i)
					v := (*[32]float32)(x[(unit*16+half*8+i)*32:])
					for l := range 32 {
						p, z := float64(float64(int32(w[l]>>shift&15)-8)*float64(v[l])), float64(g[l])
						s := p + z
						if float64(s-p) != z || math.Float64bits(s)<<1-1 < 897<<53-1 {
							g[l] = fma32(float32(int32(w[l]>>shift&15)-8), v[l], g[l])
						} else {
							g[l] = float32(s)
						}
					}
				}
			}
		}
		for l := range acc {
			acc[l] = float32(scales[row*n/64+l*span/64] * g[l])
		}
		for m := 16; m > 0; m /= 2 {
			for l := range m {
				acc[l] += acc[l+m]
			}
		}
		out[row] = zap(h[row] + acc[0])
	}
	return out
}

func BenchmarkAttention2048(b *testing.B) {
	gomega.RegisterTestingT(b)
	c := newAttentionCase(newSource(4), "random", 128, 8, 8, 8, 2047)
	keys, values := c.caches(c.keys, c.values)
	_, keysAfter, valuesAfter := c.want()
	var wide [1 << 16]float32
	for i := range wide {
		wide[i] = float16.Frombits(uint16(i)).Float32()
	}
	hand := func() []float32 { return c.handAttention(&wide, keysAfter, valuesAfter) }
	benchKinds(b, hand, func(b *testing.B, dev device.Device) (func(), func() []float32) {
		shapes := kernels.ShapesFor(dev.Info())
		shape := kernels.Attention{HeadDim: 128, Heads: 8, KVHeads: 8, Eps: eps}
		l, err := shapes.AttentionBlock(shape, 8)
		if err != nil {
			b.Fatal(err)
		}
		state := append(encode([]uint32{uint32(c.pos)}), make([]byte, 4)...)
		pages := encode([]uint32{uint32(c.pages)})
		run, buffers := benchLaunch(b, dev, l, c.pos/256+1, encode(c.qkv), encode(c.qNorm), encode(c.kNorm), encode(c.rope), keys, values,
			make([]byte, 4*8*8), make([]byte, 4*8*8), make([]byte, 4*8*8*128), state, pages)
		return run, func() []float32 { return readFloats(b, buffers[8]) }
	})
}

// handAttention gives the partial sums of every block, [heads, blocks, headDim], for headDim 128 and a full cache.
func (c attentionCase) handAttention(wide *[1 << 16]float32, keys, values []byte) []float32 {
	const dim = 128
	out := make([]float32, c.heads*c.pages*dim)
	for h := range c.heads {
		q := rotate(headNorm(c.qkv[h*dim:(h+1)*dim], c.qNorm, eps), c.rope[c.pos*dim:])
		for d := range q {
			q[d] = zap(mul(q[d], float32(1/math.Sqrt(dim))))
		}
		for block := range c.pages {
			at := 2 * (h*c.pages + block) * 256 * dim
			handBlock(wide, q, keys[at:at+512*dim], values[at:at+512*dim], out[(h*c.pages+block)*dim:][:dim])
		}
	}
	return out
}

func handBlock(wide *[1 << 16]float32, q []float32, keys, values []byte, out []float32) {
	const dim = 128
	var score [256]float32
	for strip := range 8 {
		var sums [32][32]float32 // by virtual lane, then position
		tile := keys[strip*32*dim*2:]
		for l := range 32 {
			for e := range 4 {
				w := q[4*l+e]
				k := tile[((l/4*4+e)*128+l%4)*2:]
				for j := range 32 {
					x := wide[binary.LittleEndian.Uint16(k[j*8:])]
					s := float64(float64(x)*float64(w)) + float64(sums[l][j])
					if u := math.Float64bits(s); u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
						sums[l][j] = fma32(x, w, sums[l][j])
					} else {
						sums[l][j] = float32(s)
					}
				}
			}
		}
		for m := 16; m > 0; m /= 2 {
			for l := range m {
				for j := range 32 {
					sums[l][j] += sums[l+m][j]
				}
			}
		}
		for j := range 32 {
			score[strip*32+j] = zap(sums[0][j])
		}
	}
	most := score[0]
	for _, s := range score {
		most = max(most, s)
	}
	for j := range score {
		score[j] = zap(exponential(score[j] - most))
	}
	var strips [8][dim]float32
	for j, p := range score {
		acc := &strips[j/32]
		v := values[j*dim*2:]
		for d := range dim {
			x := wide[binary.LittleEndian.Uint16(v[d*2:])]
			s := float64(float64(x)*float64(p)) + float64(acc[d])
			if u := math.Float64bits(s); u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
				acc[d] = fma32(x, p, acc[d])
			} else {
				acc[d] = float32(s)
			}
		}
	}
	for m := 4; m > 0; m /= 2 {
		for i := range m {
			for d := range dim {
				strips[i][d] += strips[i+m][d]
			}
		}
	}
	for d := range out {
		out[d] = zap(strips[0][d])
	}
}
