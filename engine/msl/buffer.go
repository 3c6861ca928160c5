package msl

import (
	"fmt"
	"sync/atomic"
)

// poison is what fresh memory holds.
const poison = 0xff

// buffer is memory of the process.
type buffer struct {
	dev      *Device
	label    string
	data     []byte
	readOnly bool         // over the caller's data
	inFlight atomic.Int64 // dispatches that bind it, committed and not waited for
	released atomic.Bool
}

func (b *buffer) Label() string    { return b.label }
func (b *buffer) LengthBytes() int { return len(b.data) }

func (b *buffer) Write(offsetBytes int, src []byte) error {
	if b.readOnly {
		return fmt.Errorf("msl: buffer %q: host write to a buffer over the caller's data", b.label)
	}
	if err := b.access("write", offsetBytes, len(src)); err != nil {
		return err
	}
	copy(b.data[offsetBytes:], src)
	b.dev.checking.Lock()
	defer b.dev.checking.Unlock()
	b.dev.checks.HostWrote(b.data, offsetBytes, len(src))
	return nil
}

func (b *buffer) Read(offsetBytes int, dst []byte) error {
	if err := b.access("read", offsetBytes, len(dst)); err != nil {
		return err
	}
	copy(dst, b.data[offsetBytes:])
	return nil
}

// Release gives the memory back. Releasing twice is harmless.
func (b *buffer) Release() {
	if !b.released.Swap(true) {
		b.dev.checking.Lock()
		defer b.dev.checking.Unlock()
		b.dev.checks.Forget(b.data)
	}
}

// access refuses what a host must not do.
func (b *buffer) access(verb string, offsetBytes, lengthBytes int) error {
	switch {
	case b.released.Load():
		return fmt.Errorf("msl: buffer %q: host %s after its release", b.label, verb)
	case offsetBytes < 0 || offsetBytes > len(b.data) || lengthBytes > len(b.data)-offsetBytes:
		return fmt.Errorf("msl: buffer %q: host %s of bytes [%d, %d), it has %d", b.label, verb, offsetBytes, offsetBytes+lengthBytes, len(b.data))
	case b.inFlight.Load() > 0:
		return fmt.Errorf("msl: buffer %q: host %s while a command buffer that uses it has not been waited for", b.label, verb)
	}
	return nil
}
