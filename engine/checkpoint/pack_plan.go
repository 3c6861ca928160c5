package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"

	"github.com/octoryn/assay/engine/int4"
)

// tensorAlign is the alignment within a file that a tensor's start gets when its length allows.
const tensorAlign = 64

// outTensor is one tensor of the output and its place.
type outTensor struct {
	name   string
	dtype  DType
	shape  []int
	shard  int
	offset int64 // within the shard's file
}

func (t *outTensor) bytes() int64 {
	n := int64(t.dtype.Bytes())
	for _, d := range t.shape {
		n *= int64(d)
	}
	return n
}

// alignment is the largest power of two, at most tensorAlign, that divides the tensor's length.
func (t *outTensor) alignment() int64 {
	return min(tensorAlign, int64(1)<<bits.TrailingZeros64(uint64(t.bytes())|tensorAlign))
}

// packMatrix is a matrix to quantise.
type packMatrix struct {
	matrixSpec
	blocks                 []block
	codes, scales, offsets *outTensor // offsets nil in the symmetric scheme
}

// packPlain is a tensor to copy.
type packPlain struct {
	from []located
	out  *outTensor
}

// packPlan is the whole output, laid out before the first weight is quantised.
type packPlan struct {
	ts       *tensorSet
	format   int4.Format
	matrices []packMatrix
	plain    []packPlain
	headers  [][]byte // of each shard: length word and padded JSON
	sizes    []int64  // of each shard's file
	tensors  []*outTensor
}

// planPack finds every source tensor, refuses what is missing or left over, and places every output tensor.
func planPack(ctx context.Context, ts *tensorSet, c Config, f int4.Format, o PackOptions) (*packPlan, error) {
	p := &packPlan{ts: ts, format: f}
	from := &origins{ts: ts, c: c, used: map[string]bool{}}
	blocks, err := from.all()
	if err != nil {
		return nil, err
	}
	matrices, plain := packedLayout(c)
	var groups [][]*outTensor // tensors that share a shard
	for _, m := range matrices {
		lead := m.leading()
		pm := packMatrix{matrixSpec: m, blocks: blocks[m.name]}
		pm.codes = &outTensor{name: m.name + ".codes", dtype: U8, shape: append(slices.Clone(lead), int4.RowBytes(m.k))}
		pm.scales = &outTensor{name: m.name + ".scales", dtype: F16, shape: append(slices.Clone(lead), f.NumGroups(m.k))}
		group := []*outTensor{pm.codes, pm.scales}
		if f.Scheme == int4.Affine {
			pm.offsets = &outTensor{name: m.name + ".offsets", dtype: F16, shape: pm.scales.shape}
			group = append(group, pm.offsets)
		}
		groups = append(groups, group)
		p.matrices = append(p.matrices, pm)
	}
	for _, s := range plain {
		ts, err := from.plain(s)
		if err != nil {
			return nil, err
		}
		dtype, err := plainDType(ctx, ts)
		if err != nil {
			return nil, err
		}
		out := &outTensor{name: s.name, dtype: dtype, shape: s.shape}
		groups = append(groups, []*outTensor{out})
		p.plain = append(p.plain, packPlain{from: ts, out: out})
	}
	if err := from.checkLeftOver(ctx); err != nil {
		return nil, err
	}
	return p, p.place(groups, o.ShardBytes)
}

// place fills shards with groups in order, sorts each shard by alignment, and writes the headers.
func (p *packPlan) place(groups [][]*outTensor, limit int64) error {
	shards := [][]*outTensor{nil}
	var used int64
	for _, g := range groups {
		var n int64
		for _, t := range g {
			n += t.bytes()
		}
		if used > 0 && used+n > limit {
			shards, used = append(shards, nil), 0
		}
		used += n
		shards[len(shards)-1] = append(shards[len(shards)-1], g...)
	}
	for i, ts := range shards {
		slices.SortStableFunc(ts, func(a, b *outTensor) int { return cmp.Compare(b.alignment(), a.alignment()) })
		header, start, err := shardHeader(ts)
		if err != nil {
			return err
		}
		at := start
		for _, t := range ts {
			t.shard, t.offset = i, at
			at += t.bytes()
		}
		p.headers, p.sizes = append(p.headers, header), append(p.sizes, at)
		p.tensors = append(p.tensors, ts...)
	}
	return nil
}

// shardHeader returns the header of a file holding the tensors in order, padded with spaces so that the data
// begin at a multiple of tensorAlign, and where they begin.
func shardHeader(ts []*outTensor) ([]byte, int64, error) {
	var b bytes.Buffer
	b.WriteString(`{"__metadata__":{"format":"` + packedName + `"}`)
	var at int64
	for _, t := range ts {
		name, err := json.Marshal(t.name)
		if err != nil {
			return nil, 0, err
		}
		shape, err := json.Marshal(t.shape)
		if err != nil {
			return nil, 0, err
		}
		fmt.Fprintf(&b, `,%s:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, name, t.dtype, shape, at, at+t.bytes())
		at += t.bytes()
	}
	b.WriteByte('}')
	for (8+b.Len())%tensorAlign != 0 {
		b.WriteByte(' ')
	}
	header := binary.LittleEndian.AppendUint64(nil, uint64(b.Len()))
	header = append(header, b.Bytes()...)
	return header, int64(len(header)), nil
}

// shardName returns the file name of a shard in Hugging Face's manner.
func (p *packPlan) shardName(i int) string {
	if len(p.sizes) == 1 {
		return singleFile
	}
	return fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(p.sizes))
}

// index returns model.safetensors.index.json, nil when there is one file.
func (p *packPlan) index() ([]byte, error) {
	if len(p.sizes) == 1 {
		return nil, nil
	}
	var total int64
	weightMap := map[string]string{}
	for _, t := range p.tensors {
		total += t.bytes()
		weightMap[t.name] = p.shardName(t.shard)
	}
	b, err := json.MarshalIndent(map[string]any{
		"metadata":   map[string]any{"total_size": total},
		"weight_map": weightMap,
	}, "", "  ")
	return append(b, '\n'), err
}
