package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/x448/float16"

	"github.com/octoryn/assay/engine/int4"
)

// unitValues is about how many weights a worker quantises between two looks at the context.
const unitValues = 1 << 18

// packUnit is some rows of one block of a matrix: the piece of work one worker does at a time.
type packUnit struct {
	m        *packMatrix
	b        block
	from, to int // rows of each span, [from, to)
}

// values is the weights of the unit.
func (u packUnit) values() int { return (u.to - u.from) * len(u.b.from) * u.m.k }

// units cuts a matrix into pieces.
func (m *packMatrix) units() []packUnit {
	var us []packUnit
	for _, b := range m.blocks {
		step := max(1, unitValues/(m.k*len(b.from)))
		for i := 0; i < b.rows; i += step {
			us = append(us, packUnit{m, b, i, min(b.rows, i+step)})
		}
	}
	return us
}

// packWorker quantises units; its buffers are reused from one to the next.
type packWorker struct {
	format int4.Format
	search int4.Search

	raw     []byte
	row     []float32
	nibbles []byte
	scale   []float16.Float16
	offset  []float16.Float16

	codes, scales, offsets []byte // of the unit's output rows
}

// do quantises one unit and writes its rows. Output rows of a unit are contiguous.
func (w *packWorker) do(u packUnit, out *os.File) error {
	m, k, spans := u.m, u.m.k, len(u.b.from)
	rows, groups, rowBytes := (u.to-u.from)*spans, w.format.NumGroups(u.m.k), int4.RowBytes(u.m.k)
	w.row, w.nibbles = resize(w.row, k), resize(w.nibbles, k)
	w.scale = resize(w.scale, groups)
	w.codes, w.scales = resize(w.codes, rows*rowBytes), resize(w.scales, rows*groups*2)
	if m.offsets != nil {
		w.offset, w.offsets = resize(w.offset, groups), resize(w.offsets, rows*groups*2)
	}
	for j, s := range u.b.from {
		srcRow := k * s.tensor.dtype.Bytes()
		w.raw = resize(w.raw, (u.to-u.from)*srcRow)
		if err := s.tensor.file.readAt(s.tensor.entry, w.raw, int64(s.first+u.from)*int64(srcRow)); err != nil {
			return err
		}
		for i := range u.to - u.from {
			widen(w.row, w.raw[i*srcRow:(i+1)*srcRow], s.tensor.dtype)
			if err := w.format.QuantizeRow(w.row, w.search, w.nibbles, w.scale, w.offset); err != nil {
				return quantizeError(s, s.first+u.from+i, w.row, err)
			}
			r := i*spans + j
			int4.PackRow(w.codes[r*rowBytes:(r+1)*rowBytes], w.nibbles)
			putF16(w.scales[r*groups*2:], w.scale)
			if m.offsets != nil {
				putF16(w.offsets[r*groups*2:], w.offset)
			}
		}
	}
	first := int64(u.b.start + u.from*spans)
	err := writeRows(out, m.codes, w.codes, first*int64(rowBytes))
	err = errors.Join(err, writeRows(out, m.scales, w.scales, first*int64(groups*2)))
	if m.offsets != nil {
		err = errors.Join(err, writeRows(out, m.offsets, w.offsets, first*int64(groups*2)))
	}
	return err
}

func writeRows(out *os.File, t *outTensor, data []byte, at int64) error {
	if _, err := out.WriteAt(data, t.offset+at); err != nil {
		return &Error{Kind: Unwritable, File: out.Name(), Tensor: t.name, Err: err}
	}
	return nil
}

// quantizeError says which weight of the source could not be packed.
func quantizeError(s span, row int, values []float32, err error) error {
	raw := narrow(nil, values, F32)
	if i := firstNotFinite(raw, F32); i >= 0 {
		shape := s.tensor.shape
		return notFinite(s.tensor.file.path, s.tensor.name, int64(row)*int64(s.k)+int64(i), shape)
	}
	return &Error{Kind: Unpackable, File: s.tensor.file.path, Tensor: s.tensor.name, Got: fmt.Sprintf("row %d", row), Err: err}
}

func putF16(dst []byte, src []float16.Float16) {
	for i, h := range src {
		binary.LittleEndian.PutUint16(dst[2*i:], h.Bits())
	}
}

// resize returns a slice of n elements, reusing s when it is long enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
