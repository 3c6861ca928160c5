package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A safetensors file is: header length (uint64, little-endian), header (JSON), data. The header maps each tensor's
// name to its type, shape and [begin, end) in the data; "__metadata__" maps strings to strings.
// Source: https://github.com/huggingface/safetensors, "Format".

// maxHeader is the header length in bytes beyond which the reference implementation refuses a file.
const maxHeader = 100_000_000

// itemSize gives the size in bytes of the element types of the format.
var itemSize = map[string]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
	"U16": 2, "I16": 2, "F16": 2, "BF16": 2, "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}

// tensor is one tensor of a mapped file.
type tensor struct {
	name  string
	file  string // path of the file
	dtype string
	shape []int
	data  []byte
}

// readSafetensors checks the header of a mapped file and returns its tensors by name.
func readSafetensors(m *mapping) (map[string]*tensor, error) {
	size := uint64(len(m.data))
	if size < 8 {
		return nil, wrong(m.path, "file length", "at least 8 bytes", "%d bytes", size)
	}
	n := binary.LittleEndian.Uint64(m.data)
	if n > size-8 || n > maxHeader {
		return nil, wrong(m.path, "header length", fmt.Sprintf("at most %d", min(size-8, maxHeader)), "%d bytes", n)
	}
	body := m.data[8+n:]
	entries, err := objectInOrder(m.data[8 : 8+n])
	if err != nil {
		return nil, wrong(m.path, "header", "a JSON object of tensors", "%v", err)
	}
	tensors := make(map[string]*tensor, len(entries))
	type span struct {
		begin, end int64
		name       string
	}
	var spans []span
	for _, e := range entries {
		if e.key == "__metadata__" {
			continue
		}
		field := fmt.Sprintf("tensor %q", e.key)
		var h struct {
			DType   *string `json:"dtype"`
			Shape   []int64 `json:"shape"`
			Offsets []int64 `json:"data_offsets"`
		}
		d := json.NewDecoder(bytes.NewReader(e.value))
		d.DisallowUnknownFields()
		if err := d.Decode(&h); err != nil {
			return nil, wrong(m.path, field, "dtype, shape and data_offsets", "%v", err)
		}
		if h.DType == nil || h.Shape == nil || len(h.Offsets) != 2 {
			return nil, wrong(m.path, field, "dtype, shape and two data_offsets", "%s", e.value)
		}
		bytesPer, known := itemSize[*h.DType]
		if !known {
			return nil, wrong(m.path, field+": dtype", "a type of the format", "%q", *h.DType)
		}
		want, shape := bytesPer, make([]int, len(h.Shape))
		for i, d := range h.Shape {
			if d < 0 || (d > 0 && want > int64(1)<<56/d) {
				return nil, wrong(m.path, field+": shape", "sizes that fit a file", "%v", h.Shape)
			}
			want *= d
			shape[i] = int(d)
		}
		begin, end := h.Offsets[0], h.Offsets[1]
		if begin < 0 || end < begin || end > int64(len(body)) {
			return nil, wrong(m.path, field+": data_offsets", fmt.Sprintf("within the %d bytes of data the file holds", len(body)), "[%d %d]", begin, end)
		}
		if end-begin != want {
			return nil, wrong(m.path, field+": data_offsets", fmt.Sprintf("%d bytes for %s %v", want, *h.DType, shape), "%d bytes", end-begin)
		}
		tensors[e.key] = &tensor{name: e.key, file: m.path, dtype: *h.DType, shape: shape, data: body[begin:end:end]}
		if begin < end {
			spans = append(spans, span{begin, end, e.key})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.begin - b.begin) })
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; b.begin < a.end {
			return nil, wrong(m.path, fmt.Sprintf("tensor %q: data_offsets", b.name), "no overlap",
				"[%d %d], which overlaps [%d %d] of %q", b.begin, b.end, a.begin, a.end, a.name)
		}
	}
	return tensors, nil
}

type keyed struct {
	key   string
	value json.RawMessage
}

// objectInOrder splits a JSON object into its members and refuses a key that stands twice.
func objectInOrder(text []byte) ([]keyed, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, fmt.Errorf("%v instead of an object", open)
	}
	var members []keyed
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		k := t.(string) // the decoder lets no other key through
		if seen[k] {
			return nil, fmt.Errorf("key %s twice", strconv.Quote(k))
		}
		seen[k] = true
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		members = append(members, keyed{k, v})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more text after the object")
	}
	return members, nil
}
