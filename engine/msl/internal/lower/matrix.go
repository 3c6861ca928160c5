package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// matrix lowers the functions of matrices and simdgroup matrices; ok is false for any other function.
func (l *lowerer) matrix(e *check.CallBuiltin, args [][]*ir.Value) (out []*ir.Value, ok bool) {
	b := l.b
	switch e.ID {
	case check.FnTranspose:
		m := e.Args[0].Type().(*types.Matrix)
		for r := range m.Rows() {
			for c := range m.Cols() {
				out = append(out, args[0][c*m.Rows()+r])
			}
		}
	case check.FnDeterminant:
		m := e.Args[0].Type().(*types.Matrix)
		n := m.Cols()
		at := func(c, r int) *ir.Value { return args[0][c*n+r] }
		out = append(out, l.determinant(at, n, nil))
	case check.FnMatrixDiagonal:
		m := e.Type().(*types.Matrix)
		for c := range m.Cols() {
			for r := range m.Rows() {
				if c == r {
					out = append(out, args[0][0])
				} else {
					out = append(out, b.ConstF(args[0][0].Type, 0))
				}
			}
		}
	case check.FnMatrixMultiply:
		out = l.matrixMultiply(e, args)
	case check.FnSimdgroupLoad:
		out = l.simdMatrixLoad(e, args)
	case check.FnSimdgroupStore:
		l.simdMatrixStore(e, args)
	case check.FnSimdgroupMultiply, check.FnSimdgroupMultiplyAccumulate:
		out = l.simdMatrixMultiply(e, args)
	case check.FnSimdgroupDiagonal:
		row, col := l.shareOf()
		for i := range 2 {
			c := b.Op(ir.OpAdd, ir.U32, col, b.Const(ir.U32, uint64(i)))
			on := b.Op(ir.OpEq, ir.Bool, row, c)
			x := args[0][0]
			out = append(out, b.Op(ir.OpSelect, x.Type, on, x, b.ConstF(x.Type, 0)))
		}
	default:
		return nil, false
	}
	return out, true
}

// matrixMultiply is a product of matrices, or of a matrix and a vector. Each element is summed in rising order, every
// product rounded, then added; MSL leaves the order open.
func (l *lowerer) matrixMultiply(e *check.CallBuiltin, args [][]*ir.Value) []*ir.Value {
	b := l.b
	x, y := e.Args[0].Type(), e.Args[1].Type()
	inner, rows, cols := 0, 1, 1
	if m, ok := x.(*types.Matrix); ok {
		inner, rows = m.Cols(), m.Rows()
	} else {
		inner = types.Width(x) // a row
	}
	if m, ok := y.(*types.Matrix); ok {
		cols = m.Cols()
	}
	var out []*ir.Value
	for c := range cols {
		for r := range rows {
			var sum *ir.Value
			for k := range inner {
				p := b.Op(ir.OpMul, args[0][0].Type, args[0][k*rows+r], args[1][c*inner+k])
				if sum == nil {
					sum = p
				} else {
					sum = b.Op(ir.OpAdd, p.Type, sum, p)
				}
			}
			out = append(out, sum)
		}
	}
	return out
}

// determinant expands along the first of the columns left; used marks rows taken already.
func (l *lowerer) determinant(at func(c, r int) *ir.Value, n int, used []int) *ir.Value {
	b := l.b
	col := len(used)
	taken := func(r int) bool {
		for _, u := range used {
			if u == r {
				return true
			}
		}
		return false
	}
	var sum *ir.Value
	sign := 0
	for r := range n {
		if taken(r) {
			continue
		}
		term := at(col, r)
		if col < n-1 {
			next := append(append([]int(nil), used...), r)
			term = b.Op(ir.OpMul, term.Type, term, l.determinant(at, n, next))
		}
		switch {
		case sum == nil:
			sum = term
		case sign%2 == 1:
			sum = b.Op(ir.OpSub, sum.Type, sum, term)
		default:
			sum = b.Op(ir.OpAdd, sum.Type, sum, term)
		}
		sign++
	}
	return sum
}
