package kernels

import (
	"fmt"
	"math"

	"github.com/octoryn/assay/engine/device"
)

// Launch is a kernel with its shape fixed: what to build a pipeline from, and the sizes every dispatch of it has.
type Launch struct {
	Kernel                string
	Constants             []device.Constant
	Threadgroups          device.Size // zero X: depends on the position, see AttentionBlock
	ThreadsPerThreadgroup device.Size
	ThreadgroupBytes      int // dynamic memory at [[threadgroup(0)]]; 0 when the kernel has none
}

// Shapes makes launches for one device.
type Shapes struct {
	Shuffle             bool // simdgroup shuffles of width 32 exist
	MaxThreads          int  // in a threadgroup
	MaxThreadgroupBytes int
	Concurrency         int // threadgroups that run at once
}

// ShapesFor reads what matters from a device's description.
func ShapesFor(i device.Info) Shapes {
	return Shapes{
		Shuffle:             i.SupportsSimdShuffle && i.ThreadExecutionWidth == 32,
		MaxThreads:          i.MaxThreadsPerThreadgroup,
		MaxThreadgroupBytes: i.MaxThreadgroupMemoryBytes,
		Concurrency:         max(1, i.ConcurrentThreadgroupsHint),
	}
}

// Matrix is the shape of a packed matrix, or of one expert's.
type Matrix struct {
	Rows, K   int
	Affine    bool
	GroupSize int // 32, 64 or 128
}

// Attention is the shape of the attention of one layer.
type Attention struct {
	HeadDim, Heads, KVHeads int
	Eps                     float32
}

// Experts is the shape of a router.
type Experts struct {
	Count, TopK int
	NormTopK    bool // weights sum to one over the chosen experts
}

// Limits of the kernels, whatever the device.
const (
	MaxTopK    = 16
	MaxExperts = 1024
	MaxHeadDim = 256
	// BlockPositions is the number of KV positions of a block of attention, by absolute position. It is a constant of
	// the numeric contract.
	BlockPositions = 256
	// HeadsAtOnce is the largest number of query heads that share one pass over a tile of keys or values.
	HeadsAtOnce = 4
)

// QKV launches the fused projection; embed makes it read the embedding row of the current token (float32 when wide).
func (s Shapes) QKV(m Matrix, t Tile, eps float32, embed, wide, bias bool) (Launch, error) {
	c := s.matrix(m, t)
	c.eps, c.embed, c.wide, c.bias = eps, embed, wide, bias
	return s.launch("qkv", c, tiles(m, t), t.Simdgroups, m.K+8)
}

// ProjectResidual launches a projection that is added to the residual.
func (s Shapes) ProjectResidual(m Matrix, t Tile, bias bool) (Launch, error) {
	c := s.matrix(m, t)
	c.bias = bias
	return s.launch("project_residual", c, tiles(m, t), t.Simdgroups, 0)
}

// Router launches the router of hidden values; wide says that its weights are float32.
func (s Shapes) Router(hidden int, e Experts, t Tile, eps float32, wide bool) (Launch, error) {
	c := s.matrix(Matrix{Rows: e.Count, K: hidden, GroupSize: 64}, t)
	c.eps, c.wide, c.blocks = eps, wide, 1
	c.experts, c.topK, c.normTopK = e.Count, e.TopK, e.NormTopK
	grid := device.Size{X: ceilDiv(e.Count, t.Rows*t.Simdgroups)}
	return s.launch("router", c, grid, t.Simdgroups, hidden+8)
}

// GateUp launches the first half of an MLP: a dense one when e is nil, else that of each chosen expert. t.Rows must be
// at least 2.
func (s Shapes) GateUp(m Matrix, t Tile, eps float32, e *Experts) (Launch, error) {
	if t.Rows < 2 {
		return Launch{}, fmt.Errorf("kernels: gate_up: %d rows a simdgroup, want at least 2", t.Rows)
	}
	c := s.matrix(m, t)
	c.eps = eps
	grid := tiles(m, t)
	if e != nil {
		c.moe, c.experts, c.topK, c.normTopK = true, e.Count, e.TopK, e.NormTopK
		grid.Y = e.TopK
	}
	return s.launch("gate_up", c, grid, t.Simdgroups, m.K+12)
}

// ExpertDown launches the second half of a sparse MLP. t.Simdgroups is ignored: there is one for each chosen expert.
func (s Shapes) ExpertDown(m Matrix, t Tile, e Experts) (Launch, error) {
	t.Simdgroups = e.TopK
	c := s.matrix(m, t)
	c.experts, c.topK, c.normTopK = e.Count, e.TopK, e.NormTopK
	grid := device.Size{X: ceilDiv(m.Rows, t.Rows*t.Blocks)}
	return s.launch("expert_down", c, grid, e.TopK, e.TopK*t.Rows)
}

// LMHead launches the output head. Threadgroups.X is the number of candidates it leaves for Argmax.
func (s Shapes) LMHead(m Matrix, t Tile, eps float32, storeLogits bool) (Launch, error) {
	c := s.matrix(m, t)
	c.eps, c.storeLogits = eps, storeLogits
	return s.launch("lm_head", c, tiles(m, t), t.Simdgroups, m.K+8+2*t.Simdgroups)
}

// Argmax launches the end of a step whose next token is the argmax.
func (s Shapes) Argmax() (Launch, error) {
	return s.launch("argmax", newConstants(s), device.Size{X: 1}, 1, 0)
}

// Advance launches the end of a step whose next token is known.
func (s Shapes) Advance() (Launch, error) {
	l, err := s.launch("advance", newConstants(s), device.Size{X: 1}, 1, 0)
	l.ThreadgroupBytes = 0
	return l, err
}

// AttentionBlock launches the attention over one block of positions a threadgroup. simdgroups is 1, 2, 4 or 8.
// Threadgroups.X is left zero: it is pos/BlockPositions + 1.
func (s Shapes) AttentionBlock(a Attention, simdgroups int) (Launch, error) {
	if err := a.check(); err != nil {
		return Launch{}, err
	}
	if simdgroups < 1 || 8%simdgroups != 0 {
		return Launch{}, fmt.Errorf("kernels: attention_block: %d simdgroups, want 1, 2, 4 or 8", simdgroups)
	}
	headsAKV := a.Heads / a.KVHeads
	var l Launch
	var err error
	for atOnce := HeadsAtOnce; atOnce >= 1; atOnce-- {
		if headsAKV%atOnce != 0 {
			continue
		}
		c := s.attention(a)
		c.simdgroups, c.headsAtOnce = simdgroups, atOnce
		floats := headsAKV*(a.HeadDim+BlockPositions+8) + 8*atOnce*a.HeadDim
		if l, err = s.launch("attention_block", c, device.Size{Y: a.KVHeads}, simdgroups, floats); err == nil {
			return l, nil
		}
	}
	return l, err
}

// AttentionMerge launches the merge of the blocks of every head.
func (s Shapes) AttentionMerge(a Attention) (Launch, error) {
	if err := a.check(); err != nil {
		return Launch{}, err
	}
	c := s.attention(a)
	c.simdgroups = a.HeadDim / 32
	l, err := s.launch("attention_merge", c, device.Size{X: a.Heads}, c.simdgroups, 0)
	l.ThreadgroupBytes = 0
	return l, err
}

func (a Attention) check() error {
	switch {
	case a.HeadDim <= 0 || a.HeadDim%32 != 0 || a.HeadDim > MaxHeadDim:
		return fmt.Errorf("kernels: head_dim %d, want a multiple of 32, at most %d", a.HeadDim, MaxHeadDim)
	case a.KVHeads <= 0 || a.Heads <= 0 || a.Heads%a.KVHeads != 0:
		return fmt.Errorf("kernels: %d query heads do not share %d KV heads evenly", a.Heads, a.KVHeads)
	}
	return nil
}

func (s Shapes) attention(a Attention) constants {
	c := newConstants(s)
	c.headDim, c.heads, c.kvHeads, c.eps = a.HeadDim, a.Heads, a.KVHeads, a.Eps
	c.queryScale = float32(1 / math.Sqrt(float64(a.HeadDim)))
	return c
}

func (s Shapes) matrix(m Matrix, t Tile) constants {
	c := newConstants(s)
	c.k, c.rows, c.affine, c.group = m.K, m.Rows, m.Affine, m.GroupSize
	c.simdgroups, c.r, c.blocks = t.Simdgroups, t.Rows, t.Blocks
	return c
}

func tiles(m Matrix, t Tile) device.Size {
	return device.Size{X: ceilDiv(m.Rows, t.Rows*t.Simdgroups*t.Blocks)}
}

// launch checks what every kernel shares and adds the memory of exchanges.
func (s Shapes) launch(kernel string, c constants, grid device.Size, simdgroups, floats int) (Launch, error) {
	switch {
	case c.k <= 0 || c.k%32 != 0:
		return Launch{}, fmt.Errorf("kernels: %s: rows of %d values, want a multiple of 32", kernel, c.k)
	case c.rows < 1:
		return Launch{}, fmt.Errorf("kernels: %s: %d rows", kernel, c.rows)
	case c.group != 32 && c.group != 64 && c.group != 128:
		return Launch{}, fmt.Errorf("kernels: %s: group size %d, want 32, 64 or 128", kernel, c.group)
	case c.r != 1 && c.r != 2 && c.r != 4 && c.r != 8 && c.r != 16:
		return Launch{}, fmt.Errorf("kernels: %s: %d rows a simdgroup, want 1, 2, 4, 8 or 16", kernel, c.r)
	case c.blocks < 1:
		return Launch{}, fmt.Errorf("kernels: %s: %d blocks a simdgroup, want at least 1", kernel, c.blocks)
	case c.topK < 1 || c.topK > MaxTopK || c.topK > c.experts:
		return Launch{}, fmt.Errorf("kernels: %s: top %d of %d experts, want at most %d and no more than there are", kernel, c.topK, c.experts, MaxTopK)
	case c.experts > MaxExperts:
		return Launch{}, fmt.Errorf("kernels: %s: %d experts, want at most %d", kernel, c.experts, MaxExperts)
	case simdgroups < 1 || simdgroups*32 > s.MaxThreads:
		return Launch{}, fmt.Errorf("kernels: %s: %d threads a threadgroup, want 32 to %d", kernel, simdgroups*32, s.MaxThreads)
	}
	if !s.Shuffle {
		floats += simdgroups * 32
	}
	bytes := max(16, (floats*4+15)&^15)
	if bytes > s.MaxThreadgroupBytes {
		return Launch{}, fmt.Errorf("kernels: %s: %d bytes of threadgroup memory, the device has %d", kernel, bytes, s.MaxThreadgroupBytes)
	}
	return Launch{
		Kernel: kernel, Constants: c.list(), Threadgroups: grid,
		ThreadsPerThreadgroup: device.Size{X: simdgroups * 32}, ThreadgroupBytes: bytes,
	}, nil
}
