package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kernels"
)

// NoToken stands in the token buffer for the argmax of logits of which some are not finite.
const NoToken = math.MaxUint32

// State is what one sequence keeps on the device besides its KV cache.
type State struct {
	m       *Model
	buffers []device.Buffer

	hidden    [2]device.Buffer // [hiddenSize] residual stream; layers read 0, the second half of a layer reads 1
	qkv       device.Buffer    // [QKVRows] q, k, v of the current token
	maxima    device.Buffer    // [numHeads, blocks]
	sums      device.Buffer    // [numHeads, blocks]
	partials  device.Buffer    // [numHeads, blocks, headDim]
	attended  device.Buffer    // [numHeads*headDim] in lane order
	router    device.Buffer    // [numExperts] logits
	ids       device.Buffer    // [topK] chosen experts
	shares    device.Buffer    // [topK] their weights
	act       device.Buffer    // [topK or 1, width] in lane order
	best      device.Buffer    // [candidates] logits
	bestToken device.Buffer    // [candidates]
	tokens    device.Buffer    // [maxSeqLen+1] token id of each position
	position  device.Buffer    // [1] the current one
	logits    device.Buffer    // [rows, vocabSize]; made when first asked for
	rows      int
}

// stateSizes lists the buffers in 4-byte elements, in the order of their fields.
func stateSizes(c checkpoint.Config, maxSeqLen, candidates int) []struct {
	label    string
	elements int
} {
	blocks := (maxSeqLen + kernels.BlockPositions - 1) / kernels.BlockPositions
	act := c.IntermediateSize
	topK := max(1, c.NumExpertsPerTok)
	act = max(act, topK*c.MoEIntermediateSize)
	return []struct {
		label    string
		elements int
	}{
		{"hidden 0", c.HiddenSize}, {"hidden 1", c.HiddenSize}, {"qkv", c.QKVRows()},
		{"attention maxima", c.NumHeads * blocks}, {"attention sums", c.NumHeads * blocks},
		{"attention partials", c.NumHeads * blocks * c.HeadDim}, {"attention", c.NumHeads * c.HeadDim},
		{"router logits", max(1, c.NumExperts)}, {"expert ids", topK}, {"expert weights", topK}, {"act", act},
		{"argmax logits", candidates}, {"argmax tokens", candidates}, {"tokens", maxSeqLen + 1}, {"position", 1},
	}
}

// stateBytes leaves the argmax candidates out of the prediction: their number depends on the device's tuning.
func stateBytes(c checkpoint.Config, maxSeqLen int) int64 {
	var n int64
	for _, s := range stateSizes(c, maxSeqLen, 0) {
		n += 4 * int64(s.elements)
	}
	return n
}

// NewState makes the buffers of one sequence at position 0.
func (m *Model) NewState() (*State, error) {
	s := &State{m: m}
	targets := []*device.Buffer{
		&s.hidden[0], &s.hidden[1], &s.qkv, &s.maxima, &s.sums, &s.partials, &s.attended, &s.router, &s.ids, &s.shares,
		&s.act, &s.best, &s.bestToken, &s.tokens, &s.position,
	}
	for i, size := range stateSizes(m.config, m.maxSeqLen, m.launches.candidates) {
		b, err := m.dev.NewBuffer(size.label, 4*size.elements)
		if err != nil {
			s.Release()
			return nil, fmt.Errorf("model: buffer %q: %w", size.label, err)
		}
		s.buffers = append(s.buffers, b)
		*targets[i] = b
	}
	if err := s.SetPosition(0); err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

// SetPosition makes pos the current position.
func (s *State) SetPosition(pos int) error { return s.writeUint32(s.position, 0, []int{pos}) }

// SetTokens puts token ids at positions pos, pos+1, ...
func (s *State) SetTokens(pos int, ids []int) error { return s.writeUint32(s.tokens, pos, ids) }

func (s *State) writeUint32(b device.Buffer, at int, values []int) error {
	bytes := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], uint32(v))
	}
	if err := b.Write(4*at, bytes); err != nil {
		return fmt.Errorf("model: write %q: %w", b.Label(), err)
	}
	return nil
}

// Tokens reads the token ids at positions pos .. pos+n-1; NoToken stands for an argmax of logits that are not finite.
func (s *State) Tokens(pos, n int) ([]uint32, error) {
	bytes := make([]byte, 4*n)
	if err := s.tokens.Read(4*pos, bytes); err != nil {
		return nil, fmt.Errorf("model: read tokens: %w", err)
	}
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return ids, nil
}

// ReserveLogits makes room for the logits of rows steps of a command buffer.
func (s *State) ReserveLogits(rows int) error {
	if rows <= s.rows {
		return nil
	}
	b, err := s.m.dev.NewBuffer("logits", 4*rows*s.m.config.VocabSize)
	if err != nil {
		return fmt.Errorf("model: logits of %d steps: %w", rows, err)
	}
	if s.logits != nil {
		s.logits.Release()
	}
	s.logits, s.rows = b, rows
	return nil
}

// Logits reads one row of logits into dst [vocabSize].
func (s *State) Logits(row int, dst []float32) error {
	bytes := make([]byte, 4*len(dst))
	if err := s.logits.Read(4*row*s.m.config.VocabSize, bytes); err != nil {
		return fmt.Errorf("model: read logits: %w", err)
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return nil
}

// Release frees the device memory.
func (s *State) Release() {
	for _, b := range s.buffers {
		b.Release()
	}
	if s.logits != nil {
		s.logits.Release()
	}
	s.buffers, s.logits, s.rows = nil, nil, 0
}
