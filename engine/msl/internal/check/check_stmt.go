package check

import (
	"strconv"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// stmts checks statements in the current scope and appends them to out.
func (c *checker) stmts(in []syntax.Stmt, out *[]Stmt) {
	for _, s := range in {
		if x := c.stmt(s); x != nil {
			*out = append(*out, x)
		}
	}
	c.unusedUnroll()
}

// unusedUnroll reports an unroll pragma that no loop followed.
func (c *checker) unusedUnroll() {
	if c.fn.unroll != nil {
		c.errorf(c.fn.unrollAt, diag.BadUnroll, "an unroll pragma stands before a loop")
		c.fn.unroll = nil
	}
}

// block checks statements in a scope of their own.
func (c *checker) block(b *syntax.Block) *Block {
	out := &Block{At: b.At}
	c.in(newScope(c.scope), func() { c.stmts(b.Stmts, &out.Stmts) })
	return out
}

// branch checks the statement of an if or loop, in a scope of its own.
func (c *checker) branch(s syntax.Stmt) Stmt {
	if b, ok := s.(*syntax.Block); ok {
		return c.block(b)
	}
	out := &Block{At: s.Pos()}
	c.in(newScope(c.scope), func() { c.stmts([]syntax.Stmt{s}, &out.Stmts) })
	if len(out.Stmts) == 1 {
		if _, isDecl := out.Stmts[0].(*Decl); !isDecl {
			return out.Stmts[0]
		}
	}
	return out
}

// stmt checks a statement; nil for one that leaves nothing to do.
func (c *checker) stmt(s syntax.Stmt) Stmt {
	switch s := s.(type) {
	case *syntax.For, *syntax.RangeFor, *syntax.While, *syntax.DoWhile:
		return c.loop(s)
	case *syntax.DeclStmt:
		if _, ok := s.Decls[0].(*syntax.PragmaDecl); !ok {
			c.unusedUnroll()
		}
		return c.declStmt(s)
	}
	c.unusedUnroll()
	switch s := s.(type) {
	case *syntax.Block:
		return c.block(s)
	case *syntax.ExprStmt:
		if s.X == nil {
			return nil
		}
		x := c.expr(s.X)
		if _, ok := x.(*Const); ok || isBad(x) {
			return nil
		}
		return &ExprStmt{s.At, x}
	case *syntax.If:
		return c.ifStmt(s)
	case *syntax.Switch:
		return c.switchStmt(s)
	case *syntax.Return:
		return c.returnStmt(s)
	case *syntax.CaseLabel:
		c.errorf(s.At, diag.BadCase, "a case stands directly in the block of a switch")
		if s.X != nil {
			c.expr(s.X)
		}
		return nil
	case *syntax.Branch:
		if s.Word == "continue" {
			if c.fn.loops == 0 {
				c.errorf(s.At, diag.BadBranch, "continue outside of a loop")
			}
			return &Continue{s.At}
		}
		if c.fn.loops == 0 && c.fn.switches == 0 {
			c.errorf(s.At, diag.BadBranch, "break outside of a loop or switch")
		}
		return &Break{s.At}
	}
	panic("check: unknown statement")
}

func (c *checker) declStmt(s *syntax.DeclStmt) Stmt {
	out := &Decl{At: s.At}
	for _, d := range s.Decls {
		switch d := d.(type) {
		case *syntax.VarDecl:
			if v := c.localVar(d); v != nil {
				out.Vars = append(out.Vars, v)
			}
		case *syntax.PragmaDecl:
			c.blockPragma(d)
		case *syntax.FuncDecl, *syntax.TemplateDecl, *syntax.Instantiation, *syntax.NamespaceDecl:
			c.errorf(d.Pos(), diag.LocalFunction, "this cannot be declared inside a function")
		default:
			c.decl(d)
		}
	}
	if len(out.Vars) == 0 {
		return nil
	}
	return out
}

// blockPragma notes what a pragma asks of the next loop. One about contraction was read when the body began.
func (c *checker) blockPragma(d *syntax.PragmaDecl) {
	if u, ok := unrollPragma(d.Text); ok {
		c.fn.unroll, c.fn.unrollAt = &u, d.At
		return
	}
	c.pragma(d)
}

// unrollPragma reads the pragmas about unrolling.
func unrollPragma(text string) (Unroll, bool) {
	f := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(text))
	if len(f) >= 2 && f[0] == "clang" && f[1] == "loop" {
		f = f[2:]
	} else if len(f) >= 2 && f[0] == "GCC" {
		f = f[1:]
	}
	switch {
	case len(f) == 1 && f[0] == "unroll":
		return UnrollFull, true
	case len(f) == 1 && f[0] == "nounroll":
		return UnrollNone, true
	case len(f) == 2 && f[0] == "unroll" && (f[1] == "full" || f[1] == "enable"):
		return UnrollFull, true
	case len(f) == 2 && f[0] == "unroll" && f[1] == "disable":
		return UnrollNone, true
	case len(f) == 2 && (f[0] == "unroll" || f[0] == "unroll_count"):
		if n, err := strconv.Atoi(f[1]); err == nil && n > 0 {
			return Unroll(n), true
		}
		return UnrollFull, true // a name whose value does not matter to a result
	}
	return 0, false
}

func (c *checker) loop(s syntax.Stmt) Stmt {
	unroll := UnrollDefault
	if c.fn.unroll != nil {
		unroll, c.fn.unroll = *c.fn.unroll, nil
	}
	c.fn.loops++
	switches := c.fn.switches
	c.fn.switches = 0
	defer func() { c.fn.loops--; c.fn.switches = switches }()
	switch s := s.(type) {
	case *syntax.For:
		out := &For{At: s.At, Unroll: unroll}
		c.in(newScope(c.scope), func() {
			if s.Init != nil {
				out.Init = c.stmt(s.Init)
			}
			if s.Cond != nil {
				out.Cond = c.boolCond(c.rvalue(c.expr(s.Cond)))
			}
			if s.Post != nil {
				out.Post = c.expr(s.Post)
			}
			out.Body = c.branch(s.Body)
		})
		return out
	case *syntax.RangeFor:
		return c.rangeFor(s, unroll)
	case *syntax.While:
		cond := c.boolCond(c.rvalue(c.expr(s.Cond)))
		return &While{s.At, cond, c.branch(s.Body), unroll}
	case *syntax.DoWhile:
		body := c.branch(s.Body)
		return &DoWhile{s.At, body, c.boolCond(c.rvalue(c.expr(s.Cond))), unroll}
	}
	panic("check: unknown loop")
}

func (c *checker) ifStmt(s *syntax.If) Stmt {
	cond := c.boolCond(c.rvalue(c.expr(s.Cond)))
	if s.Constexpr {
		v, ok := c.constant(cond)
		if !ok {
			return nil
		}
		switch { // only the branch taken is checked
		case v.Bool():
			return c.branch(s.Then)
		case s.Else != nil:
			return c.branch(s.Else)
		}
		return nil
	}
	k, decided := cond.(*Const)
	out := &If{At: s.At, Cond: cond}
	c.unless(decided && !k.Value.Bool(), func() { out.Then = c.branch(s.Then) })
	if s.Else != nil {
		c.unless(decided && k.Value.Bool(), func() { out.Else = c.branch(s.Else) })
	}
	return out
}

func (c *checker) switchStmt(s *syntax.Switch) Stmt {
	tag := c.rvalue(c.expr(s.Tag))
	var t types.Type = types.Int
	if sc := types.ScalarOf(tag.Type()); sc != nil && types.Width(tag.Type()) == 1 && (sc.IsInteger() || sc == types.Bool) {
		t = promoted(sc)
		tag = cast(tag, t)
	} else if !isBad(tag) {
		c.errorf(tag.Pos(), diag.BadOperand, "switch wants an integer, not %s", tag.Type())
	}
	out := &Switch{At: s.At, Tag: tag}
	c.fn.switches++
	defer func() { c.fn.switches-- }()
	seen := map[int64]bool{}
	hasDefault, open := false, false // open: the last statement was a label
	c.in(newScope(c.scope), func() {
		for _, x := range s.Body.Stmts {
			label, ok := x.(*syntax.CaseLabel)
			if !ok {
				if len(out.Cases) == 0 {
					if d, isDecl := x.(*syntax.DeclStmt); isDecl {
						if _, isPragma := d.Decls[0].(*syntax.PragmaDecl); isPragma {
							continue
						}
					}
					c.errorf(x.Pos(), diag.BadCase, "a statement before the first case of a switch is never reached")
					out.Cases = append(out.Cases, Case{At: x.Pos()})
				}
				open = false
				last := &out.Cases[len(out.Cases)-1]
				if y := c.stmt(x); y != nil {
					last.Stmts = append(last.Stmts, y)
				}
				continue
			}
			if !open {
				out.Cases = append(out.Cases, Case{At: label.At})
			}
			open = true
			last := &out.Cases[len(out.Cases)-1]
			if label.X == nil {
				if hasDefault {
					c.errorf(label.At, diag.BadCase, "a switch has one default")
				}
				hasDefault, last.Default = true, true
				continue
			}
			v, ok := c.constant(c.convert(c.unscoped(c.rvalue(c.expr(label.X))), t))
			if !ok {
				continue
			}
			if seen[v.Int()] {
				c.errorf(label.At, diag.BadCase, "case %s stands here twice", v)
			}
			seen[v.Int()] = true
			last.Values = append(last.Values, v.Int())
		}
		c.unusedUnroll()
	})
	return out
}

// unscoped makes an enumerator its integer, also of a scoped enumeration.
func (c *checker) unscoped(x Expr) Expr {
	if e, ok := x.Type().(*types.Enum); ok {
		return cast(x, e.Underlying)
	}
	return x
}

func (c *checker) returnStmt(s *syntax.Return) Stmt {
	f := c.fn.f
	if f.ctor {
		if s.X != nil {
			c.errorf(s.At, diag.BadReturn, "a constructor returns nothing")
		}
		return &Return{s.At, c.rvalue(varRef(s.At, c.fn.self))}
	}
	fn := f.f
	if s.X == nil {
		if c.fn.autoRet && !c.fn.retSet {
			fn.Ret, c.fn.retSet = types.Void, true
		}
		if !types.IsVoid(fn.Ret) && !types.IsInvalid(fn.Ret) {
			c.errorf(s.At, diag.BadReturn, "function %q returns %s", fn.Name, fn.Ret)
		}
		return &Return{At: s.At}
	}
	if c.fn.autoRet && !c.fn.retSet {
		x := c.rvalue(c.expr(s.X))
		fn.Ret, c.fn.retSet = x.Type(), true
		return c.returnValue(s.At, x)
	}
	if fn.RetRef {
		ref := &Var{Type: fn.Ret, Ref: true, Space: fn.RetSpace, Const: fn.RetConst}
		x := c.expr(s.X)
		if _, ok := x.Place(); !ok && !isBad(x) {
			c.errorf(s.At, diag.BadReference, "a reference to %s cannot be bound to a value", fn.Ret)
			return nil
		}
		return &Return{s.At, c.bindRef(x, ref)}
	}
	if types.IsInvalid(fn.Ret) {
		c.initOnly(s.X)
		return nil
	}
	if list, ok := s.X.(*syntax.InitList); ok {
		return &Return{s.At, c.initFrom(list, fn.Ret, true)}
	}
	return c.returnValue(s.At, c.convertReturn(c.expr(s.X), fn.Ret))
}

func (c *checker) convertReturn(x Expr, t types.Type) Expr {
	if types.IsVoid(t) {
		if !isBad(x) && !types.IsVoid(x.Type()) {
			c.errorf(x.Pos(), diag.BadReturn, "function %q returns nothing", c.fn.f.f.Name)
		}
		return x
	}
	return c.convert(x, t)
}

// returnValue returns x; a void value is evaluated first.
func (c *checker) returnValue(at diag.Pos, x Expr) Stmt {
	if types.IsVoid(x.Type()) {
		return &Block{At: at, Stmts: []Stmt{&ExprStmt{at, x}, &Return{At: at}}}
	}
	return &Return{at, x}
}
