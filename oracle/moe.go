package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/octoryn/assay/oracle/weights"
)

// moe is a mixture of experts: each token goes through the topK experts its router scores highest, and their outputs
// are added up with the router's weights. x and result [tokens, hidden].
//
// Source: Shazeer et al. 2017, arXiv:1701.06538; softmax before the choice as in the published Qwen code.
func (p *pass) moe(x rows, m *weights.MoE, c Config) (rows, Routing) {
	logits := p.linear("router", x, weights.Linear{Weight: m.Router}) // [tokens, experts]
	routing := p.route(logits, c)

	// Expert by expert, so that each one's weights are widened once for all the tokens that chose it.
	tokens, ranks := make([][]int, c.NumExperts), make([][]int, c.NumExperts) // by expert: who chose it, and as which
	for t, experts := range routing.Experts {
		for rank, e := range experts {
			tokens[e], ranks[e] = append(tokens[e], t), append(ranks[e], rank)
		}
	}
	mixed := newRows(x.n, x.width)
	for e := range m.Experts {
		if len(tokens[e]) == 0 || p.err != nil {
			continue
		}
		in := newRows(len(tokens[e]), x.width) // [tokens of e, hidden]
		for i, t := range tokens[e] {
			copy(in.at(i), x.at(t))
		}
		of := *p
		of.tokens = tokens[e]
		out := of.mlp(fmt.Sprintf("expert %d ", e), in, &m.Experts[e]) // [tokens of e, hidden]
		p.fail(of.err)
		for i, t := range tokens[e] {
			p.addExpert(mixed.at(t), out.at(i), routing.Weights[t][ranks[e][i]], e, t)
		}
	}
	return mixed, routing
}

// addExpert adds what expert e makes of token t, times its weight. In bf16 the product is rounded, and each sum.
func (p *pass) addExpert(sum, out []float64, weight float64, e, t int) {
	noise := p.noise("mix")
	for d, v := range out {
		term := float64(weight * v)
		if noise != nil {
			n := noise.row(p.pos(t))
			at := 2 * (e*len(out) + d)
			term = n.roundings(term, at, 1)
			sum[d] = n.roundings(sum[d]+p.round(term), at+1, 1) - p.round(term)
		}
		sum[d] = p.round(sum[d] + p.round(term))
	}
}

// route chooses topK experts for each token: those with the highest logits, ties to the lowest id. Their weights are
// the softmax over all experts, made to add up to 1 over the chosen ones if the configuration says so.
func (p *pass) route(logits rows, c Config) Routing {
	r := Routing{Layer: p.layer, Experts: make([][]int, logits.n), Weights: make([][]float64, logits.n), Margins: make([]float64, logits.n)}
	noise := p.noise("router weights")
	for t := range logits.n {
		row := logits.at(t)
		order := make([]int, len(row))
		for e := range order {
			order[e] = e
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case row[a] > row[b]:
				return -1
			case row[a] < row[b]:
				return 1
			}
			return 0
		})
		experts := order[:c.TopK:c.TopK]
		r.Margins[t] = math.Inf(1)
		if c.TopK < len(order) {
			r.Margins[t] = row[order[c.TopK-1]] - row[order[c.TopK]]
		}
		weights := make([]float64, c.TopK)
		all, top := 0.0, row[order[0]]
		for _, v := range row {
			all += math.Exp(v - top)
		}
		sum := 0.0
		for k, e := range experts {
			weights[k] = math.Exp(row[e]-top) / all
			sum += weights[k]
		}
		for k := range weights {
			if c.NormTopKProb {
				weights[k] /= sum
			}
			if noise != nil {
				weights[k] = noise.row(p.pos(t)).roundings(weights[k], experts[k], 6)
			}
			weights[k] = p.round(weights[k])
		}
		r.Experts[t], r.Weights[t] = experts, weights
	}
	return r
}
