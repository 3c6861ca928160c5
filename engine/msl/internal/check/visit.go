package check

// visitCalls calls f for every call in a statement.
func visitCalls(s Stmt, f func(*Call)) {
	Visit(s, nil, func(x Expr) {
		if k, ok := x.(*Call); ok {
			f(k)
		}
	})
}

// Operands calls f for the expressions that x is made of, in order of evaluation.
func Operands(x Expr, f func(Expr)) {
	list := func(xs []Expr) {
		for _, y := range xs {
			f(y)
		}
	}
	switch x := x.(type) {
	case *Load:
		f(x.X)
	case *Unary:
		f(x.X)
	case *Binary:
		f(x.X)
		f(x.Y)
	case *PointerAdd:
		f(x.X)
		f(x.Index)
	case *PointerDiff:
		f(x.X)
		f(x.Y)
	case *Assign:
		f(x.R)
		f(x.L)
	case *CompoundAssign:
		f(x.Y)
		f(x.L)
	case *IncDec:
		f(x.X)
	case *Cond:
		f(x.C)
		f(x.X)
		f(x.Y)
	case *Comma:
		f(x.X)
		f(x.Y)
	case *Convert:
		f(x.X)
	case *Splat:
		f(x.X)
	case *PointerCast:
		f(x.X)
	case *Decay:
		f(x.X)
	case *PointerInt:
		f(x.X)
	case *Bitcast:
		f(x.X)
	case *AddrOf:
		f(x.X)
	case *Deref:
		f(x.X)
	case *Index:
		f(x.X)
		f(x.Index)
	case *Member:
		f(x.X)
	case *Swizzle:
		f(x.X)
	case *View:
		f(x.X)
	case *Construct:
		list(x.Args)
	case *Aggregate:
		list(x.Elems)
	case *Call:
		list(x.Args)
	case *CallBuiltin:
		list(x.Args)
	case *Closure:
		for _, v := range x.Vars {
			f(v.Init)
		}
	case *Materialize:
		f(x.X)
	}
}

// VisitExpr calls f for x and every expression in it; x may be nil.
func VisitExpr(x Expr, f func(Expr)) {
	if x == nil {
		return
	}
	f(x)
	Operands(x, func(y Expr) { VisitExpr(y, f) })
}

// Visit calls stmt, which may be nil, and expr for everything in s, which may be nil.
func Visit(s Stmt, stmt func(Stmt), expr func(Expr)) {
	if s == nil {
		return
	}
	if stmt != nil {
		stmt(s)
	}
	e := func(x Expr) { VisitExpr(x, expr) }
	w := func(x Stmt) { Visit(x, stmt, expr) }
	switch s := s.(type) {
	case *Block:
		for _, x := range s.Stmts {
			w(x)
		}
	case *Decl:
		for _, v := range s.Vars {
			e(v.Init)
		}
	case *ExprStmt:
		e(s.X)
	case *If:
		e(s.Cond)
		w(s.Then)
		w(s.Else)
	case *For:
		w(s.Init)
		e(s.Cond)
		e(s.Post)
		w(s.Body)
	case *While:
		e(s.Cond)
		w(s.Body)
	case *DoWhile:
		w(s.Body)
		e(s.Cond)
	case *Switch:
		e(s.Tag)
		for _, c := range s.Cases {
			for _, x := range c.Stmts {
				w(x)
			}
		}
	case *Return:
		e(s.Value)
	}
}
