package launch

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// poison is what memory holds that nothing was written to: NaN as a float, a large number as an index.
const poison = 0xff

// parseBuffer reads a buffer and makes its contents: one of fill, data and file; without any of them, poison.
func (s *Spec) parseBuffer(v value, dir string) error {
	b := Buffer{Index: -1}
	var typ, count, fill, seed, data, file value
	err := v.object(func(key string, x value) (known bool, err error) {
		switch key {
		case "index":
			b.Index, err = argumentIndex(x)
		case "type":
			typ = x
		case "count":
			count = x
		case "fill":
			fill = x
		case "seed":
			seed = x
		case "data":
			data = x
		case "file":
			file = x
		case "read_only":
			b.ReadOnly, err = x.boolean()
		default:
			return false, nil
		}
		return true, err
	})
	switch {
	case err != nil:
		return err
	case b.Index < 0:
		return v.errorf("index is missing")
	case typ.raw == nil:
		return v.errorf("type is missing")
	}
	if b.Element, err = typ.element(); err != nil {
		return err
	}
	if count.raw != nil {
		if b.Count, err = count.integer(1, int64(math.MaxInt32)/int64(b.Element.Bytes())*2); err != nil {
			return err
		}
	}
	given := 0
	for _, x := range []value{fill, data, file} {
		if x.raw != nil {
			given++
		}
	}
	switch {
	case given > 1:
		return v.errorf("got more than one of fill, data and file")
	case data.raw != nil:
		if b.Data, err = elementsOf(data, b.Element); err != nil {
			return err
		}
	case file.raw != nil:
		if b.Data, err = bufferFile(file, dir); err != nil {
			return err
		}
	case b.Count == 0:
		return v.errorf("count is missing")
	default:
		if b.Count*b.Element.Bytes() > maxBufferBytes { // no need to make it: the launch exceeds a limit
			b.Data = nil
			break
		}
		if err := b.fill(fill, seed); err != nil {
			return err
		}
	}
	if seed.raw != nil && string(bytes.TrimSpace(fill.raw)) != `"random"` {
		return seed.errorf("got a seed without \"fill\": \"random\"")
	}
	if data.raw != nil || file.raw != nil {
		n := len(b.Data) / b.Element.Bytes()
		switch {
		case n == 0 || len(b.Data)%b.Element.Bytes() != 0:
			return v.errorf("got %d bytes, want a positive multiple of %d, the size of a %s", len(b.Data), b.Element.Bytes(), b.Element.Name)
		case b.Count != 0 && b.Count != n:
			return count.errorf("got %d, want %d, as many elements as are given", b.Count, n)
		}
		b.Count = n
	}
	s.Buffers = append(s.Buffers, b)
	return nil
}

func bufferFile(v value, dir string) ([]byte, error) {
	name, err := v.text()
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	if err == nil && info.Size() > maxBufferBytes {
		return nil, v.errorf("%s: got %d bytes, want at most %d", name, info.Size(), maxBufferBytes)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, v.errorf("%v", inputFile(name, err))
	}
	return data, nil
}

// fill makes the contents. iota counts from 0 and wraps where the type does; random is, from a PCG with the given
// seed, uniform over the multiples of the type's precision in [-1, 1) for floats, over all values for integers; nan is for floats.
func (b *Buffer) fill(fill, seed value) error {
	kind := "poison"
	var err error
	if fill.raw != nil {
		if kind, err = fill.text(); err != nil {
			return err
		}
	}
	var start int
	if seed.raw != nil {
		if start, err = seed.integer(0, math.MaxInt64); err != nil {
			return err
		}
	}
	n, e := b.Element.Bytes(), b.Element
	b.Data = make([]byte, b.Count*n)
	each := func(f func(i int) uint64) {
		for i := range b.Count {
			e.put(b.Data[i*n:], f(i))
		}
	}
	switch kind {
	case "zero":
	case "poison":
		b.Poison = true
		for i := range b.Data {
			b.Data[i] = poison
		}
	case "iota":
		each(func(i int) uint64 {
			switch {
			case e.IsFloat():
				return e.fromFloat(float64(i))
			case e.t == ir.Bool:
				return uint64(i & 1)
			}
			return uint64(i)
		})
	case "random":
		r := rand.New(rand.NewPCG(uint64(start), 0))
		each(func(int) uint64 {
			switch {
			case e.IsFloat():
				half := int64(1) << (map[ir.Type]int{ir.F32: 24, ir.F16: 11, ir.BF16: 8}[e.t] - 1)
				return e.fromFloat(float64(r.Int64N(2*half)-half) / float64(half))
			case e.t == ir.Bool:
				return r.Uint64() & 1
			}
			return r.Uint64()
		})
	case "nan":
		if !e.IsFloat() {
			return fill.errorf("got \"nan\" for a buffer of %s, want a float type", e.Name)
		}
		each(func(int) uint64 { return e.fromFloat(math.NaN()) })
	default:
		return fill.want("one of zero, iota, random, nan, poison")
	}
	return nil
}
