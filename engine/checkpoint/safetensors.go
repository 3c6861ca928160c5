package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"

	"github.com/edsrzf/mmap-go"
)

// maxHeaderBytes is the safetensors library's own limit on a header.
const maxHeaderBytes = 100_000_000

// dtypeBits is the size of every element type safetensors defines, in bits. Types this package does not
// read are here so that the layout of a file can be checked before a tensor is asked for.
var dtypeBits = map[DType]uint64{
	"BOOL": 8, U8: 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
	"I16": 16, "U16": 16, F16: 16, BF16: 16, "I32": 32, "U32": 32, F32: 32,
	"I64": 64, "U64": 64, "F64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}

// entry is one tensor of a safetensors header, checked against the file.
type entry struct {
	name   string
	dtype  DType
	shape  []int
	offset int64 // of the first byte within the file
	length int64 // bytes
}

// safetensorsFile is one open file whose header has been checked: every tensor lies within the file, its
// length fits dtype and shape, and tensors cover the data part without overlap or gap.
type safetensorsFile struct {
	path    string
	file    *os.File
	size    int64
	entries []entry // in order of offset
	mapped  mmap.MMap
}

// openSafetensors opens a file and checks its header. It reads nothing but the header.
//
// Source: the safetensors format, 8 bytes little-endian header length, JSON header, data; offsets count from
// the end of the header.
func openSafetensors(path string) (_ *safetensorsFile, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	st, err := f.Stat()
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !st.Mode().IsRegular() {
		return nil, &Error{Kind: Unreadable, File: path, Got: st.Mode().Type().String(), Want: "a regular file"}
	}
	s := &safetensorsFile{path: path, file: f, size: st.Size()}
	if s.size < 8 {
		return nil, &Error{Kind: Truncated, File: path, Got: fmt.Sprintf("%d bytes", s.size), Want: "at least the 8 bytes of the header length"}
	}
	var word [8]byte
	if _, err := f.ReadAt(word[:], 0); err != nil {
		return nil, unreadable(path, err)
	}
	n := binary.LittleEndian.Uint64(word[:])
	if n > uint64(s.size-8) {
		return nil, &Error{Kind: Truncated, File: path, Got: fmt.Sprintf("%d bytes after the header length", s.size-8), Want: fmt.Sprintf("a header of %d bytes", n)}
	}
	if n > maxHeaderBytes {
		return nil, &Error{Kind: Malformed, File: path, Got: fmt.Sprintf("a header of %d bytes", n), Want: fmt.Sprintf("at most %d bytes", maxHeaderBytes)}
	}
	header := make([]byte, n)
	if _, err := f.ReadAt(header, 8); err != nil {
		return nil, unreadable(path, err)
	}
	if s.entries, err = parseHeader(path, header, int64(n)+8, s.size); err != nil {
		return nil, err
	}
	return s, nil
}

// parseHeader decodes the JSON header of a file of the given size whose data begin at dataStart.
func parseHeader(path string, header []byte, dataStart, size int64) ([]entry, error) {
	members, err := objectMembers(header)
	var dup errDuplicate
	if errors.As(err, &dup) {
		return nil, &Error{Kind: Duplicate, File: path, Tensor: dup.name}
	}
	if err != nil {
		return nil, &Error{Kind: Malformed, File: path, Field: "header", Err: err}
	}
	var es []entry
	for _, m := range members {
		if m.name == "__metadata__" {
			var meta map[string]string
			if err := json.Unmarshal(m.value, &meta); err != nil {
				return nil, &Error{Kind: Malformed, File: path, Field: m.name, Err: err}
			}
			continue
		}
		e, err := parseEntry(path, m, dataStart, size)
		if err != nil {
			return nil, err
		}
		es = append(es, e)
	}
	slices.SortStableFunc(es, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.length, b.length))
	})
	at := dataStart
	for _, e := range es {
		if e.offset != at {
			return nil, &Error{Kind: BadOffsets, File: path, Tensor: e.name,
				Got: fmt.Sprintf("data from byte %d", e.offset-dataStart), Want: fmt.Sprintf("byte %d, where the tensor before it ends", at-dataStart)}
		}
		at += e.length
	}
	if at != size {
		return nil, &Error{Kind: BadOffsets, File: path, Got: fmt.Sprintf("%d bytes of data", size-dataStart), Want: fmt.Sprintf("%d, where the last tensor ends", at-dataStart)}
	}
	return es, nil
}

// parseEntry decodes and checks one tensor of a header.
func parseEntry(path string, m member, dataStart, size int64) (entry, error) {
	var raw struct {
		DType   DType    `json:"dtype"`
		Shape   []uint64 `json:"shape"`
		Offsets []uint64 `json:"data_offsets"`
	}
	d := json.NewDecoder(bytes.NewReader(m.value))
	d.DisallowUnknownFields()
	if err := d.Decode(&raw); err != nil {
		return entry{}, &Error{Kind: Malformed, File: path, Tensor: m.name, Err: err}
	}
	width, ok := dtypeBits[raw.DType]
	if !ok {
		return entry{}, &Error{Kind: Malformed, File: path, Tensor: m.name, Got: fmt.Sprintf("dtype %q", raw.DType), Want: "a safetensors element type"}
	}
	if raw.Shape == nil || len(raw.Offsets) != 2 {
		return entry{}, &Error{Kind: Malformed, File: path, Tensor: m.name, Got: brief(m.value), Want: "shape and two data_offsets"}
	}
	begin, end := raw.Offsets[0], raw.Offsets[1]
	if begin > end {
		return entry{}, &Error{Kind: BadOffsets, File: path, Tensor: m.name, Got: fmt.Sprintf("data_offsets [%d, %d]", begin, end), Want: "begin before end"}
	}
	if end > uint64(size-dataStart) {
		return entry{}, &Error{Kind: Truncated, File: path, Tensor: m.name,
			Got: fmt.Sprintf("%d bytes of data in the file", size-dataStart), Want: fmt.Sprintf("data_offsets [%d, %d]", begin, end)}
	}
	e := entry{name: m.name, dtype: raw.DType, offset: dataStart + int64(begin), length: int64(end - begin)}
	total := width
	for _, n := range raw.Shape {
		hi, lo := bits.Mul64(total, n)
		if hi != 0 || n > 1<<62 {
			return entry{}, &Error{Kind: BadShape, File: path, Tensor: m.name, Got: fmt.Sprint(raw.Shape), Want: "a size below 2^64 bits"}
		}
		total = lo
		e.shape = append(e.shape, int(n))
	}
	if total%8 != 0 || total/8 != end-begin {
		return entry{}, &Error{Kind: BadOffsets, File: path, Tensor: m.name,
			Got: fmt.Sprintf("%d bytes", end-begin), Want: fmt.Sprintf("the %d bits of %s %v", total, raw.DType, raw.Shape)}
	}
	return e, nil
}

// readAt fills dst from byte offset within the tensor.
func (s *safetensorsFile) readAt(e entry, dst []byte, offset int64) error {
	if _, err := s.file.ReadAt(dst, e.offset+offset); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return &Error{Kind: Truncated, File: s.path, Tensor: e.name, Err: err}
		}
		return &Error{Kind: Unreadable, File: s.path, Tensor: e.name, Err: err}
	}
	return nil
}

// mapAll maps the whole file read-only.
func (s *safetensorsFile) mapAll() error {
	m, err := mmap.Map(s.file, mmap.RDONLY, 0)
	if err != nil {
		return &Error{Kind: Unreadable, File: s.path, Err: fmt.Errorf("map: %w", err)}
	}
	s.mapped = m
	return nil
}

func (s *safetensorsFile) close() error {
	var err error
	if s.mapped != nil {
		err = s.mapped.Unmap()
		s.mapped = nil
	}
	return errors.Join(err, s.file.Close())
}
