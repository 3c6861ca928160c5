// Package kvcache stores the keys and values of one sequence on a device.
//
// Both are float16, head-major, in pages of 256 positions, one page for each block of attention: a layer is
// [kvHeads, pages, 256*headDim]. Within a page values lie plainly, position after position; keys lie in tiles of 32
// positions, so that a thread can take one position and neighbouring threads read neighbouring bytes:
//
//	tile of 32 positions:      chunk 0           chunk 1      ...  chunk headDim/4-1
//	chunk (256 bytes):     pos 0  pos 1 ... pos 31
//	slot (4 halves):       components 0 1 2 3
//
// With C = headDim/32 dimensions to each of 32 virtual lanes, dimension d = l*C+e is component l%4 of chunk (l/4)*C+e.
// The kernels write and read it (attention.metal draws the same formula); the host writes only poison: a slot that
// holds no position is NaN, so that a kernel that reads one cannot go unnoticed.
package kvcache
