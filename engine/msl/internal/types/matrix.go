package types

import "fmt"

// Matrix is cols columns of rows floats: float4x3 has four columns of three. Each combination is a single shared value:
// see MatrixOf. It is laid out as an array of its columns.
type Matrix struct {
	elem       *Scalar
	cols, rows int
}

var matrices = func() map[Matrix]*Matrix {
	m := map[Matrix]*Matrix{}
	for _, e := range []*Scalar{Half, Bfloat, Float} {
		for cols := 2; cols <= 4; cols++ {
			for rows := 2; rows <= 4; rows++ {
				x := Matrix{e, cols, rows}
				m[x] = &x
			}
		}
	}
	return m
}()

// MatrixOf returns the matrix of cols columns and rows rows, 2 to 4 each, of half, bfloat or float; nil for any other
// elements.
func MatrixOf(elem *Scalar, cols, rows int) *Matrix { return matrices[Matrix{elem, cols, rows}] }

// Elem is the type of an element.
func (m *Matrix) Elem() *Scalar { return m.elem }

// Cols is the number of columns.
func (m *Matrix) Cols() int { return m.cols }

// Rows is the number of rows.
func (m *Matrix) Rows() int { return m.rows }

// Column is the type of a column.
func (m *Matrix) Column() *Vector { return VectorOf(m.elem, m.rows, false) }

func (m *Matrix) String() string { return fmt.Sprintf("%s%dx%d", m.elem, m.cols, m.rows) }

// Size is that of the columns.
func (m *Matrix) Size() int { return m.cols * m.Column().Size() }

// Align is a column's.
func (m *Matrix) Align() int { return m.Column().Align() }

// SimdMatrix is a matrix of 8 by 8 that the threads of a simdgroup hold together, two elements each. Each is a single
// shared value: see SimdMatrixOf.
type SimdMatrix struct{ elem *Scalar }

var simdMatrices = map[*Scalar]*SimdMatrix{Half: {Half}, Bfloat: {Bfloat}, Float: {Float}}

// SimdMatrixOf returns the simdgroup matrix of half, bfloat or float; nil for any other elements.
func SimdMatrixOf(elem *Scalar) *SimdMatrix { return simdMatrices[elem] }

// Elem is the type of an element.
func (m *SimdMatrix) Elem() *Scalar { return m.elem }

// Share is the type of what one thread holds: two neighbours in a row.
func (m *SimdMatrix) Share() *Vector { return VectorOf(m.elem, 2, false) }

func (m *SimdMatrix) String() string { return fmt.Sprintf("simdgroup_%s8x8", m.elem) }

// Size is that of one thread's share.
func (m *SimdMatrix) Size() int { return m.Share().Size() }

// Align is that of one thread's share.
func (m *SimdMatrix) Align() int { return m.Share().Align() }
