package oracle

import (
	"context"
	"math"

	"github.com/octoryn/assay/oracle/bf16"
	"github.com/octoryn/assay/oracle/weights"
)

// pass is one run of new tokens through the model.
type pass struct {
	ctx     context.Context
	options Options
	start   int   // position of the first new token
	tokens  []int // which of the new tokens each row is; nil: all in order
	layer   int   // where we are, for the errors of Perturb
	err     error
}

// round is what is stored of x: x itself, or the nearest bfloat16.
func (p *pass) round(x float64) float64 {
	if p.options.Arithmetic == BFloat16 {
		return bf16.Round(x)
	}
	return x
}

// pos is the position of the token in row t.
func (p *pass) pos(t int) int {
	if p.tokens != nil {
		t = p.tokens[t]
	}
	return p.start + t
}

// noise is the source of errors at a point; nil unless Perturb asks for them.
func (p *pass) noise(point string) *noise { return p.options.Perturb.noise(p.layer, point) }

// embed looks up the rows of the tokens: [len(ids), hidden].
func embed(m weights.Matrix, ids []int) rows {
	x := newRows(len(ids), m.Cols)
	for t, id := range ids {
		m.Row(x.at(t), id)
	}
	return x
}

// rmsNorm scales each row, or each head of it, to unit root mean square and multiplies by w.
//
//	y_c = x_c / sqrt(mean(x^2) + eps) * w_c
//
// x [tokens, k*len(w)]: each run of len(w) elements is normed by itself. In bf16, the scaled x is rounded before the
// product with w is.
//
// Source: Zhang and Sennrich 2019, arXiv:1910.07467; eps stands inside the root, as in the published code.
func (p *pass) rmsNorm(point string, x rows, w []float64, eps float64) rows {
	y := newRows(x.n, x.width)
	n := len(w)
	noise := p.noise(point)
	for at := 0; at < len(x.v); at += n {
		in, out := x.v[at:at+n], y.v[at:at+n]
		inv := 1 / math.Sqrt(squares(in)/float64(n)+eps)
		if noise == nil {
			for c, v := range in {
				out[c] = p.round(p.round(float64(v*inv)) * w[c])
			}
			continue
		}
		e := noise.row(p.pos(at / x.width))
		first := at % x.width
		inv *= 1 + e.sum(-2*first-1, n)/2
		inv = e.roundings(inv, -2*first-2, 3)
		for c, v := range in {
			out[c] = p.round(p.round(e.roundings(float64(v*inv), first+c, 2)) * w[c])
		}
	}
	return y
}

// linear is y = x W^T + b. x [tokens, in], W [out, in], b [out] or nil, y [tokens, out], rounded once.
func (p *pass) linear(point string, x rows, l weights.Linear) rows {
	w := l.Weight
	y := newRows(x.n, w.Rows)
	noise := p.noise(point)
	var inputs []float64 // [tokens] sum of squares
	if noise != nil {
		inputs = make([]float64, x.n)
		for t := range inputs {
			inputs[t] = squares(x.at(t))
		}
	}
	// Each worker widens a block of rows that stays in its cache, and takes all tokens through it.
	block := max(8, 4096/w.Cols)
	blocks := (w.Rows + block - 1) / block
	scratch := func() []float64 { return make([]float64, block*w.Cols) }
	p.fail(parallel(p.ctx, blocks, x.n*w.Rows*w.Cols, scratch, func(wide []float64, b int) {
		first := b * block
		n := min(block, w.Rows-first)
		for r := range n {
			w.Row(wide[r*w.Cols:(r+1)*w.Cols], first+r)
		}
		dots(y.v[first:], y.width, x.v, x.n, x.width, wide, n, w.Cols, w.Cols)
		for r := range n {
			row, out := wide[r*w.Cols:(r+1)*w.Cols], first+r
			bias := 0.0
			if l.Bias != nil {
				bias = l.Bias[out]
			}
			part := 0.0 // of one unit of input square
			if noise != nil {
				part = w.PartSquares(row, out) / float64(w.Cols) / 6
				if w.Affine() {
					part *= 3
				}
			}
			for t := range x.n {
				s := y.v[t*y.width+out]
				if noise != nil {
					e := noise.row(p.pos(t))
					s = e.dot(s, out, w.Cols, part*inputs[t])
					if l.Bias != nil {
						s = e.roundings(s+bias, w.Rows+out, 1) - bias
					}
				}
				y.v[t*y.width+out] = p.round(s + bias)
			}
		}
	}))
	return y
}

// add is the residual connection: x + y, [tokens, width].
func (p *pass) add(point string, x, y rows) rows {
	z := newRows(x.n, x.width)
	noise := p.noise(point)
	for t := range z.n {
		a, b, out := x.at(t), y.at(t), z.at(t)
		for c := range out {
			out[c] = p.round(a[c] + b[c])
		}
		if noise != nil {
			e := noise.row(p.pos(t))
			for c := range out {
				out[c] = p.round(e.roundings(a[c]+b[c], c, 1))
			}
		}
	}
	return z
}

func (p *pass) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}
