package oracle

import (
	"fmt"
	"math"

	"github.com/octoryn/assay/oracle/f16"
)

// kvCache holds the keys and values of one layer, by key-value head.
type kvCache struct {
	headDim  int
	capacity int         // positions there is room for
	keys     [][]float64 // [kvHeads][capacity, headDim]
	values   [][]float64 // [kvHeads][headDim, capacity]: a value's elements stand capacity apart
	// Sums of squares of each key and value, for the errors of Perturb: [kvHeads][capacity].
	valueSquares, keySquares [][]float64
}

func newKVCache(kvHeads, headDim int) *kvCache {
	return &kvCache{headDim: headDim, keys: make([][]float64, kvHeads), values: make([][]float64, kvHeads),
		keySquares: make([][]float64, kvHeads), valueSquares: make([][]float64, kvHeads)}
}

// grow makes room for n positions, of which the first length hold data.
func (c *kvCache) grow(n, length int) {
	if n <= c.capacity {
		return
	}
	capacity := max(n, 2*c.capacity, 64)
	for g := range c.keys {
		keys, values := make([]float64, capacity*c.headDim), make([]float64, capacity*c.headDim)
		copy(keys, c.keys[g][:length*c.headDim])
		for d := range c.headDim {
			copy(values[d*capacity:], c.values[g][d*c.capacity:d*c.capacity+length])
		}
		c.keys[g], c.values[g] = keys, values
		c.keySquares[g] = append(make([]float64, 0, capacity), c.keySquares[g][:length]...)[:capacity]
		c.valueSquares[g] = append(make([]float64, 0, capacity), c.valueSquares[g][:length]...)[:capacity]
	}
	c.capacity = capacity
}

// store puts keys and values of new tokens at positions start and up. k and v are [tokens, kvHeads*headDim], k after
// norm and rotation.
func (c *kvCache) store(start int, k, v rows, format KVFormat) error {
	c.grow(start+k.n, start)
	for t := range k.n {
		pos := start + t
		for g := range c.keys {
			key, value := k.at(t)[g*c.headDim:(g+1)*c.headDim], v.at(t)[g*c.headDim:(g+1)*c.headDim]
			if format == KVFloat16 {
				if err := roundFloat16("key", pos, g, key); err != nil {
					return err
				}
				if err := roundFloat16("value", pos, g, value); err != nil {
					return err
				}
			}
			copy(c.keys[g][pos*c.headDim:], key)
			for d, x := range value {
				c.values[g][d*c.capacity+pos] = x
			}
			c.keySquares[g][pos], c.valueSquares[g][pos] = squares(key), squares(value)
		}
	}
	return nil
}

func roundFloat16(what string, pos, head int, x []float64) error {
	for d, v := range x {
		x[d] = f16.Round(v)
		if math.IsInf(x[d], 0) {
			return fmt.Errorf("%s at position %d, head %d, element %d: got %g, want at most %d for float16", what, pos, head, d, v, f16.Largest)
		}
	}
	return nil
}
