package exec

import (
	"math"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// A pattern is how a value differs from lane to lane: lane i holds the value of lane 0 plus diff[i]. Patterns are shared, so
// that equal ones compare equal by address.
type pattern struct {
	diff     [32]int64
	min, max int64 // of diff
	stride   int64 // diff[i] = i*stride, if affine
	affine   bool
}

// A class says how a value is held. The zero class is not known yet.
type class struct {
	kind classKind
	pat  *pattern // of kind based
}

type classKind uint8

const (
	unknown classKind = iota
	based             // lane 0's value in a scalar, and a pattern; uniform if the pattern is all zero
	varying           // one value a lane
)

// region is an If branch, Loop or Block with its place in the tree.
type region struct {
	node      ir.Node // *ir.If, *ir.Loop or *ir.Block
	parent    *region
	depth     int
	divergent bool // If: the condition differs between lanes; else: some lanes break while others stay
	start     int  // positions
	end       int
}

// varInfo collects the accesses of a variable.
type varInfo struct {
	declared *region // where Declare stands; the body if nowhere
	scope    *region // sets inside are judged relative to it
	gets     []site
	sets     []site
	class    class
	poison   bool // may be read before it is set
	declares []int
}

type site struct {
	v   *ir.Value
	in  *region
	pos int
}

// analysis holds what selection needs to know of a function.
type analysis struct {
	f        *ir.Func
	shape    Shape
	patterns map[[32]int64]*pattern
	uniform  *pattern
	class    map[*ir.Value]class
	lanes    map[*ir.Value]*[32]uint64 // values known for every lane when building
	vars     []varInfo
	regions  map[ir.Node][]*region // an If has two, one a branch
	breaks   []breakSite
	pos      map[ir.Node]int
	where    map[ir.Node]*region
	lastUse  map[*ir.Value]int
	uses     map[*ir.Value]int
	loops    []*region
	end      int
	ranges   map[*ir.Value]span
}

type breakSite struct {
	b  *ir.Break
	in *region
}

func analyse(f *ir.Func, shape Shape) *analysis {
	a := &analysis{f: f, shape: shape, patterns: map[[32]int64]*pattern{}, class: map[*ir.Value]class{}, lanes: map[*ir.Value]*[32]uint64{},
		vars: make([]varInfo, len(f.Vars)), regions: map[ir.Node][]*region{}, pos: map[ir.Node]int{}, where: map[ir.Node]*region{},
		lastUse: map[*ir.Value]int{}, uses: map[*ir.Value]int{}, ranges: map[*ir.Value]span{}}
	a.uniform = a.pattern([32]int64{})
	body := &region{node: f.Body}
	a.regions[f.Body] = []*region{body}
	a.number(f.Body.Body, body)
	body.end = a.end
	a.extendUses()
	a.scopes(body)
	for again := true; again; {
		for a.pass(f.Body.Body) {
		}
		again = false
		for i := range a.vars { // depends on nothing but what it held before it was set: every lane reads the same leftover
			if v := &a.vars[i]; v.class.kind == unknown && len(v.gets) > 0 {
				v.class, again = a.uniformClass(), true
			}
		}
	}
	a.findPoison(body)
	return a
}

func (a *analysis) uniformClass() class { return class{based, a.uniform} }

func (a *analysis) pattern(diff [32]int64) *pattern {
	if p := a.patterns[diff]; p != nil {
		return p
	}
	p := &pattern{diff: diff, affine: true, stride: diff[1], min: math.MaxInt64, max: math.MinInt64}
	for i, d := range diff {
		p.min, p.max = min(p.min, d), max(p.max, d)
		p.affine = p.affine && d == int64(i)*p.stride
	}
	a.patterns[diff] = p
	return p
}

// number gives every node a position and records regions and accesses.
func (a *analysis) number(list []ir.Node, in *region) {
	next := func() int { a.end++; return a.end }
	child := func(n ir.Node) *region {
		r := &region{node: n, parent: in, depth: in.depth + 1, start: a.end}
		a.regions[n] = append(a.regions[n], r)
		return r
	}
	for _, n := range list {
		pos := next()
		a.pos[n] = pos
		a.where[n] = in
		switch n := n.(type) {
		case *ir.Value:
			for _, x := range n.Args {
				a.use(x, pos)
			}
			if n.Var != nil {
				i := &a.vars[n.Var.Number]
				switch n.Op {
				case ir.OpGet:
					i.gets = append(i.gets, site{n, in, pos})
				case ir.OpSet:
					i.sets = append(i.sets, site{n, in, pos})
				case ir.OpDeclare:
					i.declared = in
					i.declares = append(i.declares, pos)
				}
			}
		case *ir.If:
			a.use(n.Cond, pos)
			r := child(n)
			a.number(n.Then, r)
			r.end = next()
			r = child(n)
			a.number(n.Else, r)
			r.end = next()
			a.use(n.Cond, r.start) // the mask of the condition is needed again between the branches
		case *ir.Loop:
			r := child(n)
			a.number(n.Body, r)
			r.end = next()
			a.loops = append(a.loops, r)
		case *ir.Block:
			r := child(n)
			a.number(n.Body, r)
			r.end = next()
		case *ir.Break:
			a.breaks = append(a.breaks, breakSite{n, in})
		}
	}
}

func (a *analysis) use(v *ir.Value, pos int) {
	a.uses[v]++
	a.lastUse[v] = max(a.lastUse[v], pos)
}

// useAt notes that v is needed at pos, or to the end of a loop that pos is in and v is not.
func (a *analysis) useAt(v *ir.Value, pos int) {
	last := max(a.lastUse[v], pos)
	if def, ok := a.pos[v]; ok {
		for _, l := range a.loops {
			if def <= l.start && last > l.start {
				last = max(last, l.end)
			}
		}
	}
	a.lastUse[v] = last
}

// extendUses moves the last use of a value from before a loop to the end of the loop: it is needed again in the next trip.
func (a *analysis) extendUses() {
	for v, last := range a.lastUse {
		a.useAt(v, last)
	}
}

func common(x, y *region) *region {
	for x != y {
		if x.depth >= y.depth {
			x = x.parent
		} else {
			y = y.parent
		}
	}
	return x
}

// scopes finds, for each variable, the region outside of which its value is not observed. Lanes that leave it early, while
// others go on setting the variable, do not matter.
func (a *analysis) scopes(body *region) {
	for i := range a.vars {
		v := &a.vars[i]
		if v.declared == nil {
			v.declared = body
		}
		v.scope = v.declared
		if len(v.gets) == 0 {
			continue
		}
		s := v.gets[0].in
		for _, g := range v.gets[1:] {
			s = common(s, g.in)
		}
		// A region inside a loop is entered again with what an earlier trip left behind.
		entered := true
		for r := s.parent; r != nil && r != v.declared.parent; r = r.parent {
			if _, loop := r.node.(*ir.Loop); loop && r != v.declared {
				entered = false
			}
		}
		inside := false
		for r := s; r != nil; r = r.parent {
			inside = inside || r == v.declared
		}
		if entered && inside {
			v.scope = s
		}
	}
}

// divergentSet reports whether lanes that the set does not reach may read the variable later.
func (a *analysis) divergentSet(v *varInfo, in *region) bool {
	stop := v.declared
	for r := in; r != nil; r = r.parent {
		if r == v.scope {
			stop = v.scope
		}
	}
	for r := in; r != nil && r != stop; r = r.parent {
		if r.divergent {
			return true
		}
	}
	return false
}

// pass moves classes up and regions to divergent where forced; it reports whether anything changed.
func (a *analysis) pass(list []ir.Node) bool {
	changed := false
	ir.Walk(list, func(n ir.Node) {
		switch n := n.(type) {
		case *ir.Value:
			c := a.transfer(n)
			if c != a.class[n] {
				a.class[n] = c
				changed = true
			}
			if n.Op == ir.OpSet {
				v := &a.vars[n.Var.Number]
				j := join(v.class, a.of(n.Args[0]))
				if a.divergentSet(v, a.where[n]) {
					j = class{kind: varying}
				}
				if j != v.class {
					v.class = j
					changed = true
				}
			}
		case *ir.If:
			if c := a.of(n.Cond); !c.isUniform() && c.kind != unknown {
				for _, r := range a.regions[n] {
					changed = changed || !r.divergent
					r.divergent = true
				}
			}
		}
	})
	for _, b := range a.breaks {
		target := a.regions[b.b.Target][0]
		if !target.divergent && a.divergentBreak(b.in, target) {
			target.divergent = true
			changed = true
		}
	}
	return changed
}

// divergentBreak reports whether other lanes may stay in target when a break at in leaves it.
func (a *analysis) divergentBreak(in, target *region) bool {
	for r := in; r != target; r = r.parent {
		if r.divergent {
			return true
		}
	}
	return false
}

func join(x, y class) class {
	switch {
	case x.kind == unknown:
		return y
	case y.kind == unknown || x == y:
		return x
	}
	return class{kind: varying}
}

func (c class) isUniform() bool { return c.kind == based && c.pat.min == 0 && c.pat.max == 0 }

func (a *analysis) of(v *ir.Value) class {
	if c := a.class[v]; c.kind != unknown {
		return c
	}
	switch v.Op {
	case ir.OpConst, ir.OpBuiltin:
		c := a.transfer(v)
		a.class[v] = c
		return c
	}
	return class{}
}

func (a *analysis) transfer(v *ir.Value) class {
	uniform := a.uniformClass()
	vary := class{kind: varying}
	switch v.Op {
	case ir.OpConst:
		var l [32]uint64
		for i := range l {
			l[i] = v.Bits
		}
		a.lanes[v] = &l
		return uniform
	case ir.OpBuiltin:
		b := ir.Builtin(v.Bits)
		switch {
		case !b.PerLane():
			return uniform
		case b == ir.Lane || b == ir.ThreadIndex:
			var d [32]int64
			for i := range d {
				d[i] = int64(i)
			}
			if b == ir.Lane {
				var l [32]uint64
				for i := range l {
					l[i] = uint64(i)
				}
				a.lanes[v] = &l
			}
			return class{based, a.pattern(d)}
		}
		return vary
	case ir.OpGet:
		return a.vars[v.Var.Number].class
	case ir.OpComp:
		return a.of(v.Args[0])
	case ir.OpLoad:
		c := a.of(v.Offset())
		if r := v.RootOperand(); r != nil {
			if c.isUniform() && a.of(r).isUniform() && !a.mayBeThread() {
				return uniform
			}
			return vary
		}
		switch {
		case c.kind == unknown:
			return c
		case c.isUniform() && v.Root.Space != ir.Thread:
			return uniform
		}
		return vary
	case ir.OpAtomic:
		return vary
	case ir.OpSet, ir.OpStore, ir.OpDeclare, ir.OpBarrier, ir.OpSimdBarrier, ir.OpFence, ir.OpProbe:
		return uniform
	}
	for _, x := range v.Args {
		if a.of(x).kind == unknown {
			return class{}
		}
	}
	if v.Op.Cross() {
		switch {
		case v.Op.Reduction():
			return uniform
		case v.Op == ir.OpShuffle && a.of(v.Args[1]).isUniform():
			return uniform
		case v.Op >= ir.OpShuffle && v.Op <= ir.OpRotateDown && a.of(v.Args[0]).isUniform():
			return uniform
		}
		return vary
	}
	return a.pure(v)
}

func (a *analysis) mayBeThread() bool {
	for _, r := range a.f.Roots {
		if r.Space == ir.Thread {
			return true
		}
	}
	return false
}

// pure classifies a pure operation whose operands are known.
func (a *analysis) pure(v *ir.Value) class {
	uniform := a.uniformClass()
	allUniform, allLanes := true, true
	for _, x := range v.Args {
		allUniform = allUniform && a.of(x).isUniform()
		allLanes = allLanes && a.lanes[x] != nil
	}
	if allUniform {
		return uniform
	}
	if allLanes {
		return a.knownLanes(v)
	}
	if isTreeSum(v) != nil {
		return uniform
	}
	t := v.Type
	if t != ir.I32 && t != ir.U32 && !t.Wide() {
		return class{kind: varying}
	}
	c := make([]class, len(v.Args))
	for i, x := range v.Args {
		c[i] = a.of(x)
		if c[i].kind == varying {
			return class{kind: varying}
		}
	}
	diff := func(f func(i int) int64) class {
		var d [32]int64
		for i := range d {
			d[i] = f(i)
			if !t.Wide() {
				d[i] = int64(int32(d[i]))
			}
		}
		return class{based, a.pattern(d)}
	}
	switch v.Op {
	case ir.OpAdd:
		return diff(func(i int) int64 { return c[0].pat.diff[i] + c[1].pat.diff[i] })
	case ir.OpSub:
		return diff(func(i int) int64 { return c[0].pat.diff[i] - c[1].pat.diff[i] })
	case ir.OpNeg:
		return diff(func(i int) int64 { return -c[0].pat.diff[i] })
	case ir.OpMul:
		if k := v.Args[1]; k.IsConst() {
			m := int64(ir.Extend(k.Type, k.Bits))
			return diff(func(i int) int64 { return c[0].pat.diff[i] * m })
		}
	case ir.OpSelect:
		if c[0].isUniform() && c[1] == c[2] {
			return c[1]
		}
	case ir.OpConvert:
		from := v.Args[0].Type
		switch {
		case !from.IsInt():
		case t.Wide() == from.Wide() && from.Bytes() >= 4, from.Wide() && !t.Wide():
			return diff(func(i int) int64 { return c[0].pat.diff[i] })
		case t.Wide() && a.exact(v.Args[0]):
			return diff(func(i int) int64 { return c[0].pat.diff[i] })
		}
	case ir.OpBitcast:
		if from := v.Args[0].Type; from.IsInt() && from.Bytes() == t.Bytes() {
			return c[0]
		}
	}
	return class{kind: varying}
}

// knownLanes evaluates v for every lane.
func (a *analysis) knownLanes(v *ir.Value) class {
	at := v.Args[0].Type
	if v.Op == ir.OpSelect {
		at = v.Args[1].Type
	}
	f := ir.Eval(v.Op, at, v.Type)
	var l [32]uint64
	var d [32]int64
	for i := range l {
		var x [3]uint64
		for j, arg := range v.Args {
			x[j] = a.lanes[arg][i]
		}
		l[i] = f(x[0], x[1], x[2])
		d[i] = int64(l[i] - l[0])
		if !v.Type.Wide() {
			d[i] = int64(int32(d[i]))
		}
	}
	a.lanes[v] = &l
	if v.Type == ir.I32 || v.Type == ir.U32 || v.Type.Wide() || d == a.uniform.diff {
		return class{based, a.pattern(d)}
	}
	return class{kind: varying}
}

// findPoison marks the variables that may be read before they are set: their registers must start with a stated value.
func (a *analysis) findPoison(body *region) {
	var walk func(list []ir.Node, set map[*ir.Var]bool) bool
	walk = func(list []ir.Node, set map[*ir.Var]bool) (dead bool) {
		for _, n := range list {
			switch n := n.(type) {
			case *ir.Value:
				switch n.Op {
				case ir.OpGet:
					if !set[n.Var] {
						a.vars[n.Var.Number].poison = true
					}
				case ir.OpSet:
					set[n.Var] = true
				case ir.OpDeclare:
					if n.Var != nil {
						delete(set, n.Var)
					}
				}
			case *ir.If:
				t, e := clone(set), clone(set)
				td, ed := walk(n.Then, t), walk(n.Else, e)
				switch {
				case td && ed:
					return true
				case td:
					t = e
				case ed:
					e = t
				}
				for v := range t {
					if e[v] {
						set[v] = true
					}
				}
			case *ir.Loop:
				walk(n.Body, clone(set))
			case *ir.Block:
				walk(n.Body, clone(set))
			case *ir.Break:
				return true
			}
		}
		return false
	}
	walk(a.f.Body.Body, map[*ir.Var]bool{})
}

func clone(m map[*ir.Var]bool) map[*ir.Var]bool {
	c := make(map[*ir.Var]bool, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// isTreeSum recognises the last addition of a butterfly: five times x = x + shuffle_xor(x, m), with m = 16, 8, 4, 2, 1. Every
// lane then holds the same sum, which takes 31 additions instead of 160. It returns the value at the bottom.
func isTreeSum(v *ir.Value) *ir.Value {
	for m := uint64(1); m <= 16; m *= 2 {
		if v.Op != ir.OpAdd || v.Type != ir.F32 {
			return nil
		}
		x, s := v.Args[0], v.Args[1]
		if s.Op != ir.OpShuffleXor || s.Args[0] != x {
			x, s = s, x
		}
		if s.Op != ir.OpShuffleXor || s.Args[0] != x || !s.Args[1].IsConst() || s.Args[1].Bits != m {
			return nil
		}
		v = x
	}
	return v
}
