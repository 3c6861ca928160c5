package sanitize

import (
	"unsafe"

	"github.com/octoryn/assay/engine/msl/internal/exec"
)

// region is memory of the device that arguments of several launches may share: they are parts of it with the same end.
type region struct {
	base, end uintptr
}

// is reports whether the region is the memory data.
func (r *region) is(data []byte) bool {
	return len(data) > 0 && r.end == uintptr(unsafe.Pointer(&data[0]))+uintptr(len(data))
}

// holds reports whether m is, or is a part of, the memory that ends where the region ends.
func (r *region) holds(m exec.Memory) bool {
	return m.Address+uintptr(len(m.Data)) == r.end
}
