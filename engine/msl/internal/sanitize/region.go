package sanitize

import "github.com/octoryn/assay/engine/msl/internal/exec"

// region is memory of the device that arguments of several launches may share: they are parts of it with the same end.
type region struct {
	base, end uintptr
}

// holds reports whether m is, or is a part of, the memory that ends where the region ends.
func (r *region) holds(m exec.Memory) bool {
	return m.Address+uintptr(len(m.Data)) == r.end
}
