package oracle

import "math"

// rotation holds the angles of new tokens: cos and sin [tokens, headDim/2].
type rotation struct {
	cos, sin rows
}

// newRotation makes the tables of positions start to start+n-1. Angle i of position p is p * theta^(-2i/headDim).
func (p *pass) newRotation(n, headDim int, theta float64) rotation {
	r := rotation{newRows(n, headDim/2), newRows(n, headDim/2)}
	for t := range n {
		for i := range headDim / 2 {
			angle := float64(p.start+t) * math.Pow(theta, -2*float64(i)/float64(headDim))
			sin, cos := math.Sincos(angle)
			r.cos.at(t)[i], r.sin.at(t)[i] = p.round(cos), p.round(sin)
		}
		if noise := p.noise("rope table"); noise != nil {
			e := noise.row(p.pos(t))
			for i := range headDim / 2 {
				r.cos.at(t)[i] = e.roundings(r.cos.at(t)[i], 2*i, 1)
				r.sin.at(t)[i] = e.roundings(r.sin.at(t)[i], 2*i+1, 1)
			}
		}
	}
	return r
}

// rotate turns each head of x in place. x [tokens, heads*headDim]. Element i of a head is paired with element
// i + headDim/2, the pair (a, b) becoming (a cos - b sin, b cos + a sin). In bf16, both products are rounded before
// their sum is.
//
// Source: Su et al. 2021, arXiv:2104.09864; pairs half a head apart as in the published Qwen code.
func (p *pass) rotate(point string, x rows, r rotation) {
	half := r.cos.width
	noise := p.noise(point)
	for t := range x.n {
		cos, sin, row := r.cos.at(t), r.sin.at(t), x.at(t)
		for head := 0; head < x.width; head += 2 * half {
			a, b := row[head:head+half], row[head+half:head+2*half]
			for i := range half {
				ac, bs := p.round(float64(a[i]*cos[i])), p.round(float64(b[i]*sin[i]))
				bc, as := p.round(float64(b[i]*cos[i])), p.round(float64(a[i]*sin[i]))
				if noise != nil {
					e := noise.row(p.pos(t))
					at := 6 * (head + i)
					ac, bs = e.roundings(ac, at, 1), e.roundings(bs, at+1, 1)
					bc, as = e.roundings(bc, at+2, 1), e.roundings(as, at+3, 1)
					a[i], b[i] = e.roundings(ac-bs, at+4, 1), e.roundings(bc+as, at+5, 1)
					a[i], b[i] = p.round(a[i]), p.round(b[i])
					continue
				}
				a[i], b[i] = p.round(ac-bs), p.round(bc+as)
			}
		}
	}
}
