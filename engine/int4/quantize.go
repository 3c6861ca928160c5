package int4

import (
	"fmt"
	"math"

	"github.com/x448/float16"
)

const (
	maxF16      = 65504.0
	minF16      = 1.0 / (1 << 24) // smallest subnormal
	gridRounds  = 1               // least-squares improvements after the grid
	symZeroCode = 8               // nibble of code 0
)

// RangeError is a group that the format cannot carry.
type RangeError struct {
	Group int     // index of the group in its row
	Value float32 // the NaN, infinity or value out of reach
}

// Error names group and value.
func (e *RangeError) Error() string {
	if v := float64(e.Value); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprintf("int4: group %d holds %v, want finite values", e.Group, e.Value)
	}
	return fmt.Sprintf("int4: group %d holds %v, out of reach of an f16 scale of at most %v", e.Group, e.Value, maxF16)
}

// QuantizeRow chooses scales and nibbles for one row.
//
// Shapes: row [K], K a positive multiple of 32; nibbles [K]; scales [f.NumGroups(K)]; offsets likewise in the
// affine scheme, nil in the symmetric one. Scales are rounded to f16 first and codes are nearest for the
// rounded scale, ties to the even code before clamping. A group of zeros gets scale +0 and code 0. When the scale would round to zero
// though the group is not zero, the smallest f16 subnormal is tried beside zero and the better one is kept.
//
// The result is a function of the arguments alone: the same on every machine, whatever runs beside it.
//
// Errors: *RangeError for a NaN, an infinity, or values that no finite f16 scale can carry. It panics
// if a length disagrees or the scheme has no such search.
func (f Format) QuantizeRow(row []float32, search Search, nibbles []byte, scales, offsets []float16.Float16) error {
	search = search.For(f.Scheme)
	k := len(row)
	n := f.NumGroups(k)
	if err := CheckK(k); err != nil {
		panic(err.Error())
	}
	if len(nibbles) != k || len(scales) != n || (f.Scheme == Affine && len(offsets) != n) || (f.Scheme == Symmetric && offsets != nil) {
		panic("int4: lengths of nibbles, scales and offsets must fit the row")
	}
	for g := range n {
		from, to := f.Group(k, g)
		w := row[from:to]
		for _, v := range w {
			if math.Float32bits(v)&0x7f800000 == 0x7f800000 {
				return &RangeError{Group: g, Value: v}
			}
		}
		var ok bool
		if f.Scheme == Symmetric {
			ok = quantizeSymmetric(w, search, nibbles[from:to], &scales[g])
		} else {
			ok = quantizeAffine(w, search, nibbles[from:to], &scales[g], &offsets[g])
		}
		if !ok {
			return &RangeError{Group: g, Value: largest(w)}
		}
	}
	return nil
}

// DequantizeRow writes the values of a row, exactly: scale * code has at most 15 significant bits, and
// scale * nibble + offset is a multiple of 2^-24 below 2^21.
//
// Shapes: nibbles [K], scales and offsets as in QuantizeRow, dst [K].
func (f Format) DequantizeRow(dst []float64, nibbles []byte, scales, offsets []float16.Float16) {
	k := len(nibbles)
	for g := range f.NumGroups(k) {
		from, to := f.Group(k, g)
		s := float64(scales[g].Float32())
		for i := from; i < to; i++ {
			if f.Scheme == Symmetric {
				dst[i] = float64(s * float64(int(nibbles[i])-symZeroCode))
			} else {
				dst[i] = float64(s*float64(nibbles[i])) + float64(offsets[g].Float32())
			}
		}
	}
}

// largest returns the value of greatest magnitude, the first of equals.
func largest(w []float32) float32 {
	m := w[0]
	for _, v := range w[1:] {
		if math.Abs(float64(v)) > math.Abs(float64(m)) {
			m = v
		}
	}
	return m
}

// toF16 rounds to nearest even; a zero of either sign becomes +0. ok is false beyond the largest finite f16.
func toF16(x float64) (h float16.Float16, ok bool) {
	h = float16.Fromfloat32(float32(x))
	if h&0x7fff == 0 {
		return 0, true
	}
	return h, h&0x7c00 != 0x7c00
}

// nearest returns the integer nearest to x, ties to even. |x| must be below 2^51.
func nearest(x float64) float64 {
	const magic = 3 << 51 // adding it leaves no bit for a fraction
	return float64(x+magic) - magic
}
