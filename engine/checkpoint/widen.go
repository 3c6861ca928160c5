package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"
)

// copyChunk is how many bytes of a tensor are held at a time where it is only copied, scanned or hashed.
const copyChunk int64 = 1 << 20

// widen converts little-endian elements to float32, exactly.
//
// Shapes: src len(dst)*dtype.Bytes() bytes. dtype is BF16, F16 or F32.
func widen(dst []float32, src []byte, dtype DType) {
	switch dtype {
	case BF16:
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
		}
	case F16:
		for i := range dst {
			dst[i] = float16.Frombits(binary.LittleEndian.Uint16(src[2*i:])).Float32()
		}
	case F32:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	default:
		panic("checkpoint: widen of " + string(dtype))
	}
}

// firstNotFinite returns the index of the first NaN or infinity among little-endian elements, -1 if there is none.
func firstNotFinite(src []byte, dtype DType) int {
	switch dtype {
	case BF16:
		return firstWithExponent16(src, 0x7f80)
	case F16:
		return firstWithExponent16(src, 0x7c00)
	case F32:
		for i := 0; i+4 <= len(src); i += 4 {
			if binary.LittleEndian.Uint32(src[i:])&0x7f800000 == 0x7f800000 {
				return i / 4
			}
		}
	}
	return -1
}

// firstWithExponent16 returns the index of the first 16-bit element whose bits under mask are all set.
func firstWithExponent16(src []byte, mask uint16) int {
	i := 0
	// Four elements at a time: in ~x & mask an all-ones exponent is a zero lane, and subtracting one from a
	// zero lane borrows into its top bit, which mask leaves clear. Lanes below a hit may borrow falsely, so a
	// hit is confirmed one by one.
	m4, ones, tops := uint64(mask)*0x0001000100010001, uint64(0x0001000100010001), uint64(0x8000800080008000)
	for ; i+8 <= len(src); i += 8 {
		if x := ^binary.LittleEndian.Uint64(src[i:]) & m4; (x-ones)&tops == 0 {
			continue
		}
		break
	}
	for ; i+2 <= len(src); i += 2 {
		if binary.LittleEndian.Uint16(src[i:])&mask == mask {
			return i / 2
		}
	}
	return -1
}

// notFinite is the refusal of element i of a tensor.
func notFinite(path, tensor string, i int64, shape []int) *Error {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = int(i % int64(shape[d]))
		i /= int64(shape[d])
	}
	return &Error{Kind: NotFinite, File: path, Tensor: tensor, Got: fmt.Sprintf("a NaN or infinity at %v", at), Want: "finite weights"}
}
