package conformance_test

import (
	"context"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/engine/device"
)

// detour is a device that leads the engine's calls off the fast path, above a recorder.
type detour struct {
	device.Device
	fallback device.Library                        // the same kernels under other names
	made     map[device.Pipeline][]device.Constant // constants of each pipeline
	dispatch func(c *detourBuffer, d device.Dispatch) error
	alloc    func(label string, n int) int
}

func (t *detour) Compile(sources []device.Source) (device.Library, error) {
	renamed := append([]device.Source(nil), sources...)
	for i := range renamed {
		renamed[i].Text = strings.ReplaceAll(renamed[i].Text, "kernel void gate_up(", "kernel void gate_up_fallback(")
	}
	var err error
	if t.fallback, err = t.Device.Compile(renamed); err != nil {
		return nil, err
	}
	l, err := t.Device.Compile(sources)
	return &detourLibrary{l, t}, err
}

type detourLibrary struct {
	device.Library
	t *detour
}

func (l *detourLibrary) Pipeline(kernel string, constants []device.Constant) (device.Pipeline, error) {
	p, err := l.Library.Pipeline(kernel, constants)
	l.t.made[p] = constants
	return p, err
}

func (t *detour) NewBuffer(label string, n int) (device.Buffer, error) {
	if t.alloc != nil {
		n = t.alloc(label, n)
	}
	return t.Device.NewBuffer(label, n)
}

func (t *detour) NewCommandBuffer(label string) (device.CommandBuffer, error) {
	c, err := t.Device.NewCommandBuffer(label)
	return &detourBuffer{c, t, label}, err
}

type detourBuffer struct {
	device.CommandBuffer
	t     *detour
	label string
}

func (b *detourBuffer) Dispatch(d device.Dispatch) error {
	if b.t.dispatch != nil {
		return b.t.dispatch(b, d)
	}
	return b.CommandBuffer.Dispatch(d)
}

// leadAstray runs the engine over a detour; the recorder sees what it comes to.
func leadAstray(change func(t *detour)) func(context.Context, *conformance.Subject) {
	return func(_ context.Context, s *conformance.Subject) {
		open := func() (device.Device, *device.Recorder, error) {
			inner, err := backend.Open(backend.Default)
			if err != nil {
				return nil, nil, err
			}
			r := device.Record(inner)
			t := &detour{Device: r, made: map[device.Pipeline][]device.Constant{}}
			change(t)
			return t, r, nil
		}
		s.Recorded = open
		s.Device = func() (device.Device, error) { d, _, err := open(); return d, err }
	}
}

// before does something before the given role of layer 1, in one step or, below 0, in all.
func before(role string, step int, do func(b *detourBuffer, d device.Dispatch) error) func(t *detour) {
	return func(t *detour) {
		t.dispatch = func(b *detourBuffer, d device.Dispatch) error {
			if d.Tag.Role == role && d.Tag.Layer == 1 && (step < 0 || d.Tag.Step == step) {
				if err := do(b, d); err != nil {
					return err
				}
			}
			return b.CommandBuffer.Dispatch(d)
		}
	}
}

var _ = describeControls("E", brief, []control{
	{name: "one layer runs a kernel of another name that computes the same", fixture: moe, red: []string{eGrid}, green: []string{cIDs, bBound, fOnce},
		plant: leadAstray(func(t *detour) {
			t.dispatch = func(b *detourBuffer, d device.Dispatch) error {
				if d.Tag.Role == "gate_up" && d.Tag.Layer == 1 && d.Tag.Step == 3 {
					p, err := t.fallback.Pipeline("gate_up_fallback", t.made[d.Pipeline])
					Expect(err).NotTo(HaveOccurred())
					d.Pipeline = p
				}
				return b.CommandBuffer.Dispatch(d)
			}
		})},
	{name: "the router of one layer runs twice", fixture: moe, red: []string{eGrid, iCounts}, green: []string{cIDs, bBound},
		plant: leadAstray(before("router", 2, func(b *detourBuffer, d device.Dispatch) error {
			if err := b.CommandBuffer.Dispatch(d); err != nil {
				return err
			}
			return b.CommandBuffer.Barrier()
		}))},
	{name: "a step is tagged as another layer's", fixture: moe, red: []string{eGrid}, green: []string{cIDs},
		plant: leadAstray(func(t *detour) {
			t.dispatch = func(b *detourBuffer, d device.Dispatch) error {
				if d.Tag.Role == "qkv" && d.Tag.Layer == 2 && d.Tag.Step == 1 {
					d.Tag.Layer = 1
				}
				return b.CommandBuffer.Dispatch(d)
			}
		})},
})

var _ = describeControls("F", brief, []control{
	{name: "the host writes a key while the command buffer is open", fixture: moe, red: []string{fOnce}, green: []string{cIDs, eGrid},
		plant: leadAstray(before("attention_block", 5, func(_ *detourBuffer, d device.Dispatch) error {
			two := make([]byte, 2)
			if err := d.Args[4].Buffer.Read(d.Args[4].OffsetBytes, two); err != nil {
				return err
			}
			return d.Args[4].Buffer.Write(d.Args[4].OffsetBytes, two)
		}))},
	{name: "the host reads back the router's choice", fixture: moe, red: []string{fOnce}, green: []string{cIDs, eGrid},
		plant: leadAstray(before("gate_up", 5, func(_ *detourBuffer, d device.Dispatch) error {
			return d.Args[7].Buffer.Read(0, make([]byte, 4))
		}))},
	{name: "the host waits after every layer", fixture: moe, red: []string{fOnce}, green: []string{cIDs},
		plant: leadAstray(before("qkv", -1, func(b *detourBuffer, _ device.Dispatch) error {
			if err := b.CommandBuffer.Commit(); err != nil {
				return err
			}
			if err := b.CommandBuffer.Wait(); err != nil {
				return err
			}
			c, err := b.t.Device.NewCommandBuffer(b.label)
			b.CommandBuffer = c
			return err
		}))},
})

var _ = describeControls("D", brief, []control{
	{name: "the position is off by one where a command buffer begins at 7", fixture: moe, red: []string{dPrefill}, green: []string{eGrid},
		plant: leadAstray(func(t *detour) {
			t.dispatch = func(b *detourBuffer, d device.Dispatch) error {
				if d.Tag.Role == "qkv" && d.Tag.Layer == 0 && d.Tag.Step == 0 {
					at := make([]byte, 4)
					if err := d.Args[9].Buffer.Read(0, at); err != nil {
						return err
					}
					if at[0] == 7 {
						if err := d.Args[9].Buffer.Write(0, []byte{6, 0, 0, 0}); err != nil {
							return err
						}
					}
				}
				return b.CommandBuffer.Dispatch(d)
			}
		})},
	{name: "the first step of a command buffer decodes with the rope of another position", fixture: moe, red: []string{dDecode},
		plant: leadAstray(func(t *detour) {
			t.dispatch = func(b *detourBuffer, d device.Dispatch) error {
				if d.Tag.Role == "attention_block" && d.Tag.Step == 0 && d.Tag.Layer == 1 {
					d.Args[3].OffsetBytes += 8
				}
				return b.CommandBuffer.Dispatch(d)
			}
		})},
})

var _ = describeControls("J", brief, []control{
	{name: "a buffer is four bytes longer", fixture: moe, red: []string{jMemory}, green: []string{cIDs},
		plant: leadAstray(func(t *detour) {
			t.alloc = func(label string, n int) int {
				if label == "qkv" {
					return n + 4
				}
				return n
			}
		})},
})
