package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// stmts lowers a list. tail says that nothing of the function comes after it: a return there needs no jump.
func (l *lowerer) stmts(list []check.Stmt, tail bool) {
	for i, s := range list {
		if l.b.Dead() {
			return
		}
		last := i == len(list)-1
		if f, ok := s.(*check.If); ok && tail && !last && hasReturn(f) && l.splitReturn(f, list[i+1:]) {
			return
		}
		l.stmt(s, tail && last)
	}
}

// splitReturn lowers `if (c) return a; rest` as if the rest stood in an else: no lane then has to be set aside.
func (l *lowerer) splitReturn(f *check.If, rest []check.Stmt) bool {
	then := alwaysReturns(f.Then)
	if !then && (f.Else == nil || !alwaysReturns(f.Else)) {
		return false
	}
	l.at(f.At)
	c := l.value(f.Cond)[0]
	l.b.If(c, func() {
		l.stmt(f.Then, then)
		if !then {
			l.stmts(rest, true)
		}
	}, func() {
		if f.Else != nil {
			l.stmt(f.Else, !then)
		}
		if then {
			l.stmts(rest, true)
		}
	})
	return true
}

func (l *lowerer) stmt(s check.Stmt, tail bool) {
	b := l.b
	if b.Dead() {
		return
	}
	l.at(s.Pos())
	switch s := s.(type) {
	case *check.Block:
		l.stmts(s.Stmts, tail)
	case *check.Decl:
		for _, v := range s.Vars {
			l.declare(v)
		}
	case *check.ExprStmt:
		l.discard(s.X)
	case *check.If:
		c := l.value(s.Cond)[0]
		b.If(c, func() { l.stmt(s.Then, tail) }, func() {
			if s.Else != nil {
				l.stmt(s.Else, tail)
			}
		})
	case *check.For:
		if s.Init != nil {
			l.stmt(s.Init, false)
		}
		l.forLoop(s)
	case *check.While:
		l.loop([]check.Stmt{s.Body}, s.Cond, nil, s.Body, false)
	case *check.DoWhile:
		l.loop([]check.Stmt{s.Body}, s.Cond, nil, s.Body, true)
	case *check.Switch:
		l.switchStmt(s)
	case *check.Return:
		l.ret(s, tail)
	case *check.Break:
		b.Break(l.targets[len(l.targets)-1].brk)
	case *check.Continue:
		for i := len(l.targets) - 1; i >= 0; i-- {
			if t := l.targets[i]; t.cont != nil {
				b.Break(t.cont)
				return
			}
		}
	default:
		l.fail(s.Pos(), "statement %T", s)
	}
}

func (l *lowerer) declare(v *check.Var) {
	l.at(v.Pos)
	switch {
	case v.Ref:
		l.env[v] = l.place(v.Init)
	case v.Space == types.Threadgroup:
		r := l.roots[v]
		if r == nil {
			r = l.root(&ir.Root{Name: v.Name, Space: ir.Threadgroup, Slot: -1, Bytes: v.Type.Size(), Align: max(v.Type.Align(), v.Align), Elem: elem(v.Type), Pos: position(v.Pos)})
			l.roots[v] = r
		}
		l.env[v] = l.memoryPlace(r, v.Type)
		if v.Init != nil {
			l.store(l.env[v], l.value(v.Init))
		}
	case v.Space == types.Constant && v.Value != nil:
		l.known[v] = *v.Value
	default:
		var init []*ir.Value
		if v.Init != nil {
			init = l.valueFor(v, v.Init)
		}
		l.local(v, init)
	}
}

func (l *lowerer) ret(s *check.Return, tail bool) {
	fr := l.fn
	if s.Value != nil {
		if fr.f.RetRef {
			if fr.refs != nil {
				l.fail(s.At, "function %q returns references from more than one place", fr.f.Name)
			}
			fr.refs = l.place(s.Value)
		} else {
			for i, x := range l.value(s.Value) {
				l.b.Set(fr.ret[i], x)
			}
		}
	}
	if !tail {
		l.b.Break(fr.end)
	}
}

// body lowers the body of a loop, with a block for continue.
func (l *lowerer) body(s check.Stmt, brk ir.Node) {
	l.b.Block(func(c *ir.Block) {
		l.targets = append(l.targets, target{brk, c})
		l.stmt(s, false)
		l.targets = l.targets[:len(l.targets)-1]
	})
}

// loop lowers a loop whose trips are not known. all is what a trip executes, for finding what it sets.
func (l *lowerer) loop(all []check.Stmt, cond check.Expr, post check.Expr, body check.Stmt, condLast bool) {
	b := l.b
	pos := b.Pos
	written := l.assigned(all, cond, post)
	b.Loop(written, func(n *ir.Loop) {
		test := func() {
			if cond == nil {
				return
			}
			l.at(cond.Pos())
			c := l.value(cond)[0]
			b.If(c, nil, func() { b.Break(n) })
		}
		if !condLast {
			test()
		}
		l.body(body, n)
		if post != nil && !b.Dead() {
			l.at(post.Pos())
			l.discard(post)
		}
		if condLast && !b.Dead() {
			test()
		}
		b.Pos = pos
	})
}

// maxUnrolled bounds the operations that one loop may be unrolled to, and maxTrips its trips.
const (
	maxUnrolled = 16384
	maxTrips    = 1024
)

// forLoop unrolls the loop if its trips are known and not too many.
func (l *lowerer) forLoop(s *check.For) {
	trips, v := l.trips(s)
	if trips < 0 || s.Unroll == check.UnrollNone {
		l.loop([]check.Stmt{s.Body}, s.Cond, s.Post, s.Body, false)
		return
	}
	b := l.b
	b.Block(func(exit *ir.Block) {
		for n := range trips {
			before := b.Count()
			l.body(s.Body, exit)
			if b.Dead() {
				return
			}
			l.discard(s.Post)
			if size := b.Count() - before; n == 0 && size*trips > maxUnrolled && s.Unroll != check.UnrollFull {
				l.loop([]check.Stmt{s.Body}, s.Cond, s.Post, s.Body, false)
				return
			}
		}
	})
	_ = v
}

// trips counts the rounds of a loop of the common form: a local integer, set only by the step, compared with something
// that does not change. It returns -1 if they are not known.
func (l *lowerer) trips(s *check.For) (int, *check.Var) {
	if s.Cond == nil || s.Post == nil {
		return -1, nil
	}
	var step check.Expr
	var v *check.Var
	switch p := s.Post.(type) {
	case *check.IncDec:
		v, step = base(p.X), p
	case *check.CompoundAssign:
		v, step = base(p.L), p
	}
	if v == nil || step == nil || l.env[v] == nil || len(l.env[v].vars) != 1 || !elemType(v.Type).IsInt() {
		return -1, nil
	}
	reg := l.env[v].vars[0]
	for _, x := range l.assigned([]check.Stmt{s.Body}) {
		if x == reg {
			return -1, nil
		}
	}
	cur := l.b.Get(reg)
	if !cur.IsConst() {
		return -1, nil
	}
	// Nothing that the body sets may take part in the condition or step.
	changing := map[*ir.Var]bool{}
	for _, x := range l.assigned([]check.Stmt{s.Body}) {
		changing[x] = true
	}
	for n := 0; n <= maxTrips; n++ {
		c := l.evaluate(s.Cond, v, cur, changing)
		if c == nil {
			return -1, nil
		}
		if c.Bits == 0 {
			return n, v
		}
		cur = l.stepped(step, v, cur, changing)
		if cur == nil {
			return -1, nil
		}
	}
	return -1, nil
}

// stepped is the loop variable after the step, nil if that is not known.
func (l *lowerer) stepped(e check.Expr, v *check.Var, cur *ir.Value, changing map[*ir.Var]bool) *ir.Value {
	b := l.b
	t := cur.Type
	var r *ir.Value
	switch e := e.(type) {
	case *check.IncDec:
		op := ir.OpAdd
		if e.Dec {
			op = ir.OpSub
		}
		r = b.Op(op, t, cur, b.ConstI(t, 1))
	case *check.CompoundAssign:
		y := l.evaluate(e.Y, v, cur, changing)
		op, ok := binaryOps[e.Op]
		if y == nil || !ok {
			return nil
		}
		r = b.Convert(b.Op(op, y.Type, b.Convert(cur, y.Type), y), t)
	}
	if r == nil || !r.IsConst() {
		return nil
	}
	return r
}

// evaluate gives the literal that e stands for when v has the value cur; nil if it is none.
func (l *lowerer) evaluate(e check.Expr, v *check.Var, cur *ir.Value, changing map[*ir.Var]bool) *ir.Value {
	literal := func(x *ir.Value) *ir.Value {
		if x == nil || !x.IsConst() {
			return nil
		}
		return x
	}
	sub := func(x check.Expr) *ir.Value { return l.evaluate(x, v, cur, changing) }
	b := l.b
	t := elemType(e.Type())
	if t == ir.Void || types.Width(e.Type()) != 1 {
		return nil
	}
	switch e := e.(type) {
	case *check.Const:
		return l.constant(e.Value, e.Type())[0]
	case *check.Load:
		r, ok := e.X.(*check.VarRef)
		if !ok {
			return nil
		}
		if r.Var == v {
			return cur
		}
		if c, ok := l.known[r.Var]; ok {
			return l.constant(c, r.Var.Type)[0]
		}
		p := l.env[r.Var]
		if p == nil || len(p.vars) != 1 || p.lanes != nil || changing[p.vars[0]] {
			return nil
		}
		return literal(l.b.Known(p.vars[0]))
	case *check.Convert:
		if x := sub(e.X); x != nil {
			return literal(b.Convert(x, t))
		}
	case *check.Unary:
		if x := sub(e.X); x != nil {
			return literal(b.Op(map[check.Op]ir.Op{check.Neg: ir.OpNeg, check.Not: ir.OpNot, check.BitNot: ir.OpNot}[e.Op], t, x))
		}
	case *check.Binary:
		x, y := sub(e.X), sub(e.Y)
		if x == nil || y == nil {
			return nil
		}
		return literal(l.binary(e.Op, x, y))
	case *check.Cond:
		if c := sub(e.C); c != nil {
			if c.Bits != 0 {
				return sub(e.X)
			}
			return sub(e.Y)
		}
	}
	return nil
}

// switchStmt lowers a switch: each case runs if it matches or the one before fell through.
func (l *lowerer) switchStmt(s *check.Switch) {
	b := l.b
	tag := l.value(s.Tag)[0]
	match := func(c check.Case) *ir.Value {
		m := b.Const(ir.Bool, 0)
		for _, x := range c.Values {
			m = b.Op(ir.OpOr, ir.Bool, m, b.Op(ir.OpEq, ir.Bool, tag, b.Const(tag.Type, uint64(x))))
		}
		return m
	}
	any := b.Const(ir.Bool, 0)
	matches := make([]*ir.Value, len(s.Cases))
	for i, c := range s.Cases {
		matches[i] = match(c)
		any = b.Op(ir.OpOr, ir.Bool, any, matches[i])
	}
	running := b.NewVar("case", ir.Bool)
	b.Declare(running)
	b.Set(running, b.Const(ir.Bool, 0))
	b.Block(func(exit *ir.Block) {
		l.targets = append(l.targets, target{brk: exit})
		for i, c := range s.Cases {
			if b.Dead() {
				break
			}
			m := matches[i]
			if c.Default {
				m = b.Op(ir.OpOr, ir.Bool, m, b.Op(ir.OpNot, ir.Bool, any))
			}
			run := b.Op(ir.OpOr, ir.Bool, b.Get(running), m)
			b.If(run, func() {
				b.Set(running, b.Const(ir.Bool, 1))
				for _, x := range c.Stmts {
					l.stmt(x, false)
				}
			}, nil)
		}
		l.targets = l.targets[:len(l.targets)-1]
	})
}
