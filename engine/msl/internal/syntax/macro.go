package syntax

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// macro is a #define.
type macro struct {
	name     string
	function bool
	params   []string
	variadic bool // the last parameter is __VA_ARGS__, or was written name...
	body     []Token
}

// hideSet names the macros a token came out of, which may not be replaced in it again.
type hideSet struct {
	name string
	next *hideSet
}

func (h *hideSet) has(name string) bool {
	for ; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

func (h *hideSet) with(name string) *hideSet {
	if h.has(name) {
		return h
	}
	return &hideSet{name, h}
}

func (h *hideSet) union(o *hideSet) *hideSet {
	for ; o != nil; o = o.next {
		h = h.with(o.name)
	}
	return h
}

func intersect(a, b *hideSet) *hideSet {
	var out *hideSet
	for ; a != nil; a = a.next {
		if b.has(a.name) {
			out = &hideSet{a.name, out}
		}
	}
	return out
}

// expander replaces macros in the tokens of a source. pending holds tokens to be read before the source's, last first.
type expander struct {
	pp      *preprocessor
	source  func() Token
	pending []Token
}

func (x *expander) raw() Token {
	if n := len(x.pending); n > 0 {
		t := x.pending[n-1]
		x.pending = x.pending[:n-1]
		return t
	}
	return x.source()
}

func (x *expander) push(tokens []Token) {
	for i := len(tokens) - 1; i >= 0; i-- {
		x.pending = append(x.pending, tokens[i])
	}
}

// next returns the next token with every macro replaced.
func (x *expander) next() Token {
	for {
		t := x.raw()
		if t.Kind != Word {
			return t
		}
		m := x.pp.macros[t.Text]
		if m == nil || t.hide.has(t.Text) {
			if d, ok := x.pp.dynamic(t); ok {
				return d
			}
			return t
		}
		if !m.function {
			x.push(x.substitute(m, nil, t, t.hide.with(m.name)))
			continue
		}
		open := x.raw()
		if !open.Is("(") {
			x.push([]Token{open})
			return t
		}
		args, closing := x.arguments(m, t)
		x.push(x.substitute(m, args, t, intersect(t.hide, closing.hide).with(m.name)))
	}
}

// arguments reads the arguments of a call of m up to the closing parenthesis.
func (x *expander) arguments(m *macro, call Token) ([][]Token, Token) {
	args := [][]Token{nil}
	depth := 0
	for {
		t := x.raw()
		switch {
		case t.Kind == EOF:
			panic(diag.Errorf(call.Pos, diag.BadMacroCall, "call of macro %q is not closed", m.name))
		case t.Is("("), t.Is("["), t.Is("{"):
			if t.Text == "(" {
				depth++
			}
		case t.Is(")"):
			if depth == 0 {
				return x.count(m, args, call), t
			}
			depth--
		case t.Is(",") && depth == 0 && !(m.variadic && len(args) >= len(m.params)):
			args = append(args, nil)
			continue
		}
		args[len(args)-1] = append(args[len(args)-1], t)
	}
}

func (x *expander) count(m *macro, args [][]Token, call Token) [][]Token {
	want := len(m.params)
	switch {
	case want == 0 && len(args) == 1 && len(args[0]) == 0:
		return nil
	case len(args) == want:
	case m.variadic && len(args) == want-1:
		args = append(args, nil)
	default:
		panic(diag.Errorf(call.Pos, diag.BadMacroCall, "macro %q got %d arguments, want %d", m.name, len(args), want))
	}
	return args
}

// substitute returns the body of m with args in place of its parameters, at the position of call.
func (x *expander) substitute(m *macro, args [][]Token, call Token, hide *hideSet) []Token {
	param := func(t Token) int {
		if t.Kind == Word {
			for i, p := range m.params {
				if p == t.Text {
					return i
				}
			}
		}
		return -1
	}
	var out []Token
	for i := 0; i < len(m.body); i++ {
		t := m.body[i]
		switch {
		case t.Is("#") && m.function && i+1 < len(m.body):
			i++
			out = append(out, x.place(Token{Kind: String, Text: stringify(args[param(m.body[i])]), Space: t.Space}, call))
			continue
		case t.Is("##") && i > 0 && i+1 < len(m.body):
			i++
			right := []Token{x.place(m.body[i], call)}
			if p := param(m.body[i]); p >= 0 {
				right = args[p]
			}
			if n := len(out); len(right) == 0 && n > 0 && out[n-1].Is(",") && m.variadic && param(m.body[i]) == len(m.params)-1 {
				out = out[:n-1] // , ## with nothing behind it
			}
			out = x.paste(out, right, call, i > 1 && param(m.body[i-2]) >= 0 && len(args[param(m.body[i-2])]) == 0)
			continue
		}
		p := param(t)
		switch {
		case p < 0:
			out = append(out, x.place(t, call))
		case i+1 < len(m.body) && m.body[i+1].Is("##"):
			out = append(out, spaced(args[p], t.Space)...)
		default:
			out = append(out, spaced(x.pp.expand(args[p]), t.Space)...)
		}
	}
	if len(out) > 0 {
		out[0].Space = call.Space
	}
	for i := range out {
		out[i].hide = out[i].hide.union(hide)
		out[i].first = false
	}
	x.pp.spend(len(out)+1, call.Pos)
	return out
}

func (x *expander) place(t, call Token) Token { t.Pos = call.Pos; return t }

// spaced copies tokens, giving the first the white space of the parameter it replaces.
func spaced(tokens []Token, space bool) []Token {
	out := append([]Token(nil), tokens...)
	if len(out) > 0 {
		out[0].Space = space
	}
	return out
}

// paste joins the last token of left and the first of right.
func (x *expander) paste(left, right []Token, call Token, leftEmpty bool) []Token {
	if len(right) == 0 {
		return left
	}
	if len(left) == 0 || leftEmpty {
		return append(left, right...)
	}
	a, b := left[len(left)-1], right[0]
	text := a.Text + b.Text
	s := newScanner(diag.NewFile("", text))
	t := s.next()
	if a.Is(",") && b.Kind != EOF { // , ## __VA_ARGS__
		return append(left, right...)
	}
	if s.off != len(text) || t.Kind == other || t.Kind == EOF {
		panic(diag.Errorf(call.Pos, diag.BadMacroCall, "pasting %q and %q does not give a token", a.Text, b.Text))
	}
	t.Pos, t.Space, t.first, t.hide = call.Pos, a.Space, false, intersect(a.hide, b.hide)
	return append(append(left[:len(left)-1:len(left)-1], t), right[1:]...)
}

// stringify is the # operator.
func stringify(tokens []Token) string {
	return strconv.Quote(join(tokens))
}

// join writes tokens with single spaces where there was white space.
func join(tokens []Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && (t.Space || t.first) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// dynamic replaces the macros whose value depends on the position.
func (p *preprocessor) dynamic(t Token) (Token, bool) {
	line, file := t.Pos.Presumed()
	switch t.Text {
	case "__LINE__":
		t.Kind, t.Text = Number, fmt.Sprint(line)
	case "__FILE__":
		t.Kind, t.Text = String, strconv.Quote(file)
	default:
		return t, false
	}
	return t, true
}
