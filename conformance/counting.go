package conformance

import (
	"sync"
	"sync/atomic"

	"github.com/octoryn/assay/engine/device"
)

// countingDevice counts what passes through it and remembers the first fault.
type countingDevice struct {
	device.Device
	dispatches atomic.Int64
	waits      atomic.Int64 // command buffers waited for without an error
	mu         sync.Mutex
	kernels    map[string]int64
}

// NewCommandBuffer implements device.Device.
func (d *countingDevice) NewCommandBuffer(label string) (device.CommandBuffer, error) {
	cb, err := d.Device.NewCommandBuffer(label)
	if err != nil {
		return nil, err
	}
	return &countingBuffer{CommandBuffer: cb, device: d}, nil
}

type countingBuffer struct {
	device.CommandBuffer
	device *countingDevice
	mine   map[string]int64
}

func (b *countingBuffer) Dispatch(d device.Dispatch) error {
	if err := b.CommandBuffer.Dispatch(d); err != nil {
		return err
	}
	if b.mine == nil {
		b.mine = map[string]int64{}
	}
	b.mine[d.Pipeline.Kernel()]++
	return nil
}

// Wait counts the buffer's dispatches once they have executed without a fault.
func (b *countingBuffer) Wait() error {
	if err := b.CommandBuffer.Wait(); err != nil {
		return err
	}
	b.device.waits.Add(1)
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	if b.device.kernels == nil {
		b.device.kernels = map[string]int64{}
	}
	for k, n := range b.mine {
		b.device.kernels[k] += n
		b.device.dispatches.Add(n)
	}
	b.mine = nil
	return nil
}
