package conformance

import "sync"

// memo computes a value once and remembers it, error included.
type memo[T any] struct {
	once sync.Once
	v    T
	err  error
}

func (m *memo[T]) get(compute func() (T, error)) (T, error) {
	m.once.Do(func() { m.v, m.err = compute() })
	return m.v, m.err
}

// peek returns what was computed, or zero values when nothing was.
func (m *memo[T]) peek() (T, error) { return m.v, m.err }
