package ir

import (
	"fmt"
	"sort"
)

// Optimize returns an equivalent function: thread arrays only accessed at constant offsets become variables, what
// that makes known is folded, and what nothing uses is dropped. f must not be used afterwards.
func Optimize(f *Func) *Func {
	for i := range 6 {
		var cells map[*Root]map[int]*cell
		if !f.Observed {
			cells = promotable(f)
		}
		f = rebuild(f, cells)
		eliminate(f)
		if i > 0 && len(cells) == 0 { // the first round may make addresses known
			break
		}
	}
	layoutThread(f)
	markWritten(f)
	return f
}

// layoutThread places the thread arrays that are left.
func layoutThread(f *Func) {
	used := map[*Root]bool{}
	dynamic := false
	Walk(f.Body.Body, func(n Node) {
		if v, ok := n.(*Value); ok && v.IsMem() {
			used[v.Root] = true
			dynamic = dynamic || v.Root == nil
		}
	})
	f.ThreadBytes = 0
	for _, r := range f.Roots {
		if r.Space == Thread && (used[r] || dynamic) {
			r.Start = (f.ThreadBytes + 15) &^ 15
			f.ThreadBytes = r.Start + r.Bytes
		}
	}
	f.ThreadBytes = (f.ThreadBytes + 15) &^ 15
}

// markWritten notes which roots a store or atomic may reach.
func markWritten(f *Func) {
	for _, r := range f.Roots {
		r.Written = false
	}
	Walk(f.Body.Body, func(n Node) {
		v, ok := n.(*Value)
		if !ok || v.Op != OpStore && v.Op != OpAtomic {
			return
		}
		if v.Root != nil {
			v.Root.Written = true
			return
		}
		for _, r := range f.Roots {
			r.Written = r.Written || !r.ReadOnly
		}
	})
}

// cell is one scalar of a promoted thread array.
type cell struct {
	off int
	t   Type
	v   *Var
}

// promotable finds the thread roots whose every access is a load or store at a constant offset, such that the accesses
// fall into disjoint scalars.
func promotable(f *Func) map[*Root]map[int]*cell {
	out := map[*Root]map[int]*cell{}
	bad := map[*Root]bool{}
	dynamic := false
	Walk(f.Body.Body, func(n Node) {
		v, ok := n.(*Value)
		if !ok || !v.IsMem() {
			return
		}
		if v.Root == nil {
			dynamic = true
			return
		}
		r := v.Root
		if r.Space != Thread || bad[r] {
			return
		}
		if v.Op == OpAtomic || !v.Offset().IsConst() {
			bad[r] = true
			return
		}
		off := int(int64(v.Offset().Bits))
		if off < 0 || off+v.N*v.Mem.Bytes() > r.Bytes {
			bad[r] = true // a fault to be reported when it happens
			return
		}
		m := out[r]
		if m == nil {
			m = map[int]*cell{}
			out[r] = m
		}
		for i := range v.N {
			o := off + i*v.Mem.Bytes()
			if c := m[o]; c == nil {
				m[o] = &cell{off: o, t: v.Mem}
			} else if c.t.Bytes() != v.Mem.Bytes() {
				bad[r] = true
			} else if c.t != v.Mem {
				c.t = v.Mem.Unsigned()
			}
		}
	})
	if dynamic {
		return nil
	}
	for r, m := range out {
		var cells []*cell
		for _, c := range m {
			cells = append(cells, c)
		}
		sort.Slice(cells, func(i, j int) bool { return cells[i].off < cells[j].off })
		for i := 1; i < len(cells); i++ {
			if cells[i-1].off+cells[i-1].t.Bytes() > cells[i].off {
				bad[r] = true
			}
		}
		if bad[r] {
			delete(out, r)
		}
	}
	for r := range bad {
		delete(out, r)
	}
	for _, r := range f.Roots { // stable numbering
		m := out[r]
		for off := 0; off < r.Bytes && m != nil; off++ {
			if c := m[off]; c != nil {
				name := r.Name
				if r.Bytes > c.t.Bytes() {
					name = fmt.Sprintf("%s_%d", r.Name, off)
				}
				c.v = &Var{Number: len(f.Vars), Name: name, Type: c.t}
				f.Vars = append(f.Vars, c.v)
			}
		}
	}
	return out
}

// rebuilder copies a function through a Builder.
type rebuilder struct {
	b       *Builder
	cells   map[*Root]map[int]*cell
	values  map[*Value]*Value
	vectors map[*Value][]*Value
	targets map[Node]Node
	builtin func(*Builder, Builtin) *Value
}

// Substitute returns f with builtins replaced by what replace returns; nil keeps one. The replacement may name other
// builtins, which are replaced in turn. Unlike Optimize it leaves f as it was.
func Substitute(f *Func, replace func(*Builder, Builtin) *Value) *Func {
	g := rebuildWith(f, nil, replace)
	eliminate(g)
	markWritten(g)
	g.ThreadBytes = f.ThreadBytes
	return g
}

func rebuild(f *Func, cells map[*Root]map[int]*cell) *Func { return rebuildWith(f, cells, nil) }

func rebuildWith(f *Func, cells map[*Root]map[int]*cell, replace func(*Builder, Builtin) *Value) *Func {
	b := NewBuilder(f.Name)
	b.F.Roots, b.F.Vars = f.Roots, f.Vars
	b.F.ThreadgroupBytes, b.F.Observed = f.ThreadgroupBytes, f.Observed
	r := &rebuilder{b, cells, map[*Value]*Value{}, map[*Value][]*Value{}, map[Node]Node{f.Body: b.F.Body}, replace}
	r.list(f.Body.Body)
	return b.F
}

// Written lists the variables set in list.
func Written(list []Node) []*Var {
	var out []*Var
	seen := map[*Var]bool{}
	Walk(list, func(n Node) {
		if v, ok := n.(*Value); ok && (v.Op == OpSet || v.Op == OpDeclare) && v.Var != nil && !seen[v.Var] {
			seen[v.Var] = true
			out = append(out, v.Var)
		}
	})
	return out
}

func (r *rebuilder) written(list []Node) []*Var {
	out := Written(list)
	seen := map[*Var]bool{}
	Walk(list, func(n Node) {
		v, ok := n.(*Value)
		if !ok || v.Op != OpStore && v.Op != OpDeclare || v.Root == nil {
			return
		}
		for _, c := range r.cells[v.Root] {
			if !seen[c.v] {
				seen[c.v] = true
				out = append(out, c.v)
			}
		}
	})
	return out
}

func (r *rebuilder) list(list []Node) {
	b := r.b
	for _, n := range list {
		if b.Dead() {
			return
		}
		switch n := n.(type) {
		case *Value:
			b.Pos = n.Pos
			r.value(n)
		case *If:
			b.Pos = n.Pos
			b.If(r.get(n.Cond), func() { r.list(n.Then) }, func() { r.list(n.Else) })
		case *Loop:
			b.Pos = n.Pos
			b.Loop(r.written(n.Body), func(l *Loop) {
				r.targets[n] = l
				r.list(n.Body)
			})
		case *Block:
			b.Pos = n.Pos
			b.Block(func(k *Block) {
				r.targets[n] = k
				r.list(n.Body)
			})
		case *Break:
			b.Pos = n.Pos
			b.Break(r.targets[n.Target])
		}
	}
}

func (r *rebuilder) get(v *Value) *Value {
	switch v.Op {
	case OpConst:
		return r.b.Const(v.Type, v.Bits)
	case OpBuiltin:
		if r.builtin != nil {
			return r.replaced(Builtin(v.Bits))
		}
		return r.b.Builtin(Builtin(v.Bits))
	}
	return r.values[v]
}

// replaced computes the replacement of a builtin at the place of use.
func (r *rebuilder) replaced(k Builtin) *Value {
	x := r.builtin(r.b, k)
	if x == nil {
		return r.b.Builtin(k)
	}
	if x.Op == OpBuiltin && Builtin(x.Bits) != k {
		return r.replaced(Builtin(x.Bits))
	}
	return r.nested(x)
}

// nested replaces the builtins among the operands of a fresh replacement.
func (r *rebuilder) nested(x *Value) *Value {
	args := make([]*Value, len(x.Args))
	same := true
	for i, a := range x.Args {
		args[i] = a
		if a.Op == OpBuiltin {
			args[i] = r.replaced(Builtin(a.Bits))
		} else if len(a.Args) > 0 {
			args[i] = r.nested(a)
		}
		same = same && args[i] == a
	}
	if same {
		return x
	}
	return r.b.Op(x.Op, x.Type, args...)
}

func (r *rebuilder) args(list []*Value) []*Value {
	out := make([]*Value, len(list))
	for i, a := range list {
		out[i] = r.get(a)
	}
	return out
}

func (r *rebuilder) value(v *Value) {
	b := r.b
	var out *Value
	switch {
	case v.Op == OpGet:
		out = b.Get(v.Var)
	case v.Op == OpSet:
		b.Set(v.Var, r.get(v.Args[0]))
	case v.Op == OpDeclare && v.Root != nil:
		m := r.cells[v.Root]
		if m == nil {
			b.DeclareRoot(v.Root)
		}
		for off := 0; off < v.Root.Bytes && m != nil; off++ {
			if c := m[off]; c != nil {
				b.Declare(c.v)
			}
		}
	case v.Op == OpDeclare:
		b.Declare(v.Var)
	case v.Op == OpComp:
		out = r.vectors[v.Args[0]][v.Bits]
	case v.IsMem() && v.Root != nil && r.cells[v.Root] != nil:
		r.promoted(v)
		return
	case v.IsMem():
		a := Addr{Root: v.Root, Off: r.get(v.Offset()), Align: v.Align}
		if v.Root == nil {
			a.RootNum = r.get(v.RootOperand())
		}
		ops := r.args(v.Operands())
		switch v.Op {
		case OpLoad:
			r.vectors[v] = b.Load(a, v.Mem, v.N)
			b.note(v.Note)
			out = r.vectors[v][0]
		case OpStore:
			b.Store(a, v.Mem, ops...)
		case OpAtomic:
			out = b.Atomic(AtomicOp(v.Bits), a, v.Mem, ops...)
		}
	case v.Op == OpProbe:
		b.Probe(ProbeKind(v.Bits), v.Note, v.Root, r.args(v.Args)...)
	case v.Op == OpBarrier || v.Op == OpSimdBarrier || v.Op == OpFence:
		b.Barrier(v.Op, v.Bits)
	case v.Op.Pure():
		out = b.Op(v.Op, v.Type, r.args(v.Args)...)
	default:
		out = b.Cross(v.Op, v.Type, r.args(v.Args)...)
	}
	r.values[v] = out
}

// promoted turns an access to a promoted array into accesses to its variables.
func (r *rebuilder) promoted(v *Value) {
	b := r.b
	m := r.cells[v.Root]
	off := int(v.Offset().Bits)
	var vals []*Value
	for i := range v.N {
		c := m[off+i*v.Mem.Bytes()]
		if v.Op == OpStore {
			b.Set(c.v, b.Bitcast(r.get(v.Operands()[i]), c.t))
		} else {
			vals = append(vals, b.Bitcast(b.Get(c.v), v.Mem))
		}
	}
	if v.Op == OpLoad {
		r.vectors[v] = vals
		r.values[v] = vals[0]
	}
}

// eliminate drops operations without effect whose results nothing uses, and variables that nothing reads.
func eliminate(f *Func) {
	live := map[*Value]bool{}
	readVars := map[*Var]bool{}
	sets := map[*Var][]*Value{}
	var mark func(v *Value)
	mark = func(v *Value) {
		if live[v] {
			return
		}
		live[v] = true
		for _, a := range v.Args {
			mark(a)
		}
		if v.Op == OpGet && !readVars[v.Var] {
			readVars[v.Var] = true
			for _, s := range sets[v.Var] {
				mark(s)
			}
		}
	}
	Walk(f.Body.Body, func(n Node) {
		if v, ok := n.(*Value); ok && (v.Op == OpSet || v.Op == OpDeclare && v.Var != nil) {
			sets[v.Var] = append(sets[v.Var], v)
		}
	})
	Walk(f.Body.Body, func(n Node) {
		switch n := n.(type) {
		case *Value:
			if n.Op.Effect() && (n.Var == nil || readVars[n.Var]) {
				mark(n)
			}
		case *If:
			if hasEffect(n.Then) || hasEffect(n.Else) {
				mark(n.Cond)
			}
		}
	})
	for changed := true; changed; { // an If holding only sets of variables found live later needs its condition
		changed = false
		Walk(f.Body.Body, func(n Node) {
			if i, ok := n.(*If); ok && !live[i.Cond] && (anyLive(i.Then, live) || anyLive(i.Else, live)) {
				mark(i.Cond)
				changed = true
			}
		})
	}
	f.Body.Body = dropOverwritten(sweep(f.Body.Body, live))
}

// dropOverwritten removes sets of a variable that another set in the same list follows, with no read between.
func dropOverwritten(list []Node) []Node {
	over := map[*Var]bool{}
	drop := map[*Value]bool{}
	for i := len(list) - 1; i >= 0; i-- {
		switch n := list[i].(type) {
		case *Value:
			switch n.Op {
			case OpSet:
				if over[n.Var] {
					drop[n] = true
				}
				over[n.Var] = true
			case OpGet:
				delete(over, n.Var)
			}
		case *Break:
			clear(over)
		default:
			Walk([]Node{n}, func(m Node) {
				switch m := m.(type) {
				case *Value:
					if m.Op == OpGet {
						delete(over, m.Var)
					}
				case *Break:
					clear(over)
				}
			})
			switch n := n.(type) {
			case *If:
				n.Then, n.Else = dropOverwritten(n.Then), dropOverwritten(n.Else)
			case *Loop:
				n.Body = dropOverwritten(n.Body)
			case *Block:
				n.Body = dropOverwritten(n.Body)
			}
		}
	}
	if len(drop) == 0 {
		return list
	}
	out := list[:0]
	for _, n := range list {
		if v, ok := n.(*Value); !ok || !drop[v] {
			out = append(out, n)
		}
	}
	return out
}

func hasEffect(list []Node) bool {
	found := false
	Walk(list, func(n Node) {
		switch n := n.(type) {
		case *Value:
			found = found || n.Op.Effect() && n.Op != OpSet && n.Op != OpDeclare
		case *Break, *Loop:
			found = true
		}
	})
	return found
}

func anyLive(list []Node, live map[*Value]bool) bool {
	found := false
	Walk(list, func(n Node) {
		if v, ok := n.(*Value); ok {
			found = found || live[v]
		}
	})
	return found
}

func sweep(list []Node, live map[*Value]bool) []Node {
	out := list[:0]
	for _, n := range list {
		switch n := n.(type) {
		case *Value:
			if !live[n] {
				continue
			}
		case *If:
			n.Then, n.Else = sweep(n.Then, live), sweep(n.Else, live)
			if len(n.Then) == 0 && len(n.Else) == 0 {
				continue
			}
		case *Loop:
			n.Body = sweep(n.Body, live)
		case *Block:
			n.Body = sweep(n.Body, live)
		}
		out = append(out, n)
	}
	return out
}
