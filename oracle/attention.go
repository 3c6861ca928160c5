package oracle

import (
	"fmt"
	"math"

	"github.com/octoryn/assay/oracle/weights"
)

// attention is grouped-query attention of new tokens over all positions so far. x [tokens, hidden] is the normed
// input; the result [tokens, hidden] goes to the residual.
//
// Source: Vaswani et al. 2017 (attention), Ainslie et al. 2023 (grouped queries), Qwen3 technical report (norm of
// query and key heads).
func (p *pass) attention(x rows, l weights.Layer, c Config, r rotation, cache *kvCache) rows {
	q := p.linear("q", x, l.Q) // [tokens, numHeads*headDim]
	k := p.linear("k", x, l.K) // [tokens, numKVHeads*headDim]
	v := p.linear("v", x, l.V) // [tokens, numKVHeads*headDim]

	q = p.rmsNorm("q norm", q, l.QNorm, c.RMSNormEps) // each head by itself
	k = p.rmsNorm("k norm", k, l.KNorm, c.RMSNormEps)
	p.rotate("q rope", q, r)
	p.rotate("k rope", k, r)
	if p.err != nil {
		return q
	}
	if err := cache.store(p.start, k, v, p.options.KV); err != nil {
		p.fail(fmt.Errorf("oracle: layer %d: %w", p.layer, err))
		return q
	}

	mixed := newRows(q.n, q.width) // [tokens, numHeads*headDim]
	group := c.NumHeads / c.NumKVHeads
	span := p.start + q.n // positions
	scratch := func() []float64 { return make([]float64, group*span) }
	work := 2 * q.n * span * q.width
	p.fail(parallel(p.ctx, q.n*c.NumKVHeads, work, scratch, func(scores []float64, i int) {
		// The last tokens see most and come first, so that no worker is left with one long task at the end.
		t, g := q.n-1-i/c.NumKVHeads, i%c.NumKVHeads
		heads := g * group * c.HeadDim // the query heads that share key-value head g stand together
		p.attend(mixed.at(t)[heads:][:group*c.HeadDim], q.at(t)[heads:][:group*c.HeadDim], scores, t, g, cache)
	}))
	return p.linear("o", mixed, l.O) // [tokens, hidden]
}

// attend lets the query heads of one token that share key-value head g look at positions 0 to their own.
// out and q [group, headDim]; scores is scratch.
func (p *pass) attend(out, q, scores []float64, t, g int, cache *kvCache) {
	dim := cache.headDim
	group := len(q) / dim
	n := p.start + t + 1 // positions in sight
	scale := 1 / math.Sqrt(float64(dim))

	// scores[h, j] = q_h . k_j / sqrt(headDim)
	dots(scores, n, q, group, dim, cache.keys[g], n, dim, dim)
	noise := p.noise("scores")
	for h := range group {
		row := scores[h*n : (h+1)*n]
		if noise != nil {
			e := noise.row(p.pos(t))
			part := squares(q[h*dim:(h+1)*dim]) / float64(dim) / 6
			for j := range row {
				row[j] = e.dot(row[j], (g*group+h)<<32+j, dim+1, part*cache.keySquares[g][j]) // one more for the scaling
			}
		}
		for j := range row {
			row[j] = p.round(p.round(row[j]) * scale)
		}
		p.softmax(row, t, g*group+h)
	}

	// out[h, d] = sum over j of scores[h, j] * v_j[d]
	dots(out, dim, scores, group, n, cache.values[g], dim, cache.capacity, n)
	if noise := p.noise("values"); noise != nil {
		e := noise.row(p.pos(t))
		for h := range group {
			part := 0.0 // sum of the squared terms, mean over the elements of a value
			for j, w := range scores[h*n : (h+1)*n] {
				part += float64(w*w) * cache.valueSquares[g][j] / float64(dim)
			}
			for d := range dim {
				out[h*dim+d] = e.dot(out[h*dim+d], (g*group+h)*dim+d, n, part/6)
			}
		}
	}
	for i := range out {
		out[i] = p.round(out[i])
	}
}

// softmax turns the scores of one query into weights that add up to 1, in place. In bf16 it is computed unrounded and
// rounded once.
func (p *pass) softmax(s []float64, t, head int) {
	top := s[0]
	for _, v := range s {
		top = max(top, v)
	}
	noise := p.noise("softmax")
	sum := 0.0
	if noise == nil {
		for j, v := range s {
			s[j] = math.Exp(v - top)
			sum += s[j]
		}
	} else {
		e := noise.row(p.pos(t))
		for j, v := range s {
			d := v - top
			s[j] = e.roundings(math.Exp(d), (head+1)<<32+j, 3+float64(d*d))
			sum += s[j]
		}
		sum *= 1 + e.sum(head, len(s)+3)
	}
	for j := range s {
		s[j] = p.round(s[j] / sum)
	}
}
