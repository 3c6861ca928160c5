package oracle

// dots computes all dot products of nx vectors with nw vectors of k elements:
//
//	dst[i*dstStride+j] = sum over c of x[i*xStride+c] * w[j*wStride+c]
//
// Each sum is one chain in rising c, whatever the sizes: blocking only decides which sums are computed side by side,
// so that values are loaded once for several. The results do not depend on nx and nw.
func dots(dst []float64, dstStride int, x []float64, nx, xStride int, w []float64, nw, wStride, k int) {
	i := 0
	for ; i+4 <= nx; i += 4 {
		x0, x1, x2, x3 := x[i*xStride:][:k], x[(i+1)*xStride:][:k], x[(i+2)*xStride:][:k], x[(i+3)*xStride:][:k]
		d0, d1, d2, d3 := dst[i*dstStride:], dst[(i+1)*dstStride:], dst[(i+2)*dstStride:], dst[(i+3)*dstStride:]
		j := 0
		for ; j+2 <= nw; j += 2 {
			w0, w1 := w[j*wStride:][:k], w[(j+1)*wStride:][:k]
			var s00, s01, s10, s11, s20, s21, s30, s31 float64
			for c, a := range w0 {
				b := w1[c]
				v := x0[c]
				s00 += float64(v * a)
				s01 += float64(v * b)
				v = x1[c]
				s10 += float64(v * a)
				s11 += float64(v * b)
				v = x2[c]
				s20 += float64(v * a)
				s21 += float64(v * b)
				v = x3[c]
				s30 += float64(v * a)
				s31 += float64(v * b)
			}
			d0[j], d0[j+1], d1[j], d1[j+1] = s00, s01, s10, s11
			d2[j], d2[j+1], d3[j], d3[j+1] = s20, s21, s30, s31
		}
		if j < nw {
			w0 := w[j*wStride:][:k]
			var s0, s1, s2, s3 float64
			for c, a := range w0 {
				s0 += float64(x0[c] * a)
				s1 += float64(x1[c] * a)
				s2 += float64(x2[c] * a)
				s3 += float64(x3[c] * a)
			}
			d0[j], d1[j], d2[j], d3[j] = s0, s1, s2, s3
		}
	}
	for ; i < nx; i++ {
		x0, d := x[i*xStride:][:k], dst[i*dstStride:]
		j := 0
		for ; j+4 <= nw; j += 4 {
			w0, w1, w2, w3 := w[j*wStride:][:k], w[(j+1)*wStride:][:k], w[(j+2)*wStride:][:k], w[(j+3)*wStride:][:k]
			var s0, s1, s2, s3 float64
			for c, v := range x0 {
				s0 += float64(v * w0[c])
				s1 += float64(v * w1[c])
				s2 += float64(v * w2[c])
				s3 += float64(v * w3[c])
			}
			d[j], d[j+1], d[j+2], d[j+3] = s0, s1, s2, s3
		}
		for ; j < nw; j++ {
			w0 := w[j*wStride:][:k]
			s := 0.0
			for c, v := range x0 {
				s += float64(v * w0[c])
			}
			d[j] = s
		}
	}
}

// squares is the sum of the squares of x.
func squares(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += float64(v * v)
	}
	return s
}
