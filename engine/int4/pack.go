package int4

// PackRow stores one row of nibbles in the lane-interleaved layout.
//
// Shapes: nibbles [K] with values 0..15, dst [RowBytes(K)]. Padding nibbles become 0. dst must not overlap
// nibbles. It panics if a length disagrees or a nibble is above 15.
func PackRow(dst, nibbles []byte) {
	k := len(nibbles)
	s, u, b := LaneValues(k), UnitBytes(k), LaneBytes(k)
	if len(dst) != NumLanes*b {
		panic("int4: packed row length must be RowBytes(K)")
	}
	for lane := range NumLanes {
		own := nibbles[lane*s : (lane+1)*s]
		for i := range b {
			v := own[2*i]
			if 2*i+1 < s {
				v |= own[2*i+1] << 4
				if own[2*i+1] > 15 {
					panic("int4: nibble above 15")
				}
			}
			if own[2*i] > 15 {
				panic("int4: nibble above 15")
			}
			dst[i/u*NumLanes*u+lane*u+i%u] = v
		}
	}
}

// UnpackRow is the inverse of PackRow: it writes the K nibbles of a packed row in column order.
//
// Shapes: row [RowBytes(K)], nibbles [K]. Padding is ignored. It panics if a length disagrees.
func UnpackRow(nibbles, row []byte) {
	k := len(nibbles)
	s, u, b := LaneValues(k), UnitBytes(k), LaneBytes(k)
	if len(row) != NumLanes*b {
		panic("int4: packed row length must be RowBytes(K)")
	}
	for lane := range NumLanes {
		own := nibbles[lane*s : (lane+1)*s]
		for i := range b {
			v := row[i/u*NumLanes*u+lane*u+i%u]
			own[2*i] = v & 15
			if 2*i+1 < s {
				own[2*i+1] = v >> 4
			}
		}
	}
}
