package tokenizer

import "container/heap"

// mergeAll merges adjacent parts, the lowest rank first and leftmost among equals, until no merge applies.
//
// Parts are a doubly linked list in two slices and candidates a heap, so a piece of n bytes takes O(n log n): a
// megabyte without a space is one piece.
func (t *Tokenizer) mergeAll(parts []int) []int {
	n := len(parts)
	prev, next := make([]int, n), make([]int, n)
	for i := range parts {
		prev[i], next[i] = i-1, i+1
	}
	var h candidates
	consider := func(i int) {
		if i < 0 || next[i] >= n {
			return
		}
		left, right := parts[i], parts[next[i]]
		if m, ok := t.ranks[pair{left, right}]; ok {
			heap.Push(&h, candidate{merge: m, at: i, left: left, right: right})
		}
	}
	for i := range parts {
		consider(i)
	}
	for len(h) > 0 {
		c := heap.Pop(&h).(candidate)
		i := c.at
		if parts[i] != c.left || next[i] >= n || parts[next[i]] != c.right {
			continue // one of the two has been merged since
		}
		gone := next[i]
		parts[i], parts[gone] = c.id, -1
		next[i] = next[gone]
		if next[i] < n {
			prev[next[i]] = i
		}
		consider(prev[i])
		consider(i)
	}
	out := parts[:0]
	for i := 0; i < n; i = next[i] {
		out = append(out, parts[i])
	}
	return out
}

// candidate is a merge of the part at a place with its right neighbour, valid while both are still what they were.
type candidate struct {
	merge
	at, left, right int
}

// candidates is a heap by rank, then place.
type candidates []candidate

func (h candidates) Len() int { return len(h) }
func (h candidates) Less(i, j int) bool {
	return h[i].rank < h[j].rank || h[i].rank == h[j].rank && h[i].at < h[j].at
}
func (h candidates) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *candidates) Push(x any)   { *h = append(*h, x.(candidate)) }
func (h *candidates) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}
