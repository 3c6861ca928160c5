package weights

import (
	"encoding/binary"
	"math"

	"github.com/octoryn/assay/oracle/bf16"
	"github.com/octoryn/assay/oracle/f16"
)

// Matrix is a matrix of weights in a mapped file. Rows are outputs, columns inputs. The zero Matrix is empty.
type Matrix struct {
	Rows, Cols  int
	source      rowSource
	first, step int // row i is row first + i*step of the source
}

// rowSource widens rows of a stored matrix.
type rowSource interface {
	// row widens row i exactly into dst [cols].
	row(dst []float64, i int)
	// partSquares sums, over row i, the squares of the terms each weight is the sum of; row is its widened form.
	partSquares(row []float64, i int) float64
}

func whole(source rowSource, rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, source: source, step: 1}
}

// Row widens row i exactly into dst [Cols].
func (m Matrix) Row(dst []float64, i int) {
	if i < 0 || i >= m.Rows {
		panic("weights: row out of range")
	}
	m.source.row(dst[:m.Cols], m.first+i*m.step)
}

// PartSquares sums, over row i, the squares of the terms each weight is the sum of: the weight itself, or for affine
// int4 scale*code and offset apart. dst must hold row i. It measures how large the sums of float32 code may become
// that multiplies the terms one by one.
func (m Matrix) PartSquares(row []float64, i int) float64 {
	return m.source.partSquares(row, m.first+i*m.step)
}

// Affine reports whether weights are sums scale*code + offset.
func (m Matrix) Affine() bool {
	p, ok := m.source.(*packedRows)
	return ok && p.offsets != nil
}

// slice takes n rows from row first, step apart.
func (m Matrix) slice(first, step, n int) Matrix {
	if m.source == nil { // after an error
		return m
	}
	m.first, m.step, m.Rows = m.first+first*m.step, m.step*step, n
	return m
}

// stored is a matrix of bf16, f16 or f32 numbers, row after row.
type stored struct {
	data  []byte
	dtype string
	cols  int
}

func (s stored) row(dst []float64, i int) {
	size := int(itemSize[s.dtype])
	widen(dst, s.data[i*s.cols*size:(i+1)*s.cols*size], s.dtype)
}

func (s stored) partSquares(row []float64, _ int) float64 {
	sum := 0.0
	for _, w := range row {
		sum += float64(w * w)
	}
	return sum
}

// widen turns little-endian numbers into float64, exactly.
func widen(dst []float64, data []byte, dtype string) {
	switch dtype {
	case "BF16":
		for i := range dst {
			dst[i] = bf16.ToFloat64(binary.LittleEndian.Uint16(data[2*i:]))
		}
	case "F16":
		for i := range dst {
			dst[i] = f16.ToFloat64(binary.LittleEndian.Uint16(data[2*i:]))
		}
	case "F32":
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		}
	default:
		panic("weights: widen: " + dtype)
	}
}
