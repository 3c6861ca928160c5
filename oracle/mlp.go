package oracle

import (
	"math"

	"github.com/octoryn/assay/oracle/weights"
)

// mlp is a gated linear unit: down(silu(gate(x)) * up(x)). x and result [tokens, hidden].
//
// Source: Shazeer 2020, arXiv:2002.05202 (SwiGLU).
func (p *pass) mlp(point string, x rows, m *weights.MLP) rows {
	gate := p.linear(point+"gate", x, weights.Linear{Weight: m.Gate}) // [tokens, width]
	up := p.linear(point+"up", x, weights.Linear{Weight: m.Up})       // [tokens, width]
	noise := p.noise(point + "silu")
	for i, g := range gate.v {
		s := p.round(silu(g))
		if noise != nil {
			s = noise.row(p.pos(i/gate.width)).roundings(s, i%gate.width, 7)
		}
		gate.v[i] = p.round(s * up.v[i])
	}
	return p.linear(point+"down", gate, weights.Linear{Weight: m.Down})
}

// silu is x times the logistic function of x.
func silu(x float64) float64 { return x / (1 + math.Exp(-x)) }
