package syntax

import "strings"

// body writes the statements of a block.
func (p *printer) body(b *Block) {
	p.depth++
	for _, s := range b.Stmts {
		p.stmt(s)
	}
	p.depth--
}

// sub writes the statement of a branch or loop after its head.
func (p *printer) sub(head string, s Stmt) {
	if b, ok := s.(*Block); ok {
		p.line(head + " {")
		p.body(b)
		p.line("}")
		return
	}
	p.line(head)
	p.depth++
	p.stmt(s)
	p.depth--
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		p.line("{")
		p.body(s)
		p.line("}")
	case *DeclStmt:
		if _, ok := s.Decls[0].(*VarDecl); ok {
			p.line(p.vars(s.Decls))
			return
		}
		for _, d := range s.Decls {
			p.decl(d)
		}
	case *ExprStmt:
		if s.X == nil {
			p.line(";")
			return
		}
		p.line(p.expr(s.X) + ";")
	case *If:
		head := "if ("
		if s.Constexpr {
			head = "if constexpr ("
		}
		p.sub(head+p.expr(s.Cond)+")", s.Then)
		if s.Else != nil {
			p.sub("else", s.Else)
		}
	case *For:
		head := "for ("
		switch i := s.Init.(type) {
		case nil:
			head += ";"
		case *DeclStmt:
			head += p.vars(i.Decls)
		case *ExprStmt:
			head += p.expr(i.X) + ";"
		}
		if s.Cond != nil {
			head += " " + p.expr(s.Cond)
		}
		head += ";"
		if s.Post != nil {
			head += " " + p.expr(s.Post)
		}
		p.sub(head+")", s.Body)
	case *RangeFor:
		p.sub("for ("+strings.TrimSuffix(p.vars([]Decl{s.Var}), ";")+" : "+p.expr(s.X)+")", s.Body)
	case *While:
		p.sub("while ("+p.expr(s.Cond)+")", s.Body)
	case *DoWhile:
		p.sub("do", s.Body)
		p.line("while (" + p.expr(s.Cond) + ");")
	case *Switch:
		p.sub("switch ("+p.expr(s.Tag)+")", s.Body)
	case *CaseLabel:
		if s.X == nil {
			p.line("default:")
		} else {
			p.line("case " + p.expr(s.X) + ":")
		}
	case *Return:
		if s.X == nil {
			p.line("return;")
		} else {
			p.line("return " + p.expr(s.X) + ";")
		}
	case *Branch:
		p.line(s.Word + ";")
	}
}

func (p *printer) exprs(xs []Expr) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = p.expr(x)
	}
	return strings.Join(out, ", ")
}

func (p *printer) expr(x Expr) string {
	switch x := x.(type) {
	case *Ident:
		return p.name(x.Name)
	case *Literal:
		return x.Text
	case *Paren:
		return "(" + p.expr(x.X) + ")"
	case *Unary:
		if x.Postfix {
			return p.expr(x.X) + x.Op
		}
		inner := p.expr(x.X)
		if strings.HasPrefix(inner, x.Op[:1]) {
			inner = " " + inner
		}
		return x.Op + inner
	case *Binary:
		if x.Op == "," {
			return p.expr(x.X) + ", " + p.expr(x.Y)
		}
		return p.expr(x.X) + " " + x.Op + " " + p.expr(x.Y)
	case *Cond:
		return p.expr(x.C) + " ? " + p.expr(x.X) + " : " + p.expr(x.Y)
	case *Call:
		return p.expr(x.Fun) + "(" + p.exprs(x.Args) + ")"
	case *Index:
		return p.expr(x.X) + "[" + p.expr(x.I) + "]"
	case *Member:
		op := "."
		if x.Arrow {
			op = "->"
		}
		if x.Template {
			op += "template "
		}
		object := p.expr(x.X)
		if lit, ok := x.X.(*Literal); ok && lit.Kind == Number { // 1 .x is not 1.x
			object += " "
		}
		return object + op + p.part(&x.Part)
	case *Cast:
		if x.Word == "" {
			return "(" + p.typ(x.Type, "") + ")" + p.expr(x.X)
		}
		return x.Word + "<" + p.typ(x.Type, "") + ">(" + p.expr(x.X) + ")"
	case *TypeCall:
		if x.Brace {
			if _, ok := x.Type.(*NamedType); !ok {
				return "(" + p.typ(x.Type, "") + "){" + p.exprs(x.Args) + "}"
			}
			return p.typ(x.Type, "") + "{" + p.exprs(x.Args) + "}"
		}
		return p.typ(x.Type, "") + "(" + p.exprs(x.Args) + ")"
	case *InitList:
		return "{" + p.exprs(x.Elems) + "}"
	case *Designated:
		at := "." + x.Name
		if x.Index != nil {
			at = "[" + p.expr(x.Index) + "]"
		}
		if x.Last != nil {
			at = "[" + p.expr(x.Index) + " ... " + p.expr(x.Last) + "]"
		}
		return at + " = " + p.expr(x.X)
	case *Lambda:
		return p.lambda(x)
	case *SizeOf:
		if x.Type != nil {
			return x.Word + "(" + p.typ(x.Type, "") + ")"
		}
		return x.Word + " " + p.expr(x.X)
	case *PackExpansion:
		return p.expr(x.X) + "..."
	}
	panic("syntax: unknown expression")
}
