package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// packParams makes the parameters that a parameter pack stands for.
func (c *checker) packParams(f *function, p *syntax.VarDecl, pack *syntax.PackType) bool {
	names := c.packsIn(nil, pack.Elem)
	if len(names) == 0 || f.packAt >= 0 {
		c.errorf(p.At, diag.Pack, "no parameter pack to expand here")
		return false
	}
	n := len(c.packNamed(names[0]).elems)
	f.packAt, f.packLen = len(f.f.Params), n
	ok := true
	for i := range n {
		s := c.elementScope(names, i)
		if s == nil {
			c.errorf(p.At, diag.Pack, "packs of different lengths are expanded together")
			return false
		}
		c.in(s, func() {
			v := c.paramOf(p, c.resolve(pack.Elem))
			if v == nil {
				v, ok = &Var{Name: p.Name, Type: types.Invalid, Pos: p.At, FunctionConstant: -1}, false
			}
			f.f.Params = append(f.f.Params, v)
			f.defaults = append(f.defaults, nil)
		})
	}
	return ok
}

// declarePack declares the name of a function parameter pack in the body.
func (c *checker) declarePack(f *function) {
	p := &packName{}
	for _, v := range f.f.Params[f.packAt : f.packAt+f.packLen] {
		p.elems = append(p.elems, v)
	}
	for _, d := range f.decl.Params {
		if _, ok := d.Type.(*syntax.PackType); ok {
			c.declare(d.At, d.Name, p)
		}
	}
}

func (c *checker) packNamed(name string) *packName {
	p, _ := c.scope.lookup(name).(*packName)
	return p
}

// elementScope binds each pack to its element i; nil if one has no such element.
func (c *checker) elementScope(names []string, i int) *scope {
	s := newScope(c.scope)
	for _, n := range names {
		p := c.packNamed(n)
		if len(p.elems) != len(c.packNamed(names[0]).elems) {
			return nil
		}
		s.names[n] = p.elems[i]
	}
	return s
}

// expandArgs replaces each expanded pack in a list of arguments by its elements.
func (c *checker) expandArgs(in []syntax.Expr) []syntax.Expr {
	var out []syntax.Expr
	for i, a := range in {
		e, ok := a.(*syntax.PackExpansion)
		if !ok {
			if out != nil {
				out = append(out, a)
			}
			continue
		}
		if out == nil {
			out = append(make([]syntax.Expr, 0, len(in)), in[:i]...)
		}
		names := c.packsInExpr(nil, e.X)
		if len(names) == 0 {
			c.errorf(e.At, diag.Pack, "no parameter pack to expand here")
			continue
		}
		for k := range c.packNamed(names[0]).elems {
			s := c.elementScope(names, k)
			if s == nil {
				c.errorf(e.At, diag.Pack, "packs of different lengths are expanded together")
				break
			}
			out = append(out, &scoped{e.X, s})
		}
	}
	if out == nil {
		return in
	}
	return out
}

// expandTemplateArg replaces an expanded pack among template arguments.
func (c *checker) expandTemplateArg(a syntax.TemplateArg) ([]templateArg, bool) {
	var names []string
	if a.Type != nil {
		names = c.packsIn(nil, a.Type)
	} else {
		names = c.packsInExpr(nil, a.X)
	}
	if len(names) == 0 {
		at := diag.Pos{}
		if a.Type != nil {
			at = a.Type.Pos()
		} else {
			at = a.X.Pos()
		}
		c.errorf(at, diag.Pack, "no parameter pack to expand here")
		return nil, false
	}
	a.Pack = false
	out := []templateArg{}
	for k := range c.packNamed(names[0]).elems {
		s := c.elementScope(names, k)
		if s == nil {
			return nil, false
		}
		ok := true
		c.in(s, func() {
			var t templateArg
			t, ok = c.templateArg(a)
			out = append(out, t)
		})
		if !ok {
			return nil, false
		}
	}
	return out, true
}

// packsIn appends the packs named in a type.
func (c *checker) packsIn(out []string, t syntax.Type) []string {
	switch t := t.(type) {
	case *syntax.NamedType:
		return c.packsInName(out, t.Name)
	case *syntax.PointerType:
		return c.packsIn(out, t.Elem)
	case *syntax.RefType:
		return c.packsIn(out, t.Elem)
	case *syntax.ArrayType:
		return c.packsIn(out, t.Elem)
	}
	return out
}

func (c *checker) packsInName(out []string, n *syntax.Name) []string {
	if c.packNamed(n.Parts[0].Ident) != nil {
		out = append(out, n.Parts[0].Ident)
	}
	for _, p := range n.Parts {
		for _, a := range p.Args {
			if a.Type != nil {
				out = c.packsIn(out, a.Type)
			} else {
				out = c.packsInExpr(out, a.X)
			}
		}
	}
	return out
}

// packsInExpr appends the packs named in an expression.
func (c *checker) packsInExpr(out []string, x syntax.Expr) []string {
	all := func(xs ...syntax.Expr) {
		for _, e := range xs {
			out = c.packsInExpr(out, e)
		}
	}
	switch x := x.(type) {
	case *syntax.Ident:
		out = c.packsInName(out, x.Name)
	case *syntax.Paren:
		all(x.X)
	case *syntax.Unary:
		all(x.X)
	case *syntax.Binary:
		all(x.X, x.Y)
	case *syntax.Cond:
		all(x.C, x.X, x.Y)
	case *syntax.Call:
		all(x.Fun)
		all(x.Args...)
	case *syntax.Index:
		all(x.X, x.I)
	case *syntax.Member:
		all(x.X)
	case *syntax.Cast:
		out = c.packsIn(out, x.Type)
		all(x.X)
	case *syntax.TypeCall:
		out = c.packsIn(out, x.Type)
		all(x.Args...)
	case *syntax.SizeOf:
		if x.Type != nil {
			out = c.packsIn(out, x.Type)
		} else {
			all(x.X)
		}
	}
	return out
}

// constInt evaluates an integer constant expression; what names it in a message.
func (c *checker) constInt(x syntax.Expr, what string) (int64, bool) {
	e := c.unscoped(c.rvalue(c.expr(x)))
	if isBad(e) {
		return 0, false
	}
	s, ok := e.Type().(*types.Scalar)
	if !ok || !s.IsInteger() && s != types.Bool {
		c.errorf(x.Pos(), diag.NotConstant, "%s is an integer constant, not %s", what, e.Type())
		return 0, false
	}
	v, err := evaluate(e, nil)
	if err != nil {
		if err.Code == diag.DependsOnFunctionConstant {
			err = diag.Errorf(x.Pos(), diag.NotConstant, "%s cannot depend on a function constant", what)
		}
		c.report(err)
		return 0, false
	}
	if s == types.Ulong && v.Int() < 0 {
		c.errorf(x.Pos(), diag.NotConstant, "%s is too large", what)
		return 0, false
	}
	return v.Int(), true
}
