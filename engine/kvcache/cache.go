package kvcache

import (
	"encoding/binary"
	"fmt"

	"github.com/octoryn/assay/engine/device"
)

// PagePositions is the number of positions of a page: a block of attention.
const PagePositions = 256

// poison is the float16 NaN that fills unused slots.
const poison = 0x7e5a

// Shape is what a cache must hold.
type Shape struct {
	NumLayers, NumKVHeads, HeadDim int
	MaxSeqLen                      int // positions
}

// Pages is the number of pages a head has room for.
func (s Shape) Pages() int { return (s.MaxSeqLen + PagePositions - 1) / PagePositions }

// LayerBytes is the size of one layer's keys, and of its values.
func (s Shape) LayerBytes() int { return 2 * s.NumKVHeads * s.Pages() * PagePositions * s.HeadDim }

// Bytes is what a cache of this shape takes on the device.
func (s Shape) Bytes() int64 { return 2 * int64(s.NumLayers) * int64(s.LayerBytes()) }

// Cache is the KV cache of one sequence.
type Cache struct {
	shape        Shape
	keys, values device.Buffer
}

// New makes a cache in which every slot is poison.
func New(dev device.Device, s Shape) (*Cache, error) {
	if limit := dev.Info().MaxBufferBytes; limit > 0 && s.NumLayers*s.LayerBytes() > limit {
		return nil, fmt.Errorf("kvcache: keys of %d positions take %d bytes, the device's buffers hold %d", s.MaxSeqLen, s.NumLayers*s.LayerBytes(), limit)
	}
	c := &Cache{shape: s}
	var err error
	if c.keys, err = dev.NewBuffer("kv keys", s.NumLayers*s.LayerBytes()); err != nil {
		return nil, fmt.Errorf("kvcache: %w", err)
	}
	if c.values, err = dev.NewBuffer("kv values", s.NumLayers*s.LayerBytes()); err != nil {
		c.Release()
		return nil, fmt.Errorf("kvcache: %w", err)
	}
	if err := c.Poison(0, s.Pages()*PagePositions); err != nil {
		c.Release()
		return nil, err
	}
	return c, nil
}

// Shape is what the cache was made for.
func (c *Cache) Shape() Shape { return c.shape }

// Keys returns the keys' buffer and the offset of a layer in it.
func (c *Cache) Keys(layer int) (device.Buffer, int) { return c.keys, layer * c.shape.LayerBytes() }

// Values returns the values' buffer and the offset of a layer in it.
func (c *Cache) Values(layer int) (device.Buffer, int) { return c.values, layer * c.shape.LayerBytes() }

// Poison overwrites the slots of positions [from, to) with NaN.
func (c *Cache) Poison(from, to int) error {
	s := c.shape
	if from < 0 || to < from || to > s.Pages()*PagePositions {
		return fmt.Errorf("kvcache: poison positions [%d, %d) of %d", from, to, s.Pages()*PagePositions)
	}
	nan := make([]byte, 2*PagePositions*s.HeadDim)
	for i := 0; i < len(nan); i += 2 {
		binary.LittleEndian.PutUint16(nan[i:], poison)
	}
	// Run by run of positions inside one tile, or page by page where a whole page goes.
	for pos := from; pos < to; {
		n := min(to-pos, 32-pos%32)
		if pos%PagePositions == 0 && to-pos >= PagePositions {
			n = PagePositions
		}
		for layer := range s.NumLayers {
			for head := range s.NumKVHeads {
				page := layer*s.LayerBytes() + (head*s.Pages()+pos/PagePositions)*len(nan)
				if err := c.values.Write(page+2*(pos%PagePositions)*s.HeadDim, nan[:2*n*s.HeadDim]); err != nil {
					return fmt.Errorf("kvcache: %w", err)
				}
				if n%32 == 0 {
					if err := c.keys.Write(page+2*(pos%PagePositions)*s.HeadDim, nan[:2*n*s.HeadDim]); err != nil {
						return fmt.Errorf("kvcache: %w", err)
					}
					continue
				}
				tile := page + 2*(pos%PagePositions/32*32)*s.HeadDim
				for chunk := range s.HeadDim / 4 {
					if err := c.keys.Write(tile+256*chunk+8*(pos%32), nan[:8*n]); err != nil {
						return fmt.Errorf("kvcache: %w", err)
					}
				}
			}
		}
		pos += n
	}
	return nil
}

// KeyOffset is the byte offset of dimension d of the key of a position in Keys' buffer.
func (s Shape) KeyOffset(layer, head, pos, d int) int {
	c := s.HeadDim / 32
	l, e := d/c, d%c
	chunk := l/4*c + e
	page := layer*s.LayerBytes() + (head*s.Pages()+pos/PagePositions)*2*PagePositions*s.HeadDim
	return page + 2*((pos%PagePositions/32*(s.HeadDim/4)+chunk)*128+pos%32*4+l%4)
}

// ValueOffset is the byte offset of dimension d of the value of a position in Values' buffer.
func (s Shape) ValueOffset(layer, head, pos, d int) int {
	page := layer*s.LayerBytes() + (head*s.Pages()+pos/PagePositions)*2*PagePositions*s.HeadDim
	return page + 2*(pos%PagePositions*s.HeadDim+d)
}

// Release frees the device memory.
func (c *Cache) Release() {
	for _, b := range []device.Buffer{c.keys, c.values} {
		if b != nil {
			b.Release()
		}
	}
	c.keys, c.values = nil, nil
}
