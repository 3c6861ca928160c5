package exec

import "github.com/octoryn/assay/engine/msl/internal/ir"

// scalarOp emits a pure operation on scalars: uniform values, or lane 0's of values with a pattern.
func (s *selector) scalarOp(v *ir.Value) {
	d := s.result(v).id
	if x := isTreeSum(v); x != nil && !s.allUniform(v) {
		s.emit(draft{op: opTreeSum, d: d, a: s.vector(x)})
		return
	}
	var r [3]int32
	for i, a := range v.Args {
		r[i] = s.scalar(a)
	}
	if op, ok := quickScalar(v); ok {
		s.emit(draft{op: op, d: d, a: r[0], b: r[1]})
		return
	}
	t := v.Args[0].Type
	if v.Op == ir.OpSelect {
		t = v.Args[1].Type
	}
	u := v.Type
	if v.Op != ir.OpConvert && v.Op != ir.OpBitcast {
		u = ir.Void
	}
	k := scalarKey{v.Op, t, u}
	n, ok := s.scalarNo[k]
	if !ok {
		n = len(s.scalars)
		s.scalars = append(s.scalars, ir.Eval(v.Op, t, v.Type))
		s.scalarNo[k] = n
	}
	op := [...]opcode{opS1, opS2, opS3}[len(v.Args)-1]
	s.emit(draft{op: op, imm: int32(n), d: d, a: r[0], b: r[1], c: r[2]})
}

func (s *selector) allUniform(v *ir.Value) bool {
	for _, a := range v.Args {
		if !s.of(a).isUniform() {
			return false
		}
	}
	return true
}

// quickScalar names the instruction of the commonest scalar operations.
func quickScalar(v *ir.Value) (opcode, bool) {
	t := v.Type
	switch {
	case (t == ir.I32 || t == ir.U32) && v.Op == ir.OpAdd:
		return opAdd32, true
	case (t == ir.I32 || t == ir.U32) && v.Op == ir.OpMul:
		return opMul32, true
	case t.Wide() && v.Op == ir.OpAdd:
		return opAdd64, true
	case t.Wide() && v.Op == ir.OpMul:
		return opMul64, true
	}
	if v.Op == ir.OpConvert || v.Op == ir.OpBitcast {
		from := v.Args[0].Type
		same := v.Op == ir.OpBitcast && from.Bytes() == 4 && t.Bytes() == 4
		same = same || v.Op == ir.OpConvert && from == ir.U32 && (t == ir.U64 || t == ir.I64 || t == ir.I32)
		same = same || v.Op == ir.OpConvert && from == ir.I32 && t == ir.U32
		if same {
			return opMoveS, true
		}
	}
	return 0, false
}

// laneKey selects a lane kernel.
type laneKey struct {
	op ir.Op
	t  ir.Type
}

var oneKernels = map[laneKey]uint8{
	{ir.OpNeg, ir.F32}: oneNegF, {ir.OpAbs, ir.F32}: oneAbsF, {ir.OpSqrt, ir.F32}: oneSqrtF, {ir.OpRint, ir.F32}: oneRintF,
	{ir.OpFloor, ir.F32}: oneFloorF, {ir.OpNot, ir.U32}: oneNot, {ir.OpNot, ir.I32}: oneNot, {ir.OpNeg, ir.U32}: oneNegI, {ir.OpNeg, ir.I32}: oneNegI,
	// Sign changes of the narrow formats need no rounding.
	{ir.OpNeg, ir.F16}: oneNegF, {ir.OpAbs, ir.F16}: oneAbsF, {ir.OpNeg, ir.BF16}: oneNegF, {ir.OpAbs, ir.BF16}: oneAbsF,
}

var twoKernels = map[laneKey]uint8{
	{ir.OpAdd, ir.F32}: twoAddF, {ir.OpSub, ir.F32}: twoSubF, {ir.OpMul, ir.F32}: twoMulF, {ir.OpDiv, ir.F32}: twoDivF,
	{ir.OpMin, ir.F32}: twoMinF, {ir.OpMax, ir.F32}: twoMaxF, {ir.OpMin, ir.F16}: twoMinF, {ir.OpMax, ir.F16}: twoMaxF,
	{ir.OpMin, ir.U32}: twoMinU, {ir.OpMax, ir.U32}: twoMaxU, {ir.OpMin, ir.I32}: twoMinI, {ir.OpMax, ir.I32}: twoMaxI,
	{ir.OpShr, ir.U32}: twoShrU, {ir.OpShr, ir.I32}: twoShrI,
}

func init() {
	for _, t := range []ir.Type{ir.I32, ir.U32} {
		for op, k := range map[ir.Op]uint8{ir.OpAdd: twoAddI, ir.OpSub: twoSubI, ir.OpMul: twoMulI, ir.OpAnd: twoAnd, ir.OpOr: twoOr, ir.OpXor: twoXor, ir.OpShl: twoShl} {
			twoKernels[laneKey{op, t}] = k
		}
	}
	for _, t := range []ir.Type{ir.I8, ir.U8, ir.I16, ir.U16} { // these cannot leave the narrow range
		for op, k := range map[ir.Op]uint8{ir.OpAnd: twoAnd, ir.OpOr: twoOr, ir.OpXor: twoXor} {
			twoKernels[laneKey{op, t}] = k
		}
	}
}

// mirrored gives the kernel with the operands exchanged.
var mirrored = [num2]uint8{twoAddF: twoAddF, twoSubF: twoRsubF, twoMulF: twoMulF, twoDivF: twoRdivF, twoMinF: twoMinF, twoMaxF: twoMaxF,
	twoAddI: twoAddI, twoSubI: twoRsubI, twoMulI: twoMulI, twoAnd: twoAnd, twoOr: twoOr, twoXor: twoXor, twoMinU: twoMinU, twoMaxU: twoMaxU,
	twoMinI: twoMinI, twoMaxI: twoMaxI, twoShl: num2, twoShrU: num2, twoShrI: num2}

// compareKernel gives the comparison kernel; flipped is the one for exchanged operands.
func compareKernel(op ir.Op, t ir.Type) (kernel, flipped uint8, ok bool) {
	switch {
	case t.IsFloat():
		switch op {
		case ir.OpEq:
			return cmpEqF, cmpEqF, true
		case ir.OpNe:
			return cmpNeF, cmpNeF, true
		case ir.OpLt:
			return cmpLtF, cmpGtF, true
		}
		return cmpLeF, cmpGeF, true
	case t.Wide() || t == ir.Bool:
		return 0, 0, false
	case op == ir.OpEq:
		return cmpEqI, cmpEqI, true
	case op == ir.OpNe:
		return cmpNeI, cmpNeI, true
	case t.IsSigned() && op == ir.OpLt:
		return cmpLtI, cmpGtI, true
	case t.IsSigned():
		return cmpLeI, cmpGeI, true
	case op == ir.OpLt:
		return cmpLtU, cmpGtU, true
	}
	return cmpLeU, cmpGeU, true
}

// lanesOp emits a pure operation whose result differs between lanes.
func (s *selector) lanesOp(v *ir.Value) {
	if s.fused(v) || s.boolOp(v) || s.conversion(v) || s.selection(v) {
		return
	}
	t := v.Args[0].Type
	if t == ir.F16 || t == ir.BF16 {
		if s.narrowFloat(v, t) {
			return
		}
	}
	switch {
	case v.Op == ir.OpFma && t == ir.F32:
		s.multiplyAdd(v)
		return
	case len(v.Args) == 1:
		if k, ok := oneKernels[laneKey{v.Op, t}]; ok {
			s.emit(draft{op: opOne, fn: k, d: s.result(v).id, a: s.vector(v.Args[0])})
			return
		}
	case len(v.Args) == 2:
		if k, ok := twoKernels[laneKey{v.Op, t}]; ok {
			s.two(k, s.result(v).id, v.Args[0], v.Args[1])
			return
		}
	}
	s.generic(v)
}

func (s *selector) two(k uint8, d int32, x, y *ir.Value) {
	switch {
	case k == twoAddF && s.xorAdd(d, x, y) || k == twoAddF && s.xorAdd(d, y, x):
	case s.of(y).isUniform():
		s.emit(draft{op: opTwoS, fn: k, d: d, a: s.vector(x), b: s.scalar(y)})
	case s.of(x).isUniform() && mirrored[k] != num2:
		s.emit(draft{op: opTwoS, fn: mirrored[k], d: d, a: s.vector(y), b: s.scalar(x)})
	default:
		s.emit(draft{op: opTwo, fn: k, d: d, a: s.vector(x), b: s.vector(y)})
	}
}

// xorAdd emits x + shuffle_xor(x, m) as one instruction.
func (s *selector) xorAdd(d int32, x, y *ir.Value) bool {
	if y.Op != ir.OpShuffleXor || y.Args[0] != x || !y.Args[1].IsConst() || !s.skip[y] {
		return false
	}
	s.emit(draft{op: opXorAdd, d: d, a: s.vector(x), imm: int32(y.Args[1].Bits & 31)})
	return true
}

// narrowFloat computes in float32 and rounds: correct for these operations (Figueroa 1995).
func (s *selector) narrowFloat(v *ir.Value, t ir.Type) bool {
	switch v.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpSqrt:
	default:
		return false
	}
	d := s.result(v).id
	if len(v.Args) == 1 {
		s.emit(draft{op: opOne, fn: oneKernels[laneKey{v.Op, ir.F32}], d: d, a: s.vector(v.Args[0])})
	} else {
		s.two(twoKernels[laneKey{v.Op, ir.F32}], d, v.Args[0], v.Args[1])
	}
	round := uint8(oneRoundF16)
	if t == ir.BF16 {
		round = oneRoundBF16
	}
	s.emit(draft{op: opOne, fn: round, d: d, a: d})
	return true
}

func (s *selector) multiplyAdd(v *ir.Value) {
	a, b, c := v.Args[0], v.Args[1], v.Args[2]
	if s.of(a).isUniform() {
		a, b = b, a
	}
	d := s.result(v).id
	bu, cu := s.of(b).isUniform(), s.of(c).isUniform()
	switch {
	case bu && cu:
		s.emit(draft{op: opFmaSC, d: d, a: s.vector(a), b: s.scalar(b), c: s.scalar(c)})
	case bu:
		s.emit(draft{op: opFmaS, d: d, a: s.vector(a), b: s.scalar(b), c: s.vector(c)})
	case cu:
		s.emit(draft{op: opFmaC, d: d, a: s.vector(a), b: s.vector(b), c: s.scalar(c)})
	default:
		s.emit(draft{op: opFma, d: d, a: s.vector(a), b: s.vector(b), c: s.vector(c)})
	}
}

// boolOp emits operations with a bool result: comparisons make masks, connectives work on masks.
func (s *selector) boolOp(v *ir.Value) bool {
	if v.Type != ir.Bool {
		return false
	}
	switch v.Op {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		x, y := v.Args[0], v.Args[1]
		k, flip, ok := compareKernel(v.Op, x.Type)
		if !ok {
			return false
		}
		d := s.result(v).id
		switch {
		case s.of(y).isUniform():
			s.emit(draft{op: opCmpS, fn: k, d: d, a: s.vector(x), b: s.scalar(y)})
		case s.of(x).isUniform():
			s.emit(draft{op: opCmpS, fn: flip, d: d, a: s.vector(y), b: s.scalar(x)})
		default:
			s.emit(draft{op: opCmp, fn: k, d: d, a: s.vector(x), b: s.vector(y)})
		}
		return true
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		k := scalarKey{v.Op, ir.U32, ir.Void}
		n, ok := s.scalarNo[k]
		if !ok {
			n = len(s.scalars)
			s.scalars = append(s.scalars, ir.Eval(v.Op, ir.U32, ir.U32))
			s.scalarNo[k] = n
		}
		a, b := s.mask(v.Args[0]), s.mask(v.Args[1])
		s.emit(draft{op: opS2, imm: int32(n), d: s.result(v).id, a: a, b: b})
		return true
	case ir.OpNot:
		a := s.mask(v.Args[0])
		s.emit(draft{op: opNotM, d: s.result(v).id, a: a})
		return true
	case ir.OpSelect:
		a, b, c := s.mask(v.Args[0]), s.mask(v.Args[1]), s.mask(v.Args[2])
		s.emit(draft{op: opSelM, d: s.result(v).id, a: a, b: b, c: c})
		return true
	case ir.OpConvert:
		x := v.Args[0]
		if x.Type.Wide() {
			return false
		}
		k := uint8(cmpNeI)
		if x.Type.IsFloat() {
			k = cmpNeF
		}
		a := s.vector(x)
		s.emit(draft{op: opCmpS, fn: k, d: s.result(v).id, a: a, b: s.constant(0)})
		return true
	}
	return false
}

func (s *selector) selection(v *ir.Value) bool {
	if v.Op != ir.OpSelect || v.Type.Wide() {
		return false
	}
	x, y := v.Args[1], v.Args[2]
	m := s.mask(v.Args[0])
	d := draft{d: s.result(v).id, a: m}
	xu, yu := s.of(x).isUniform(), s.of(y).isUniform()
	part := func(v *ir.Value, uniform bool) int32 {
		if uniform {
			return s.scalar(v)
		}
		return s.vector(v)
	}
	d.b, d.c = part(x, xu), part(y, yu)
	switch {
	case xu && yu:
		d.op = opSelSS
	case xu:
		d.op = opSelSV
	case yu:
		d.op = opSelVS
	default:
		d.op = opSel
	}
	s.emit(d)
	return true
}

// conversion emits conversions that a lane kernel or a plain copy can do.
func (s *selector) conversion(v *ir.Value) bool {
	if v.Op != ir.OpConvert && v.Op != ir.OpBitcast {
		return false
	}
	x := v.Args[0]
	from, to := x.Type, v.Type
	if from == ir.Bool && !to.Wide() {
		m := s.mask(x)
		one := uint64(1)
		if to.IsFloat() {
			one = 0x3f800000
		}
		s.emit(draft{op: opSelSS, d: s.result(v).id, a: m, b: s.constant(one), c: s.constant(0)})
		return true
	}
	if from == ir.Bool || from.Wide() || to.Wide() || to == ir.Bool {
		return false
	}
	k, ok := conversionKernel(v.Op, from, to)
	if !ok {
		return false
	}
	a := s.vector(x)
	d := s.result(v).id
	if k == num1 {
		s.emit(draft{op: opMove, d: d, a: a})
		return true
	}
	s.emit(draft{op: opOne, fn: k, d: d, a: a})
	return true
}

// conversionKernel names the kernel; num1 stands for a copy.
func conversionKernel(op ir.Op, from, to ir.Type) (uint8, bool) {
	if op == ir.OpBitcast {
		switch {
		case from.Bytes() == 4, from.IsInt() && to.IsInt() && from.IsSigned() == to.IsSigned():
			return num1, true
		case from == ir.U16 && to == ir.F16:
			return oneF16Bits, true
		case from == ir.U16 && to == ir.BF16:
			return oneBF16Bits, true
		case from == ir.F16 && to == ir.U16:
			return oneToF16Bits, true
		case from == ir.BF16 && to == ir.U16:
			return oneToBF16Bits, true
		}
		op = ir.OpConvert
		if from.IsFloat() || to.IsFloat() {
			return 0, false
		}
	}
	switch {
	case from.IsInt() && to.IsInt():
		switch {
		case to.Bytes() == 4, from.Bytes() < to.Bytes() && !from.IsSigned(), from.Bytes() < to.Bytes() && to.IsSigned():
			return num1, true
		case to == ir.I8:
			return oneExt8, true
		case to == ir.U8:
			return oneLow8, true
		case to == ir.I16:
			return oneExt16, true
		case to == ir.U16:
			return oneLow16, true
		}
	case from.IsInt() && (to == ir.F32 || from.Bytes() == 1 && to == ir.F16):
		if from == ir.U32 {
			return oneU32ToF, true
		}
		return oneI32ToF, true
	case from.IsFloat() && to == ir.F32:
		return num1, true
	case from.IsFloat() && to == ir.F16:
		return oneRoundF16, true
	case from.IsFloat() && to == ir.BF16:
		return oneRoundBF16, true
	case from.IsFloat() && to == ir.I32:
		return oneFToI32, true
	case from.IsFloat() && to == ir.U32:
		return oneFToU32, true
	}
	return 0, false
}

// generic emits an operation that has no kernel.
func (s *selector) generic(v *ir.Value) {
	t := v.Args[0].Type
	if v.Op == ir.OpSelect {
		t = v.Args[1].Type
	}
	g := &generic{f: ir.Eval(v.Op, t, v.Type)}
	for _, a := range v.Args {
		g.args = append(g.args, s.operand(a))
	}
	g.d = s.result(v)
	at := s.emit(draft{op: opGeneric, imm: int32(len(s.generics))})
	s.touch(at, false, g.args...)
	s.touch(at, true, g.d)
	s.generics = append(s.generics, g)
}
