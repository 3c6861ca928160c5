package kernels_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kernels"
	"github.com/octoryn/assay/engine/msl"
)

// rig compiles the sources once and launches kernels on plain slices.
type rig struct {
	dev     device.Device
	library device.Library
	edited  map[string]device.Library
}

func newRig() *rig {
	GinkgoHelper()
	dev := msl.New(msl.Options{CompareLanes: true})
	library, err := dev.Compile(kernels.Sources())
	Expect(err).NotTo(HaveOccurred())
	return &rig{dev: dev, library: library}
}

// edit compiles the sources with one stretch of text replaced: a planted fault.
func (r *rig) edit(source, old, replacement string) *rig {
	GinkgoHelper()
	sources := kernels.Sources()
	edits := 0
	for i := range sources {
		if sources[i].Name == source {
			edits += bytes.Count([]byte(sources[i].Text), []byte(old))
			sources[i].Text = string(bytes.Replace([]byte(sources[i].Text), []byte(old), []byte(replacement), 1))
		}
	}
	Expect(edits).To(BeNumerically(">", 0), "the text to replace is not in "+source)
	library, err := r.dev.Compile(sources)
	Expect(err).NotTo(HaveOccurred())
	return &rig{dev: r.dev, library: library}
}

// shapes describes the rig's device, with or without shuffles.
func (r *rig) shapes(shuffle bool) kernels.Shapes {
	s := kernels.ShapesFor(r.dev.Info())
	Expect(s.Shuffle).To(BeTrue())
	s.Shuffle = shuffle
	return s
}

// out is an argument the kernel writes: its bytes before, replaced by what they are after.
type out struct{ data []byte }

// guardBytes stand before and after every buffer and must not change.
const guardBytes = 256

// launch runs one dispatch with args in slots 0, 1, ...: []byte and numeric slices are inputs and must come back
// unchanged; *out is written; uint32 is passed inline. width replaces the grid's X when it is not 0.
func (r *rig) launch(l kernels.Launch, width int, args ...any) error {
	GinkgoHelper()
	pipeline, err := r.library.Pipeline(l.Kernel, l.Constants)
	Expect(err).NotTo(HaveOccurred())
	d := device.Dispatch{Pipeline: pipeline, Threadgroups: l.Threadgroups, ThreadsPerThreadgroup: l.ThreadsPerThreadgroup}
	if width > 0 {
		d.Threadgroups.X = width
	}
	type bound struct {
		buffer device.Buffer
		before []byte
		to     *out
	}
	var buffers []bound
	for i, a := range args {
		arg := device.Arg{Index: i}
		var data []byte
		var to *out
		switch a := a.(type) {
		case uint32:
			arg.Bytes = binary.LittleEndian.AppendUint32(nil, a)
		case []byte:
			data = a
		case *out:
			data, to = a.data, a
		default:
			data = encode(a)
		}
		if arg.Bytes == nil {
			guard := bytes.Repeat([]byte{0xa5}, guardBytes)
			before := append(append(append([]byte(nil), guard...), data...), guard...)
			buffer, err := r.dev.NewBuffer(fmt.Sprintf("argument %d", i), len(before))
			Expect(err).NotTo(HaveOccurred())
			defer buffer.Release()
			Expect(buffer.Write(0, before)).To(Succeed())
			arg.Buffer, arg.OffsetBytes = buffer, guardBytes
			buffers = append(buffers, bound{buffer, before, to})
		}
		d.Args = append(d.Args, arg)
	}
	if l.ThreadgroupBytes > 0 {
		d.Args = append(d.Args, device.Arg{ThreadgroupBytes: l.ThreadgroupBytes})
	}
	cb, err := r.dev.NewCommandBuffer(l.Kernel)
	Expect(err).NotTo(HaveOccurred())
	Expect(cb.Dispatch(d)).To(Succeed())
	Expect(cb.Commit()).To(Succeed())
	if err := cb.Wait(); err != nil {
		return err
	}
	for i, b := range buffers {
		after := make([]byte, len(b.before))
		Expect(b.buffer.Read(0, after)).To(Succeed())
		n := len(after)
		if b.to != nil {
			b.to.data = after[guardBytes : n-guardBytes]
			copy(b.before[guardBytes:n-guardBytes], b.to.data)
		}
		if !bytes.Equal(after, b.before) {
			return fmt.Errorf("buffer %d changed where the kernel must not write", i)
		}
	}
	return nil
}

// room is an output of n 4-byte elements, poisoned.
func room(n int) *out { return &out{bytes.Repeat([]byte{0xff}, 4*n)} }

func (o *out) floats() []float32 {
	v := make([]float32, len(o.data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(o.data[4*i:]))
	}
	return v
}

func (o *out) uints() []uint32 {
	v := make([]uint32, len(o.data)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(o.data[4*i:])
	}
	return v
}

// encode lays out a numeric slice in memory.
func encode(values any) []byte {
	out, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	if len(out) == 0 {
		out = make([]byte, 4)
	}
	return out
}

// sameBits compares float32 slices bit for bit and names the first difference.
func sameBits(got, want []float32) error {
	if len(got) != len(want) {
		return fmt.Errorf("got %d values, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			return fmt.Errorf("value %d of %d: got %x (%v), want %x (%v)", i, len(got),
				math.Float32bits(got[i]), got[i], math.Float32bits(want[i]), want[i])
		}
	}
	return nil
}

// flavours of input.
var flavours = []string{"random", "cancelling", "extreme"}

// source makes seeded inputs.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 7))} }

// vector makes n zapped activations.
func (s source) vector(flavour string, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		switch flavour {
		case "random":
			v[i] = float32(s.NormFloat64())
		case "cancelling":
			if v[i] = float32(s.NormFloat64()); i%2 == 1 {
				v[i] = -v[i-1]
			}
		case "extreme":
			v[i] = float32(s.NormFloat64() * math.Exp2(float64(s.IntN(48)-40)))
			if s.IntN(8) == 0 {
				v[i] = 0
			}
		default:
			panic(flavour)
		}
		v[i] = zap(v[i])
	}
	return v
}

// matrix makes a packed matrix. Extreme ones use every code's limits and scales down to the least float16.
func (s source) matrix(flavour string, rows, k, group int, affine bool) packedMatrix {
	groups := (k + group - 1) / group
	m := packedMatrix{rows: rows, k: k, group: group, affine: affine, codes: make([]int, rows*k), scales: make([]uint16, rows*groups)}
	low := -8
	if affine {
		low = 0
	}
	for i := range m.codes {
		m.codes[i] = low + s.IntN(16)
		switch {
		case flavour == "cancelling" && i%2 == 1:
			m.codes[i] = m.codes[i-1]
		case flavour == "extreme":
			m.codes[i] = low + 15*s.IntN(2)
		}
	}
	for i := range m.scales {
		m.scales[i] = s.half(flavour)
	}
	if affine {
		m.offsets = make([]uint16, rows*groups)
		for i := range m.offsets {
			m.offsets[i] = s.half(flavour)
		}
	}
	return m
}

func (s source) half(flavour string) uint16 {
	if flavour == "extreme" {
		return []uint16{0x0001, 0x8001, 0x03ff, 0x0400, 0x5bff, 0xdbff, 0x0000}[s.IntN(7)]
	}
	return float16.Fromfloat32(float32(s.NormFloat64() * 0.05)).Bits()
}

// embedding makes n bfloat16 values.
func (s source) embedding(flavour string, n int) []uint16 {
	out := make([]uint16, n)
	for i, v := range s.vector(flavour, n) {
		out[i] = uint16(math.Float32bits(v) >> 16)
	}
	return out
}

func widen(v []uint16) []float32 {
	out := make([]float32, len(v))
	for i := range v {
		out[i] = math.Float32frombits(uint32(v[i]) << 16)
	}
	return out
}
