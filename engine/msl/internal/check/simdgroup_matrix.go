package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// simdMatrixFunction checks the functions of simdgroup matrices. Those that write a matrix through their first argument
// become assignments to it, so that a matrix is a value like any other.
func (c *checker) simdMatrixFunction(at diag.Pos, id BuiltinFunc, args []Expr) Expr {
	switch id {
	case FnSimdgroupLoad:
		return c.simdMatrixLoad(at, args)
	case FnSimdgroupStore:
		return c.simdMatrixStore(at, args)
	case FnSimdgroupMultiply:
		return c.simdMatrixMultiply(at, id, args, 3)
	}
	return c.simdMatrixMultiply(at, id, args, 4)
}

// simdMatrixPlace returns the matrix that a function writes, nil after reporting that x is none.
func (c *checker) simdMatrixPlace(id BuiltinFunc, x Expr) (Expr, *types.SimdMatrix) {
	m, ok := x.Type().(*types.SimdMatrix)
	if !ok {
		if !isBad(x) {
			c.errorf(x.Pos(), diag.NoMatch, "%q wants a simdgroup matrix, not %s", id, x.Type())
		}
		return nil, nil
	}
	if !c.writable(x.Pos(), x, id.String()) {
		return nil, nil
	}
	return x, m
}

// access checks the pointer, stride, origin and transposition of a load or store.
func (c *checker) access(at diag.Pos, id BuiltinFunc, m *types.SimdMatrix, args []Expr, write bool) []Expr {
	if len(args) < 1 || len(args) > 4 {
		c.errorf(at, diag.NoMatch, "%q got %d arguments, want 2 to 5", id, len(args)+1)
		return nil
	}
	ptr := c.rvalue(args[0])
	p, ok := ptr.Type().(*types.Pointer)
	if !ok || p.Elem != types.Type(m.Elem()) || p.Space != types.Device && p.Space != types.Threadgroup && (p.Space != types.Constant || write) {
		if !isBad(ptr) {
			c.errorf(args[0].Pos(), diag.NoMatch, "%q of %s wants a pointer to %s in device or threadgroup memory, not %s", id, m, m.Elem(), ptr.Type())
		}
		return nil
	}
	if write && p.Const {
		c.errorf(args[0].Pos(), diag.ConstViolation, "%q would change a const object", id)
		return nil
	}
	out := []Expr{ptr}
	defaults := []Expr{constant(at, Value{Type: types.Ulong, Bits: 8}), zero(at, types.VectorOf(types.Ulong, 2, false)), constant(at, BoolValue(false))}
	for i, d := range defaults {
		x := d
		if i+1 < len(args) {
			if b, ok := args[i+1].(*braced); ok {
				x = c.initFrom(b.list, d.Type(), false)
			} else if x = c.rvalue(args[i+1]); !isBad(x) && i == 1 && types.Width(x.Type()) == 2 {
				x = c.explicit(x.Pos(), x, d.Type(), false) // any vector of two integers
			} else {
				x = c.convert(x, d.Type())
			}
		}
		if isBad(x) {
			return nil
		}
		out = append(out, x)
	}
	return out
}

func (c *checker) simdMatrixLoad(at diag.Pos, args []Expr) Expr {
	if len(args) < 2 {
		c.errorf(at, diag.NoMatch, "%q got %d arguments, want 2 to 5", FnSimdgroupLoad, len(args))
		return c.bad(at)
	}
	l, m := c.simdMatrixPlace(FnSimdgroupLoad, args[0])
	if m == nil {
		return c.bad(at)
	}
	vals := c.access(at, FnSimdgroupLoad, m, args[1:], false)
	if vals == nil {
		return c.bad(at)
	}
	return c.intoMatrix(at, l, &CallBuiltin{node{at: at, typ: m}, FnSimdgroupLoad, VariantDefault, vals})
}

// intoMatrix assigns to a simdgroup matrix; the value is dropped.
func (c *checker) intoMatrix(at diag.Pos, l, r Expr) Expr {
	return &Convert{node: node{at: at, typ: types.Void}, X: &Assign{node{at: at, typ: l.Type()}, l, r}}
}

func (c *checker) simdMatrixStore(at diag.Pos, args []Expr) Expr {
	if len(args) < 2 {
		c.errorf(at, diag.NoMatch, "%q got %d arguments, want 2 to 5", FnSimdgroupStore, len(args))
		return c.bad(at)
	}
	x := c.rvalue(args[0])
	m, ok := x.Type().(*types.SimdMatrix)
	if !ok {
		if !isBad(x) {
			c.errorf(x.Pos(), diag.NoMatch, "%q wants a simdgroup matrix, not %s", FnSimdgroupStore, x.Type())
		}
		return c.bad(at)
	}
	vals := c.access(at, FnSimdgroupStore, m, args[1:], true)
	if vals == nil {
		return c.bad(at)
	}
	return &CallBuiltin{node{at: at, typ: types.Void}, FnSimdgroupStore, VariantDefault, append([]Expr{x}, vals...)}
}

func (c *checker) simdMatrixMultiply(at diag.Pos, id BuiltinFunc, args []Expr, want int) Expr {
	if len(args) != want {
		c.errorf(at, diag.NoMatch, "%q got %d arguments, want %d", id, len(args), want)
		return c.bad(at)
	}
	l, m := c.simdMatrixPlace(id, args[0])
	if m == nil {
		return c.bad(at)
	}
	var vals []Expr
	for i, a := range args[1:] {
		x := c.rvalue(a)
		t, ok := x.Type().(*types.SimdMatrix)
		if !ok || i == 2 && t != m {
			if !isBad(x) {
				c.errorf(a.Pos(), diag.NoMatch, "argument %d of %q is %s, which does not fit %s", i+2, id, x.Type(), m)
			}
			return c.bad(at)
		}
		vals = append(vals, x)
	}
	return c.intoMatrix(at, l, &CallBuiltin{node{at: at, typ: m}, id, VariantDefault, vals})
}

// constructSimdMatrix is simdgroup_float8x8(x): x on the diagonal.
func (c *checker) constructSimdMatrix(at diag.Pos, t *types.SimdMatrix, args []syntax.Expr) Expr {
	if len(args) == 0 {
		return zero(at, t)
	}
	if len(args) == 1 {
		if _, ok := args[0].(*syntax.InitList); !ok {
			x := c.rvalue(c.expr(args[0]))
			if isBad(x) {
				return x
			}
			if types.Identical(x.Type(), t) {
				return x
			}
			if arithScalar(x.Type()) != nil {
				return &CallBuiltin{node{at: at, typ: t}, FnSimdgroupDiagonal, VariantDefault, []Expr{cast(x, t.Elem())}}
			}
		}
	}
	c.errorf(at, diag.BadInit, "%s is made of one number, for its diagonal", t)
	for _, a := range args {
		c.initOnly(a)
	}
	return c.bad(at)
}

// makeSimdMatrix is make_filled_simdgroup_matrix<T, 8, 8>(x) or make_diagonal_simdgroup_matrix<T, 8, 8>(x).
func (c *checker) makeSimdMatrix(e *syntax.Call, name string, part *syntax.NamePart) Expr {
	args, ok := c.args(e.Args)
	if !ok {
		return c.bad(e.At)
	}
	if len(args) != 1 || arithScalar(args[0].Type()) == nil {
		c.errorf(e.At, diag.NoMatch, "%q wants one number, not %s", name, argTypes(args))
		return c.bad(e.At)
	}
	x := c.rvalue(args[0])
	if len(part.Args) < 3 { // the sizes have defaults, and the type is the argument's unless it is written
		s, _ := x.Type().(*types.Scalar)
		if len(part.Args) > 0 {
			a := c.templateArgs(part.Args)
			if a == nil {
				return c.bad(e.At)
			}
			if s = nil; a[0].typ != nil && (len(a) == 1 || a[1].value.Int() == 8) {
				s, _ = a[0].typ.typ.(*types.Scalar)
			}
		}
		if m := types.SimdMatrixOf(s); m != nil {
			return c.filledOrDiagonal(e.At, name, m, x)
		}
		c.errorf(part.At, diag.BadTemplateArgs, "%q wants half, bfloat or float, and 8, 8", name)
		return c.bad(e.At)
	}
	m := c.simdMatrixOf(part)
	if m == nil {
		return c.bad(e.At)
	}
	return c.filledOrDiagonal(e.At, name, m, x)
}

func (c *checker) filledOrDiagonal(at diag.Pos, name string, m *types.SimdMatrix, x Expr) Expr {
	v := cast(x, m.Elem())
	if name == "make_filled_simdgroup_matrix" {
		return &Splat{node{at: at, typ: m}, v}
	}
	return &CallBuiltin{node{at: at, typ: m}, FnSimdgroupDiagonal, VariantDefault, []Expr{v}}
}

// simdMatrixOf is simdgroup_matrix<T, 8, 8>; nil after a mistake.
func (c *checker) simdMatrixOf(part *syntax.NamePart) *types.SimdMatrix {
	a, ok := c.libraryArgs(part, "tnn")
	if !ok {
		return nil
	}
	s, _ := a[0].typ.typ.(*types.Scalar)
	m := types.SimdMatrixOf(s)
	if m == nil || a[1].value.Int() != 8 || a[2].value.Int() != 8 {
		c.errorf(part.At, diag.BadTemplateArgs, "%q wants half, bfloat or float, and 8, 8", part.Ident)
		return nil
	}
	return m
}

// threadElements is X.thread_elements(): this thread's two elements as a vector.
func (c *checker) threadElements(at diag.Pos, x Expr, m *types.SimdMatrix, args []syntax.Expr) Expr {
	if len(args) > 0 {
		c.errorf(at, diag.NoMatch, "\"thread_elements\" takes no arguments")
		return c.bad(at)
	}
	place, isPlace := x.Place()
	return &View{node{at: at, typ: m.Share(), lval: isPlace, place: place}, x}
}
