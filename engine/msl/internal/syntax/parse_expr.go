package syntax

import "github.com/octoryn/assay/engine/msl/internal/diag"

// expr parses an expression, commas included.
func (p *parser) expr() Expr {
	x := p.assign()
	for p.is(",") {
		at := p.next().Pos
		x = &Binary{at, ",", x, p.assign()}
	}
	return x
}

// unbracketed parses something inside brackets of its own, where > is an operator again.
func (p *parser) unbracketed(parse func() Expr) Expr {
	save := p.noGreater
	p.noGreater = 0
	defer func() { p.noGreater = save }()
	return parse()
}

// unbracketedList parses initialisers separated by commas up to the closing bracket, which it takes.
func (p *parser) unbracketedList(closing string) []Expr {
	save := p.noGreater
	p.noGreater = 0
	defer func() { p.noGreater = save }()
	var out []Expr
	for !p.is(closing) {
		x := p.initClause()
		if p.is("...") {
			x = &PackExpansion{p.next().Pos, x}
		}
		out = append(out, x)
		if !p.got(",") {
			break
		}
	}
	p.want(closing)
	return out
}

// initClause parses an assignment expression or a list in braces.
func (p *parser) initClause() Expr {
	if !p.is("{") {
		return p.assign()
	}
	defer p.enter()()
	at := p.next().Pos
	if p.is(".") || p.is("[") && !p.isLambda() {
		return &InitList{at, p.designated()}
	}
	return &InitList{at, p.unbracketedList("}")}
}

// designated parses a list whose first element says which it is, up to and with the closing brace.
func (p *parser) designated() []Expr {
	save := p.noGreater
	p.noGreater = 0
	defer func() { p.noGreater = save }()
	var out []Expr
	for !p.is("}") {
		d := &Designated{At: p.peek().Pos}
		switch {
		case p.got("."):
			d.Name = p.ident("a field's name").Text
		case p.is("[") && !p.isLambda():
			p.next()
			d.Index = p.cond()
			if p.got("...") {
				d.Last = p.cond()
			}
			p.want("]")
		default:
			out = append(out, p.initClause())
			if !p.got(",") {
				p.want("}")
				return out
			}
			continue
		}
		p.want("=")
		d.X = p.initClause()
		out = append(out, d)
		if !p.got(",") {
			break
		}
	}
	p.want("}")
	return out
}

// assign parses an assignment expression.
func (p *parser) assign() Expr {
	defer p.enter()()
	x := p.cond()
	switch t := p.peek(); t.Text {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=":
		if t.Kind == Punct {
			p.next()
			return &Binary{t.Pos, t.Text, x, p.initClause()}
		}
	}
	return x
}

// cond parses a conditional expression.
func (p *parser) cond() Expr {
	x := p.binary(1)
	if !p.is("?") {
		return x
	}
	defer p.enter()()
	at := p.next().Pos
	y := p.unbracketed(p.expr)
	p.want(":")
	return &Cond{at, x, y, p.assign()}
}

func (p *parser) binary(min int) Expr {
	x := p.unary()
	for {
		t := p.peek()
		prec := precedence[t.Text]
		if t.Kind != Punct || prec < min || prec == 0 || p.noGreater > 0 && (t.Text == ">" || t.Text == ">>") {
			return x
		}
		p.next()
		x = &Binary{t.Pos, t.Text, x, p.binary(prec + 1)}
	}
}

func (p *parser) unary() Expr {
	defer p.enter()()
	t := p.peek()
	if t.Kind == Punct {
		switch t.Text {
		case "+", "-", "!", "~", "*", "&", "++", "--":
			p.next()
			return &Unary{At: t.Pos, Op: t.Text, X: p.unary()}
		case "(":
			if p.startsType(1) && !p.parenCallsType() {
				return p.cast()
			}
		}
	}
	if t.Is("sizeof") || t.Is("alignof") || t.Is("_Alignof") || typeQuestions[t.Text] && p.at(1).Is("(") {
		return p.sizeOf()
	}
	if t.Is("__extension__") {
		p.next()
		return p.unary()
	}
	return p.postfix(p.primary())
}

// parenCallsType reports ( followed by a type's name and a bracket: (float4(x)) is no cast.
func (p *parser) parenCallsType() bool {
	p.i++
	defer func() { p.i-- }()
	if p.is("typename") {
		return p.typenameCall()
	}
	if !p.callsType() {
		return false
	}
	_, _, next := p.nameAt(p.i)
	return !p.toks[next].Is("(") || !p.toks[next+1].Is("*") && !p.toks[next+1].Is("&") || !p.toks[next+2].Is(")")
}

// cast parses (Type) X.
func (p *parser) cast() Expr {
	at := p.want("(").Pos
	save := p.noGreater
	p.noGreater = 0
	t := p.typeID()
	p.noGreater = save
	p.want(")")
	if p.is("{") {
		p.next()
		return p.postfix(&TypeCall{At: at, Type: t, Brace: true, Args: p.unbracketedList("}")})
	}
	return &Cast{At: at, Type: t, X: p.unary()}
}

// typeQuestions are the compiler's own words that ask something about a type.
var typeQuestions = map[string]bool{"__is_empty": true}

func (p *parser) sizeOf() Expr {
	t := p.next()
	s := &SizeOf{At: t.Pos, Word: t.Text}
	if s.Word == "_Alignof" {
		s.Word = "alignof"
	}
	if p.is("(") && p.startsType(1) && !p.parenCallsType() {
		p.next()
		save := p.noGreater
		p.noGreater = 0
		s.Type = p.typeID()
		p.noGreater = save
		p.want(")")
		return s
	}
	s.X = p.unary()
	return s
}

func (p *parser) primary() Expr {
	t := p.peek()
	switch t.Kind {
	case Number, Char:
		p.next()
		return &Literal{t.Pos, t.Kind, t.Text}
	case String:
		return &Literal{t.Pos, t.Kind, p.stringLit()}
	case Punct:
		switch t.Text {
		case "(":
			p.next()
			x := p.unbracketed(p.expr)
			p.want(")")
			return &Paren{t.Pos, x}
		case "[":
			return p.lambda()
		case "::":
			return p.nameExpr()
		}
	case Word:
		switch t.Text {
		case "true", "false", "nullptr", "this":
			p.next()
			return &Literal{t.Pos, Word, t.Text}
		case "static_cast", "reinterpret_cast", "const_cast", "as_type":
			return p.namedCast()
		case "new", "delete", "throw", "dynamic_cast", "typeid", "asm":
			if p.userEntry(t.Text) == nil {
				panic(diag.Errorf(t.Pos, diag.NotInMSL, "%s is not part of MSL", t.Text))
			}
		case "operator":
			return p.nameExpr()
		}
		if p.decltypeMember() {
			return p.nameExpr()
		}
		if p.startsType(0) {
			return p.typeCall()
		}
		if !reserved[t.Text] {
			return p.nameExpr()
		}
	}
	p.unexpected("an expression")
	return nil
}

// namedCast parses static_cast<Type>(X) and its kin.
func (p *parser) namedCast() Expr {
	t := p.next()
	p.want("<")
	p.noGreater++
	typ := p.typeID()
	p.noGreater--
	p.closeAngle()
	p.want("(")
	x := p.unbracketed(p.expr)
	p.want(")")
	return &Cast{t.Pos, t.Text, typ, x}
}

// typeCall parses Type(Args) and Type{Args}.
func (p *parser) typeCall() Expr {
	at := p.peek().Pos
	d := p.specifiers()
	if d.base == nil {
		p.unexpected("an expression")
	}
	c := &TypeCall{At: at, Type: d.base}
	switch {
	case p.got("("):
		c.Args = p.unbracketedList(")")
	case p.got("{"):
		c.Brace, c.Args = true, p.unbracketedList("}")
	default:
		p.unexpected("( after a type")
	}
	return c
}

// nameExpr parses a name used as a value.
func (p *parser) nameExpr() Expr {
	n := &Name{At: p.peek().Pos, Global: p.got("::")}
	if p.is("decltype") {
		n.Decltype = p.decltype()
		p.want("::")
	}
	start := p.i
	if n.Global {
		start--
	}
	for {
		t := p.peek()
		if t.Is("operator") {
			p.next()
			n.Parts = append(n.Parts, NamePart{At: t.Pos, Ident: p.operatorName()})
			return &Ident{n}
		}
		if t.Kind != Word || reserved[t.Text] && !isBuiltinWord(t.Text) {
			p.unexpected("a name")
		}
		p.next()
		part := NamePart{At: t.Pos, Ident: t.Text}
		if p.is("<") && p.isTemplateAt(start) {
			part.HasArgs, part.Args = true, p.templateArgs()
		}
		n.Parts = append(n.Parts, part)
		if !p.is("::") {
			return &Ident{n}
		}
		p.next()
		if p.got("template") {
			t := p.ident("a template's name")
			part := NamePart{At: t.Pos, Ident: t.Text, HasArgs: true, Template: true}
			part.Args = p.templateArgs()
			n.Parts = append(n.Parts, part)
			return &Ident{n}
		}
	}
}

// isTemplateAt reports whether the name from token start up to the next token names a template.
func (p *parser) isTemplateAt(start int) bool {
	end := p.i
	saved := p.toks[end]
	p.toks[end] = Token{Kind: Punct, Text: ";", Pos: saved.Pos} // look no further than the name
	kind, _, next := p.nameAt(start)
	p.toks[end] = saved
	return next == end && (kind == funcTemplate || kind == classTemplate)
}

// postfix parses what follows a primary expression.
func (p *parser) postfix(x Expr) Expr {
	for {
		t := p.peek()
		if t.Kind != Punct {
			return x
		}
		switch t.Text {
		case "(":
			p.next()
			x = &Call{At: t.Pos, Fun: x, Args: p.unbracketedList(")")}
		case "[":
			p.next()
			i := p.unbracketed(p.expr)
			p.want("]")
			x = &Index{t.Pos, x, i}
		case ".", "->":
			p.next()
			m := &Member{At: t.Pos, X: x, Arrow: t.Text == "->"}
			m.Template = p.got("template")
			u := p.peek()
			switch {
			case u.Is("operator") && p.startsType(1):
				p.next()
				m.Conv = p.conversionType(u.Pos)
				m.Part = NamePart{At: u.Pos, Ident: "operator " + TypeString(m.Conv)}
			case u.Is("operator"):
				p.next()
				m.Part = NamePart{At: u.Pos, Ident: p.operatorName()}
			default:
				u = p.ident("a member's name")
				m.Part = NamePart{At: u.Pos, Ident: u.Text}
			}
			if m.Template && p.is("<") {
				m.Part.HasArgs, m.Part.Args = true, p.templateArgs()
			}
			x = m
		case "++", "--":
			p.next()
			x = &Unary{At: t.Pos, Op: t.Text, X: x, Postfix: true}
		default:
			return x
		}
	}
}
