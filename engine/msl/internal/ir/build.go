package ir

// Builder appends to a Func, folding as it goes.
//
// Three things happen on the way in, so that lowering can stay naive: pure operations on constants are evaluated
// and simple identities applied; a pure operation already computed in an enclosing region is reused; and
// reading a variable whose value is known (it was set in a region around here, with no join since) gives that
// value. After a Break nothing is appended until the region ends: code there cannot be reached.
type Builder struct {
	F     *Func
	Pos   Pos // given to what is appended
	list  *[]Node
	dead  bool
	known *facts
	scope *cseScope
	free  map[freeKey]*Value
	exits map[Node][]map[*Var]*Value // what was learnt since the target began, at each Break of it
	bases map[Node]*facts            // what was known when a Block or Loop began
	count int                        // values appended, for budgets
}

type freeKey struct {
	op   Op
	t    Type
	bits uint64
}

type cseKey struct {
	op      Op
	t       Type
	a, b, c *Value
}

type cseScope struct {
	up   *cseScope
	vals map[cseKey]*Value
}

func (s *cseScope) find(k cseKey) *Value {
	for ; s != nil; s = s.up {
		if v := s.vals[k]; v != nil {
			return v
		}
	}
	return nil
}

// NewBuilder starts a kernel.
func NewBuilder(name string) *Builder {
	f := &Func{Name: name, Body: &Block{}}
	f.numBlocks = 1
	b := &Builder{F: f, known: newFacts(nil), scope: &cseScope{vals: map[cseKey]*Value{}}, free: map[freeKey]*Value{},
		exits: map[Node][]map[*Var]*Value{}, bases: map[Node]*facts{}}
	b.list = &f.Body.Body
	return b
}

// Dead reports whether code appended now could not be reached.
func (b *Builder) Dead() bool { return b.dead }

// Count is the number of operations appended so far.
func (b *Builder) Count() int { return b.count }

func (b *Builder) value(op Op, t Type, args ...*Value) *Value {
	b.F.numValues++
	return &Value{ID: b.F.numValues, Op: op, Type: t, Args: args, Pos: b.Pos}
}

func (b *Builder) emit(n Node) {
	if b.dead {
		return
	}
	b.count++
	*b.list = append(*b.list, n)
}

// Const is a literal, in register form.
func (b *Builder) Const(t Type, bits uint64) *Value {
	return b.freeValue(OpConst, t, Normalise(t, bits))
}

// ConstI is an integer literal of any integer type.
func (b *Builder) ConstI(t Type, v int64) *Value { return b.Const(t, uint64(v)) }

// ConstF is a float literal, rounded to t.
func (b *Builder) ConstF(t Type, v float32) *Value {
	return b.freeValue(OpConst, t, bitsF(roundTo(t, v)))
}

// Builtin is a thread's place in the grid.
func (b *Builder) Builtin(k Builtin) *Value { return b.freeValue(OpBuiltin, U32, uint64(k)) }

// freeValue returns a value that stands in no list: it is available everywhere.
func (b *Builder) freeValue(op Op, t Type, bits uint64) *Value {
	k := freeKey{op, t, bits}
	if v := b.free[k]; v != nil {
		return v
	}
	v := b.value(op, t)
	v.Bits = bits
	v.Pos = Pos{}
	b.free[k] = v
	return v
}

// IsConst reports whether v is a literal.
func (v *Value) IsConst() bool { return v.Op == OpConst }

// Op appends a pure operation with result type t.
func (b *Builder) Op(op Op, t Type, args ...*Value) *Value {
	if v := b.fold(op, t, args); v != nil {
		return v
	}
	k := cseKey{op: op, t: t}
	for i, a := range args {
		switch i {
		case 0:
			k.a = a
		case 1:
			k.b = a
		case 2:
			k.c = a
		}
	}
	if v := b.scope.find(k); v != nil {
		return v
	}
	v := b.value(op, t, args...)
	if !b.dead {
		b.scope.vals[k] = v
	}
	b.emit(v)
	return v
}

// Convert changes the type, by value.
func (b *Builder) Convert(v *Value, to Type) *Value {
	if v.Type == to {
		return v
	}
	return b.Op(OpConvert, to, v)
}

// Bitcast changes the type, keeping the bits in memory.
func (b *Builder) Bitcast(v *Value, to Type) *Value {
	if v.Type == to {
		return v
	}
	return b.Op(OpBitcast, to, v)
}

// NewVar makes a variable. Declare or Set it before it is read.
func (b *Builder) NewVar(name string, t Type) *Var {
	v := &Var{Number: len(b.F.Vars), Name: name, Type: t}
	b.F.Vars = append(b.F.Vars, v)
	return v
}

// Declare marks the point where v comes into being, undefined, once per execution of the region around.
func (b *Builder) Declare(v *Var) {
	d := b.value(OpDeclare, Void)
	d.Var = v
	b.known.vals[v] = nil
	b.emit(d)
}

// DeclareRoot marks the point where a thread array comes into being.
func (b *Builder) DeclareRoot(r *Root) {
	d := b.value(OpDeclare, Void)
	d.Root = r
	b.emit(d)
}

// Get reads v.
func (b *Builder) Get(v *Var) *Value {
	if k := b.known.get(v); k != nil {
		return k
	}
	g := b.value(OpGet, v.Type)
	g.Var = v
	b.emit(g)
	if !b.dead {
		b.known.vals[v] = g
	}
	return g
}

// Set assigns x to v.
func (b *Builder) Set(v *Var, x *Value) {
	if b.dead || b.known.get(v) == x {
		return
	}
	s := b.value(OpSet, Void, x)
	s.Var = v
	b.emit(s)
	b.known.vals[v] = x
}

// Addr is an address: a root, known or as a number computed at run time, and a byte offset (i64).
type Addr struct {
	Root    *Root
	RootNum *Value // u32; used if Root is nil
	Off     *Value
	Align   int // bytes of which the address must be a multiple; 0: the size of the element
}

func (b *Builder) mem(op Op, t Type, a Addr, mem Type, n int, operands ...*Value) *Value {
	args := []*Value{a.Off}
	root := a.Root
	if root == nil && a.RootNum.IsConst() && int(a.RootNum.Bits) < len(b.F.Roots) {
		root = b.F.Roots[a.RootNum.Bits]
	}
	if root == nil {
		args = append(args, a.RootNum)
	}
	v := b.value(op, t, append(args, operands...)...)
	v.Root, v.Mem, v.N, v.Align = root, mem, n, a.Align
	if v.Align == 0 {
		v.Align = mem.Bytes()
	}
	b.emit(v)
	return v
}

// Load reads n consecutive elements of type mem.
func (b *Builder) Load(a Addr, mem Type, n int) []*Value {
	l := b.mem(OpLoad, mem, a, mem, n)
	if n == 1 {
		return []*Value{l}
	}
	out := make([]*Value, n)
	for i := range out {
		out[i] = b.value(OpComp, mem, l)
		out[i].Bits = uint64(i)
		b.emit(out[i])
	}
	return out
}

// Store writes the values as consecutive elements of type mem.
func (b *Builder) Store(a Addr, mem Type, vals ...*Value) {
	b.mem(OpStore, Void, a, mem, len(vals), vals...)
}

// Atomic appends an atomic operation and returns the old value.
func (b *Builder) Atomic(op AtomicOp, a Addr, mem Type, vals ...*Value) *Value {
	v := b.mem(OpAtomic, mem, a, mem, 1, vals...)
	v.Bits = uint64(op)
	return v
}

// Cross appends an operation across lanes.
func (b *Builder) Cross(op Op, t Type, args ...*Value) *Value {
	v := b.value(op, t, args...)
	b.emit(v)
	return v
}

// Barrier appends a barrier of kind OpBarrier, OpSimdBarrier or OpFence.
func (b *Builder) Barrier(op Op, flags uint64) {
	v := b.value(op, Void)
	v.Bits = flags
	if op == OpBarrier && !b.dead {
		b.F.HasBarrier = true
	}
	b.emit(v)
}

// region runs body with list as the place to append; what is learnt inside is returned.
func (b *Builder) region(list *[]Node, body func()) (known map[*Var]*Value, dead bool) {
	outerList, outerKnown, outerDead := b.list, b.known, b.dead
	b.list, b.known = list, newFacts(b.known)
	b.scope = &cseScope{up: b.scope, vals: map[cseKey]*Value{}}
	body()
	known, dead = b.known.vals, b.dead
	b.scope = b.scope.up
	b.list, b.known, b.dead = outerList, outerKnown, outerDead
	return known, dead
}

// If appends a conditional. A constant condition appends only the branch taken; a branch may be nil. Small
// branches that only compute and assign become selects.
func (b *Builder) If(cond *Value, then, els func()) {
	if b.dead {
		return
	}
	run := func(f func()) {
		if f != nil {
			f()
		}
	}
	if cond.IsConst() {
		if cond.Bits != 0 {
			run(then)
		} else {
			run(els)
		}
		return
	}
	n := &If{Cond: cond, Pos: b.Pos}
	thenKnown, thenDead := b.region(&n.Then, func() { run(then) })
	elseKnown, elseDead := b.region(&n.Else, func() { run(els) })
	if len(n.Then) == 0 && len(n.Else) == 0 {
		return
	}
	if !thenDead && !elseDead && !b.F.Observed && b.ifToSelect(n) {
		return
	}
	b.emit(n)
	switch {
	case thenDead && elseDead:
		b.dead = true
	case thenDead:
		b.known.join(elseKnown)
	case elseDead:
		b.known.join(thenKnown)
	default:
		b.known.join(thenKnown, elseKnown)
	}
}

// maxSelect bounds the operations of an If that becomes selects.
const maxSelect = 12

// ifToSelect replaces an If whose branches only compute and assign.
func (b *Builder) ifToSelect(n *If) bool {
	size := 0
	var vars []*Var
	last := [2]map[*Var]*Value{{}, {}}
	for i, list := range [][]Node{n.Then, n.Else} {
		for _, x := range list {
			v, ok := x.(*Value)
			if !ok {
				return false
			}
			switch {
			case v.Op == OpSet:
				if last[0][v.Var] == nil && last[1][v.Var] == nil {
					vars = append(vars, v.Var)
				}
				last[i][v.Var] = v.Args[0]
			case v.Op == OpGet:
				if last[i][v.Var] != nil {
					return false
				}
			case v.Op == OpDeclare:
				return false
			case !v.Op.Pure() || costly(v.Op):
				return false
			default:
				size++
			}
		}
	}
	if size > maxSelect || len(vars) > 4 {
		return false
	}
	for _, list := range [][]Node{n.Then, n.Else} {
		for _, x := range list {
			if v := x.(*Value); v.Op != OpSet {
				b.emit(v)
			}
		}
	}
	for _, v := range vars {
		a, c := last[0][v], last[1][v]
		if a == nil {
			a = b.Get(v)
		}
		if c == nil {
			c = b.Get(v)
		}
		b.Set(v, b.Op(OpSelect, v.Type, n.Cond, a, c))
	}
	return true
}

// costly operations are worth a branch.
func costly(op Op) bool {
	return op >= OpExp && op <= OpAtan2 || op == OpDiv || op == OpRem || op == OpSqrt || op == OpRsqrt || op == OpMod
}

// Loop appends a loop. written lists every variable that body may set; body ends by falling through, which repeats
// it, or by a Break of the loop.
func (b *Builder) Loop(written []*Var, body func(l *Loop)) {
	if b.dead {
		return
	}
	for _, v := range written {
		b.known.vals[v] = nil
	}
	n := &Loop{Number: b.F.numBlocks, Pos: b.Pos}
	b.F.numBlocks++
	b.exits[n], b.bases[n] = nil, b.known
	b.region(&n.Body, func() { body(n) })
	b.emit(n)
	if len(b.exits[n]) == 0 {
		b.dead = true
	} else {
		b.known.join(b.exits[n]...)
	}
	delete(b.exits, n)
	delete(b.bases, n)
}

// Block appends a block. Without a Break of it, its contents are appended directly.
func (b *Builder) Block(body func(n *Block)) {
	if b.dead {
		return
	}
	n := &Block{Number: b.F.numBlocks, Pos: b.Pos}
	b.F.numBlocks++
	b.exits[n], b.bases[n] = nil, b.known
	outer := b.scope
	known, dead := b.region(&n.Body, func() {
		body(n)
		outer = b.scope
	})
	exits := b.exits[n]
	delete(b.exits, n)
	delete(b.bases, n)
	if len(exits) == 0 { // nothing leaves early: dissolve
		*b.list = append(*b.list, n.Body...)
		b.dead = dead
		for v, x := range known {
			b.known.vals[v] = x
		}
		for k, v := range outer.vals {
			b.scope.vals[k] = v
		}
		return
	}
	b.emit(n)
	if !dead {
		exits = append(exits, known)
	}
	b.known.join(exits...)
}

// Break leaves target, a Loop or Block being built, or the whole kernel (F.Body).
func (b *Builder) Break(target Node) {
	if b.dead {
		return
	}
	b.emit(&Break{Target: target, Pos: b.Pos})
	if base, open := b.bases[target]; open {
		b.exits[target] = append(b.exits[target], b.known.since(base))
	}
	b.dead = true
}

// Literal is a literal of any type whose bits are in register form already.
func (b *Builder) Literal(t Type, bits uint64) *Value { return b.freeValue(OpConst, t, bits) }

// Known is the value v is known to have, or nil.
func (b *Builder) Known(v *Var) *Value { return b.known.get(v) }
