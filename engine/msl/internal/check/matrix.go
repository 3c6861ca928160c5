package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Matrices are computed with element by element where that is what an operator means: Add, Sub and Neg take matrices of
// one type, Mul and Div a matrix and a Splat of a scalar. Products of linear algebra are calls of FnMatrixMultiply.

func isMatrix(t types.Type) bool { _, ok := t.(*types.Matrix); return ok }

// matrixOperate applies a binary operator to operands of which one is a matrix; nil if none is.
func (c *checker) matrixOperate(at diag.Pos, op Op, x, y Expr) Expr {
	mx, xok := x.Type().(*types.Matrix)
	my, yok := y.Type().(*types.Matrix)
	if a, ok := x.Type().(*types.SimdMatrix); ok && op == Mul && y.Type() == types.Type(a) {
		return &CallBuiltin{node{at: at, typ: a}, FnSimdgroupMultiply, VariantDefault, []Expr{x, y}}
	}
	if !xok && !yok {
		return nil
	}
	scaled := func(m *types.Matrix, s Expr) Expr { // s repeated, as wide as m
		return &Splat{node{at: s.Pos(), typ: m}, cast(s, m.Elem())}
	}
	isScalar := func(e Expr, m *types.Matrix) bool {
		return arithScalar(e.Type()) != nil && rankTypes(e.Type(), m.Elem()) != rankNone
	}
	var t types.Type
	switch {
	case xok && yok && mx == my && (op == Add || op == Sub):
		return &Binary{node{at: at, typ: mx}, op, x, y}
	case xok && op == Mul && isScalar(y, mx):
		return &Binary{node{at: at, typ: mx}, op, x, scaled(mx, y)}
	case yok && op == Mul && isScalar(x, my):
		return &Binary{node{at: at, typ: my}, op, scaled(my, x), y}
	case xok && yok && op == Mul && mx.Elem() == my.Elem() && mx.Cols() == my.Rows():
		t = types.MatrixOf(mx.Elem(), my.Cols(), mx.Rows())
	case xok && op == Mul && plain(y.Type()) == types.Type(types.VectorOf(mx.Elem(), mx.Cols(), false)):
		y = cast(y, plain(y.Type()))
		t = mx.Column()
	case yok && op == Mul && plain(x.Type()) == types.Type(my.Column()):
		x = cast(x, plain(x.Type()))
		t = types.VectorOf(my.Elem(), my.Cols(), false)
	default:
		c.badOperands(at, op, x, y)
		return c.bad(at)
	}
	return &CallBuiltin{node{at: at, typ: t}, FnMatrixMultiply, VariantDefault, []Expr{x, y}}
}

// matrixCompound is L op= Y of a matrix.
func (c *checker) matrixCompound(at diag.Pos, op Op, l, y Expr) Expr {
	if effects(l) {
		c.errorf(at, diag.BadOperand, "%s= on a matrix that an expression with effects denotes is not supported", op)
		return c.bad(at)
	}
	z := c.matrixOperate(at, op, c.rvalue(l), y)
	if isBad(z) {
		return z
	}
	return c.store(at, l, z)
}

// effects reports whether working x out changes something.
func effects(x Expr) bool {
	switch x := x.(type) {
	case *VarRef, *Const:
		return false
	case *Load:
		return effects(x.X)
	case *Member:
		return effects(x.X)
	case *Swizzle:
		return effects(x.X)
	case *Deref:
		return effects(x.X)
	case *Index:
		return effects(x.X) || effects(x.Index)
	case *PointerAdd:
		return effects(x.X) || effects(x.Index)
	case *Decay:
		return effects(x.X)
	case *Convert:
		return effects(x.X)
	case *Unary:
		return effects(x.X)
	case *Binary:
		return effects(x.X) || effects(x.Y)
	}
	return true
}

// constructMatrix is float2x3(args): the diagonal, columns, elements column by column, or a matrix of as many.
func (c *checker) constructMatrix(at diag.Pos, t *types.Matrix, args []syntax.Expr) Expr {
	var vals []Expr
	for _, a := range args {
		var x Expr
		if list, ok := a.(*syntax.InitList); ok {
			x = c.initFrom(list, t.Column(), true)
		} else {
			x = c.rvalue(c.expr(a))
		}
		if isBad(x) {
			return c.bad(at)
		}
		vals = append(vals, x)
	}
	if len(vals) == 0 {
		return zero(at, t)
	}
	if len(vals) == 1 {
		switch from := vals[0].Type().(type) {
		case *types.Matrix:
			return c.explicit(at, vals[0], t, false)
		default:
			if arithScalar(from) != nil { // a constructor converts any number
				return c.diagonal(at, t, vals[0])
			}
		}
	}
	out := &Aggregate{node{at: at, typ: t}, nil}
	if len(vals) == t.Cols() {
		for _, x := range vals {
			if v, ok := x.Type().(*types.Vector); !ok || v.Len() != t.Rows() {
				c.errorf(x.Pos(), diag.NoConversion, "%s is no column of %s", x.Type(), t)
				return c.bad(at)
			}
			out.Elems = append(out.Elems, cast(x, t.Column()))
		}
		return out
	}
	if len(vals) != t.Cols()*t.Rows() {
		c.errorf(at, diag.BadInit, "%s is made of %d columns or %d elements, not %d", t, t.Cols(), t.Cols()*t.Rows(), len(vals))
		return c.bad(at)
	}
	for i := range t.Cols() {
		col := &Construct{node{at: at, typ: t.Column()}, nil}
		for _, x := range vals[i*t.Rows() : (i+1)*t.Rows()] {
			if arithScalar(x.Type()) == nil {
				c.errorf(x.Pos(), diag.NoConversion, "%s cannot be an element of %s", x.Type(), t)
				return c.bad(at)
			}
			col.Args = append(col.Args, cast(x, t.Elem()))
		}
		out.Elems = append(out.Elems, foldConstruct(col))
	}
	return out
}

// diagonal is the matrix with x on its diagonal and 0 elsewhere. x is worked out once.
func (c *checker) diagonal(at diag.Pos, t *types.Matrix, x Expr) Expr {
	return &CallBuiltin{node{at: at, typ: t}, FnMatrixDiagonal, VariantDefault, []Expr{cast(x, t.Elem())}}
}

// initMatrix initialises a matrix from a list: of columns in braces, or as a constructor does.
func (c *checker) initMatrix(list *syntax.InitList, t *types.Matrix) Expr {
	return c.constructMatrix(list.At, t, c.expandArgs(list.Elems))
}

// matrixFunction checks transpose and determinant.
func (c *checker) matrixFunction(at diag.Pos, id BuiltinFunc, args []Expr) Expr {
	if len(args) == 1 {
		x := c.rvalue(args[0])
		if isBad(x) {
			return x
		}
		if m, ok := x.Type().(*types.Matrix); ok {
			switch {
			case id == FnTranspose:
				return &CallBuiltin{node{at: at, typ: types.MatrixOf(m.Elem(), m.Rows(), m.Cols())}, id, VariantDefault, []Expr{x}}
			case m.Rows() == m.Cols():
				return &CallBuiltin{node{at: at, typ: m.Elem()}, id, VariantDefault, []Expr{x}}
			}
		}
	}
	want := "one matrix"
	if id == FnDeterminant {
		want = "one square matrix"
	}
	c.errorf(at, diag.NoMatch, "%q takes %s, not %s", id, want, argTypes(args))
	return c.bad(at)
}
