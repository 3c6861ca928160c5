package exec

import "unsafe"

func goSel(d *u32s, m uint32, a, b *u32s) {
	for i := range d {
		t := -(m >> i & 1)
		d[i] = a[i]&t | b[i]&^t
	}
}

func goSelS(d *u32s, m uint32, a *u32s, s uint32) {
	for i := range d {
		t := -(m >> i & 1)
		d[i] = a[i]&t | s&^t
	}
}

func goSplat(d *u32s, s uint32) {
	for i := range d {
		d[i] = s
	}
}

func goXorLane(d, a *u32s, m uint32) {
	var t u32s
	for i := range t {
		t[i] = a[(uint32(i)^m)&31]
	}
	*d = t
}

func goHalf(d *u32s, p *byte) {
	h, t := (*[32]uint16)(unsafe.Pointer(p)), wide()
	for i := range d {
		d[i] = t[h[i]]
	}
}

func goHalf4(d0, d1, d2, d3 *u32s, p *byte) {
	h, t := (*[32][4]uint16)(unsafe.Pointer(p)), wide()
	for i := range h {
		d0[i], d1[i], d2[i], d3[i] = t[h[i][0]], t[h[i][1]], t[h[i][2]], t[h[i][3]]
	}
}

func goWords2(d0, d1 *u32s, p *byte) {
	x := (*[32][2]uint32)(unsafe.Pointer(p))
	for i := range x {
		d0[i], d1[i] = x[i][0], x[i][1]
	}
}

func goWords4(d0, d1, d2, d3 *u32s, p *byte) {
	x := (*[32][4]uint32)(unsafe.Pointer(p))
	for i := range x {
		d0[i], d1[i], d2[i], d3[i] = x[i][0], x[i][1], x[i][2], x[i][3]
	}
}
