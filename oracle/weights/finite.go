package weights

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
)

// chunkBytes is how much of a tensor one worker checks at a time.
const chunkBytes = 1 << 22

// checkFinite reads every floating-point weight of a folder once and refuses NaN and infinity.
func checkFinite(ctx context.Context, f *folder, progress func(doneBytes, totalBytes int64)) error {
	type chunk struct {
		t      *tensor
		lo, hi int
	}
	var chunks []chunk
	total := int64(0)
	for _, name := range slices.Sorted(maps.Keys(f.tensors)) {
		t := f.tensors[name]
		if !slices.Contains(floats, t.dtype) {
			continue
		}
		total += int64(len(t.data))
		for lo := 0; lo < len(t.data); lo += chunkBytes {
			chunks = append(chunks, chunk{t, lo, min(lo+chunkBytes, len(t.data))})
		}
	}
	workers := runtime.GOMAXPROCS(0)
	found := make([]error, len(chunks))
	done := int64(0)
	for first := 0; first < len(chunks); first += workers {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := chunks[first:min(first+workers, len(chunks))]
		var wg sync.WaitGroup
		for i, c := range batch {
			done += int64(c.hi - c.lo)
			wg.Go(func() { found[first+i] = finite(c.t, c.lo, c.hi) })
		}
		wg.Wait()
		for i := range batch {
			if found[first+i] != nil {
				return found[first+i]
			}
		}
		if progress != nil {
			progress(done, total)
		}
	}
	return nil
}

// finite checks bytes lo to hi of a tensor.
func finite(t *tensor, lo, hi int) error {
	size := int(itemSize[t.dtype])
	var exponent uint32 // all ones: infinity or NaN
	switch t.dtype {
	case "BF16":
		exponent = 0x7f80
	case "F16":
		exponent = 0x7c00
	case "F32":
		exponent = 0x7f800000
	}
	data := t.data[lo:hi]
	for at := 0; at < len(data); at += size {
		var bits uint32
		if size == 2 {
			bits = uint32(binary.LittleEndian.Uint16(data[at:]))
		} else {
			bits = binary.LittleEndian.Uint32(data[at:])
		}
		if bits&exponent == exponent {
			var x [1]float64
			widen(x[:], data[at:], t.dtype)
			return wrong(t.file, fmt.Sprintf("tensor %q: element %v", t.name, index((lo+at)/size, t.shape)), "a finite number", "%v", math.Abs(x[0]))
		}
	}
	return nil
}

// index turns an offset in elements into an index.
func index(offset int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = offset % shape[d]
		offset /= shape[d]
	}
	return at
}
