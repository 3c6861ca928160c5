package weights

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Layer is one decoder layer. Exactly one of MLP and MoE is set.
type Layer struct {
	InputNorm    []float64 // [hidden]
	Q            Linear    // [numHeads*headDim, hidden]
	K, V         Linear    // [numKVHeads*headDim, hidden]
	QNorm, KNorm []float64 // [headDim]
	O            Linear    // [hidden, numHeads*headDim]
	PostAttnNorm []float64 // [hidden]
	MLP          *MLP
	MoE          *MoE
}

// Linear is a matrix and perhaps a bias.
type Linear struct {
	Weight Matrix
	Bias   []float64 // [rows]; nil for none
}

// MLP is a gated linear unit.
type MLP struct {
	Gate, Up Matrix // [width, hidden]
	Down     Matrix // [hidden, width]
}

// MoE is a mixture of experts.
type MoE struct {
	Router  Matrix // [experts, hidden]
	Experts []MLP
}

// loader finds tensors, checks type and shape, remembers which it gave out, and keeps the first error.
type loader struct {
	folder  *folder
	packing *packing // nil: not packed
	used    map[string]bool
	layouts map[int]*packedRows // row layout by number of columns
	err     error
}

func (l *loader) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// tensor finds a tensor of one of the types, with exactly the shape.
func (l *loader) tensor(name string, dtypes []string, shape ...int) *tensor {
	l.used[name] = true
	if l.err != nil {
		return nil
	}
	t := l.folder.tensors[name]
	switch {
	case t == nil:
		l.fail(wrong(l.folder.list, fmt.Sprintf("tensor %q", name), fmt.Sprintf("shape %v", shape), "no such tensor"))
	case !slices.Contains(dtypes, t.dtype):
		l.fail(wrong(t.file, fmt.Sprintf("tensor %q: dtype", name), join(dtypes), "%s", t.dtype))
	case !slices.Equal(t.shape, shape):
		l.fail(wrong(t.file, fmt.Sprintf("tensor %q: shape", name), fmt.Sprint(shape), "%v", t.shape))
	default:
		return t
	}
	return nil
}

func (l *loader) has(name string) bool { return l.folder.tensors[name] != nil }

var floats = []string{"BF16", "F16", "F32"}

// vector reads a vector of n numbers.
func (l *loader) vector(name string, n int) []float64 {
	t := l.tensor(name, floats, n)
	if t == nil {
		return nil
	}
	v := make([]float64, n)
	widen(v, t.data, t.dtype)
	return v
}

// plain finds a matrix that is never packed.
func (l *loader) plain(name string, rows, cols int) Matrix {
	t := l.tensor(name, floats, rows, cols)
	if t == nil {
		return Matrix{}
	}
	return whole(stored{t.data, t.dtype, cols}, rows, cols)
}

// weight finds a linear weight: NAME.weight, or packed.
func (l *loader) weight(name string, rows, cols int) Matrix {
	if l.packing == nil {
		return l.plain(name+".weight", rows, cols)
	}
	return l.int4(name, nil, rows, cols)
}

// int4 finds a packed matrix, or with experts = {E} a stack of E of them as one of E*rows rows.
func (l *loader) int4(name string, experts []int, rows, cols int) Matrix {
	if cols%lanes != 0 {
		l.fail(wrong(l.folder.list, fmt.Sprintf("tensor %q: inputs", name), "a multiple of 32, for int4", "%d", cols))
		return Matrix{}
	}
	p := l.layouts[cols]
	if p == nil {
		p = &packedRows{cols: cols, groups: (cols + groupSize - 1) / groupSize}
		p.rowBytes, p.place = rowLayout(cols)
		l.layouts[cols] = p
	}
	shape := func(last int) []int { return append(slices.Clone(experts), rows, last) }
	codes := l.tensor(name+".codes", []string{"U8"}, shape(p.rowBytes)...)
	scales := l.tensor(name+".scales", []string{"F16"}, shape(p.groups)...)
	var offsets *tensor
	if l.packing.affine {
		offsets = l.tensor(name+".offsets", []string{"F16"}, shape(p.groups)...)
	}
	if l.err != nil {
		return Matrix{}
	}
	m := *p
	m.codes, m.scales = codes.data, scales.data
	if offsets != nil {
		m.offsets = offsets.data
	}
	for _, e := range experts {
		rows *= e
	}
	return whole(&m, rows, cols)
}

// linear finds a weight and its bias.
func (l *loader) linear(name string, rows, cols int, bias bool) Linear {
	x := Linear{Weight: l.weight(name, rows, cols)}
	if bias {
		x.Bias = l.vector(name+".bias", rows)
	}
	return x
}

// qkv finds the three input projections of attention; packed they are one matrix, rows of q, k and v in turn.
func (l *loader) qkv(name string, c Config) (q, k, v Linear) {
	nq, nkv := c.NumHeads*c.HeadDim, c.NumKVHeads*c.HeadDim
	if l.packing == nil {
		return l.linear(name+"q_proj", nq, c.HiddenSize, c.AttentionBias),
			l.linear(name+"k_proj", nkv, c.HiddenSize, c.AttentionBias),
			l.linear(name+"v_proj", nkv, c.HiddenSize, c.AttentionBias)
	}
	all := l.linear(name+"qkv_proj", nq+2*nkv, c.HiddenSize, c.AttentionBias)
	part := func(first, n int) Linear {
		x := Linear{Weight: all.Weight.slice(first, 1, n)}
		if all.Bias != nil {
			x.Bias = all.Bias[first : first+n]
		}
		return x
	}
	return part(0, nq), part(nq, nkv), part(nq+nkv, nkv)
}

// mlp finds a gated linear unit; packed, its gate and up rows alternate in one matrix.
func (l *loader) mlp(name string, hidden, width int) *MLP {
	if l.packing == nil {
		return &MLP{
			Gate: l.weight(name+"gate_proj", width, hidden),
			Up:   l.weight(name+"up_proj", width, hidden),
			Down: l.weight(name+"down_proj", hidden, width),
		}
	}
	gateUp := l.weight(name+"gate_up_proj", 2*width, hidden)
	return &MLP{
		Gate: gateUp.slice(0, 2, width),
		Up:   gateUp.slice(1, 2, width),
		Down: l.weight(name+"down_proj", hidden, width),
	}
}

// experts finds the experts of a layer in any of three forms: packed (gate and up rows alternate), one tensor an
// expert, or stacked as transformers 5 holds them in memory (an expert's gate rows, then its up rows).
func (l *loader) experts(name string, n, hidden, width int) []MLP {
	experts := make([]MLP, n)
	var gateUp, down Matrix
	up, step := width, 1 // first up row of an expert, and how far apart its gate rows are
	switch {
	case l.packing != nil:
		gateUp = l.int4(name+"gate_up_proj", []int{n}, 2*width, hidden)
		down = l.int4(name+"down_proj", []int{n}, hidden, width)
		up, step = 1, 2
	case l.has(name + "gate_up_proj"):
		gateUp = l.stack(name+"gate_up_proj", n, 2*width, hidden)
		down = l.stack(name+"down_proj", n, hidden, width)
	default:
		for e := range experts {
			experts[e] = *l.mlp(fmt.Sprintf("%s%d.", name, e), hidden, width)
		}
		return experts
	}
	for e := range experts {
		experts[e] = MLP{
			Gate: gateUp.slice(e*2*width, step, width),
			Up:   gateUp.slice(e*2*width+up, step, width),
			Down: down.slice(e*hidden, 1, hidden),
		}
	}
	return experts
}

// stack finds n matrices in one tensor.
func (l *loader) stack(name string, n, rows, cols int) Matrix {
	t := l.tensor(name, floats, n, rows, cols)
	if t == nil {
		return Matrix{}
	}
	return whole(stored{t.data, t.dtype, cols}, n*rows, cols)
}

// head finds the output head. A folder with tied embeddings may hold the head a second time, with the same bytes.
func (l *loader) head(embed Matrix, c Config) Matrix {
	const name = "lm_head"
	if l.packing != nil || !c.TieWordEmbeddings {
		return l.weight(name, c.VocabSize, c.HiddenSize)
	}
	if l.has(name + ".weight") {
		l.plain(name+".weight", c.VocabSize, c.HiddenSize)
		if h, e := l.folder.tensors[name+".weight"], l.folder.tensors[embedName]; l.err == nil && (h.dtype != e.dtype || !bytes.Equal(h.data, e.data)) {
			l.fail(wrong(h.file, fmt.Sprintf("tensor %q", h.name), "the embedding matrix, as tie_word_embeddings says", "other values"))
		}
	}
	return embed
}

// rest refuses a tensor that no part of the model asked for.
func (l *loader) rest() {
	for _, name := range slices.Sorted(maps.Keys(l.folder.tensors)) {
		if !l.used[name] {
			t := l.folder.tensors[name]
			l.fail(wrong(t.file, fmt.Sprintf("tensor %q", name), "only tensors the configuration accounts for", "%s %v", t.dtype, t.shape))
			return
		}
	}
}

func join(names []string) string {
	s := names[0]
	for _, n := range names[1:] {
		s += " or " + n
	}
	return s
}
