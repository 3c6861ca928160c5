package check

import (
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// flow says how a statement ended.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

// call runs a constexpr function.
func (ev *evaluator) call(x *Call) Value {
	f := x.Func
	if !f.Constexpr {
		ev.fail(x.at, "%q is not constexpr", f.Name)
	}
	if f.Body == nil && f.ensure != nil {
		f.ensure()
	}
	if f.Body == nil || f.RetRef {
		ev.fail(x.at, "%q cannot be called by a constant expression", f.Name)
	}
	ev.deeper(x.at)
	frame := map[*Var]*Value{}
	for i, a := range x.Args {
		if f.Params[i].Ref {
			frame[f.Params[i]] = ev.place(a)
			continue
		}
		v := ev.value(a)
		frame[f.Params[i]] = &v
	}
	outer := ev.frame
	ev.frame = frame
	defer func() { ev.frame = outer; ev.depth-- }()
	var result *Value
	if ev.run(f.Body, &result) != flowReturn || result == nil {
		if types.IsVoid(f.Ret) {
			return Value{Type: types.Void}
		}
		ev.fail(x.at, "%q ends without a value", f.Name)
	}
	return *result
}

func (ev *evaluator) truth(x Expr) bool { return x == nil || ev.value(x).Bool() }

// run runs a statement; a return leaves its value in result.
func (ev *evaluator) run(s Stmt, result **Value) flow {
	if s == nil {
		return flowNext
	}
	ev.step(s.Pos(), 1)
	switch s := s.(type) {
	case *Block:
		for _, x := range s.Stmts {
			if f := ev.run(x, result); f != flowNext {
				return f
			}
		}
	case *Decl:
		for _, v := range s.Vars {
			ev.declare(v)
		}
	case *ExprStmt:
		ev.effect(s.X)
	case *If:
		if ev.truth(s.Cond) {
			return ev.run(s.Then, result)
		}
		return ev.run(s.Else, result)
	case *For:
		ev.run(s.Init, result)
		for ev.truth(s.Cond) {
			if f := ev.run(s.Body, result); f == flowBreak {
				break
			} else if f == flowReturn {
				return f
			}
			if s.Post != nil {
				ev.effect(s.Post)
			}
		}
	case *While:
		for ev.truth(s.Cond) {
			if f := ev.run(s.Body, result); f == flowBreak {
				break
			} else if f == flowReturn {
				return f
			}
		}
	case *DoWhile:
		for {
			if f := ev.run(s.Body, result); f == flowBreak {
				break
			} else if f == flowReturn {
				return f
			}
			if !ev.truth(s.Cond) {
				break
			}
		}
	case *Switch:
		return ev.runSwitch(s, result)
	case *Return:
		if s.Value != nil {
			v := ev.value(s.Value)
			*result = &v
		}
		return flowReturn
	case *Break:
		return flowBreak
	case *Continue:
		return flowContinue
	}
	return flowNext
}

func (ev *evaluator) declare(v *Var) {
	switch {
	case v.Ref:
		ev.frame[v] = ev.place(v.Init)
	case v.Init != nil:
		k := ev.value(v.Init)
		ev.frame[v] = &k
	default:
		k := ev.zero(v.Pos, v.Type)
		ev.frame[v] = &k
	}
}

func (ev *evaluator) runSwitch(s *Switch, result **Value) flow {
	tag := ev.value(s.Tag).Int()
	start := -1
	for i := range s.Cases {
		for _, v := range s.Cases[i].Values {
			if v == tag {
				start = i
			}
		}
	}
	for i := range s.Cases {
		if start < 0 && s.Cases[i].Default {
			start = i
		}
	}
	if start < 0 {
		return flowNext
	}
	for _, k := range s.Cases[start:] {
		for _, x := range k.Stmts {
			switch f := ev.run(x, result); f {
			case flowNext:
			case flowBreak:
				return flowNext
			default:
				return f
			}
		}
	}
	return flowNext
}

// constant evaluates x, which must be a constant expression; a mistake is reported.
func (c *checker) constant(x Expr) (Value, bool) {
	if isBad(x) {
		return Value{}, false
	}
	v, err := evaluate(c.rvalue(x), nil)
	if err != nil {
		c.report(err)
		return Value{}, false
	}
	return v, true
}
