package engine

// CacheBytes reads the whole KV cache: what a spec compares, poison included.
func (s *Sequence) CacheBytes() ([]byte, error) {
	keys, _ := s.cache.Keys(0)
	values, _ := s.cache.Values(0)
	n := keys.LengthBytes()
	out := make([]byte, n+values.LengthBytes())
	if err := keys.Read(0, out[:n]); err != nil {
		return nil, err
	}
	return out, values.Read(0, out[n:])
}
