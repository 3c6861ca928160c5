package ir

import "math/bits"

// fold returns a simpler value equal to op(args), or nil. Floats are only folded when every operand is constant,
// or the identity holds for every bit pattern.
func (b *Builder) fold(op Op, t Type, args []*Value) *Value {
	at := operandType(op, t, args)
	if !op.Pure() {
		return nil
	}
	all := len(args) > 0
	for _, a := range args {
		all = all && a.IsConst()
	}
	if all {
		if f := Eval(op, at, t); f != nil {
			var x [3]uint64
			for i, a := range args {
				x[i] = a.Bits
			}
			return b.freeValue(OpConst, t, f(x[0], x[1], x[2]))
		}
	}
	switch op {
	case OpSelect:
		if args[0].IsConst() {
			if args[0].Bits != 0 {
				return args[1]
			}
			return args[2]
		}
		if args[1] == args[2] {
			return args[1]
		}
		if t == Bool {
			c, x, y := args[0], args[1], args[2]
			switch {
			case y == c || y.IsConst() && y.Bits == 0:
				return b.Op(OpAnd, Bool, c, x)
			case x == c || x.IsConst() && x.Bits == 1:
				return b.Op(OpOr, Bool, c, y)
			}
		}
		if t == Bool && args[1].IsConst() && args[2].IsConst() {
			if args[1].Bits != 0 {
				return args[0]
			}
			return b.Op(OpNot, Bool, args[0])
		}
	case OpNot:
		if args[0].Op == OpNot {
			return args[0].Args[0]
		}
	case OpConvert:
		return b.foldConvert(t, args[0])
	case OpBitcast:
		if x := args[0]; x.Op == OpBitcast && x.Args[0].Type == t {
			return x.Args[0]
		}
	case OpMin, OpMax, OpAnd, OpOr:
		if args[0] == args[1] {
			return args[0]
		}
	}
	if len(args) == 2 && (at.IsInt() || at == Bool) {
		return b.foldInt(op, t, at, args[0], args[1])
	}
	return nil
}

// operandType is the type that selects the meaning of op.
func operandType(op Op, t Type, args []*Value) Type {
	if len(args) == 0 {
		return t
	}
	if op == OpSelect {
		return args[1].Type
	}
	return args[0].Type
}

func (b *Builder) foldConvert(t Type, x *Value) *Value {
	if x.Op != OpConvert {
		return nil
	}
	from, mid := x.Args[0].Type, x.Type
	// Widening twice, or widening and narrowing back, is one conversion.
	if from.IsInt() && mid.IsInt() && t.IsInt() {
		switch {
		case from == t && mid.Bytes() >= from.Bytes():
			return x.Args[0]
		case mid.Bytes() >= from.Bytes() && (from.IsSigned() == mid.IsSigned() || !from.IsSigned() && mid.Bytes() > from.Bytes()):
			return b.Convert(x.Args[0], t)
		case t.Bytes() <= mid.Bytes() && t.Bytes() >= 4:
			return b.Convert(x.Args[0], t)
		}
	}
	if from.IsFloat() && mid == F32 && t == from {
		return x.Args[0]
	}
	return nil
}

func (b *Builder) foldInt(op Op, t, at Type, x, y *Value) *Value {
	swap := x.IsConst() && !y.IsConst()
	switch op {
	case OpAdd, OpMul, OpAnd, OpOr, OpXor, OpMin, OpMax, OpEq, OpNe:
		if swap { // constants to the right
			return b.Op(op, t, y, x)
		}
	}
	if !y.IsConst() {
		if x == y {
			switch op {
			case OpSub, OpXor:
				return b.Const(t, 0)
			case OpEq, OpLe:
				return b.Const(Bool, 1)
			case OpNe, OpLt:
				return b.Const(Bool, 0)
			}
		}
		return nil
	}
	c := y.Bits
	if x.Op == OpBuiltin && t == U32 {
		if v := b.foldBuiltin(op, Builtin(x.Bits), c); v != nil {
			return v
		}
	}
	ones := Normalise(at, ^uint64(0))
	switch op {
	case OpAdd, OpSub, OpOr, OpXor, OpShl, OpShr:
		if c == 0 {
			return x
		}
	case OpMul, OpDiv:
		if c == 1 {
			return x
		}
	}
	switch {
	case (op == OpMul || op == OpAnd) && c == 0:
		return y
	case op == OpAnd && (c == ones || at == Bool && c == 1):
		return x
	case op == OpSub && at != Bool:
		return b.Op(OpAdd, t, x, b.Const(at, -c))
	case op == OpAdd && x.Op == OpAdd && x.Args[1].IsConst():
		return b.Op(OpAdd, t, x.Args[0], b.Const(at, x.Args[1].Bits+c))
	case op == OpMul && x.Op == OpMul && x.Args[1].IsConst():
		return b.Op(OpMul, t, x.Args[0], b.Const(at, x.Args[1].Bits*c))
	case op == OpXor && at == Bool && c == 1:
		return b.Op(OpNot, t, x)
	case (op == OpEq || op == OpNe) && at == Bool:
		if (op == OpEq) == (c != 0) {
			return x
		}
		return b.Op(OpNot, Bool, x)
	case op == OpShl && c < uint64(at.Bytes()*8) && at.Bytes() >= 4:
		return b.Op(OpMul, t, x, b.Const(at, 1<<c))
	case op == OpShr && x.Op == OpShr && x.Args[1].IsConst() && x.Args[1].Bits+c < 32:
		return b.Op(OpShr, t, x.Args[0], b.Const(y.Type, x.Args[1].Bits+c))
	case !at.IsSigned() && at.IsInt() && bits.OnesCount64(c) == 1 && op == OpDiv:
		return b.Op(OpShr, t, x, b.Const(at, uint64(bits.TrailingZeros64(c))))
	case !at.IsSigned() && at.IsInt() && bits.OnesCount64(c) == 1 && op == OpRem:
		return b.Op(OpAnd, t, x, b.Const(at, c-1))
	case !at.IsSigned() && at.IsInt() && op == OpLt && c == 0:
		return b.Const(Bool, 0)
	}
	return nil
}

// foldBuiltin uses that a simdgroup is 32 consecutive threads.
func (b *Builder) foldBuiltin(op Op, k Builtin, c uint64) *Value {
	switch {
	case op == OpAnd && k == ThreadIndex && c < 32:
		return b.Op(OpAnd, U32, b.Builtin(Lane), b.Const(U32, c))
	case op == OpAnd && k == Lane && c&31 == 31:
		return b.Builtin(Lane)
	case op == OpShr && k == ThreadIndex && c >= 5 && c < 32:
		return b.Op(OpShr, U32, b.Builtin(SimdgroupIndex), b.Const(U32, c-5))
	case op == OpShr && k == Lane && c >= 5 && c < 32:
		return b.Const(U32, 0)
	}
	return nil
}
