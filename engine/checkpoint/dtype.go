package checkpoint

// DType is a safetensors element type, in its own spelling.
type DType string

// The element types this package reads or writes.
const (
	U8   DType = "U8"
	BF16 DType = "BF16"
	F16  DType = "F16"
	F32  DType = "F32"
)

// Bytes returns the size of an element, 0 for a type this package does not read.
func (d DType) Bytes() int {
	switch d {
	case U8:
		return 1
	case BF16, F16:
		return 2
	case F32:
		return 4
	}
	return 0
}
