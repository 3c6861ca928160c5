package checkpoint

import (
	"fmt"

	"github.com/octoryn/assay/engine/int4"
)

// Matrix is one packed matrix, or one per expert, of a packed folder. The byte slices are views of the mapped
// file: read-only, valid until Folder.Close.
type Matrix struct {
	Name    string // such as "model.layers.0.self_attn.qkv_proj"
	Experts int    // 0: a plain matrix; else expert e starts at row e*Rows
	Rows    int    // rows (outputs) of one expert
	K       int    // values (inputs) a row
	Format  int4.Format

	Codes   Tensor // U8 [Experts*Rows, int4.RowBytes(K)]
	Scales  Tensor // F16 [Experts*Rows, Format.NumGroups(K)]
	Offsets Tensor // like Scales; the zero Tensor in the symmetric scheme
}

// Tensor is one stored tensor. Data is a view of the mapped file.
type Tensor struct {
	Name  string
	DType DType
	Shape []int
	Data  []byte // little-endian, row-major

	Shard  int // index into Folder.Shards
	Offset int // of Data within the shard's file, in bytes
}

// Shard is one mapped safetensors file. Data starts on a page boundary.
type Shard struct {
	Name string
	Data []byte
}

// Folder is an open packed folder. Its methods may be called from several goroutines.
type Folder struct {
	dir     string
	config  Config
	format  int4.Format
	shards  []Shard
	tensors map[string]Tensor
	close   func() error
}

// Dir is the path the folder was opened with.
func (f *Folder) Dir() string { return f.dir }

// Config is the model's configuration.
func (f *Folder) Config() Config { return f.config }

// Format is the int4 format of every packed matrix.
func (f *Folder) Format() int4.Format { return f.format }

// Shards lists the mapped files. Every tensor lies in one of them, at Tensor.Offset.
func (f *Folder) Shards() []Shard { return f.shards }

// Close unmaps the files. No tensor may be used afterwards.
func (f *Folder) Close() error { return f.close() }

// EmbedTokens is the embedding matrix, [vocab, hidden], BF16 or F32.
func (f *Folder) EmbedTokens() Tensor { return f.tensor("model.embed_tokens.weight") }

// FinalNorm is the weight of the norm before the output head, [hidden], BF16 or F32.
func (f *Folder) FinalNorm() Tensor { return f.tensor("model.norm.weight") }

// InputNorm is the weight of the norm before attention, [hidden], BF16 or F32.
func (f *Folder) InputNorm(layer int) Tensor {
	return f.tensor(layerName(layer, "input_layernorm.weight"))
}

// PostAttentionNorm is the weight of the norm before the MLP or router, [hidden], BF16 or F32.
func (f *Folder) PostAttentionNorm(layer int) Tensor {
	return f.tensor(layerName(layer, "post_attention_layernorm.weight"))
}

// QNorm is the weight of the norm of each query head, [headDim], BF16 or F32.
func (f *Folder) QNorm(layer int) Tensor {
	return f.tensor(layerName(layer, "self_attn.q_norm.weight"))
}

// KNorm is the weight of the norm of each key head, [headDim], BF16 or F32.
func (f *Folder) KNorm(layer int) Tensor {
	return f.tensor(layerName(layer, "self_attn.k_norm.weight"))
}

// Router is the router matrix of a sparse layer, [experts, hidden], BF16 or F32.
func (f *Folder) Router(layer int) Tensor { return f.tensor(layerName(layer, "mlp.gate.weight")) }

// QKVBias is the bias of the q, k and v rows, [QKVRows], BF16 or F32. Only with Config.AttentionBias.
func (f *Folder) QKVBias(layer int) Tensor {
	return f.tensor(layerName(layer, "self_attn.qkv_proj.bias"))
}

// OBias is the bias of the attention output projection, [hidden], BF16 or F32. Only with Config.AttentionBias.
func (f *Folder) OBias(layer int) Tensor { return f.tensor(layerName(layer, "self_attn.o_proj.bias")) }

// QKVProj is the fused projection: q rows, then k rows, then v rows; K is hidden.
func (f *Folder) QKVProj(layer int) Matrix {
	return f.matrix(layerName(layer, "self_attn.qkv_proj"), 0, f.config.QKVRows(), f.config.HiddenSize)
}

// OProj is the attention output projection: hidden rows, K is NumHeads*HeadDim.
func (f *Folder) OProj(layer int) Matrix {
	c := f.config
	return f.matrix(layerName(layer, "self_attn.o_proj"), 0, c.HiddenSize, c.NumHeads*c.HeadDim)
}

// GateUpProj is the first half of the MLP: rows gate_0, up_0, gate_1, up_1, ...; K is hidden. In a sparse
// layer there is one such matrix an expert.
func (f *Folder) GateUpProj(layer int) Matrix {
	c := f.config
	if c.IsSparse(layer) {
		return f.matrix(layerName(layer, "mlp.experts.gate_up_proj"), c.NumExperts, 2*c.MoEIntermediateSize, c.HiddenSize)
	}
	return f.matrix(layerName(layer, "mlp.gate_up_proj"), 0, 2*c.IntermediateSize, c.HiddenSize)
}

// DownProj is the second half of the MLP: hidden rows, K is the width of the MLP or expert. In a sparse
// layer there is one such matrix an expert.
func (f *Folder) DownProj(layer int) Matrix {
	c := f.config
	if c.IsSparse(layer) {
		return f.matrix(layerName(layer, "mlp.experts.down_proj"), c.NumExperts, c.HiddenSize, c.MoEIntermediateSize)
	}
	return f.matrix(layerName(layer, "mlp.down_proj"), 0, c.HiddenSize, c.IntermediateSize)
}

// LMHead is the output head: vocab rows, K is hidden.
func (f *Folder) LMHead() Matrix {
	return f.matrix("lm_head", 0, f.config.VocabSize, f.config.HiddenSize)
}

// tensor returns a tensor that opening has already checked to be there.
func (f *Folder) tensor(name string) Tensor {
	t, ok := f.tensors[name]
	if !ok {
		panic("checkpoint: no tensor " + name + " in a model of this configuration")
	}
	return t
}

func (f *Folder) matrix(name string, experts, rows, k int) Matrix {
	m := Matrix{Name: name, Experts: experts, Rows: rows, K: k, Format: f.format,
		Codes: f.tensor(name + ".codes"), Scales: f.tensor(name + ".scales")}
	if f.format.Scheme == int4.Affine {
		m.Offsets = f.tensor(name + ".offsets")
	}
	return m
}

func layerName(layer int, rest string) string {
	return fmt.Sprintf("model.layers.%d.%s", layer, rest)
}
