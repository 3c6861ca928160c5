package checkpoint

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/octoryn/assay/engine/int4"
)

// SyntheticOptions says what weights Synthesise invents.
type SyntheticOptions struct {
	Seed       uint64
	GroupSize  int   // 0: int4.DefaultGroupSize
	ShardBytes int64 // 0: DefaultShardBytes
	// Progress is called with the bytes written so far and in all.
	Progress func(done, total int64)
}

// Synthesise writes a packed folder, symmetric, of the shape of config.json with invented weights: for benchmarks and counts at the
// shape of a model whose weights are not at hand. Word i of a tensor (8 bytes, little-endian) is [SyntheticWord](seed, name, i),
// shaped by the kind of tensor: codes take its bits; scales lie in 0.0042 .. 0.0044, so that weights have a standard deviation of
// about 0.02; bfloat16 norm weights lie in 1 .. 1.25, other bfloat16 values in +-(0.031 .. 0.062). Every piece can be made again
// alone, on any machine.
//
// Errors are *Error, or the context's when cancelled; nothing is left behind.
func Synthesise(ctx context.Context, config, dst string, o SyntheticOptions) (err error) {
	if o.GroupSize == 0 {
		o.GroupSize = int4.DefaultGroupSize
	}
	if o.ShardBytes <= 0 {
		o.ShardBytes = DefaultShardBytes
	}
	format := int4.Format{GroupSize: o.GroupSize}
	if err := format.Validate(); err != nil {
		return err
	}
	text, err := os.ReadFile(config)
	if err != nil {
		return unreadable(config, err)
	}
	work, err := beginOutput(dst)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(work)
		}
	}()
	if err := os.WriteFile(filepath.Join(work, "config.json"), text, 0o644); err != nil {
		return &Error{Kind: Unwritable, File: work, Err: err}
	}
	c, err := ReadConfig(work)
	if err != nil {
		return err
	}
	if err := checkPackable(config, c); err != nil {
		return err
	}
	p := &packPlan{format: format}
	if err := p.place(syntheticTensors(c, format), o.ShardBytes); err != nil {
		return err
	}
	if err := p.writeSynthetic(ctx, work, o); err != nil {
		return err
	}
	return finishOutput(work, dst)
}

// syntheticTensors are the tensors of the configuration, in groups that share a shard.
func syntheticTensors(c Config, f int4.Format) (groups [][]*outTensor) {
	matrices, plain := packedLayout(c)
	for _, m := range matrices {
		lead := m.leading()
		groups = append(groups, []*outTensor{
			{name: m.name + ".codes", dtype: U8, shape: append(slices.Clone(lead), int4.RowBytes(m.k))},
			{name: m.name + ".scales", dtype: F16, shape: append(slices.Clone(lead), f.NumGroups(m.k))}})
	}
	for _, s := range plain {
		groups = append(groups, []*outTensor{{name: s.name, dtype: BF16, shape: s.shape}})
	}
	return groups
}

func (p *packPlan) writeSynthetic(ctx context.Context, work string, o SyntheticOptions) (err error) {
	files, err := p.createShards(work)
	defer func() {
		for _, f := range files {
			err = joinUnwritable(err, f)
		}
	}()
	if err != nil {
		return err
	}
	var done, total int64
	for _, t := range p.tensors {
		total += t.bytes()
	}
	buf := make([]byte, 1<<20)
	for _, t := range p.tensors {
		for at := int64(0); at < t.bytes(); at += int64(len(buf)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(int64(len(buf)), t.bytes()-at)
			t.fill(buf, o.Seed, at/8)
			if _, err := files[t.shard].WriteAt(buf[:n], t.offset+at); err != nil {
				return &Error{Kind: Unwritable, File: files[t.shard].Name(), Err: err}
			}
			if done += n; o.Progress != nil {
				o.Progress(done, total)
			}
		}
	}
	index, err := p.index()
	if err != nil {
		return err
	}
	if index != nil {
		if err := os.WriteFile(filepath.Join(work, indexFile), index, 0o644); err != nil {
			return &Error{Kind: Unwritable, File: filepath.Join(work, indexFile), Err: err}
		}
	}
	sums := map[string]string{"seed": fmt.Sprint(o.Seed)}
	return packedHeader{Format: packedName, Version: packedVersion, Scheme: p.format.Scheme.String(), GroupSize: p.format.GroupSize,
		ScaleSearch: "synthetic", Source: packedSource{Files: sums}}.write(work)
}

// joinUnwritable closes f and keeps the first error.
func joinUnwritable(err error, f io.Closer) error {
	if e := f.Close(); err == nil && e != nil {
		return &Error{Kind: Unwritable, Err: e}
	}
	return err
}

// fill writes the tensor's words from number first on into buf, a multiple of 8 bytes.
func (t *outTensor) fill(buf []byte, seed uint64, first int64) {
	key := syntheticKey(seed, t.name)
	and, or := ^uint64(0), uint64(0)
	switch {
	case t.dtype == F16: // 0.0042 with the last six bits free
		and, or = 0x003f003f003f003f, 0x1c401c401c401c40
	case t.dtype == BF16 && len(t.shape) == 1: // 1 with the last five bits free
		and, or = 0x001f001f001f001f, 0x3f803f803f803f80
	case t.dtype == BF16: // sign and mantissa free
		and, or = 0x807f807f807f807f, 0x3d003d003d003d00
	}
	for i := 0; i < len(buf); i += 8 {
		binary.LittleEndian.PutUint64(buf[i:], mix(key+uint64(first))&and|or)
		first++
	}
}

// SyntheticWord is word i of the tensor called name before it is shaped: the finaliser of SplitMix64 over a counter that starts
// at the seed and the name's FNV-1a hash.
func SyntheticWord(seed uint64, name string, i int64) uint64 {
	return mix(syntheticKey(seed, name) + uint64(i))
}

func syntheticKey(seed uint64, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64() ^ mix(seed)
}

func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
