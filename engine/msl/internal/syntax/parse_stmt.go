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
		return p.whileStmt(t)
	case "do":
		p.next()
		s := &DoWhile{At: t.Pos, Body: p.one()}
		p.want("while")
		s.Cond = p.parenthesized()
		p.want(";")
		return s
	case "switch":
		p.next()
		return p.switchStmt(t)
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
	case "goto", "try", "throw", "register", "thread_local":
		if (t.Text == "register" || t.Text == "thread_local") && !p.startsType(1) {
			break
		}
		panic(diag.Errorf(t.Pos, diag.NotInMSL, "%s is not part of MSL", t.Text))
	}
	return nil
}

// parenthesized parses ( condition ).
func (p *parser) parenthesized() Expr {
	p.want("(")
	x := p.unbracketed(p.expr)
	p.want(")")
	return x
}

// condition parses ( condition ) where variables may be declared: before a semicolon, or as the condition itself, which
// is then the variable's value. init holds the declarations, nil if there are none.
func (p *parser) condition() (init []Stmt, cond Expr) {
	p.want("(")
	save := p.noGreater
	p.noGreater = 0
	defer func() { p.noGreater = save }()
	if p.isDecl() {
		v, at := p.conditionDecl()
		init = append(init, &DeclStmt{at, []Decl{v}})
		if p.got(")") {
			return init, &Ident{simpleName(v.At, v.Name)}
		}
		p.want(";")
	}
	switch {
	case p.isDecl() && init != nil:
		v, at := p.conditionDecl()
		init = append(init, &DeclStmt{at, []Decl{v}})
		cond = &Ident{simpleName(v.At, v.Name)}
	default:
		at := p.peek().Pos
		cond = p.expr()
		if init == nil && p.got(";") {
			init = append(init, &ExprStmt{at, cond})
			cond = p.expr()
		}
	}
	p.want(")")
	return init, cond
}

// conditionDecl parses the declaration of one variable, without a semicolon.
func (p *parser) conditionDecl() (*VarDecl, diag.Pos) {
	d := p.specifiers()
	if d.base == nil {
		p.unexpected("a type")
	}
	dec := p.declarator(false)
	if dec.fn != nil || d.typedef || dec.name.Simple() == "" {
		panic(diag.Errorf(dec.at, diag.ConditionDecl, "only a variable can be declared in a condition"))
	}
	v := p.variable(d, dec, p.scope, nil)
	if v.Kind == InitNone {
		panic(diag.Errorf(dec.at, diag.ConditionDecl, "variable %q in a condition needs an initialiser", v.Name))
	}
	return v, d.at
}

// wrapped puts declarations before a statement, in a block of their own.
func wrapped(at diag.Pos, init []Stmt, s Stmt) Stmt {
	if init == nil {
		return s
	}
	return &Block{At: at, Stmts: append(init, s)}
}

func (p *parser) ifStmt() Stmt {
	defer p.push()()
	s := &If{At: p.next().Pos}
	s.Constexpr = p.got("constexpr")
	init, cond := p.condition()
	s.Cond = cond
	s.Then = p.one()
	if p.got("else") {
		s.Else = p.one()
	}
	return wrapped(s.At, init, s)
}

// whileStmt parses a while statement. One that declares becomes while (true) { declaration; if (!x) break; body }.
func (p *parser) whileStmt(t Token) Stmt {
	defer p.push()()
	init, cond := p.condition()
	body := p.one()
	if init == nil {
		return &While{At: t.Pos, Cond: cond, Body: body}
	}
	stop := &If{At: t.Pos, Cond: &Unary{At: t.Pos, Op: "!", X: &Paren{t.Pos, cond}}, Then: &Branch{t.Pos, "break"}}
	return &While{At: t.Pos, Cond: &Literal{t.Pos, Word, "true"}, Body: &Block{At: t.Pos, Stmts: append(init, stop, body)}}
}

func (p *parser) switchStmt(t Token) Stmt {
	defer p.push()()
	init, tag := p.condition()
	return wrapped(t.Pos, init, &Switch{At: t.Pos, Tag: tag, Body: p.block()})
}

// isRangeFor reports whether a colon comes before the first semicolon or the end of the parentheses.
func (p *parser) isRangeFor() bool {
	depth := 0
	questions := 0
	for i := p.i; p.toks[i].Kind != EOF; i++ {
		if p.toks[i].Kind != Punct {
			continue
		}
		switch p.toks[i].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return false
			}
		case "?":
			questions++
		case ";":
			return false
		case ":":
			if depth == 0 {
				if questions == 0 {
					return true
				}
				questions--
			}
		}
	}
	return false
}

// rangeFor parses for ( variable : range ) body, from the variable on.
func (p *parser) rangeFor(at diag.Pos) Stmt {
	d := p.specifiers()
	if d.base == nil {
		p.unexpected("a type")
	}
	dec := p.declarator(false)
	if dec.fn != nil || d.typedef || dec.name.Simple() == "" {
		panic(diag.Errorf(dec.at, diag.UnexpectedToken, "a for statement over a range declares one variable"))
	}
	v := &VarDecl{At: dec.at, Name: dec.name.Simple(), Type: dec.wrap(d.base), Specs: d.specs, Attrs: append(d.attrs, dec.attrs...)}
	p.want(":")
	x := p.unbracketed(p.initClause)
	p.want(")")
	p.declare(v.Name, valueName, nil)
	return &RangeFor{At: at, Var: v, X: x, Body: p.one()}
}

func (p *parser) forStmt() Stmt {
	defer p.push()()
	s := &For{At: p.next().Pos}
	p.want("(")
	if p.isRangeFor() {
		return p.rangeFor(s.At)
	}
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
		return !t.Is("typename") && !p.decltypeMember()
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
