package device_test

// Plan. Purpose: a recorder writes down every call, in order and with what the device answered, and hands it
// on unchanged; an interceptor changes exactly what its hooks say. The device below is a fake whose memory is
// a slice and whose only kernel adds 1 to the first byte of its first buffer. Controls: a decorator without
// hooks changes nothing.

import (
	"errors"

	"github.com/octoryn/assay/engine/device"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

type fake struct {
	sources []device.Source
	refuse  bool
}

type fakeLibrary struct{}
type fakePipeline struct{}
type fakeBuffer struct {
	label string
	data  []byte
}
type fakeCommandBuffer struct {
	f    *fake
	todo []device.Dispatch
}

func (f *fake) Info() device.Info { return device.Info{Name: "fake"} }
func (f *fake) Compile(s []device.Source) (device.Library, error) {
	f.sources = s
	return fakeLibrary{}, nil
}
func (f *fake) NewBuffer(label string, n int) (device.Buffer, error) {
	if f.refuse {
		return nil, errors.New("no memory")
	}
	return &fakeBuffer{label, make([]byte, n)}, nil
}
func (f *fake) NewBufferNoCopy(label string, data []byte) (device.Buffer, error) {
	return &fakeBuffer{label, data}, nil
}
func (f *fake) NewCommandBuffer(string) (device.CommandBuffer, error) {
	return &fakeCommandBuffer{f: f}, nil
}
func (f *fake) Close() error { return nil }

func (fakeLibrary) Kernels() []string { return []string{"increment"} }
func (fakeLibrary) Pipeline(string, []device.Constant) (device.Pipeline, error) {
	return fakePipeline{}, nil
}
func (fakePipeline) Kernel() string                    { return "increment" }
func (fakePipeline) MaxThreadsPerThreadgroup() int     { return 1024 }
func (fakePipeline) StaticThreadgroupMemoryBytes() int { return 0 }

func (b *fakeBuffer) Label() string                 { return b.label }
func (b *fakeBuffer) LengthBytes() int              { return len(b.data) }
func (b *fakeBuffer) Write(off int, p []byte) error { copy(b.data[off:], p); return nil }
func (b *fakeBuffer) Read(off int, p []byte) error  { copy(p, b.data[off:]); return nil }
func (b *fakeBuffer) Release()                      {}

func (c *fakeCommandBuffer) Dispatch(d device.Dispatch) error { c.todo = append(c.todo, d); return nil }
func (c *fakeCommandBuffer) Barrier() error                   { return nil }
func (c *fakeCommandBuffer) Commit() error                    { return nil }
func (c *fakeCommandBuffer) Wait() error {
	for _, d := range c.todo {
		d.Args[0].Buffer.(*fakeBuffer).data[0]++ // panics when a decorator leaks its own buffer
	}
	return nil
}

// useAll makes one of every call and returns the byte the kernel incremented.
func useAll(dev device.Device) byte {
	GinkgoHelper()
	lib, err := dev.Compile([]device.Source{{Name: "a.metal", Text: "kernel"}})
	Expect(err).NotTo(HaveOccurred())
	pipe, err := lib.Pipeline("increment", nil)
	Expect(err).NotTo(HaveOccurred())
	buf, err := dev.NewBuffer("counter", 4)
	Expect(err).NotTo(HaveOccurred())
	weights, err := dev.NewBufferNoCopy("weights", []byte{1, 2})
	Expect(err).NotTo(HaveOccurred())
	Expect(buf.Write(0, []byte{7, 0})).To(Succeed())
	cb, err := dev.NewCommandBuffer("token")
	Expect(err).NotTo(HaveOccurred())
	Expect(cb.Dispatch(device.Dispatch{
		Tag: device.Tag{Role: "qkv", Layer: 3, Step: 1}, Pipeline: pipe,
		Args: []device.Arg{{Index: 0, Buffer: buf}, {Index: 1, Buffer: weights, OffsetBytes: 1},
			{Index: 2, Bytes: []byte{1, 2, 3, 4}}, {Index: 0, ThreadgroupBytes: 32}},
		Threadgroups: device.Size{X: 2, Y: 3}, ThreadsPerThreadgroup: device.Size{X: 256},
	})).To(Succeed())
	Expect(cb.Barrier()).To(Succeed())
	Expect(cb.Commit()).To(Succeed())
	Expect(cb.Wait()).To(Succeed())
	got := make([]byte, 1)
	Expect(buf.Read(0, got)).To(Succeed())
	buf.Release()
	return got[0]
}

var _ = Describe("a recorder", Label("area:device"), func() {
	It("writes down every call in order and changes nothing", func() {
		rec := device.Record(&fake{})
		Expect(useAll(rec)).To(Equal(byte(8)))
		Expect(rec.Trace().String()).To(Equal(`alloc "counter" 4 bytes
alloc "weights" 2 bytes
write "counter" 2 bytes at 0
0 begin "token"
0 dispatch qkv layer 3 step 1: increment 2*3 threadgroups of 256 threads (0=counter, 1=weights+1, 2=4 inline bytes, threadgroup 0=32 bytes)
0 barrier "token"
0 commit "token"
0 wait "token"
read "counter" 1 bytes at 0
release "counter"
`))
		Expect(rec.Trace().Dispatches()).To(HaveLen(1))
		Expect(rec.Trace().Count(device.EventCommit)).To(Equal(1))
		rec.Reset()
		Expect(rec.Trace().Events).To(BeEmpty())
	})

	It("writes down a refusal with its reason", func() {
		rec := device.Record(&fake{refuse: true})
		_, err := rec.NewBuffer("kv", 9)
		Expect(err).To(MatchError("no memory"))
		Expect(rec.Trace().String()).To(Equal("alloc \"kv\" 9 bytes failed: no memory\n"))
	})
})

var _ = Describe("an interceptor", Label("area:device"), func() {
	It("without hooks changes nothing", func() {
		rec, bare := device.Record(&fake{}), device.Record(&fake{})
		Expect(useAll(device.Intercept(rec, device.Hooks{}))).To(Equal(byte(8)))
		useAll(bare)
		Expect(rec.Trace().String()).To(Equal(bare.Trace().String()))
	})

	DescribeTable("can", func(h device.Hooks, want byte) {
		Expect(useAll(device.Intercept(&fake{}, h))).To(Equal(want))
	},
		Entry("drop a dispatch", device.Hooks{Dispatch: func(device.Dispatch) []device.Dispatch { return nil }}, byte(7)),
		Entry("repeat a dispatch", device.Hooks{Dispatch: func(d device.Dispatch) []device.Dispatch { return []device.Dispatch{d, d} }}, byte(9)),
		Entry("spoil a host write", device.Hooks{Wrote: func(b device.Buffer, off int, _ []byte) error { return b.Write(off, []byte{0}) }}, byte(1)),
		Entry("spoil a read-back", device.Hooks{Read: func(_ device.Buffer, _ int, dst []byte) { dst[0] = 99 }}, byte(99)),
	)

	It("can drop a barrier and edit a kernel text", func() {
		f := &fake{}
		rec := device.Record(f)
		useAll(device.Intercept(rec, device.Hooks{
			Barrier: func(int) bool { return false },
			Sources: func(s []device.Source) []device.Source { s[0].Text += " edited"; return s },
		}))
		Expect(rec.Trace().Count(device.EventBarrier)).To(BeZero())
		Expect(f.sources[0].Text).To(Equal("kernel edited"))
	})
})
