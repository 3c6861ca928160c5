package msl

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/sanitize"
)

// Limits of the device: those of an Apple GPU, so that what runs here does not fail there for its size.
const (
	maxThreads           = 1024
	maxThreadgroupBytes  = 32 << 10
	maxBufferBytes       = 1<<31 - 1<<14
	maxArguments         = 31
	maxInlineBytes       = 4096
	threadExecutionWidth = 32
)

// Options says how to make a device.
type Options struct {
	// Workers is the number of threadgroups that run at once; zero means one for each core Go may use. It cannot change a
	// result.
	Workers int

	// Checks names the sanitizers that look on at every dispatch (package sanitize lists them); what one finds is a fault. Memory that
	// the host has not written is uninitialised, and dispatches without a barrier between them count as running at the same time.
	Checks []string

	// CompareLanes runs each dispatch once with each kind of lane kernels and demands the same bits of every buffer it writes;
	// a difference is a fault of kind "lanes". A test of the device itself: it doubles the time.
	CompareLanes bool

	// PortableLanes keeps to lane kernels written in Go where there are faster ones for this processor. It cannot change a
	// result either.
	PortableLanes bool
}

// Device executes kernels on the processor.
type Device struct {
	workers int
	lanes   exec.Lanes
	compare bool

	checking sync.Mutex // held while checks is used
	checks   *sanitize.Set

	mu     sync.Mutex
	last   chan struct{} // closed when the command buffer committed last has finished
	closed bool
}

// New makes a device.
func New(o Options) *Device {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	d := &Device{workers: workers, compare: o.CompareLanes, checks: sanitize.New(o.Checks)}
	if o.PortableLanes {
		d.lanes = exec.Portable
	}
	return d
}

// Info describes the device and its limits.
func (d *Device) Info() device.Info {
	return device.Info{
		Name:                       "msl",
		Hardware:                   fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, d.workers, d.lanes),
		ThreadExecutionWidth:       threadExecutionWidth,
		MaxThreadsPerThreadgroup:   maxThreads,
		MaxThreadgroupMemoryBytes:  maxThreadgroupBytes,
		MaxBufferBytes:             maxBufferBytes,
		MaxBuffersPerDispatch:      maxArguments,
		MaxInlineBytes:             maxInlineBytes,
		SupportsSimdShuffle:        true,
		ConcurrentThreadgroupsHint: d.workers,
	}
}

// NewBuffer makes a buffer full of poison.
func (d *Device) NewBuffer(label string, lengthBytes int) (device.Buffer, error) {
	if err := d.checkBuffer(label, lengthBytes); err != nil {
		return nil, err
	}
	data := make([]byte, lengthBytes)
	for i := range data {
		data[i] = poison
	}
	d.checking.Lock()
	d.checks.Fresh(data)
	d.checking.Unlock()
	return &buffer{dev: d, label: label, data: data}, nil
}

// NewBufferNoCopy makes a read-only buffer over data.
func (d *Device) NewBufferNoCopy(label string, data []byte) (device.Buffer, error) {
	if err := d.checkBuffer(label, len(data)); err != nil {
		return nil, err
	}
	return &buffer{dev: d, label: label, data: data, readOnly: true}, nil
}

func (d *Device) checkBuffer(label string, lengthBytes int) error {
	if lengthBytes <= 0 || lengthBytes > maxBufferBytes {
		return fmt.Errorf("msl: buffer %q: %d bytes, want 1 to %d", label, lengthBytes, maxBufferBytes)
	}
	return d.open()
}

// NewCommandBuffer starts an empty command buffer.
func (d *Device) NewCommandBuffer(label string) (device.CommandBuffer, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	return &commandBuffer{dev: d, label: label}, nil
}

// Close waits for what was committed and refuses everything from then on.
func (d *Device) Close() error {
	d.mu.Lock()
	d.closed = true
	last := d.last
	d.mu.Unlock()
	if last != nil {
		<-last
	}
	return nil
}

func (d *Device) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errors.New("msl: the device is closed")
	}
	return nil
}

// enqueue runs f after everything enqueued before; the channel it returns is closed when f has returned.
func (d *Device) enqueue(f func()) (chan struct{}, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errors.New("msl: the device is closed")
	}
	before, done := d.last, make(chan struct{})
	d.last = done
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		f()
	}()
	return done, nil
}
