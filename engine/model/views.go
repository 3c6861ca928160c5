package model

import (
	"fmt"
	"slices"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
)

// pageBytes is the alignment of no-copy buffers: the page size of Apple silicon, a multiple of every other.
const pageBytes = 16384

// view is a tensor's place in device memory.
type view struct {
	buffer device.Buffer
	offset int
}

// views binds tensors of mapped shards to no-copy buffers: one a shard, or several overlapping ones when the shard is
// longer than the device's longest buffer.
type views struct {
	buffers []device.Buffer
	shards  [][]window
}

// window is a stretch of a shard's file behind one buffer.
type window struct {
	from, to int
	buffer   device.Buffer
}

// newViews makes the buffers. tensors are all that will be asked for.
func newViews(dev device.Device, shards []checkpoint.Shard, tensors []checkpoint.Tensor) (*views, error) {
	v := &views{shards: make([][]window, len(shards))}
	limit := dev.Info().MaxBufferBytes
	tensors = slices.Clone(tensors)
	slices.SortFunc(tensors, func(a, b checkpoint.Tensor) int { return a.Offset - b.Offset })
	for i, shard := range shards {
		var windows []window
		if limit <= 0 || len(shard.Data) <= limit {
			windows = []window{{from: 0, to: len(shard.Data)}}
		} else {
			for _, t := range tensors {
				if t.Shard != i {
					continue
				}
				end := t.Offset + len(t.Data)
				if n := len(windows); n > 0 && end-windows[n-1].from <= limit {
					windows[n-1].to = max(windows[n-1].to, end)
					continue
				}
				from := t.Offset / pageBytes * pageBytes
				if end-from > limit {
					v.release()
					return nil, fmt.Errorf("model: tensor %q takes %d bytes, the device's buffers hold %d", t.Name, len(t.Data), limit)
				}
				windows = append(windows, window{from: from, to: end})
			}
		}
		for w := range windows {
			b, err := dev.NewBufferNoCopy("weights "+shard.Name, shard.Data[windows[w].from:windows[w].to:windows[w].to])
			if err != nil {
				v.release()
				return nil, fmt.Errorf("model: %s: %w", shard.Name, err)
			}
			windows[w].buffer = b
			v.buffers = append(v.buffers, b)
		}
		v.shards[i] = windows
	}
	return v, nil
}

// of returns where a tensor is. The zero Tensor has no place.
func (v *views) of(t checkpoint.Tensor) view {
	if t.Name == "" {
		return view{}
	}
	for _, w := range v.shards[t.Shard] {
		if t.Offset >= w.from && t.Offset+len(t.Data) <= w.to {
			return view{w.buffer, t.Offset - w.from}
		}
	}
	panic("model: tensor " + t.Name + " was not announced to newViews")
}

func (v *views) release() {
	for _, b := range v.buffers {
		b.Release()
	}
	v.buffers = nil
}
