package syntax

import "github.com/octoryn/assay/engine/msl/internal/diag"

// block parses { statements }.
func (p *parser) block() *Block {
	defer p.enter()()
	defer p.push()()
	b := &Block{At: p.want("{").Pos}
	for !p.is("}") {
		if p.peek().Kind == EOF {
			p.unexpected("\"}\"")
		}
		b.Stmts = append(b.Stmts, p.statement()...)
	}
	b.End = p.want("}").Pos
	return b
}

// one parses a statement that stands alone: a branch or a loop's body. A declaration gets a scope of its own.
func (p *parser) one() Stmt {
	defer p.push()()
	at := p.peek().Pos
	s := p.statement()
	for len(s) == 0 || isPragma(s[len(s)-1]) {
		s = append(s, p.statement()...)
	}
	if len(s) == 1 {
		return s[0]
	}
	return &Block{At: at, Stmts: s}
}

func isPragma(s Stmt) bool {
	d, ok := s.(*DeclStmt)
	if !ok {
		return false
	}
	_, ok = d.Decls[0].(*PragmaDecl)
	return ok
}

// statement parses a statement; a label and a declaration with several kinds of thing give more than one.
func (p *parser) statement() []Stmt {
	defer p.enter()()
	t := p.peek()
	if t.Is("[") && p.at(1).Is("[") {
		p.attributes()
		t = p.peek()
	}
	switch {
	case t.Kind == Pragma:
		return []Stmt{&DeclStmt{t.Pos, p.declaration()}}
	case t.Is("{"):
		return []Stmt{p.block()}
	case t.Is(";"):
		p.next()
		return []Stmt{&ExprStmt{At: t.Pos}}
	case t.Kind == Word:
		if s := p.keyword(t); s != nil {
			return []Stmt{s}
		}
	}
	if p.isDecl() {
		return p.declStmt()
	}
	x := p.expr()
	p.want(";")
	return []Stmt{&ExprStmt{t.Pos, x}}
}

// keyword parses a statement that starts with a word of its own.
func (p *parser) keyword(t Token) Stmt {
	switch t.Text {
	case "if":
		return p.ifStmt()
	case "for":
		return p.forStmt()
	case "while":
		p.next()
		s := &While{At: t.Pos, Cond: p.parenthesized()}
		s.Body = p.one()
		return s
	case "do":
		p.next()
		s := &DoWhile{At: t.Pos, Body: p.one()}
		p.want("while")
		s.Cond = p.parenthesized()
		p.want(";")
		return s
	case "switch":
		p.next()
		return &Switch{At: t.Pos, Tag: p.parenthesized(), Body: p.block()}
	case "case":
		p.next()
		c := &CaseLabel{At: t.Pos, X: p.cond()}
		p.want(":")
		return c
	case "default":
		p.next()
		p.want(":")
		return &CaseLabel{At: t.Pos}
	case "return":
		p.next()
		r := &Return{At: t.Pos}
		if !p.is(";") {
			if p.is("{") {
				r.X = p.initClause()
			} else {
				r.X = p.expr()
			}
		}
		p.want(";")
		return r
	case "break", "continue":
		p.next()
		p.want(";")
		return &Branch{t.Pos, t.Text}
	case "goto", "try", "throw":
		panic(diag.Errorf(t.Pos, diag.NotInMSL, "%s is not part of MSL", t.Text))
	}
	return nil
}

// parenthesized parses ( condition ).
func (p *parser) parenthesized() Expr {
	p.want("(")
	if p.isDecl() {
		panic(diag.Errorf(p.peek().Pos, diag.ConditionDecl, "declaration in a condition is not supported"))
	}
	x := p.unbracketed(p.expr)
	p.want(")")
	return x
}

func (p *parser) ifStmt() Stmt {
	s := &If{At: p.next().Pos}
	s.Constexpr = p.got("constexpr")
	s.Cond = p.parenthesized()
	s.Then = p.one()
	if p.got("else") {
		s.Else = p.one()
	}
	return s
}

func (p *parser) forStmt() Stmt {
	defer p.push()()
	s := &For{At: p.next().Pos}
	p.want("(")
	switch {
	case p.got(";"):
	case p.isDecl():
		d := p.declStmt()
		if len(d) != 1 {
			panic(diag.Errorf(d[0].Pos(), diag.UnexpectedToken, "only variables can be declared in a for statement"))
		}
		s.Init = d[0]
	default:
		at := p.peek().Pos
		s.Init = &ExprStmt{at, p.expr()}
		p.want(";")
	}
	if !p.is(";") {
		s.Cond = p.expr()
	}
	p.want(";")
	if !p.is(")") {
		s.Post = p.expr()
	}
	p.want(")")
	s.Body = p.one()
	return s
}

// declStmt parses a declaration in a block.
func (p *parser) declStmt() []Stmt {
	at := p.peek().Pos
	decls := p.declaration()
	var out []Stmt
	var vars []Decl
	for _, d := range decls {
		if _, ok := d.(*VarDecl); ok {
			vars = append(vars, d)
			continue
		}
		out = append(out, &DeclStmt{d.Pos(), []Decl{d}})
	}
	if len(vars) > 0 {
		out = append(out, &DeclStmt{at, vars})
	}
	return out
}

// isDecl reports whether a declaration comes next in a block.
func (p *parser) isDecl() bool {
	t := p.peek()
	switch t.Text {
	case "using", "namespace", "template", "static_assert", "typedef", "static", "constexpr", "extern", "inline",
		"struct", "class", "union", "enum":
		return t.Kind == Word
	}
	if !p.startsType(0) {
		return false
	}
	if isQualifier(t.Text) || t.Is("auto") || t.Is("typename") && !p.typenameCall() || t.Is("unsigned") || t.Is("signed") {
		return true
	}
	if t.Is("decltype") || t.Is("typename") {
		return !t.Is("typename")
	}
	_, _, next := p.nameAt(p.i)
	switch after := p.toks[next]; {
	case after.Is("{"):
		return false
	case after.Is("("):
		// Type (*name)... declares, anything else calls.
		return (p.toks[next+1].Is("*") || p.toks[next+1].Is("&")) && next+3 < len(p.toks) &&
			p.toks[next+2].Kind == Word && p.toks[next+3].Is(")") && p.userEntry(p.toks[next+2].Text) == nil
	}
	return true
}

// typenameCall reports typename T::x( or typename T::x{: an expression.
func (p *parser) typenameCall() bool {
	_, _, next := p.nameAt(p.i + 1)
	return p.toks[next].Is("(") || p.toks[next].Is("{")
}
