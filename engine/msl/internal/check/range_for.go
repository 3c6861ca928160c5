package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// known is an expression checked already, where the syntax of one is asked for.
type known struct {
	syntax.Expr
	x Expr
}

// Pos is the expression's.
func (k *known) Pos() diag.Pos { return k.x.Pos() }

// rangeFor makes for (v : array) a for statement over an index.
func (c *checker) rangeFor(s *syntax.RangeFor, unroll Unroll) Stmt {
	x := c.expr(s.X)
	place, isPlace := x.Place()
	t, isArray := x.Type().(*types.Array)
	if st, ok := x.Type().(*types.Struct); ok && isPlace { // array<T, N>
		if tmpl := c.classOf(st).template; tmpl != nil && tmpl == c.metal.names["array"] {
			x = c.field(s.At, x, 0)
			place, isPlace = x.Place()
			t, isArray = x.Type().(*types.Array)
		}
	}
	if !isArray || !isPlace {
		if !isBad(x) {
			c.errorf(s.X.Pos(), diag.BadOperand, "a for statement over a range wants an array, not %s", x.Type())
		}
		c.in(newScope(c.scope), func() {
			c.declare(s.Var.At, s.Var.Name, &Var{Name: s.Var.Name, Type: types.Invalid, Pos: s.Var.At, FunctionConstant: -1})
			c.branch(s.Body)
		})
		return nil
	}
	at := s.At
	all := &Var{Name: "range", Type: t, Ref: true, Space: place.Space, Const: place.Const, Pos: at, FunctionConstant: -1, Init: x}
	i := &Var{Name: "index", Type: types.Int, Pos: at, FunctionConstant: -1, Init: constant(at, IntValue(types.Int, 0))}
	out := &For{At: at, Unroll: unroll, Init: &Decl{at, []*Var{i}}}
	load := func() Expr { return &Load{node{at: at, typ: types.Int}, varRef(at, i)} }
	out.Cond = &Binary{node{at: at, typ: types.Bool}, Lt, load(), constant(at, IntValue(types.Int, int64(t.Len)))}
	out.Post = &IncDec{node{at: at, typ: types.Int}, varRef(at, i), false, false}
	element := &Index{node{at: at, typ: t.Elem, lval: true, place: place}, varRef(at, all), load()}
	d := *s.Var
	d.Kind, d.Init = syntax.InitAssign, &known{x: element}
	body := &Block{At: at}
	c.in(newScope(c.scope), func() {
		if v := c.localVar(&d); v != nil {
			body.Stmts = append(body.Stmts, &Decl{d.At, []*Var{v}})
		}
		body.Stmts = append(body.Stmts, c.branch(s.Body))
	})
	out.Body = body
	return &Block{At: at, Stmts: []Stmt{&Decl{at, []*Var{all}}, out}}
}
