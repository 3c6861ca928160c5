package msl_test

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// The meaning of a generated kernel, over math/big: an operation is computed exactly, then wrapped, or rounded once. Nothing here is
// shared with the executor.

// meaning is a thread's run.
type meaning struct {
	ints map[string]*big.Int
	flts map[string]float32
}

func wrap(t scalar, x *big.Int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	y := new(big.Int).Mod(x, m)
	if t.signed && y.Bit(t.bits-1) == 1 {
		y.Sub(y, m)
	}
	return y
}

// run gives the two outputs.
func (g *generated) run(a []int32, x []float32) [outputs]uint64 {
	m := &meaning{map[string]*big.Int{}, map[string]float32{}}
	for i, v := range g.vars {
		if v.t.float {
			m.flts[v.text] = x[i%inputs]
		} else {
			m.ints[v.text] = wrap(v.t, big.NewInt(int64(a[i%inputs])))
		}
	}
	m.statements(g.body)
	return [outputs]uint64{wrap(tULong, m.integer(g.integer)).Uint64(), uint64(math.Float32bits(m.float(g.floating)))}
}

func (m *meaning) statements(list []*statement) {
	for _, s := range list {
		switch s.kind {
		case "=":
			if s.to.t.float {
				m.flts[s.to.text] = m.float(s.cond)
			} else {
				m.ints[s.to.text] = m.integer(s.cond)
			}
		case "if":
			if m.truth(s.cond) {
				m.statements(s.body)
			} else {
				m.statements(s.rest)
			}
		case "for":
			for j := int64(0); j < m.integer(s.cond).Int64(); j++ { // the count is read again, as in C++
				m.statements(s.body)
			}
		}
	}
}

func (m *meaning) truth(n *node) bool {
	switch n.op {
	case "not":
		return !m.truth(n.kids[0])
	case "&&":
		return m.truth(n.kids[0]) && m.truth(n.kids[1])
	case "||":
		return m.truth(n.kids[0]) || m.truth(n.kids[1])
	}
	a, b := n.kids[0], n.kids[1]
	if a.t.float {
		x, y := m.float(a), m.float(b)
		return map[string]bool{"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[n.op]
	}
	t := common(a.t, b.t)
	c := wrap(t, m.integer(a)).Cmp(wrap(t, m.integer(b)))
	return map[string]bool{"<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0, "==": c == 0, "!=": c != 0}[n.op]
}

// integer is the value of an integer expression, in its type's range.
func (m *meaning) integer(n *node) *big.Int {
	in := func(i int, t scalar) *big.Int { return wrap(t, m.integer(n.kids[i])) }
	switch n.op {
	case "var":
		return m.ints[n.text]
	case "lit":
		v, _ := new(big.Int).SetString(n.text, 10)
		return v
	case "cast":
		if n.kids[0].t.float {
			f := new(big.Float).SetFloat64(float64(m.float(n.kids[0])))
			v, _ := f.Int(nil)
			return wrap(n.t, v)
		}
		return in(0, n.t)
	case "as_type":
		return new(big.Int).SetUint64(uint64(math.Float32bits(m.float(n.kids[0]))))
	case "?:":
		if m.truth(n.kids[0]) {
			return in(1, n.t)
		}
		return in(2, n.t)
	case "neg":
		return wrap(n.t, new(big.Int).Neg(in(0, n.t)))
	case "inv":
		return wrap(n.t, new(big.Int).Not(in(0, n.t)))
	case "popcount":
		return big.NewInt(int64(bits.OnesCount32(uint32(in(0, tUInt).Uint64()))))
	case "clz":
		return big.NewInt(int64(32 - in(0, tUInt).BitLen()))
	}
	a, b := in(0, n.t), in(1, n.t)
	out := new(big.Int)
	switch n.op {
	case "+":
		out.Add(a, b)
	case "-":
		out.Sub(a, b)
	case "*":
		out.Mul(a, b)
	case "/":
		out.Quo(a, b)
	case "%":
		out.Rem(a, b)
	case "&":
		out.And(a, b)
	case "|":
		out.Or(a, b)
	case "^":
		out.Xor(a, b)
	case "<<":
		out.Lsh(a, uint(m.integer(n.kids[1]).Int64()))
	case ">>":
		out.Rsh(a, uint(m.integer(n.kids[1]).Int64()))
	case "min":
		if out.Set(a); b.Cmp(a) < 0 {
			out.Set(b)
		}
	case "max":
		if out.Set(a); b.Cmp(a) > 0 {
			out.Set(b)
		}
	case "mulhi":
		out.Rsh(out.Mul(a, b), 32)
	case "rotate":
		k := uint(b.Uint64() % 32)
		out.Or(new(big.Int).Lsh(a, k), new(big.Int).Rsh(a, 32-k))
	default:
		panic(n.op)
	}
	return wrap(n.t, out)
}

// exact has room for any sum of a product of two floats and a float.
func exact(f float32) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(float64(f)) }

func rounded(f *big.Float) float32 { r, _ := f.Float32(); return r }

// finite reports whether all are numbers.
func finite(v ...float32) bool {
	for _, f := range v {
		if f-f != 0 {
			return false
		}
	}
	return true
}

// float is the value of a float expression.
func (m *meaning) float(n *node) float32 {
	k := func(i int) float32 { return m.float(n.kids[i]) }
	switch n.op {
	case "var":
		return m.flts[n.text]
	case "lit":
		f, _ := strconv.ParseFloat(strings.TrimSuffix(n.text, "f"), 32)
		return float32(f)
	case "cast":
		if n.kids[0].t.float {
			return k(0)
		}
		return rounded(new(big.Float).SetInt(m.integer(n.kids[0])))
	case "?:":
		if m.truth(n.kids[0]) {
			return k(1)
		}
		return k(2)
	case "fabs":
		return float32(math.Abs(float64(k(0))))
	case "floor":
		return float32(math.Floor(float64(k(0))))
	case "trunc":
		return float32(math.Trunc(float64(k(0))))
	case "rint":
		return float32(math.RoundToEven(float64(k(0))))
	case "sqrt":
		if a := k(0); finite(a) && a > 0 {
			return rounded(new(big.Float).SetPrec(700).Sqrt(exact(a)))
		} else {
			return float32(math.Sqrt(float64(a)))
		}
	case "fma":
		a, b, c := k(0), k(1), k(2)
		if !finite(a, b, c) {
			return float32(float64(a)*float64(b) + float64(c))
		}
		p := new(big.Float).SetPrec(700).Mul(exact(a), exact(b))
		return rounded(p.Add(p, exact(c)))
	}
	a, b := k(0), k(1)
	out := new(big.Float).SetPrec(700)
	switch n.op {
	case "+", "-":
		if n.op == "-" {
			b = -b
		}
		if !finite(a, b) {
			return a + b
		}
		return rounded(out.Add(exact(a), exact(b)))
	case "*":
		if !finite(a, b) {
			return a * b
		}
		return rounded(out.Mul(exact(a), exact(b)))
	case "/":
		if !finite(a, b) || b == 0 {
			return a / b
		}
		return rounded(out.Quo(exact(a), exact(b)))
	case "min":
		if b != b || a < b {
			return a
		}
		if a != a || b < a {
			return b
		}
		return a
	case "max":
		if b != b || a > b {
			return a
		}
		if a != a || b > a {
			return b
		}
		return a
	}
	panic(n.op)
}
