package syntax

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// condition evaluates the line of an #if, #ifdef, #ifndef or #elif.
func (p *preprocessor) condition(name Token, args []Token) bool {
	if name.Text == "ifdef" || name.Text == "ifndef" {
		if len(args) != 1 || args[0].Kind != Word {
			panic(diag.Errorf(name.Pos, diag.BadDirective, "#%s wants one name", name.Text))
		}
		return p.defined(args[0].Text) == (name.Text == "ifdef")
	}
	c := &condExpr{at: name.Pos, tokens: p.expand(p.resolve(name, args))}
	v := c.ternary(0)
	if c.i < len(c.tokens) {
		c.fail(c.tokens[c.i])
	}
	if v.bad {
		panic(diag.Errorf(name.Pos, diag.BadPreprocessorExpr, "division by zero in a condition"))
	}
	return v.n != 0
}

func (p *preprocessor) defined(name string) bool {
	return p.macros[name] != nil || name == "__LINE__" || name == "__FILE__"
}

// resolve replaces defined(X) and __has_include(X) by numbers.
func (p *preprocessor) resolve(name Token, args []Token) []Token {
	var out []Token
	for i := 0; i < len(args); i++ {
		t := args[i]
		switch {
		case t.Is("defined"):
			arg := args[i+1:]
			switch {
			case len(arg) >= 1 && arg[0].Kind == Word:
				i++
				t.Text = bit(p.defined(arg[0].Text))
			case len(arg) >= 3 && arg[0].Is("(") && arg[1].Kind == Word && arg[2].Is(")"):
				i += 3
				t.Text = bit(p.defined(arg[1].Text))
			default:
				panic(diag.Errorf(t.Pos, diag.BadPreprocessorExpr, "defined wants a name"))
			}
			t.Kind = Number
		case t.Is("__has_include"):
			path := ""
			for i++; i < len(args) && !args[i].Is(")"); i++ {
				if !args[i].Is("(") && !args[i].Is("<") && !args[i].Is(">") {
					path += args[i].Text
				}
			}
			t.Kind, t.Text = Number, bit(headers[path])
		}
		out = append(out, t)
	}
	return out
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// condValue is an integer of 64 bits.
type condValue struct {
	n        int64
	unsigned bool
	bad      bool // divided by zero; no matter if the value is not used
}

// condExpr evaluates the tokens of a condition.
type condExpr struct {
	at     diag.Pos
	tokens []Token
	i      int
	depth  int
}

func (c *condExpr) fail(t Token) {
	pos := t.Pos
	if !pos.IsValid() {
		pos = c.at
	}
	panic(diag.Errorf(pos, diag.BadPreprocessorExpr, "unexpected %s in a condition", t.describe()))
}

func (c *condExpr) peek() Token {
	if c.i < len(c.tokens) {
		return c.tokens[c.i]
	}
	return Token{Pos: c.at}
}

func (c *condExpr) got(text string) bool {
	if c.peek().Is(text) {
		c.i++
		return true
	}
	return false
}

// ternary parses a conditional expression.
func (c *condExpr) ternary(int) condValue {
	if c.depth++; c.depth > 200 {
		c.fail(c.peek())
	}
	defer func() { c.depth-- }()
	v := c.binary(1)
	if !c.got("?") {
		return v
	}
	a := c.ternary(0)
	if !c.got(":") {
		c.fail(c.peek())
	}
	b := c.ternary(0)
	if v.bad {
		return v
	}
	if v.n != 0 {
		return a
	}
	return b
}

// precedence of the binary operators, loosest first; the parser of the language proper uses it too.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (c *condExpr) binary(min int) condValue {
	x := c.unary()
	for {
		op := c.peek()
		prec := precedence[op.Text]
		if op.Kind != Punct || prec < min || prec == 0 {
			return x
		}
		c.i++
		x = c.apply(op, x, c.binary(prec+1))
	}
}

func (c *condExpr) apply(op Token, x, y condValue) condValue {
	u := x.unsigned || y.unsigned
	truth := func(b bool) condValue {
		if b {
			return condValue{n: 1}
		}
		return condValue{}
	}
	less := func(a, b int64) bool {
		if u {
			return uint64(a) < uint64(b)
		}
		return a < b
	}
	switch decided := op.Text == "||" && x.n != 0 || op.Text == "&&" && x.n == 0; {
	case x.bad:
		return x
	case y.bad && !decided:
		return y
	}
	switch op.Text {
	case "||":
		return truth(x.n != 0 || y.n != 0)
	case "&&":
		return truth(x.n != 0 && y.n != 0)
	case "|":
		return condValue{n: x.n | y.n, unsigned: u}
	case "^":
		return condValue{n: x.n ^ y.n, unsigned: u}
	case "&":
		return condValue{n: x.n & y.n, unsigned: u}
	case "==":
		return truth(x.n == y.n)
	case "!=":
		return truth(x.n != y.n)
	case "<":
		return truth(less(x.n, y.n))
	case ">":
		return truth(less(y.n, x.n))
	case "<=":
		return truth(!less(y.n, x.n))
	case ">=":
		return truth(!less(x.n, y.n))
	case "<<":
		return condValue{n: x.n << (uint(y.n) & 63), unsigned: x.unsigned}
	case ">>":
		if x.unsigned {
			return condValue{n: int64(uint64(x.n) >> (uint(y.n) & 63)), unsigned: true}
		}
		return condValue{n: x.n >> (uint(y.n) & 63), unsigned: false}
	case "+":
		return condValue{n: x.n + y.n, unsigned: u}
	case "-":
		return condValue{n: x.n - y.n, unsigned: u}
	case "*":
		return condValue{n: x.n * y.n, unsigned: u}
	}
	if y.n == 0 {
		return condValue{bad: true}
	}
	switch {
	case u && op.Text == "/":
		return condValue{n: int64(uint64(x.n) / uint64(y.n)), unsigned: true}
	case u:
		return condValue{n: int64(uint64(x.n) % uint64(y.n)), unsigned: true}
	case y.n == -1 && op.Text == "/":
		return condValue{n: -x.n}
	case op.Text == "/":
		return condValue{n: x.n / y.n}
	case y.n == -1:
		return condValue{}
	}
	return condValue{n: x.n % y.n}
}

func (c *condExpr) unary() condValue {
	if c.depth++; c.depth > 200 {
		c.fail(c.peek())
	}
	defer func() { c.depth-- }()
	t := c.peek()
	c.i++
	switch {
	case t.Is("!"):
		v := c.unary()
		if v.n == 0 {
			return condValue{n: 1}
		}
		return condValue{}
	case t.Is("-"):
		v := c.unary()
		return condValue{n: -v.n, unsigned: v.unsigned}
	case t.Is("+"):
		return c.unary()
	case t.Is("~"):
		v := c.unary()
		return condValue{n: ^v.n, unsigned: v.unsigned}
	case t.Is("("):
		v := c.ternary(0)
		if !c.got(")") {
			c.fail(c.peek())
		}
		return v
	case t.Kind == Number:
		lit, err := ParseNumber(t.Text)
		if err != nil || lit.Float {
			c.fail(t)
		}
		return condValue{n: int64(lit.Int), unsigned: lit.Unsigned}
	case t.Kind == Char:
		if n, ok := CharValue(t.Text); ok {
			return condValue{n: int64(n)}
		}
	case t.Kind == Word:
		return condValue{n: int64(bit(t.Text == "true")[0] - '0')}
	}
	c.i--
	c.fail(t)
	return condValue{}
}
