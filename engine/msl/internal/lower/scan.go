package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

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
		case *check.View:
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
		l.findIndexes(f)
		check.Visit(f.Body, nil, func(e check.Expr) {
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
			check.Visit(f.Body, func(s check.Stmt) {
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
					_, isArray := e.X.Type().(*types.Array)
					if _, lit := e.Index.(*check.Const); !isArray && !lit {
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
	inside := map[*check.Func]bool{}
	declared := func(s check.Stmt) {
		if d, ok := s.(*check.Decl); ok {
			for _, v := range d.Vars {
				if v.Ref && v.Init != nil {
					add(v.Init)
				}
			}
		}
	}
	var look func(e check.Expr)
	look = func(e check.Expr) {
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
			if l.runsLambda(e.Func) && !inside[e.Func] {
				inside[e.Func] = true
				check.Visit(e.Func.Body, declared, look)
			}
		}
	}
	for _, s := range stmts {
		check.Visit(s, declared, look)
	}
	for _, e := range exprs {
		check.VisitExpr(e, look)
	}
	return append(out, l.returns()...)
}

// runsLambda reports whether f is a lambda's body or calls one, and so can set variables that are not its own.
func (l *lowerer) runsLambda(f *check.Func) bool {
	if known, ok := l.lambdas[f]; ok {
		return known
	}
	l.lambdas[f] = f.Lambda
	check.Visit(f.Body, nil, func(e check.Expr) {
		if c, ok := e.(*check.Call); ok && l.runsLambda(c.Func) {
			l.lambdas[f] = true
		}
	})
	return l.lambdas[f]
}

// returns lists the variables that a return sets.
func (l *lowerer) returns() []*ir.Var { return l.fn.ret }

// hasReturn reports whether s may return from the function it stands in.
func hasReturn(s check.Stmt) bool {
	found := false
	check.Visit(s, func(s check.Stmt) {
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
