package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// children calls f for the direct operands of e.
func children(e check.Expr, f func(check.Expr)) {
	list := func(es []check.Expr) {
		for _, x := range es {
			f(x)
		}
	}
	switch e := e.(type) {
	case *check.Load:
		f(e.X)
	case *check.Unary:
		f(e.X)
	case *check.Binary:
		f(e.X)
		f(e.Y)
	case *check.PointerAdd:
		f(e.X)
		f(e.Index)
	case *check.PointerDiff:
		f(e.X)
		f(e.Y)
	case *check.Assign:
		f(e.R)
		f(e.L)
	case *check.CompoundAssign:
		f(e.Y)
		f(e.L)
	case *check.IncDec:
		f(e.X)
	case *check.Cond:
		f(e.C)
		f(e.X)
		f(e.Y)
	case *check.Comma:
		f(e.X)
		f(e.Y)
	case *check.Convert:
		f(e.X)
	case *check.Splat:
		f(e.X)
	case *check.PointerCast:
		f(e.X)
	case *check.Decay:
		f(e.X)
	case *check.PointerInt:
		f(e.X)
	case *check.Bitcast:
		f(e.X)
	case *check.AddrOf:
		f(e.X)
	case *check.Deref:
		f(e.X)
	case *check.Index:
		f(e.X)
		f(e.Index)
	case *check.Member:
		f(e.X)
	case *check.Swizzle:
		f(e.X)
	case *check.Construct:
		list(e.Args)
	case *check.Aggregate:
		list(e.Elems)
	case *check.Call:
		list(e.Args)
	case *check.CallBuiltin:
		list(e.Args)
	case *check.Materialize:
		f(e.X)
	}
}

// walkExpr calls f for e and every expression in it.
func walkExpr(e check.Expr, f func(check.Expr)) {
	if e == nil {
		return
	}
	f(e)
	children(e, func(x check.Expr) { walkExpr(x, f) })
}

// walkStmt calls stmt and expr for everything in s.
func walkStmt(s check.Stmt, stmt func(check.Stmt), expr func(check.Expr)) {
	if s == nil {
		return
	}
	if stmt != nil {
		stmt(s)
	}
	e := func(x check.Expr) { walkExpr(x, expr) }
	w := func(x check.Stmt) { walkStmt(x, stmt, expr) }
	switch s := s.(type) {
	case *check.Block:
		for _, x := range s.Stmts {
			w(x)
		}
	case *check.Decl:
		for _, v := range s.Vars {
			e(v.Init)
		}
	case *check.ExprStmt:
		e(s.X)
	case *check.If:
		e(s.Cond)
		w(s.Then)
		w(s.Else)
	case *check.For:
		w(s.Init)
		e(s.Cond)
		e(s.Post)
		w(s.Body)
	case *check.While:
		e(s.Cond)
		w(s.Body)
	case *check.DoWhile:
		w(s.Body)
		e(s.Cond)
	case *check.Switch:
		e(s.Tag)
		for _, c := range s.Cases {
			for _, x := range c.Stmts {
				w(x)
			}
		}
	case *check.Return:
		e(s.Value)
	}
}

// base is the variable that a place is part of; nil if it is reached through a pointer or is a temporary.
func base(e check.Expr) *check.Var {
	for {
		switch x := e.(type) {
		case *check.VarRef:
			return x.Var
		case *check.Member:
			e = x.X
		case *check.Swizzle:
			e = x.X
		case *check.Index:
			e = x.X
		default:
			return nil
		}
	}
}

// scan finds the variables whose address is taken, in f and what it calls. A reference passes the taking on to what it is
// bound to, which is why this goes on until nothing changes.
func (l *lowerer) scan(f *check.Func) {
	var funcs []*check.Func
	var find func(f *check.Func)
	find = func(f *check.Func) {
		if l.scanned[f] {
			return
		}
		l.scanned[f] = true
		funcs = append(funcs, f)
		walkStmt(f.Body, nil, func(e check.Expr) {
			if c, ok := e.(*check.Call); ok {
				find(c.Func)
			}
		})
	}
	find(f)
	for changed := true; changed; {
		changed = false
		take := func(e check.Expr) {
			if v := base(e); v != nil && !l.taken[v] {
				l.taken[v] = true
				changed = true
			}
		}
		for _, f := range funcs {
			walkStmt(f.Body, func(s check.Stmt) {
				d, ok := s.(*check.Decl)
				if !ok {
					return
				}
				for _, v := range d.Vars {
					if v.Ref && v.Init != nil && l.taken[v] {
						take(v.Init)
					}
				}
			}, func(e check.Expr) {
				switch e := e.(type) {
				case *check.AddrOf:
					take(e.X)
				case *check.Decay:
					take(e.X)
				case *check.Index:
					_, isVec := e.X.Type().(*types.Vector)
					if _, lit := e.Index.(*check.Const); isVec && !lit {
						if _, isPlace := e.X.Place(); isPlace {
							take(e.X)
						}
					}
				case *check.Call:
					for i, p := range e.Func.Params {
						if p.Ref && l.taken[p] {
							take(e.Args[i])
						}
					}
				}
			})
		}
	}
}

// assigned lists the variables of the IR that running the statements or expressions may set, among those that exist now.
func (l *lowerer) assigned(stmts []check.Stmt, exprs ...check.Expr) []*ir.Var {
	seen := map[*ir.Var]bool{}
	var out []*ir.Var
	add := func(e check.Expr) {
		v := base(e)
		if v == nil {
			return
		}
		if p := l.env[v]; p != nil {
			for _, x := range p.vars {
				if !seen[x] {
					seen[x] = true
					out = append(out, x)
				}
			}
		}
	}
	look := func(e check.Expr) {
		switch e := e.(type) {
		case *check.Assign:
			add(e.L)
		case *check.CompoundAssign:
			add(e.L)
		case *check.IncDec:
			add(e.X)
		case *check.Call:
			for i, p := range e.Func.Params {
				if p.Ref {
					add(e.Args[i])
				}
			}
		}
	}
	for _, s := range stmts {
		walkStmt(s, func(s check.Stmt) {
			if d, ok := s.(*check.Decl); ok {
				for _, v := range d.Vars {
					if v.Ref && v.Init != nil {
						add(v.Init)
					}
				}
			}
		}, look)
	}
	for _, e := range exprs {
		walkExpr(e, look)
	}
	return append(out, l.returns()...)
}

// returns lists the variables that a return sets.
func (l *lowerer) returns() []*ir.Var { return l.fn.ret }

// hasReturn reports whether s may return from the function it stands in.
func hasReturn(s check.Stmt) bool {
	found := false
	walkStmt(s, func(s check.Stmt) {
		_, ok := s.(*check.Return)
		found = found || ok
	}, func(check.Expr) {})
	return found
}

// alwaysReturns reports whether control never passes s.
func alwaysReturns(s check.Stmt) bool {
	switch s := s.(type) {
	case *check.Return:
		return true
	case *check.Block:
		return len(s.Stmts) > 0 && alwaysReturns(s.Stmts[len(s.Stmts)-1])
	case *check.If:
		return s.Else != nil && alwaysReturns(s.Then) && alwaysReturns(s.Else)
	}
	return false
}
