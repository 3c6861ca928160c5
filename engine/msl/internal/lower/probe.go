package lower

import (
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// signs of integer operations, as people write them.
var signs = map[ir.Op]string{ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*", ir.OpNeg: "-", ir.OpDiv: "/", ir.OpRem: "%", ir.OpShl: "<<", ir.OpShr: ">>"}

// probeInteger tells what an integer operation of the source is about to compute.
func (l *lowerer) probeInteger(op ir.Op, x, y *ir.Value) {
	if !l.b.F.Observed || !x.Type.IsInt() {
		return
	}
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg:
		if x.Type.IsSigned() && x.Type.Bytes() >= 4 { // narrower ones are promoted, and wrap in ++ only, which is defined
			l.b.Probe(ir.ProbeOverflow, signs[op], nil, operands(op, x, y)...)
		}
	case ir.OpDiv, ir.OpRem:
		l.b.Probe(ir.ProbeDivide, signs[op], nil, x, y)
	case ir.OpShl, ir.OpShr:
		l.b.Probe(ir.ProbeShift, signs[op], nil, x, y)
	}
}

func operands(op ir.Op, x, y *ir.Value) []*ir.Value {
	if op == ir.OpNeg {
		return []*ir.Value{x}
	}
	return []*ir.Value{x, y}
}

// probeConversion tells of conversions that may lose a value: a float made an integer, and, within an index, an integer
// made narrower without being asked to.
func (l *lowerer) probeConversion(e *check.Convert, before, after []*ir.Value) {
	if !l.b.F.Observed || len(before) == 0 {
		return
	}
	from, to := before[0].Type, after[0].Type
	switch {
	case from.IsFloat() && to.IsInt():
		l.at(e.Pos())
		for _, x := range before {
			l.b.Probe(ir.ProbeFloatToInt, to.String(), nil, x)
		}
	case from.IsInt() && to.IsInt() && to.Bytes() < from.Bytes() && !e.Explicit && (l.indexing > 0 || l.indexes[l.assigning]):
		l.at(e.Pos())
		for i := range before {
			l.b.Probe(ir.ProbeNarrow, to.String(), nil, before[i], after[i])
		}
	}
}

// isSimdgroup reports whether the function exchanges values between lanes. Votes and masks are about the active ones by design.
func isSimdgroup(f check.BuiltinFunc) bool {
	name := f.String()
	switch name {
	case "simd_is_first", "simd_active_threads_mask", "simd_ballot", "simd_all", "simd_any", "quad_all", "quad_any", "quad_is_first", "quad_ballot":
		return false
	}
	return strings.HasPrefix(name, "simd_") || strings.HasPrefix(name, "quad_") || strings.HasPrefix(name, "simdgroup_multiply") ||
		strings.HasPrefix(name, "simdgroup_load") || strings.HasPrefix(name, "simdgroup_store")
}

// probeSimdgroup tells that a simdgroup or quadgroup function is about to run.
func (l *lowerer) probeSimdgroup(name string) {
	if l.b.F.Observed {
		l.b.Probe(ir.ProbeSimdgroup, name, nil)
	}
}

// probeShuffle tells from which lane a shuffle reads.
func (l *lowerer) probeShuffle(op ir.Op, name string, x []*ir.Value) {
	b := l.b
	if !b.F.Observed || len(x) < 2 || op < ir.OpShuffle || op > ir.OpShuffleDown {
		return
	}
	lane, by := b.Convert(b.Builtin(ir.Lane), ir.I32), b.Convert(x[1], ir.I32)
	switch op {
	case ir.OpShuffle:
		lane = by
	case ir.OpShuffleXor:
		lane = b.Op(ir.OpXor, ir.I32, lane, by)
	case ir.OpShuffleUp: // low lanes keep their own value, and so do high ones in the other direction
		from := b.Op(ir.OpSub, ir.I32, lane, by)
		lane = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpLt, ir.Bool, from, b.ConstI(ir.I32, 0)), lane, from)
	case ir.OpShuffleDown:
		from := b.Op(ir.OpAdd, ir.I32, lane, by)
		lane = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpLt, ir.Bool, b.ConstI(ir.I32, 31), from), lane, from)
	}
	b.Probe(ir.ProbeShuffle, name, nil, lane)
}

// findIndexes notes the integer variables that occur in an index of f.
func (l *lowerer) findIndexes(f *check.Func) {
	if !l.b.F.Observed {
		return
	}
	note := func(e check.Expr) {
		check.VisitExpr(e, func(e check.Expr) {
			if r, ok := e.(*check.VarRef); ok && types.ScalarOf(r.Var.Type) != nil {
				l.indexes[r.Var] = true
			}
		})
	}
	check.Visit(f.Body, nil, func(e check.Expr) {
		switch e := e.(type) {
		case *check.Index:
			note(e.Index)
		case *check.PointerAdd:
			note(e.Index)
		}
	})
}
