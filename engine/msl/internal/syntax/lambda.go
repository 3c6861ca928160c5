package syntax

import (
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// isLambda reports whether the [ that comes next opens a lambda rather than a designator or an index: its ] is followed
// by ( or {.
func (p *parser) isLambda() bool {
	depth := 0
	for i := p.i; p.toks[i].Kind != EOF; i++ {
		switch {
		case p.toks[i].Is("["):
			depth++
		case p.toks[i].Is("]"):
			if depth--; depth == 0 {
				after := p.toks[i+1]
				return after.Is("(") || after.Is("{")
			}
		case p.toks[i].Is(";"):
			return false
		}
	}
	return false
}

// lambda parses [captures](parameters) -> type { body }.
func (p *parser) lambda() Expr {
	defer p.enter()()
	l := &Lambda{At: p.want("[").Pos}
	save, greater := p.local, p.noGreater
	p.noGreater = 0
	defer func() { p.local, p.noGreater = save, greater }()
	for !p.is("]") {
		t := p.peek()
		switch {
		case (t.Is("&") || t.Is("=")) && (p.at(1).Is(",") || p.at(1).Is("]")):
			if l.Default != "" || len(l.Captures) > 0 {
				panic(diag.Errorf(t.Pos, diag.UnexpectedToken, "a lambda's default capture comes first, and once"))
			}
			l.Default = p.next().Text
		case t.Is("this"):
			p.next()
			l.Captures = append(l.Captures, Capture{At: t.Pos, Name: "this", Ref: true})
		default:
			c := Capture{At: t.Pos, Ref: p.got("&")}
			c.Name = p.ident("a variable to capture").Text
			if p.got("=") {
				c.Init = p.assign()
			}
			l.Captures = append(l.Captures, c)
		}
		if !p.got(",") {
			break
		}
	}
	p.want("]")
	defer p.push()()
	for _, c := range l.Captures {
		if c.Name != "this" {
			p.declare(c.Name, valueName, nil)
		}
	}
	if p.is("(") {
		l.Params = p.parameters()
	}
	for {
		switch {
		case p.got("mutable"):
			l.Mutable = true
			continue
		case p.got("constexpr"), p.got("noexcept"), p.got("thread"), p.got("const"):
			continue
		case p.is("__attribute__"), p.is("[") && p.at(1).Is("["):
			p.attributes()
			continue
		}
		break
	}
	if p.got("->") {
		l.Ret = p.typeID()
	}
	for _, v := range l.Params {
		if v.Name != "" {
			p.declare(v.Name, valueName, nil)
		}
	}
	p.local++
	l.Body = p.block()
	return l
}

// lambda spells a lambda on one line or, with its body's, several.
func (p *printer) lambda(x *Lambda) string {
	var caps []string
	if x.Default != "" {
		caps = append(caps, x.Default)
	}
	for _, c := range x.Captures {
		s := c.Name
		if c.Ref && c.Name != "this" {
			s = "&" + s
		}
		if c.Init != nil {
			s += " = " + p.expr(c.Init)
		}
		caps = append(caps, s)
	}
	s := "[" + strings.Join(caps, ", ") + "](" + p.params(x.Params) + ")"
	if x.Mutable {
		s += " mutable"
	}
	if x.Ret != nil {
		s += " -> " + p.typ(x.Ret, "")
	}
	body := &printer{depth: p.depth}
	body.body(x.Body)
	return s + " {\n" + body.String() + strings.Repeat("    ", p.depth) + "}"
}
