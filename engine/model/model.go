package model

import (
	"fmt"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kvcache"
)

// Model is a checkpoint bound to a device. Its methods may be called from several goroutines.
type Model struct {
	dev       device.Device
	config    checkpoint.Config
	maxSeqLen int
	memory    Memory
	weights   *weights
	launches  *launches
}

// New checks the configuration, refuses a model that cannot fit, compiles the kernels and binds the weights.
// folder must stay open until Release. progress, when set, counts layers.
func New(dev device.Device, folder *checkpoint.Folder, maxSeqLen int, progress func(done, total int64)) (*Model, error) {
	c := folder.Config()
	if err := Check(c); err != nil {
		return nil, err
	}
	if maxSeqLen < 1 || maxSeqLen > c.MaxPositionEmbeddings {
		return nil, fmt.Errorf("model: context of %d tokens, want 1 to max_position_embeddings, %d", maxSeqLen, c.MaxPositionEmbeddings)
	}
	m := &Model{dev: dev, config: c, maxSeqLen: maxSeqLen, memory: PredictMemory(c, folder.Format(), maxSeqLen)}
	if room := dev.Info().RecommendedWorkingSetBytes; room > 0 && m.memory.Total() > room {
		return nil, fmt.Errorf("model: needs %d bytes of device memory (%d of them for a KV cache of %d tokens), the device recommends at most %d",
			m.memory.Total(), m.memory.KVCache, maxSeqLen, room)
	}
	var err error
	if m.launches, err = buildLaunches(dev, folder); err != nil {
		return nil, err
	}
	if m.weights, err = loadWeights(dev, folder, maxSeqLen, progress); err != nil {
		return nil, err
	}
	return m, nil
}

// Config is the checkpoint's configuration.
func (m *Model) Config() checkpoint.Config { return m.config }

// MaxSeqLen is the longest context, in tokens.
func (m *Model) MaxSeqLen() int { return m.maxSeqLen }

// Memory is the prediction for this model with one sequence.
func (m *Model) Memory() Memory { return m.memory }

// Device is what the model runs on.
func (m *Model) Device() device.Device { return m.dev }

// NewCache makes a KV cache for one sequence.
func (m *Model) NewCache() (*kvcache.Cache, error) {
	return kvcache.New(m.dev, cacheShape(m.config, m.maxSeqLen))
}

// Release frees the device memory. States and caches are released by their owners.
func (m *Model) Release() { m.weights.release() }
