package kernels

import "github.com/octoryn/assay/engine/device"

// constants holds a value for every function constant of the sources, by the name it has there. A pipeline gets all of
// them: one its kernel does not use keeps the value that newConstants gives it.
type constants struct {
	useShuffle  bool    // 0
	simdgroups  int     // 1
	k           int     // 2
	rows        int     // 3
	affine      bool    // 4
	group       int     // 5
	r           int     // 6
	eps         float32 // 7
	embed       bool    // 8
	wide        bool    // 9
	blocks      int     // 10
	bias        bool    // 11
	experts     int     // 12
	topK        int     // 13
	normTopK    bool    // 14
	moe         bool    // 15
	storeLogits bool    // 16
	headDim     int     // 17
	heads       int     // 18
	kvHeads     int     // 19
	headsAtOnce int     // 20
	queryScale  float32 // 21
}

// newConstants returns values under which every derived constant of the sources is defined.
func newConstants(s Shapes) constants {
	return constants{
		useShuffle: s.Shuffle, simdgroups: 1, k: 32, rows: 2, group: 64, r: 2, blocks: 1, experts: 1, topK: 1,
		headDim: 32, heads: 1, kvHeads: 1, headsAtOnce: 1,
	}
}

func (c constants) list() []device.Constant {
	values := []any{
		c.useShuffle, uint32(c.simdgroups), uint32(c.k), uint32(c.rows), c.affine, uint32(c.group), uint32(c.r), c.eps,
		c.embed, c.wide, uint32(c.blocks), c.bias, uint32(c.experts), uint32(c.topK), c.normTopK, c.moe, c.storeLogits,
		uint32(c.headDim), uint32(c.heads), uint32(c.kvHeads), uint32(c.headsAtOnce), c.queryScale,
	}
	out := make([]device.Constant, len(values))
	for i, v := range values {
		out[i] = device.Constant{Index: i, Value: v}
	}
	return out
}
