package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

var binaryOps = map[check.Op]ir.Op{check.Add: ir.OpAdd, check.Sub: ir.OpSub, check.Mul: ir.OpMul, check.Div: ir.OpDiv, check.Rem: ir.OpRem,
	check.And: ir.OpAnd, check.Or: ir.OpOr, check.Xor: ir.OpXor, check.Shl: ir.OpShl, check.Shr: ir.OpShr}

// discard evaluates e for what it does.
func (l *lowerer) discard(e check.Expr) {
	if _, isPlace := e.Place(); isPlace {
		l.place(e)
		return
	}
	l.value(e)
}

// place lowers an expression that denotes an object.
func (l *lowerer) place(e check.Expr) *place {
	switch e := e.(type) {
	case *check.VarRef:
		return l.variable(e)
	case *check.Deref:
		return &place{t: e.Type(), addr: l.pointerAddr(l.value(e.X))}
	case *check.Member:
		p := l.place(e.X)
		s := e.X.Type().(*types.Struct)
		if p.vars == nil && p.value == nil {
			q := *p
			q.addr = within(p.addr, s)
			p = &q
		}
		return l.part(p, e.Type(), e.Field, s.Fields[e.Field].Offset, fieldLeaf(s, e.Field))
	case *check.Index:
		return l.index(e)
	case *check.Swizzle:
		p := l.place(e.X)
		if p.lanes != nil { // a swizzle of a swizzle
			lanes := make([]int, len(e.Lanes))
			for i, k := range e.Lanes {
				lanes[i] = p.lanes[k]
			}
			q := *p
			q.t, q.lanes = e.Type(), lanes
			return &q
		}
		q := *p
		q.t, q.lanes, q.whole = e.Type(), e.Lanes, e.X.Type().(*types.Vector)
		if p.value != nil {
			q = place{t: e.Type(), value: swizzled(*p.value, e.Lanes, e.Type()), of: p.of}
		}
		return &q
	case *check.View:
		q := *l.place(e.X)
		if q.lanes != nil || q.value != nil {
			l.fail(e.Pos(), "part of a vector seen as %s", e.Type())
		}
		q.t = e.Type()
		return &q
	case *check.Materialize:
		p := l.temporary("temp", e.Type())
		l.store(p, l.value(e.X))
		return p
	case *check.Call:
		l.value(e)
		return l.lastRef
	case *check.Comma:
		l.discard(e.X)
		return l.place(e.Y)
	case *check.Cond:
		l.fail(e.Pos(), "a conditional expression that denotes an object")
	}
	l.fail(e.Pos(), "object expression %T", e)
	return nil
}

// fieldLeaf is the number of leaves before a field.
func fieldLeaf(s *types.Struct, field int) int {
	n := 0
	for _, f := range s.Fields[:field] {
		n += numLeaves(f.Type)
	}
	return n
}

// swizzled picks components of a constant.
func swizzled(v check.Value, lanes []int, t types.Type) *check.Value {
	if len(lanes) == 1 {
		return &v.Elems[lanes[0]]
	}
	out := check.Value{Type: t}
	for _, k := range lanes {
		out.Elems = append(out.Elems, v.Elems[k])
	}
	return &out
}

// part is a field or element of p: the leaves from leaf on, bytes from off on, element k of a constant.
func (l *lowerer) part(p *place, t types.Type, k, off, leaf int) *place {
	switch {
	case p.vars != nil:
		return &place{t: t, vars: p.vars[leaf : leaf+numLeaves(t)]}
	case p.value != nil:
		return &place{t: t, value: &p.value.Elems[k], of: p.of, off: p.off + off}
	}
	return &place{t: t, addr: l.offset(p.addr, off)}
}

func (l *lowerer) variable(e *check.VarRef) *place {
	v := e.Var
	if p := l.env[v]; p != nil {
		return p
	}
	if c, ok := l.known[v]; ok {
		return &place{t: v.Type, value: &c, of: v}
	}
	if v.FunctionConstant >= 0 {
		panic(stop{l.missing(v)})
	}
	if l.failed[v] != nil {
		panic(stop{l.missingBehind(v)})
	}
	l.fail(e.Pos(), "variable %q has no place here", v.Name)
	return nil
}

// index lowers an element of an array or vector that is a place.
func (l *lowerer) index(e *check.Index) *place {
	p := l.place(e.X)
	i := l.indexValue(e.Index)
	size := 0
	count := 0
	switch t := e.X.Type().(type) {
	case *types.Array:
		size, count = t.Elem.Size(), t.Len
	case *types.Matrix:
		size, count = t.Column().Size(), t.Cols()
	case *types.Vector:
		size, count = t.Elem().Size(), t.Len()
		if p.lanes != nil && i.IsConst() && int(i.Bits) < len(p.lanes) {
			q := *p
			q.t, q.lanes = e.Type(), []int{p.lanes[i.Bits]}
			return &q
		}
	}
	if k := ir.Extend(i.Type, i.Bits); i.IsConst() && k < uint64(count) && p.lanes == nil {
		return l.part(p, e.Type(), int(k), int(k)*size, int(k)*numLeaves(e.Type()))
	}
	var a ir.Addr
	if p.value != nil {
		a = l.table(p)
	} else {
		a = l.address(p, e)
	}
	return &place{t: e.Type(), addr: l.moved(a, i, size)}
}

// indexValue lowers an index.
func (l *lowerer) indexValue(e check.Expr) *ir.Value {
	l.indexing++
	defer func() { l.indexing-- }()
	return l.value(e)[0]
}

// valueFor lowers what is assigned to, or initialises, a variable.
func (l *lowerer) valueFor(v *check.Var, e check.Expr) []*ir.Value {
	outer := l.assigning
	l.assigning = v
	defer func() { l.assigning = outer }()
	return l.value(e)
}

// moved is an address plus index elements of size bytes.
func (l *lowerer) moved(a ir.Addr, index *ir.Value, size int) ir.Addr {
	b := l.b
	wide := b.Convert(index, ir.I64)
	a.Off = b.Op(ir.OpAdd, ir.I64, b.Op(ir.OpMul, ir.I64, wide, b.ConstI(ir.I64, int64(size))), a.Off)
	return a
}

// value lowers an expression to its leaves.
func (l *lowerer) value(e check.Expr) []*ir.Value {
	b := l.b
	one := func(v *ir.Value) []*ir.Value { return []*ir.Value{v} }
	switch e := e.(type) {
	case *check.Const:
		return l.constant(e.Value, e.Type())
	case *check.Null:
		return []*ir.Value{b.Const(ir.U32, ir.NullRoot), b.ConstI(ir.I64, 0)}
	case *check.Load:
		p := l.place(e.X)
		if p.vars == nil && p.value == nil {
			l.at(e.Pos())
		}
		return l.load(p)
	case *check.Unary:
		return l.unary(e)
	case *check.Binary:
		return l.binaryExpr(e)
	case *check.PointerAdd:
		a := l.pointerAddr(l.value(e.X))
		i := l.indexValue(e.Index)
		return l.addrLeaves(l.moved(a, i, e.X.Type().(*types.Pointer).Elem.Size()))
	case *check.PointerDiff:
		x, y := l.value(e.X), l.value(e.Y)
		d := b.Op(ir.OpSub, ir.I64, x[1], y[1])
		return one(b.Op(ir.OpDiv, ir.I64, d, b.ConstI(ir.I64, int64(e.X.Type().(*types.Pointer).Elem.Size()))))
	case *check.Assign:
		r := l.valueFor(base(e.L), e.R)
		p := l.place(e.L)
		l.at(e.Pos())
		l.store(p, r)
		return r
	case *check.CompoundAssign:
		return l.compound(e)
	case *check.IncDec:
		return l.incDec(e)
	case *check.Cond:
		return l.cond(e)
	case *check.Comma:
		l.discard(e.X)
		return l.value(e.Y)
	case *check.Convert:
		if types.IsVoid(e.Type()) {
			l.discard(e.X)
			return nil
		}
		v := l.value(e.X)
		out := l.convert(v, elemType(e.Type()))
		l.probeConversion(e, v, out)
		return out
	case *check.Splat:
		x := l.value(e.X)[0]
		out := make([]*ir.Value, numLeaves(e.Type()))
		for i := range out {
			out[i] = x
		}
		return out
	case *check.View:
		return l.value(e.X)
	case *check.PointerCast:
		return l.value(e.X)
	case *check.Decay:
		return l.addrLeaves(l.address(l.place(e.X), e))
	case *check.AddrOf:
		return l.addrLeaves(l.address(l.place(e.X), e))
	case *check.PointerInt:
		v := l.value(e.X)
		num := b.Op(ir.OpMul, ir.U64, b.Convert(v[0], ir.U64), b.Const(ir.U64, 1<<48))
		return one(b.Convert(b.Op(ir.OpAdd, ir.U64, num, b.Convert(v[1], ir.U64)), elemType(e.Type())))
	case *check.Bitcast:
		return l.bitcast(l.value(e.X), elemType(e.X.Type()), elemType(e.Type()), e)
	case *check.Index:
		if _, isPlace := e.Place(); isPlace {
			return l.load(l.place(e))
		}
		return l.valueIndex(e)
	case *check.Member:
		if _, isPlace := e.Place(); isPlace {
			return l.load(l.place(e))
		}
		v := l.value(e.X)
		n := fieldLeaf(e.X.Type().(*types.Struct), e.Field)
		return v[n : n+numLeaves(e.Type())]
	case *check.Swizzle:
		v := l.value(e.X)
		out := make([]*ir.Value, len(e.Lanes))
		for i, k := range e.Lanes {
			out[i] = v[k]
		}
		return out
	case *check.Construct:
		var out []*ir.Value
		for _, a := range e.Args {
			out = append(out, l.value(a)...)
		}
		return out
	case *check.Aggregate:
		return l.aggregate(e)
	case *check.Call:
		return l.call(e)
	case *check.CallBuiltin:
		l.at(e.Pos())
		return l.callBuiltin(e)
	case *check.Closure:
		for _, v := range e.Vars {
			l.declare(v)
		}
		return nil
	case *check.VarDefined:
		_, ok := l.known[e.Var]
		return one(b.Const(ir.Bool, bit(ok)))
	case *check.Materialize:
		return l.value(e.X)
	case *check.VarRef, *check.Deref:
		return l.load(l.place(e))
	}
	l.fail(e.Pos(), "expression %T", e)
	return nil
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (l *lowerer) convert(v []*ir.Value, to ir.Type) []*ir.Value {
	out := make([]*ir.Value, len(v))
	for i, x := range v {
		out[i] = l.b.Convert(x, to)
	}
	return out
}

// valueIndex picks a component of a value that has no place.
func (l *lowerer) valueIndex(e *check.Index) []*ir.Value {
	v := l.value(e.X)
	i := l.indexValue(e.Index)
	n := numLeaves(e.Type())
	count := len(v) / n
	if k := ir.Extend(i.Type, i.Bits); i.IsConst() && k < uint64(count) {
		return v[int(k)*n : int(k+1)*n]
	}
	out := append([]*ir.Value{}, v[:n]...)
	for k := 1; k < count; k++ {
		is := l.b.Op(ir.OpEq, ir.Bool, i, l.b.ConstI(i.Type, int64(k)))
		for j := range out {
			out[j] = l.b.Op(ir.OpSelect, out[j].Type, is, v[k*n+j], out[j])
		}
	}
	return out
}

func (l *lowerer) aggregate(e *check.Aggregate) []*ir.Value {
	var out []*ir.Value
	for _, x := range e.Elems {
		out = append(out, l.value(x)...)
	}
	all := leaves(e.Type())
	for _, f := range all[min(len(out), len(all)):] {
		out = append(out, l.b.Literal(f.t, 0))
	}
	return out
}

func (l *lowerer) unary(e *check.Unary) []*ir.Value {
	v := l.value(e.X)
	out := make([]*ir.Value, len(v))
	for i, x := range v {
		switch e.Op {
		case check.Neg:
			l.probeInteger(ir.OpNeg, x, x)
			out[i] = l.b.Op(ir.OpNeg, x.Type, x)
		default:
			out[i] = l.b.Op(ir.OpNot, x.Type, x)
		}
	}
	return out
}

// binary applies an operator to two scalars of one type.
func (l *lowerer) binary(op check.Op, x, y *ir.Value) *ir.Value {
	b := l.b
	if r, ok := binaryOps[op]; ok {
		l.probeInteger(r, x, y)
		return b.Op(r, x.Type, x, y)
	}
	if x.Type == ir.Bool {
		switch op {
		case check.Eq:
			return b.Op(ir.OpNot, ir.Bool, b.Op(ir.OpXor, ir.Bool, x, y))
		case check.Ne:
			return b.Op(ir.OpXor, ir.Bool, x, y)
		case check.LogAnd:
			return b.Op(ir.OpAnd, ir.Bool, x, y)
		case check.LogOr:
			return b.Op(ir.OpOr, ir.Bool, x, y)
		}
		x, y = b.Convert(x, ir.I32), b.Convert(y, ir.I32)
	}
	switch op {
	case check.Lt:
		return b.Op(ir.OpLt, ir.Bool, x, y)
	case check.Le:
		return b.Op(ir.OpLe, ir.Bool, x, y)
	case check.Gt:
		return b.Op(ir.OpLt, ir.Bool, y, x)
	case check.Ge:
		return b.Op(ir.OpLe, ir.Bool, y, x)
	case check.Eq:
		return b.Op(ir.OpEq, ir.Bool, x, y)
	}
	return b.Op(ir.OpNe, ir.Bool, x, y)
}

func (l *lowerer) binaryExpr(e *check.Binary) []*ir.Value {
	b := l.b
	if e.Op == check.LogAnd || e.Op == check.LogOr {
		t := b.NewVar("both", ir.Bool)
		b.Declare(t)
		x := l.value(e.X)[0]
		b.Set(t, x)
		set := func() { b.Set(t, l.value(e.Y)[0]) }
		if e.Op == check.LogAnd {
			b.If(x, set, nil)
		} else {
			b.If(x, nil, set)
		}
		return []*ir.Value{b.Get(t)}
	}
	x, y := l.value(e.X), l.value(e.Y)
	if l.b.F.Observed {
		l.at(e.Pos())
	}
	if _, isPtr := e.X.Type().(*types.Pointer); isPtr {
		return []*ir.Value{l.comparePointers(e.Op, x, y)}
	}
	out := make([]*ir.Value, len(x))
	for i := range out {
		out[i] = l.binary(e.Op, x[i], y[i])
	}
	return out
}

// comparePointers orders pointers into one object by offset, and others by the number of the object.
func (l *lowerer) comparePointers(op check.Op, x, y []*ir.Value) *ir.Value {
	b := l.b
	same := b.Op(ir.OpEq, ir.Bool, x[0], y[0])
	switch op {
	case check.Eq, check.Ne:
		eq := b.Op(ir.OpAnd, ir.Bool, same, b.Op(ir.OpEq, ir.Bool, x[1], y[1]))
		if op == check.Ne {
			return b.Op(ir.OpNot, ir.Bool, eq)
		}
		return eq
	}
	return b.Op(ir.OpSelect, ir.Bool, same, l.binary(op, x[1], y[1]), l.binary(op, x[0], y[0]))
}

func (l *lowerer) compound(e *check.CompoundAssign) []*ir.Value {
	b := l.b
	y := l.value(e.Y)
	p := l.place(e.L)
	l.at(e.Pos())
	old := l.load(p)
	if ptr, ok := e.L.Type().(*types.Pointer); ok {
		i := b.Convert(y[0], ir.I64)
		if e.Op == check.Sub {
			i = b.Op(ir.OpNeg, ir.I64, i)
		}
		r := l.addrLeaves(l.moved(l.pointerAddr(old), i, ptr.Elem.Size()))
		l.store(p, r)
		return r
	}
	out := make([]*ir.Value, len(old))
	for i, x := range old {
		yi := y[min(i, len(y)-1)]
		out[i] = b.Convert(l.binary(e.Op, b.Convert(x, yi.Type), yi), x.Type)
	}
	l.store(p, out)
	return out
}

func (l *lowerer) incDec(e *check.IncDec) []*ir.Value {
	b := l.b
	p := l.place(e.X)
	old := l.load(p)
	step := int64(1)
	if e.Dec {
		step = -1
	}
	var next []*ir.Value
	if ptr, ok := e.X.Type().(*types.Pointer); ok {
		next = l.addrLeaves(l.moved(l.pointerAddr(old), b.ConstI(ir.I64, step), ptr.Elem.Size()))
	} else {
		for _, x := range old {
			by := b.ConstI(x.Type, step)
			if x.Type.IsFloat() {
				by = b.ConstF(x.Type, float32(step))
			}
			l.probeInteger(ir.OpAdd, x, by)
			next = append(next, b.Op(ir.OpAdd, x.Type, x, by))
		}
	}
	l.store(p, next)
	if e.Post {
		return old
	}
	return next
}

func (l *lowerer) cond(e *check.Cond) []*ir.Value {
	b := l.b
	c := l.value(e.C)[0]
	if c.IsConst() {
		if c.Bits != 0 {
			return l.value(e.X)
		}
		return l.value(e.Y)
	}
	if types.IsVoid(e.Type()) {
		b.If(c, func() { l.discard(e.X) }, func() { l.discard(e.Y) })
		return nil
	}
	p := l.temporary("cond", e.Type())
	b.If(c, func() { l.store(p, l.value(e.X)) }, func() { l.store(p, l.value(e.Y)) })
	return l.load(p)
}

// bitcast reinterprets bits: component for component if the sizes agree, else split or joined, the low bits first.
func (l *lowerer) bitcast(v []*ir.Value, from, to ir.Type, e check.Expr) []*ir.Value {
	b := l.b
	fs, ts := from.Bytes(), to.Bytes()
	var out []*ir.Value
	switch {
	case from == ir.Bool || to == ir.Bool:
		l.fail(e.Pos(), "as_type of bool")
	case fs == ts:
		for _, x := range v {
			out = append(out, b.Bitcast(x, to))
		}
	case fs > ts:
		u := from.Unsigned()
		for _, x := range v {
			bits := b.Bitcast(x, u)
			for i := range fs / ts {
				part := b.Op(ir.OpShr, u, bits, b.Const(u, uint64(8*ts*i)))
				out = append(out, b.Bitcast(b.Convert(part, to.Unsigned()), to))
			}
		}
	default:
		u := to.Unsigned()
		n := ts / fs
		for i := 0; i+n <= len(v); i += n {
			var sum *ir.Value
			for k := range n {
				x := b.Convert(b.Bitcast(v[i+k], from.Unsigned()), u)
				if k == 0 {
					sum = x
					continue
				}
				sum = b.Op(ir.OpOr, u, sum, b.Op(ir.OpShl, u, x, b.Const(u, uint64(8*fs*k))))
			}
			out = append(out, b.Bitcast(sum, to))
		}
	}
	return out
}

// repeated lowers the body of a function whose calls of itself are a loop.
func (l *lowerer) repeated(f *check.Func) {
	b, fr := l.b, l.fn
	written := l.assigned([]check.Stmt{f.Body})
	for _, p := range f.Params {
		if place := l.env[p]; !p.Ref && place != nil {
			written = append(written, place.vars...)
		}
	}
	b.Loop(written, func(*ir.Loop) {
		b.Block(func(again *ir.Block) {
			fr.again = again
			l.stmts(f.Body.Stmts, false)
			if !b.Dead() {
				b.Break(fr.end)
			}
		})
	})
}

// again lowers a call of a function by itself, the last thing it does: the arguments become the parameters.
func (l *lowerer) again(e *check.Call) []*ir.Value {
	fr := l.fn
	args := make([][]*ir.Value, len(e.Args))
	for i, p := range fr.f.Params {
		if !p.Ref {
			args[i] = l.value(e.Args[i])
		}
	}
	for i, p := range fr.f.Params {
		if !p.Ref {
			l.store(l.env[p], args[i])
		}
	}
	l.b.Break(fr.again)
	var out []*ir.Value
	for _, x := range leaves(e.Func.Ret) { // nothing reads these
		out = append(out, l.b.Literal(x.t, 0))
	}
	return out
}

// call inlines a function.
func (l *lowerer) call(e *check.Call) []*ir.Value {
	b := l.b
	f := e.Func
	if e.Tail {
		return l.again(e)
	}
	if l.calls++; l.calls > maxCalls {
		l.fail(e.Pos(), "more than %d calls once all are inlined", maxCalls)
	}
	for fr := l.fn; fr != nil; fr = fr.up {
		if fr.f == f {
			l.fail(e.Pos(), "function %q calls itself", f.Name)
		}
	}
	args := make([][]*ir.Value, len(e.Args))
	refs := make([]*place, len(e.Args))
	for i, a := range e.Args {
		if f.Params[i].Ref {
			refs[i] = l.place(a)
		} else {
			args[i] = l.value(a)
		}
	}
	fr := &frame{f: f, up: l.fn}
	if !f.RetRef {
		for _, x := range leaves(f.Ret) {
			v := b.NewVar(f.Name, x.t)
			b.Declare(v)
			fr.ret = append(fr.ret, v)
		}
	}
	for i, p := range f.Params {
		if p.Ref {
			l.env[p] = refs[i]
		} else {
			l.local(p, args[i])
		}
	}
	targets, indexing, assigning := l.targets, l.indexing, l.assigning
	l.targets, l.indexing, l.assigning = nil, 0, nil
	l.fn = fr
	b.Block(func(end *ir.Block) {
		fr.end = end
		if f.Loops {
			l.repeated(f)
			return
		}
		l.stmts(f.Body.Stmts, true)
	})
	l.fn = fr.up
	l.targets, l.indexing, l.assigning = targets, indexing, assigning
	if f.RetRef {
		if fr.refs == nil {
			l.fail(e.Pos(), "function %q returns no reference", f.Name)
		}
		l.lastRef = fr.refs
		return nil
	}
	out := make([]*ir.Value, len(fr.ret))
	for i, v := range fr.ret {
		out[i] = b.Get(v)
	}
	return out
}
