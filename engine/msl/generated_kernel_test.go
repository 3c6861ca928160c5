package msl_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Generated kernels: a tree of statements and typed expressions, printed as text that is MSL and, behind testdata/differential/metal.h,
// C++. What C++ leaves undefined is not generated: shift counts are masked, divisors are positive, floats are cut to a range before they
// become integers. Signed overflow wraps here and with -fwrapv.

// scalar is a type.
type scalar struct {
	name   string
	bits   int
	signed bool
	float  bool
}

var (
	tBool   = scalar{"bool", 1, false, false}
	tChar   = scalar{"char", 8, true, false}
	tUChar  = scalar{"uchar", 8, false, false}
	tShort  = scalar{"short", 16, true, false}
	tUShort = scalar{"ushort", 16, false, false}
	tInt    = scalar{"int", 32, true, false}
	tUInt   = scalar{"uint", 32, false, false}
	tLong   = scalar{"long", 64, true, false}
	tULong  = scalar{"ulong", 64, false, false}
	tFloat  = scalar{"float", 32, true, true}

	integers = []scalar{tChar, tUChar, tShort, tUShort, tInt, tUInt, tLong, tULong}
)

// promoted is the type in which an operand is computed with alone.
func (t scalar) promoted() scalar {
	if !t.float && t.bits < 32 {
		return tInt
	}
	return t
}

// common is the type in which two operands meet.
func common(a, b scalar) scalar {
	a, b = a.promoted(), b.promoted()
	switch {
	case a.float || b.float:
		return tFloat
	case a.bits != b.bits:
		if a.bits > b.bits {
			return a
		}
		return b
	case !a.signed:
		return a
	}
	return b
}

// node is an expression. op is an operator, a function, "cast", "lit" or "var".
type node struct {
	op   string
	t    scalar
	kids []*node
	text string // literals and variables
}

func (n *node) String() string {
	k := func(i int) string { return n.kids[i].String() }
	switch n.op {
	case "lit", "var":
		return n.text
	case "cast":
		return "(" + n.t.name + ")(" + k(0) + ")"
	case "as_type":
		return "as_type<" + n.t.name + ">(" + k(0) + ")"
	case "?:":
		return "((" + k(0) + ") ? (" + k(1) + ") : (" + k(2) + "))"
	case "neg", "not", "inv":
		return map[string]string{"neg": "(- ", "not": "(!", "inv": "(~"}[n.op] + k(0) + ")"
	}
	if n.op[0] >= 'a' && n.op[0] <= 'z' {
		var args []string
		for i := range n.kids {
			args = append(args, k(i))
		}
		return n.op + "(" + strings.Join(args, ", ") + ")"
	}
	return "(" + k(0) + " " + n.op + " " + k(1) + ")"
}

// statement is an assignment, a conditional or a loop.
type statement struct {
	kind string // "=", "if", "for"
	to   *node
	cond *node // if; for: the trip count
	body []*statement
	rest []*statement
}

func (s *statement) write(b *strings.Builder, indent string, depth int) {
	block := func(list []*statement) {
		for _, x := range list {
			x.write(b, indent+"    ", depth+1)
		}
	}
	switch s.kind {
	case "=":
		fmt.Fprintf(b, "%s%s = %s;\n", indent, s.to, s.cond)
	case "if":
		fmt.Fprintf(b, "%sif (%s) {\n", indent, s.cond)
		block(s.body)
		fmt.Fprintf(b, "%s} else {\n", indent)
		block(s.rest)
		fmt.Fprintf(b, "%s}\n", indent)
	case "for":
		fmt.Fprintf(b, "%sfor (int j%d = 0; j%d < (int)(%s); ++j%d) {\n", indent, depth, depth, s.cond, depth)
		block(s.body)
		fmt.Fprintf(b, "%s}\n", indent)
	}
}

// generated is a kernel: variables set from the inputs, statements, and one output of each kind.
type generated struct {
	name     string
	vars     []*node
	body     []*statement
	integer  *node
	floating *node
}

const (
	inputs  = 4 // integers, and floats, a thread
	outputs = 2
)

func (g *generated) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel void %s(device const int *a [[buffer(0)]], device const float *x [[buffer(1)]], device ulong *out [[buffer(2)]], uint id [[thread_position_in_grid]]) {\n", g.name)
	for i, v := range g.vars {
		if v.t.float {
			fmt.Fprintf(&b, "    float %s = x[id * %du + %du];\n", v.text, inputs, i%inputs)
		} else {
			fmt.Fprintf(&b, "    %s %s = (%s)a[id * %du + %du];\n", v.t.name, v.text, v.t.name, inputs, i%inputs)
		}
	}
	for _, s := range g.body {
		s.write(&b, "    ", 0)
	}
	fmt.Fprintf(&b, "    out[id * %du] = (ulong)(%s);\n    out[id * %du + 1u] = (ulong)as_type<uint>(%s);\n}\n", outputs, g.integer, outputs, g.floating)
	return b.String()
}

// maker draws kernels.
type maker struct {
	*rand.Rand
	vars []*node
}

func generateKernel(seed uint64) *generated {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 11))}
	g := &generated{name: fmt.Sprintf("k%d", seed)}
	for i := range 10 {
		t := integers[m.IntN(len(integers))]
		if i%3 == 2 {
			t = tFloat
		}
		g.vars = append(g.vars, &node{op: "var", t: t, text: fmt.Sprintf("v%d", i)})
	}
	m.vars = g.vars
	for range 3 {
		g.body = append(g.body, m.statement(2))
	}
	g.integer, g.floating = m.integer(4), m.floating(4)
	return g
}

func (m *maker) statement(depth int) *statement {
	switch k := m.IntN(4); {
	case depth > 0 && k == 0:
		return &statement{kind: "if", cond: m.boolean(2), body: []*statement{m.statement(depth - 1), m.statement(depth - 1)}, rest: []*statement{m.statement(depth - 1)}}
	case depth > 0 && k == 1:
		count := &node{op: "&", t: tInt, kids: []*node{cast(tInt, m.integer(1)), lit(tInt, "7")}}
		return &statement{kind: "for", cond: count, body: []*statement{m.statement(depth - 1)}}
	}
	to := m.vars[m.IntN(len(m.vars))]
	value := m.integer(3)
	if to.t.float {
		value = m.floating(3)
	}
	return &statement{kind: "=", to: to, cond: cast(to.t, value)}
}

func lit(t scalar, text string) *node    { return &node{op: "lit", t: t, text: text} }
func cast(t scalar, x *node) *node       { return &node{op: "cast", t: t, kids: []*node{x}} }
func (m *maker) pick(s ...string) string { return s[m.IntN(len(s))] }

func (m *maker) variable(float bool) *node {
	for {
		if v := m.vars[m.IntN(len(m.vars))]; v.t.float == float {
			return v
		}
	}
}

// integer draws an expression of some integer type.
func (m *maker) integer(depth int) *node {
	if depth == 0 {
		if m.IntN(3) == 0 {
			return lit(tInt, m.pick("0", "1", "2", "7", "31", "255", "65535", "2147483647", "-1", "-128"))
		}
		return m.variable(false)
	}
	two := func(op string) *node {
		a, b := m.integer(depth-1), m.integer(depth-1)
		return &node{op: op, t: common(a.t, b.t), kids: []*node{a, b}}
	}
	call := func(op string, t scalar, n int) *node {
		x := &node{op: op, t: t}
		for range n {
			x.kids = append(x.kids, cast(t, m.integer(depth-1)))
		}
		return x
	}
	switch m.IntN(13) {
	case 0, 1, 2:
		return two(m.pick("+", "-", "*"))
	case 3:
		return two(m.pick("&", "|", "^"))
	case 4: // a positive divisor
		a, b := m.integer(depth-1), &node{op: "+", t: tInt, kids: []*node{{op: "&", t: tInt, kids: []*node{cast(tInt, m.integer(depth-1)), lit(tInt, "63")}}, lit(tInt, "1")}}
		return &node{op: m.pick("/", "%"), t: common(a.t, b.t), kids: []*node{a, b}}
	case 5:
		a := m.integer(depth - 1)
		t := a.t.promoted()
		return &node{op: m.pick("<<", ">>"), t: t, kids: []*node{a, {op: "&", t: tInt, kids: []*node{cast(tInt, m.integer(depth-1)), lit(tInt, fmt.Sprint(t.bits-1))}}}}
	case 6:
		a := m.integer(depth - 1)
		return &node{op: m.pick("neg", "inv"), t: a.t.promoted(), kids: []*node{a}}
	case 7:
		return cast(integers[m.IntN(len(integers))], m.integer(depth-1))
	case 8:
		a, b := m.integer(depth-1), m.integer(depth-1)
		return &node{op: "?:", t: common(a.t, b.t), kids: []*node{m.boolean(depth - 1), a, b}}
	case 9:
		t := []scalar{tInt, tUInt}[m.IntN(2)]
		return call(m.pick("min", "max"), t, 2)
	case 10:
		if m.IntN(2) == 0 {
			return call(m.pick("rotate", "mulhi"), tUInt, 2)
		}
		return call(m.pick("popcount", "clz"), tUInt, 1)
	case 11: // a float cut to a range every target holds
		x := m.floating(depth - 1)
		low := &node{op: "max", t: tFloat, kids: []*node{x, lit(tFloat, "-1.0e2f")}}
		inside := &node{op: "min", t: tFloat, kids: []*node{low, lit(tFloat, "1.0e2f")}}
		return cast([]scalar{tInt, tLong, tShort, tChar}[m.IntN(4)], inside)
	}
	return &node{op: "as_type", t: tUInt, kids: []*node{m.floating(0)}}
}

// floating draws an expression of type float. Whatever may be NaN ends in a choice that takes NaN out, as NaN has no one bit pattern.
func (m *maker) floating(depth int) *node {
	if depth == 0 {
		if m.IntN(3) == 0 {
			return lit(tFloat, m.pick("0.0f", "1.0f", "0.5f", "-2.0f", "3.0e38f", "1.0e-38f", "16777217.0f", "0.1f"))
		}
		return m.variable(true)
	}
	var x *node
	kid := func() *node { return m.floating(depth - 1) }
	switch m.IntN(9) {
	case 0, 1, 2:
		x = &node{op: m.pick("+", "-", "*"), t: tFloat, kids: []*node{kid(), kid()}}
	case 3:
		x = &node{op: "/", t: tFloat, kids: []*node{kid(), kid()}}
	case 4:
		x = &node{op: "fma", t: tFloat, kids: []*node{kid(), kid(), kid()}}
	case 5:
		return cast(tFloat, m.integer(depth-1))
	case 6:
		return &node{op: "?:", t: tFloat, kids: []*node{m.boolean(depth - 1), kid(), kid()}}
	case 7:
		return &node{op: m.pick("floor", "trunc", "rint", "fabs"), t: tFloat, kids: []*node{kid()}}
	default:
		x = &node{op: "sqrt", t: tFloat, kids: []*node{{op: "fabs", t: tFloat, kids: []*node{kid()}}}}
	}
	return &node{op: "max", t: tFloat, kids: []*node{x, lit(tFloat, "-3.0e38f")}} // max drops a NaN
}

// boolean draws a condition.
func (m *maker) boolean(depth int) *node {
	if depth > 0 && m.IntN(4) == 0 {
		if m.IntN(3) == 0 {
			return &node{op: "not", t: tBool, kids: []*node{m.boolean(depth - 1)}}
		}
		return &node{op: m.pick("&&", "||"), t: tBool, kids: []*node{m.boolean(depth - 1), m.boolean(depth - 1)}}
	}
	op := m.pick("<", "<=", ">", ">=", "==", "!=")
	if m.IntN(3) == 0 {
		return &node{op: op, t: tBool, kids: []*node{m.floating(max(depth-1, 0)), m.floating(max(depth-1, 0))}}
	}
	return &node{op: op, t: tBool, kids: []*node{m.integer(max(depth-1, 0)), m.integer(max(depth-1, 0))}}
}
