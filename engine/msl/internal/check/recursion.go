package check

import "github.com/octoryn/assay/engine/msl/internal/diag"

// Every call is inlined, so recursion is refused but for one form, which is a loop: a function that calls itself as the
// last thing it does, on the same objects.

// tailCalls marks the calls of itself that f makes, as the loop they are; ok is false if one is anything else.
func (c *checker) tailCalls(f *Func) bool {
	t := &tails{f: f}
	t.block(f.Body, true)
	total := 0
	visitCalls(f.Body, func(k *Call) {
		if k.Func == f {
			total++
		}
	})
	if total == 0 || total != len(t.calls) {
		return false
	}
	for _, k := range t.calls {
		for i, p := range f.Params {
			ref, same := k.Args[i].(*VarRef)
			if p.Ref && !(same && ref.Var == p) {
				return false
			}
		}
	}
	for _, k := range t.calls {
		k.Tail = true
	}
	f.Loops = true
	return true
}

// tails finds the calls of f that nothing follows.
type tails struct {
	f     *Func
	calls []*Call
}

func (t *tails) block(s Stmt, last bool) {
	switch s := s.(type) {
	case *Block:
		for i, x := range s.Stmts {
			end := i == len(s.Stmts)-1
			if !end { // a bare return may follow a call
				_, end = s.Stmts[i+1].(*Return)
				end = end && s.Stmts[i+1].(*Return).Value == nil
				if k, isCall := x.(*ExprStmt); end && isCall {
					t.call(k.X)
					continue
				}
				end = false
			}
			t.block(x, last && end)
		}
	case *If:
		t.block(s.Then, last)
		if s.Else != nil {
			t.block(s.Else, last)
		}
	case *ExprStmt:
		if last {
			t.call(s.X)
		}
	case *Return:
		if s.Value != nil && !t.f.RetRef {
			t.call(s.Value)
		}
	case *For:
		t.returns(s.Body)
	case *While:
		t.returns(s.Body)
	case *DoWhile:
		t.returns(s.Body)
	case *Switch:
		for _, k := range s.Cases {
			for _, x := range k.Stmts {
				t.returns(x)
			}
		}
	}
}

// returns is block inside of a loop or switch, where only a return is the last thing.
func (t *tails) returns(s Stmt) { t.block(s, false) }

func (t *tails) call(x Expr) {
	if k, ok := x.(*Call); ok && k.Func == t.f {
		t.calls = append(t.calls, k)
	}
}

// recursive reports a call that closes a circle.
func (c *checker) recursive(from *Func, k call) {
	if from == k.f && c.tailCalls(from) {
		return
	}
	c.errorf(k.at, diag.Recursion, "recursive call of %q: only a function that calls itself as the last thing it does is supported", k.f.Name)
}
