package model

import (
	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/int4"
	"github.com/octoryn/assay/engine/kvcache"
)

// Memory is device memory by kind, in bytes. Weights are views of the mapped files; the other kinds are allocated.
type Memory struct {
	Packed     int64 // int4 codes, scales and offsets
	Embeddings int64 // embedding matrix, as stored
	Router     int64 // router matrices, as stored
	Small      int64 // norm weights, biases, RoPE table, in float32
	KVCache    int64 // of one sequence
	State      int64 // activations, token ids and position of one sequence, without logits
}

// Total is the sum of all kinds, with one sequence.
func (m Memory) Total() int64 {
	return m.Packed + m.Embeddings + m.Router + m.Small + m.KVCache + m.State
}

// PredictMemory computes from a configuration alone what a model in this format, with embeddings and router in
// bfloat16, will take for sequences of up to maxSeqLen tokens.
func PredictMemory(c checkpoint.Config, f int4.Format, maxSeqLen int) Memory {
	var m Memory
	matrix := func(copies, rows, k int) int64 {
		bytes := int64(int4.RowBytes(k)) + 2*int64(f.NumGroups(k))
		if f.Scheme == int4.Affine {
			bytes += 2 * int64(f.NumGroups(k))
		}
		return int64(copies) * int64(rows) * bytes
	}
	m.Packed = matrix(1, c.VocabSize, c.HiddenSize)
	m.Embeddings = 2 * int64(c.VocabSize) * int64(c.HiddenSize)
	m.Small = 4*int64(c.HiddenSize) + int64(ropeBytes(c, maxSeqLen))
	for layer := range c.NumLayers {
		m.Packed += matrix(1, c.QKVRows(), c.HiddenSize) + matrix(1, c.HiddenSize, c.NumHeads*c.HeadDim)
		m.Small += 4 * int64(2*c.HiddenSize+2*c.HeadDim)
		if c.AttentionBias {
			m.Small += 4 * int64(c.QKVRows()+c.HiddenSize)
		}
		if c.IsSparse(layer) {
			m.Packed += matrix(c.NumExperts, 2*c.MoEIntermediateSize, c.HiddenSize) + matrix(c.NumExperts, c.HiddenSize, c.MoEIntermediateSize)
			m.Router += 2 * int64(c.NumExperts) * int64(c.HiddenSize)
		} else {
			m.Packed += matrix(1, 2*c.IntermediateSize, c.HiddenSize) + matrix(1, c.HiddenSize, c.IntermediateSize)
		}
	}
	m.KVCache = cacheShape(c, maxSeqLen).Bytes()
	m.State = stateBytes(c, maxSeqLen)
	return m
}

func cacheShape(c checkpoint.Config, maxSeqLen int) kvcache.Shape {
	return kvcache.Shape{NumLayers: c.NumLayers, NumKVHeads: c.NumKVHeads, HeadDim: c.HeadDim, MaxSeqLen: maxSeqLen}
}

func ropeBytes(c checkpoint.Config, maxSeqLen int) int { return 4 * maxSeqLen * c.HeadDim }
