package model

import (
	"encoding/binary"
	"fmt"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/kernels"
	"github.com/octoryn/assay/engine/kvcache"
)

// Roles of dispatches, as they stand in a [device.Tag].
const (
	RoleQKV            = "qkv"
	RoleAttentionBlock = "attention_block"
	RoleAttentionMerge = "attention_merge"
	RoleOProj          = "o_proj"
	RoleRouter         = "router"
	RoleGateUp         = "gate_up"
	RoleDown           = "down"
	RoleLMHead         = "lm_head"
	RoleArgmax         = "argmax"
	RoleAdvance        = "advance"
)

// Step says what a token's pass is for.
type Step struct {
	Index    int  // within the command buffer: the tag's Step
	Pos      int  // the position of the token; the device must be there by then
	LogitRow int  // row of the logits to store; -1 for none
	Argmax   bool // the argmax becomes the token of the next position
}

// EncodeStep appends one token's pass: the token at Step.Pos of the state's token ids, with a barrier after each dispatch.
func (m *Model) EncodeStep(cb device.CommandBuffer, s *State, cache *kvcache.Cache, step Step) error {
	e := encoder{cb: cb, step: step.Index}
	c, w := m.config, m.weights
	blocks := step.Pos/kernels.BlockPositions + 1
	capacity := uint32Bytes(cache.Shape().Pages())
	for i := range m.launches.layers {
		l, lw := m.launches.layers[i], w.layers[i]
		e.layer = i
		keys, keyOffset := cache.Keys(i)
		values, valueOffset := cache.Values(i)
		// Layer 0 writes the embedding row where other layers read the residual stream.
		in, embedded := whole(s.hidden[0]), whole(s.hidden[1])
		if i == 0 {
			in, embedded = embedded, in
		}
		e.dispatch(RoleQKV, l.qkv, l.qkv.Threadgroups.X,
			in, lw.inputNorm, lw.qkv.codes, lw.qkv.scales, or(lw.qkv.offsets, lw.qkv.scales), or(lw.qkvBias, lw.inputNorm),
			whole(s.qkv), w.embeddings, whole(s.tokens), whole(s.position), embedded, uint32Bytes(c.VocabSize))
		e.dispatch(RoleAttentionBlock, m.launches.block, blocks,
			whole(s.qkv), lw.qNorm, lw.kNorm, w.rope, view{keys, keyOffset}, view{values, valueOffset},
			whole(s.maxima), whole(s.sums), whole(s.partials), whole(s.position), capacity)
		e.dispatch(RoleAttentionMerge, m.launches.merge, m.launches.merge.Threadgroups.X,
			whole(s.maxima), whole(s.sums), whole(s.partials), whole(s.attended), whole(s.position), capacity)
		e.dispatch(RoleOProj, l.o, l.o.Threadgroups.X,
			whole(s.attended), lw.o.codes, lw.o.scales, or(lw.o.offsets, lw.o.scales), or(lw.oBias, lw.inputNorm), whole(s.hidden[0]), whole(s.hidden[1]))
		if c.IsSparse(i) {
			e.dispatch(RoleRouter, l.router, l.router.Threadgroups.X, whole(s.hidden[1]), lw.postNorm, lw.router, whole(s.router))
		}
		e.dispatch(RoleGateUp, l.gateUp, l.gateUp.Threadgroups.X,
			whole(s.hidden[1]), lw.postNorm, lw.gateUp.codes, lw.gateUp.scales, or(lw.gateUp.offsets, lw.gateUp.scales),
			whole(s.router), whole(s.act), whole(s.ids), whole(s.shares))
		if c.IsSparse(i) {
			e.dispatch(RoleDown, l.down, l.down.Threadgroups.X,
				whole(s.act), whole(s.ids), whole(s.shares), lw.down.codes, lw.down.scales, or(lw.down.offsets, lw.down.scales),
				whole(s.hidden[1]), whole(s.hidden[0]))
			continue
		}
		e.dispatch(RoleDown, l.down, l.down.Threadgroups.X,
			whole(s.act), lw.down.codes, lw.down.scales, or(lw.down.offsets, lw.down.scales), lw.inputNorm, whole(s.hidden[1]), whole(s.hidden[0]))
	}
	e.layer = -1
	if step.Argmax || step.LogitRow >= 0 {
		head, logits := m.launches.lmHead, whole(s.best)
		if step.LogitRow >= 0 {
			head, logits = m.launches.lmHeadStored, view{s.logits, 4 * step.LogitRow * c.VocabSize}
		}
		e.dispatch(RoleLMHead, head, head.Threadgroups.X,
			whole(s.hidden[0]), w.finalNorm, w.lmHead.codes, w.lmHead.scales, or(w.lmHead.offsets, w.lmHead.scales), logits, whole(s.best), whole(s.bestToken))
	}
	if step.Argmax {
		e.dispatch(RoleArgmax, m.launches.argmax, 1,
			whole(s.best), whole(s.bestToken), whole(s.tokens), whole(s.position), uint32Bytes(m.launches.candidates))
	} else {
		e.dispatch(RoleAdvance, m.launches.advance, 1, whole(s.position))
	}
	return e.err
}

// whole is a buffer from its start.
func whole(b device.Buffer) view { return view{buffer: b} }

// or is v, or instead where a kernel does not read the argument in this configuration.
func or(v, instead view) view {
	if v.buffer == nil {
		return instead
	}
	return v
}

// inline is an argument of inline bytes.
type inline []byte

func uint32Bytes(v int) inline { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }

// encoder appends dispatches and keeps the first error.
type encoder struct {
	cb    device.CommandBuffer
	step  int
	layer int
	err   error
}

// dispatch appends a launch of width threadgroups, with args in slots 0, 1, ..., and a barrier.
func (e *encoder) dispatch(role string, l launch, width int, args ...any) {
	if e.err != nil {
		return
	}
	d := device.Dispatch{
		Tag: device.Tag{Role: role, Layer: e.layer, Step: e.step}, Pipeline: l.pipeline,
		Threadgroups: l.Threadgroups, ThreadsPerThreadgroup: l.ThreadsPerThreadgroup, Args: make([]device.Arg, 0, len(args)+1),
	}
	d.Threadgroups.X = width
	for i, a := range args {
		arg := device.Arg{Index: i}
		switch a := a.(type) {
		case view:
			arg.Buffer, arg.OffsetBytes = a.buffer, a.offset
		case inline:
			arg.Bytes = a
		}
		d.Args = append(d.Args, arg)
	}
	if l.ThreadgroupBytes > 0 {
		d.Args = append(d.Args, device.Arg{ThreadgroupBytes: l.ThreadgroupBytes})
	}
	err := e.cb.Dispatch(d)
	if err == nil {
		err = e.cb.Barrier()
	}
	if err != nil {
		e.err = fmt.Errorf("model: %s, layer %d, step %d: %w", role, e.layer, e.step, err)
	}
}
