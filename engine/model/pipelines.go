package model

import (
	"fmt"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/int4"
	"github.com/octoryn/assay/engine/kernels"
)

// launch is a kernel's shape with its pipeline.
type launch struct {
	kernels.Launch
	pipeline device.Pipeline
}

// layerLaunches are those of one decoder block.
type layerLaunches struct{ qkv, o, router, gateUp, down launch }

// launches are all of a model's. Layers of the same kind share pipelines.
type launches struct {
	layers               []layerLaunches
	block, merge         launch
	lmHead, lmHeadStored launch
	argmax, advance      launch
	candidates           int // that lm_head leaves for argmax
}

// buildLaunches compiles the kernels and specialises them for a configuration.
func buildLaunches(dev device.Device, f *checkpoint.Folder) (*launches, error) {
	c := f.Config()
	library, err := dev.Compile(kernels.Sources())
	if err != nil {
		return nil, fmt.Errorf("model: compile kernels: %w", err)
	}
	s := kernels.ShapesFor(dev.Info())
	b := &builder{library: library, made: map[string]launch{}}
	eps := float32(c.RMSNormEps)
	format := f.Format()
	matrix := func(rows, k int) kernels.Matrix {
		return kernels.Matrix{Rows: rows, K: k, Affine: format.Scheme == int4.Affine, GroupSize: format.GroupSize}
	}
	experts := kernels.Experts{Count: c.NumExperts, TopK: c.NumExpertsPerTok, NormTopK: c.NormTopKProb}
	hidden, attended := c.HiddenSize, c.NumHeads*c.HeadDim
	project := func(rows, k int, bias bool) launch {
		m := matrix(rows, k)
		return b.make(s.ProjectResidual(m, s.Tile(rows, k, 1), bias))
	}

	out := &launches{layers: make([]layerLaunches, c.NumLayers)}
	for i := range out.layers {
		l := &out.layers[i]
		qkv := matrix(c.QKVRows(), hidden)
		l.qkv = b.make(s.QKV(qkv, s.Tile(qkv.Rows, hidden, 1), eps, i == 0, f.EmbedTokens().DType == checkpoint.F32, c.AttentionBias))
		l.o = project(hidden, attended, c.AttentionBias)
		if c.IsSparse(i) {
			gateUp, down := matrix(2*c.MoEIntermediateSize, hidden), matrix(hidden, c.MoEIntermediateSize)
			routerTile := kernels.Tile{Simdgroups: min(kernels.SimdgroupsPerThreadgroup, c.NumExperts), Rows: 1, Blocks: 1}
			l.router = b.make(s.Router(hidden, experts, routerTile, eps, f.Router(i).DType == checkpoint.F32))
			l.gateUp = b.make(s.GateUp(gateUp, s.Tile(gateUp.Rows, hidden, experts.TopK), eps, &experts))
			l.down = b.make(s.ExpertDown(down, s.Tile(hidden*experts.TopK, down.K, 1), experts))
			continue
		}
		gateUp := matrix(2*c.IntermediateSize, hidden)
		l.gateUp = b.make(s.GateUp(gateUp, s.Tile(gateUp.Rows, hidden, 1), eps, nil))
		l.down = project(hidden, c.IntermediateSize, false)
	}
	attention := kernels.Attention{HeadDim: c.HeadDim, Heads: c.NumHeads, KVHeads: c.NumKVHeads, Eps: eps}
	out.block = b.make(s.AttentionBlock(attention, kernels.SimdgroupsPerThreadgroup))
	out.merge = b.make(s.AttentionMerge(attention))
	head := matrix(c.VocabSize, hidden)
	out.lmHead = b.make(s.LMHead(head, s.Tile(c.VocabSize, hidden, 1), eps, false))
	out.lmHeadStored = b.make(s.LMHead(head, s.Tile(c.VocabSize, hidden, 1), eps, true))
	out.argmax = b.make(s.Argmax())
	out.advance = b.make(s.Advance())
	out.candidates = out.lmHead.Threadgroups.Count()
	return out, b.err
}

// builder makes each distinct pipeline once and keeps the first error.
type builder struct {
	library device.Library
	made    map[string]launch
	err     error
}

func (b *builder) make(l kernels.Launch, err error) launch {
	if b.err == nil && err != nil {
		b.err = fmt.Errorf("model: %w", err)
	}
	if b.err != nil {
		return launch{}
	}
	key := fmt.Sprint(l)
	if done, ok := b.made[key]; ok {
		return done
	}
	p, err := b.library.Pipeline(l.Kernel, l.Constants)
	if err != nil {
		b.err = fmt.Errorf("model: kernel %s: %w", l.Kernel, err)
		return launch{}
	}
	if threads := l.ThreadsPerThreadgroup.Count(); threads > p.MaxThreadsPerThreadgroup() {
		b.err = fmt.Errorf("model: kernel %s: %d threads a threadgroup, its pipeline allows %d", l.Kernel, threads, p.MaxThreadsPerThreadgroup())
	}
	done := launch{Launch: l, pipeline: p}
	b.made[key] = done
	return done
}
