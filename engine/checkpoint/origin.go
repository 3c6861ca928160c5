package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
)

// span is n consecutive rows of a source tensor.
type span struct {
	tensor located
	first  int // row
	k      int // values a row
}

// block is a run of output rows made of equally long spans whose rows alternate: output row start + i*len(from) + j
// is row i of from[j]. One span is a plain copy; gate and up are two.
type block struct {
	start int // output row
	rows  int // of each span
	from  []span
}

// floatTypes are the element types weights may have.
var floatTypes = []DType{BF16, F16, F32}

// origins finds the source tensors of each packed matrix, under the names of transformers 4 (one tensor an expert)
// or 5 (experts fused), and marks them used.
type origins struct {
	ts   *tensorSet
	c    Config
	used map[string]bool
}

func (o *origins) require(name string, shape ...int) (located, error) {
	o.used[name] = true
	return o.ts.require(name, shape, floatTypes...)
}

// whole returns a matrix as one span.
func (o *origins) whole(name string, rows, k int) (span, error) {
	t, err := o.require(name, rows, k)
	return span{t, 0, k}, err
}

// part is a whole source matrix of some rows.
type part struct {
	name string
	rows int
}

// stacked returns blocks that put whole matrices of k values a row one after another.
func (o *origins) stacked(k int, parts ...part) ([]block, error) {
	var bs []block
	at := 0
	for _, p := range parts {
		s, err := o.whole(p.name, p.rows, k)
		if err != nil {
			return nil, err
		}
		bs = append(bs, block{at, p.rows, []span{s}})
		at += p.rows
	}
	return bs, nil
}

// attention returns the blocks of qkv_proj and o_proj of a layer.
func (o *origins) attention(l int) (qkv, out []block, err error) {
	c := o.c
	q, kv := c.NumHeads*c.HeadDim, c.NumKVHeads*c.HeadDim
	if qkv, err = o.stacked(c.HiddenSize,
		part{layerName(l, "self_attn.q_proj.weight"), q},
		part{layerName(l, "self_attn.k_proj.weight"), kv},
		part{layerName(l, "self_attn.v_proj.weight"), kv}); err != nil {
		return nil, nil, err
	}
	out, err = o.stacked(q, part{layerName(l, "self_attn.o_proj.weight"), c.HiddenSize})
	return qkv, out, err
}

// dense returns the blocks of gate_up_proj and down_proj of a dense layer.
func (o *origins) dense(l int) (gateUp, down []block, err error) {
	return o.mlp(layerName(l, "mlp."), o.c.IntermediateSize, 0)
}

// mlp returns the blocks of one MLP whose tensor names begin with prefix, as the e-th in its matrices.
func (o *origins) mlp(prefix string, width, e int) (gateUp, down []block, err error) {
	h := o.c.HiddenSize
	gate, err := o.whole(prefix+"gate_proj.weight", width, h)
	if err != nil {
		return nil, nil, err
	}
	up, err := o.whole(prefix+"up_proj.weight", width, h)
	if err != nil {
		return nil, nil, err
	}
	d, err := o.whole(prefix+"down_proj.weight", h, width)
	if err != nil {
		return nil, nil, err
	}
	return []block{{e * 2 * width, width, []span{gate, up}}}, []block{{e * h, h, []span{d}}}, nil
}

// experts returns the blocks of gate_up_proj and down_proj of a sparse layer.
//
// transformers 5 may fuse: experts.gate_up_proj [experts, 2*width, hidden] with the gate rows of an expert
// before its up rows, and experts.down_proj [experts, hidden, width].
func (o *origins) experts(l int) (gateUp, down []block, err error) {
	c := o.c
	w, h := c.MoEIntermediateSize, c.HiddenSize
	fusedGU, fusedDown := layerName(l, "mlp.experts.gate_up_proj"), layerName(l, "mlp.experts.down_proj")
	if _, ok := o.ts.byName[fusedGU]; ok {
		gu, err := o.require(fusedGU, c.NumExperts, 2*w, h)
		if err != nil {
			return nil, nil, err
		}
		d, err := o.require(fusedDown, c.NumExperts, h, w)
		if err != nil {
			return nil, nil, err
		}
		for e := range c.NumExperts {
			gateUp = append(gateUp, block{e * 2 * w, w, []span{{gu, e * 2 * w, h}, {gu, e*2*w + w, h}}})
			down = append(down, block{e * h, h, []span{{d, e * h, w}}})
		}
		return gateUp, down, nil
	}
	for e := range c.NumExperts {
		gu, d, err := o.mlp(fmt.Sprintf("model.layers.%d.mlp.experts.%d.", l, e), w, e)
		if err != nil {
			return nil, nil, err
		}
		gateUp, down = append(gateUp, gu...), append(down, d...)
	}
	return gateUp, down, nil
}

// head returns the blocks of the output head. With tied embeddings it is the embedding matrix; a file that also
// holds lm_head.weight is left to checkTied.
func (o *origins) head() ([]block, error) {
	name := "lm_head.weight"
	if o.c.TieWordEmbeddings {
		name = "model.embed_tokens.weight"
	}
	return o.stacked(o.c.HiddenSize, part{name, o.c.VocabSize})
}

// plain returns the source tensors, one after another, of a tensor that keeps its bits.
func (o *origins) plain(p plainSpec) ([]located, error) {
	parts := p.parts
	if parts == nil {
		parts = []plainSpec{p}
	}
	var ts []located
	for _, p := range parts {
		t, err := o.require(p.name, p.shape...)
		if err != nil {
			return nil, err
		}
		ts = append(ts, t)
	}
	return ts, nil
}

// all returns the blocks of every packed matrix by its name.
func (o *origins) all() (map[string][]block, error) {
	m := map[string][]block{}
	for l := range o.c.NumLayers {
		qkv, out, err := o.attention(l)
		if err != nil {
			return nil, err
		}
		m[layerName(l, "self_attn.qkv_proj")], m[layerName(l, "self_attn.o_proj")] = qkv, out
		prefix, find := "mlp.", o.dense
		if o.c.IsSparse(l) {
			prefix, find = "mlp.experts.", o.experts
		}
		gateUp, down, err := find(l)
		if err != nil {
			return nil, err
		}
		m[layerName(l, prefix+"gate_up_proj")], m[layerName(l, prefix+"down_proj")] = gateUp, down
	}
	head, err := o.head()
	m["lm_head"] = head
	return m, err
}

// checkLeftOver refuses source tensors that nothing asked for: a model that has them computes something else. With
// tied embeddings some files repeat the matrix as lm_head.weight; that is allowed when the bytes agree.
func (o *origins) checkLeftOver(ctx context.Context) error {
	var left []string
	for name := range o.ts.byName {
		if !o.used[name] {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	for _, name := range left {
		t := o.ts.byName[name]
		if name == "lm_head.weight" && o.c.TieWordEmbeddings {
			if err := sameBytes(ctx, t, o.ts.byName["model.embed_tokens.weight"]); err != nil {
				return err
			}
			continue
		}
		return &Error{Kind: Unexpected, File: t.file.path, Tensor: name, Want: "only tensors of a " + o.c.ModelType + " model of this configuration"}
	}
	return nil
}

// sameBytes refuses a tied tensor that differs from the one it is tied to.
func sameBytes(ctx context.Context, t, want located) error {
	differ := &Error{Kind: Unexpected, File: t.file.path, Tensor: t.name, Got: "other weights than " + want.name,
		Want: "the same bytes, as tie_word_embeddings says"}
	if t.dtype != want.dtype || !slices.Equal(t.shape, want.shape) {
		return differ
	}
	a, b := make([]byte, copyChunk), make([]byte, copyChunk)
	for at := int64(0); at < t.length; at += copyChunk {
		n := min(copyChunk, t.length-at)
		if err := errors.Join(ctx.Err(), t.file.readAt(t.entry, a[:n], at), want.file.readAt(want.entry, b[:n], at)); err != nil {
			return err
		}
		if !bytes.Equal(a[:n], b[:n]) {
			return differ
		}
	}
	return nil
}
