package checkpoint

import (
	"context"
	"encoding/binary"
	"math"
	"os"
)

// plainDType returns the type the tensors are stored in: BF16 when every value is one, else F32.
func plainDType(ctx context.Context, ts []located) (DType, error) {
	for _, t := range ts {
		exact, err := exactBF16(ctx, t)
		if err != nil || !exact {
			return F32, err
		}
	}
	return BF16, nil
}

// exactBF16 reports whether every value of a tensor is a bf16.
func exactBF16(ctx context.Context, t located) (bool, error) {
	if t.dtype == BF16 {
		return true, nil
	}
	exact := true
	err := eachChunk(ctx, t, func(w []float32) error {
		for _, v := range w {
			exact = exact && math.Float32bits(v)&0xffff == 0
		}
		return nil
	})
	return exact, err
}

// eachChunk reads a tensor piece by piece, refusing NaN and infinity, and hands on its values.
func eachChunk(ctx context.Context, t located, use func(w []float32) error) error {
	width := int64(t.dtype.Bytes())
	raw, w := make([]byte, min(copyChunk, t.length)), make([]float32, min(copyChunk, t.length)/width)
	for at := int64(0); at < t.length; at += copyChunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(copyChunk, t.length-at)
		if err := t.file.readAt(t.entry, raw[:n], at); err != nil {
			return err
		}
		if i := firstNotFinite(raw[:n], t.dtype); i >= 0 {
			return notFinite(t.file.path, t.name, at/width+int64(i), t.shape)
		}
		widen(w[:n/width], raw[:n], t.dtype)
		if err := use(w[:n/width]); err != nil {
			return err
		}
	}
	return nil
}

// write copies the source tensors, one after another, to their place in the output.
func (p packPlain) write(ctx context.Context, out *os.File, done func(int64)) error {
	at := p.out.offset
	var raw []byte
	for _, t := range p.from {
		err := eachChunk(ctx, t, func(w []float32) error {
			raw = narrow(raw[:0], w, p.out.dtype)
			if _, err := out.WriteAt(raw, at); err != nil {
				return &Error{Kind: Unwritable, File: out.Name(), Tensor: p.out.name, Err: err}
			}
			at += int64(len(raw))
			done(int64(len(w) * t.dtype.Bytes()))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// narrow appends values, exactly representable in dtype, as little-endian elements.
func narrow(dst []byte, w []float32, dtype DType) []byte {
	for _, v := range w {
		if dtype == BF16 {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(math.Float32bits(v)>>16))
		} else {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}
	}
	return dst
}
