package msl_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. The device interface as package device describes it: a kernel runs and writes what it should; compile errors name
// file and line; every wrong argument is refused at Dispatch, one rule broken at a time beside a launch that is right;
// faults of execution surface in Wait with thread and source line; command buffers run in order; hosts may not reach a
// buffer in flight.

const scaleKernel = `#include <metal_stdlib>
using namespace metal;
constant float FACTOR [[function_constant(0)]];
kernel void scale(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], constant uint &count [[buffer(2)]],
                  threadgroup float *shared [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                  uint t [[thread_index_in_threadgroup]]) {
    shared[t] = in[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < count) {
        out[i] = FACTOR * shared[t ^ 1u];
    }
}
`

// bench is a compiled kernel with buffers that fit it.
type bench struct {
	dev      device.Device
	pipeline device.Pipeline
	in, out  device.Buffer
}

func newBench() bench {
	GinkgoHelper()
	b := bench{dev: msl.New(msl.Options{CompareLanes: true})}
	library, err := b.dev.Compile([]device.Source{{Name: "scale.metal", Text: scaleKernel}})
	Expect(err).NotTo(HaveOccurred())
	Expect(library.Kernels()).To(Equal([]string{"scale"}))
	b.pipeline, err = library.Pipeline("scale", []device.Constant{{Index: 0, Value: float32(3)}})
	Expect(err).NotTo(HaveOccurred())
	again, err := library.Pipeline("scale", []device.Constant{{Index: 0, Value: float32(3)}})
	Expect(err).NotTo(HaveOccurred())
	Expect(again).To(BeIdenticalTo(b.pipeline))
	b.in, err = b.dev.NewBuffer("in", 4*64)
	Expect(err).NotTo(HaveOccurred())
	b.out, err = b.dev.NewBuffer("out", 4*64)
	Expect(err).NotTo(HaveOccurred())
	values := make([]byte, 4*64)
	for i := range 64 {
		binary.LittleEndian.PutUint32(values[4*i:], math.Float32bits(float32(i)))
	}
	Expect(b.in.Write(0, values)).To(Succeed())
	return b
}

// dispatch is right; specs spoil a copy of it.
func (b bench) dispatch() device.Dispatch {
	return device.Dispatch{
		Tag: device.Tag{Role: "scale", Layer: 2, Step: 1}, Pipeline: b.pipeline,
		Args: []device.Arg{
			{Index: 0, Buffer: b.in}, {Index: 1, Buffer: b.out}, {Index: 2, Bytes: []byte{60, 0, 0, 0}}, {ThreadgroupBytes: 128},
		},
		Threadgroups: device.Size{X: 2}, ThreadsPerThreadgroup: device.Size{X: 32},
	}
}

// run commits one dispatch and waits.
func (b bench) run(d device.Dispatch) error {
	cb, err := b.dev.NewCommandBuffer("one")
	if err != nil {
		return err
	}
	if err := cb.Dispatch(d); err != nil {
		return err
	}
	if err := cb.Barrier(); err != nil {
		return err
	}
	if err := cb.Commit(); err != nil {
		return err
	}
	return cb.Wait()
}

func (b bench) float(buffer device.Buffer, i int) float32 {
	GinkgoHelper()
	var bytes [4]byte
	Expect(buffer.Read(4*i, bytes[:])).To(Succeed())
	return math.Float32frombits(binary.LittleEndian.Uint32(bytes[:]))
}

func (b bench) nanAt(i int) func(device.Buffer) bool {
	return func(buffer device.Buffer) bool { return math.IsNaN(float64(b.float(buffer, i))) }
}

var _ = Describe("Device", Label("backend:msl"), func() {
	It("runs a kernel and leaves the rest as it was", Label("purpose:execution"), func() {
		b := newBench()
		Expect(b.out).To(Satisfy(b.nanAt(3)), "fresh memory")
		Expect(b.run(b.dispatch())).To(Succeed())
		for i := range 60 {
			Expect(b.float(b.out, i)).To(Equal(float32(3 * (i ^ 1))))
		}
		Expect(b.out).To(Satisfy(b.nanAt(60)), "past the count")
	})

	It("gives the same bits with one worker as with several", Label("purpose:execution"), func() {
		var got [2][]byte
		for i, workers := range []int{1, 7} {
			b := newBench()
			b.dev = msl.New(msl.Options{Workers: workers})
			Expect(b.dev.Info().ConcurrentThreadgroupsHint).To(Equal(workers))
			library, err := b.dev.Compile([]device.Source{{Name: "scale.metal", Text: scaleKernel}})
			Expect(err).NotTo(HaveOccurred())
			b.pipeline, err = library.Pipeline("scale", []device.Constant{{Index: 0, Value: float32(3)}})
			Expect(err).NotTo(HaveOccurred())
			in, out := b.in, b.out
			b.in, err = b.dev.NewBuffer("in", 256)
			Expect(err).NotTo(HaveOccurred())
			b.out, err = b.dev.NewBuffer("out", 256)
			Expect(err).NotTo(HaveOccurred())
			data := make([]byte, 256)
			Expect(in.Read(0, data)).To(Succeed())
			Expect(b.in.Write(0, data)).To(Succeed())
			Expect(out.LengthBytes()).To(Equal(256))
			Expect(b.run(b.dispatch())).To(Succeed())
			got[i] = make([]byte, 256)
			Expect(b.out.Read(0, got[i])).To(Succeed())
		}
		Expect(got[0]).To(Equal(got[1]))
	})

	DescribeTable("refuses a source, naming file and line", Label("purpose:validation"),
		func(old, replacement, where string) {
			text := strings.Replace(scaleKernel, old, replacement, 1)
			Expect(text).NotTo(Equal(scaleKernel))
			_, err := msl.New(msl.Options{}).Compile([]device.Source{{Name: "scale.metal", Text: text}})
			Expect(err).To(MatchError(ContainSubstring(where)))
		},
		Entry("a name nobody declared", "shared[t] = in[i]", "shared[t] = input[i]", "scale.metal:7:"),
		Entry("a missing semicolon", "in[i];", "in[i]", "scale.metal:8:"),
		Entry("a write to const", "shared[t] = in[i]", "in[i] = shared[t]", "scale.metal:7:"),
	)

	It("refuses a pipeline it cannot make", Label("purpose:validation"), func() {
		library, err := msl.New(msl.Options{}).Compile([]device.Source{{Name: "scale.metal", Text: scaleKernel}})
		Expect(err).NotTo(HaveOccurred())
		for _, c := range []struct {
			kernel    string
			constants []device.Constant
			want      string
		}{
			{"scalle", nil, `"scalle"`},
			{"scale", nil, "FACTOR"},
			{"scale", []device.Constant{{Index: 0, Value: uint32(3)}}, "FACTOR"},
			{"scale", []device.Constant{{Index: 0, Value: 3.0}}, "float64"},
			{"scale", []device.Constant{{Index: 0, Value: float32(1)}, {Index: 0, Value: float32(1)}}, "twice"},
		} {
			_, err := library.Pipeline(c.kernel, c.constants)
			Expect(err).To(MatchError(ContainSubstring(c.want)))
		}
	})

	DescribeTable("refuses a dispatch", Label("purpose:validation"),
		func(spoil func(b bench, d *device.Dispatch), want string) {
			b := newBench()
			d := b.dispatch()
			Expect(b.run(d)).To(Succeed(), "the control")
			spoil(b, &d)
			Expect(b.run(d)).To(MatchError(ContainSubstring(want)))
		},
		Entry("an argument that is not bound", func(b bench, d *device.Dispatch) { d.Args = d.Args[1:] }, `argument 0, "in", is not bound`),
		Entry("no threadgroup memory", func(b bench, d *device.Dispatch) { d.Args = d.Args[:3] }, `threadgroup memory 0, "shared", is not bound`),
		Entry("an argument bound twice", func(b bench, d *device.Dispatch) { d.Args = append(d.Args, d.Args[0]) }, "argument 0 is bound twice"),
		Entry("nothing bound", func(b bench, d *device.Dispatch) { d.Args[0] = device.Arg{Index: 0} }, "exactly one"),
		Entry("two things bound", func(b bench, d *device.Dispatch) { d.Args[0].Bytes = []byte{1} }, "exactly one"),
		Entry("an index out of range", func(b bench, d *device.Dispatch) { d.Args[0].Index = 31 }, "index out of range"),
		Entry("an offset out of range", func(b bench, d *device.Dispatch) { d.Args[0].OffsetBytes = 256 }, "offset 256"),
		Entry("a misaligned offset", func(b bench, d *device.Dispatch) { d.Args[0].OffsetBytes = 2 }, "multiple of 4"),
		Entry("too few inline bytes", func(b bench, d *device.Dispatch) { d.Args[2].Bytes = []byte{1} }, "the kernel's type has 4"),
		Entry("too many inline bytes", func(b bench, d *device.Dispatch) { d.Args[2].Bytes = make([]byte, 4097) }, "want 1 to 4096"),
		Entry("inline bytes that the kernel writes", func(b bench, d *device.Dispatch) { d.Args[1] = device.Arg{Index: 1, Bytes: make([]byte, 256)} }, "the kernel writes it"),
		Entry("a read-only buffer that the kernel writes", func(b bench, d *device.Dispatch) {
			buffer, err := b.dev.NewBufferNoCopy("mapped", make([]byte, 256))
			Expect(err).NotTo(HaveOccurred())
			d.Args[1].Buffer = buffer
		}, "read-only"),
		Entry("a released buffer", func(b bench, d *device.Dispatch) { b.in.Release() }, "was released"),
		Entry("a buffer of another device", func(b bench, d *device.Dispatch) { d.Args[0].Buffer = newBench().in }, "not made by this device"),
		Entry("a pipeline of another device", func(b bench, d *device.Dispatch) { d.Pipeline = newBench().pipeline }, "not made by this device"),
		Entry("uneven threadgroup memory", func(b bench, d *device.Dispatch) { d.Args[3].ThreadgroupBytes = 130 }, "multiple of 16"),
		Entry("too much threadgroup memory", func(b bench, d *device.Dispatch) { d.Args[3].ThreadgroupBytes = 32<<10 + 16 }, "the device has 32768"),
		Entry("too many threads", func(b bench, d *device.Dispatch) { d.ThreadsPerThreadgroup.X = 1056 }, "1056 threads"),
		Entry("a negative grid", func(b bench, d *device.Dispatch) { d.Threadgroups.Y = -1 }, "negative"),
	)

	It("reports a fault of execution in Wait, with dispatch, thread and source line", Label("purpose:fault"), func() {
		b := newBench()
		d := b.dispatch()
		d.Threadgroups.X = 3
		err := b.run(d)
		var f *device.Fault
		Expect(errors.As(err, &f)).To(BeTrue(), "%v", err)
		Expect(f.Kind).To(Equal("out of bounds"))
		Expect(f.Kernel).To(Equal("scale"))
		Expect(f.Tag).To(Equal(d.Tag))
		Expect(f.Error()).To(And(ContainSubstring(`"in"`), ContainSubstring("scale.metal:7"), ContainSubstring("threadgroup (2,0,0)")))
	})

	It("runs command buffers in the order of their commits, and stops one at a fault only", Label("purpose:execution"), func() {
		b := newBench()
		forth, back := b.dispatch(), b.dispatch()
		back.Args = append([]device.Arg(nil), back.Args...)
		back.Args[0].Buffer, back.Args[1].Buffer = b.out, b.in
		forth.Args = append([]device.Arg(nil), forth.Args...)
		for _, d := range []*device.Dispatch{&forth, &back} {
			d.Args[2].Bytes = []byte{64, 0, 0, 0}
		}
		bad := b.dispatch()
		bad.Threadgroups.X = 3
		var buffers []device.CommandBuffer
		for _, d := range []device.Dispatch{forth, back, bad, forth} {
			cb, err := b.dev.NewCommandBuffer("in order")
			Expect(err).NotTo(HaveOccurred())
			Expect(cb.Dispatch(d)).To(Succeed())
			Expect(cb.Commit()).To(Succeed())
			buffers = append(buffers, cb)
		}
		for i, cb := range buffers {
			if i == 2 {
				Expect(cb.Wait()).To(HaveOccurred())
				continue
			}
			Expect(cb.Wait()).To(Succeed())
		}
		Expect(b.float(b.in, 10)).To(Equal(float32(90)))
		Expect(b.float(b.out, 10)).To(Equal(float32(297)))
	})

	It("refuses misuse of command buffers, buffers and itself", Label("purpose:validation"), func() {
		b := newBench()
		cb, err := b.dev.NewCommandBuffer("misused")
		Expect(err).NotTo(HaveOccurred())
		Expect(cb.Wait()).To(MatchError(ContainSubstring("wait without Commit")))
		Expect(cb.Dispatch(b.dispatch())).To(Succeed())
		Expect(cb.Commit()).To(Succeed())
		Expect(cb.Commit()).To(MatchError(ContainSubstring("committed twice")))
		Expect(cb.Dispatch(b.dispatch())).To(MatchError(ContainSubstring("dispatch after Commit")))
		Expect(cb.Barrier()).To(MatchError(ContainSubstring("barrier after Commit")))
		Expect(cb.Wait()).To(Succeed())
		Expect(cb.Wait()).To(Succeed())

		Expect(b.in.Write(254, make([]byte, 4))).To(MatchError(ContainSubstring("[254, 258), it has 256")))
		Expect(b.in.Read(-1, make([]byte, 4))).To(HaveOccurred())
		mapped, err := b.dev.NewBufferNoCopy("mapped", make([]byte, 16))
		Expect(err).NotTo(HaveOccurred())
		Expect(mapped.Write(0, []byte{1})).To(MatchError(ContainSubstring("the caller's data")))
		b.in.Release()
		b.in.Release()
		Expect(b.in.Read(0, make([]byte, 4))).To(MatchError(ContainSubstring("after its release")))
		for _, n := range []int{0, -1, 1 << 31} {
			_, err = b.dev.NewBuffer("odd", n)
			Expect(err).To(HaveOccurred())
		}

		Expect(b.dev.Close()).To(Succeed())
		_, err = b.dev.NewBuffer("late", 4)
		Expect(err).To(MatchError(ContainSubstring("closed")))
		_, err = b.dev.NewCommandBuffer("late")
		Expect(err).To(MatchError(ContainSubstring("closed")))
		_, err = b.dev.Compile(nil)
		Expect(err).To(MatchError(ContainSubstring("closed")))
	})

	It("refuses a host access until a command buffer that uses the buffer has been waited for", Label("purpose:validation"), func() {
		b := newBench()
		spare, err := b.dev.NewBuffer("spare", 4)
		Expect(err).NotTo(HaveOccurred())
		cb, err := b.dev.NewCommandBuffer("one")
		Expect(err).NotTo(HaveOccurred())
		Expect(cb.Dispatch(b.dispatch())).To(Succeed())
		Expect(b.out.Write(0, make([]byte, 4))).To(Succeed(), "not committed yet")
		Expect(cb.Commit()).To(Succeed())
		Expect(b.out.Write(0, make([]byte, 4))).To(MatchError(ContainSubstring("has not been waited for")))
		Expect(b.in.Read(0, make([]byte, 4))).To(MatchError(ContainSubstring("has not been waited for")))
		Expect(spare.Write(0, make([]byte, 4))).To(Succeed(), "another buffer")
		Expect(cb.Wait()).To(Succeed())
		Expect(b.out.Write(0, make([]byte, 4))).To(Succeed())
	})
})
