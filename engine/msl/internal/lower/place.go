package lower

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// place is an object, or part of one.
type place struct {
	t     types.Type
	vars  []*ir.Var     // leaves, if it lives in variables
	addr  ir.Addr       // if it lives in memory
	value *check.Value  // if it is a constant
	of    *check.Var    // the constant's variable, for a table
	off   int           // bytes from the start of that
	lanes []int         // a swizzle of a vector: components in order; t then is the swizzle's type
	whole *types.Vector // the vector swizzled
}

// memoryPlace is the start of a root seen as a t.
func (l *lowerer) memoryPlace(r *ir.Root, t types.Type) *place {
	return &place{t: t, addr: ir.Addr{Root: r, Off: l.b.ConstI(ir.I64, 0)}}
}

// offset moves an address by a constant.
func (l *lowerer) offset(a ir.Addr, bytes int) ir.Addr {
	if bytes == 0 {
		return a
	}
	a.Off = l.b.Op(ir.OpAdd, ir.I64, a.Off, l.b.ConstI(ir.I64, int64(bytes)))
	return a
}

// aligned is the address of something that must lie on a multiple of bytes, unless a packed struct around it promises less.
func aligned(a ir.Addr, bytes int) ir.Addr {
	if a.Align == 0 || a.Align > bytes {
		a.Align = bytes
	}
	return a
}

// within is the address of the fields of a struct: they lie where a packed struct lies.
func within(a ir.Addr, s *types.Struct) ir.Addr {
	if s.Packed {
		a.Align = 1
	}
	return a
}

// pointerAddr splits the leaves of a pointer.
func (l *lowerer) pointerAddr(v []*ir.Value) ir.Addr {
	a := ir.Addr{RootNum: v[0], Off: v[1]}
	if v[0].IsConst() && int(v[0].Bits) < len(l.b.F.Roots) {
		a.Root, a.RootNum = l.b.F.Roots[v[0].Bits], nil
	}
	return a
}

// addrLeaves is the inverse.
func (l *lowerer) addrLeaves(a ir.Addr) []*ir.Value {
	num := a.RootNum
	if a.Root != nil {
		num = l.b.Const(ir.U32, uint64(a.Root.Number))
	}
	return []*ir.Value{num, a.Off}
}

// load reads the leaves of a place.
func (l *lowerer) load(p *place) []*ir.Value {
	switch {
	case p.lanes != nil:
		return l.loadLanes(p)
	case p.vars != nil || numLeaves(p.t) == 0:
		out := make([]*ir.Value, len(p.vars))
		for i, v := range p.vars {
			out[i] = l.b.Get(v)
		}
		return out
	case p.value != nil:
		return l.constant(*p.value, p.t)
	}
	switch p.t.(type) {
	case *types.Struct, *types.Array:
		l.copying = true
		defer func() { l.copying = false }()
	}
	return l.loadMemory(p.addr, p.t)
}

// read loads from memory; part of an aggregate being copied is marked, as it need not be set.
func (l *lowerer) read(a ir.Addr, mem ir.Type, n int) []*ir.Value {
	if l.copying && l.b.F.Observed {
		return l.b.LoadCopy(a, mem, n)
	}
	return l.b.Load(a, mem, n)
}

func (l *lowerer) loadLanes(p *place) []*ir.Value {
	out := make([]*ir.Value, len(p.lanes))
	if p.vars != nil {
		for i, k := range p.lanes {
			out[i] = l.b.Get(p.vars[k])
		}
		return out
	}
	e := p.whole.Elem()
	if lo, ok := run(p.lanes); ok { // neighbours are one load
		t := types.Type(e)
		if len(p.lanes) > 1 {
			t = types.VectorOf(e, len(p.lanes), true)
		}
		return l.loadMemory(l.offset(p.addr, lo*e.Size()), t)
	}
	for i, k := range p.lanes {
		out[i] = l.loadMemory(l.offset(p.addr, k*e.Size()), e)[0]
	}
	return out
}

// run reports whether lanes are consecutive, and the first.
func run(lanes []int) (int, bool) {
	for i, k := range lanes {
		if k != lanes[0]+i {
			return 0, false
		}
	}
	return lanes[0], true
}

// loadMemory reads a t at an address.
func (l *lowerer) loadMemory(a ir.Addr, t types.Type) []*ir.Value {
	b := l.b
	switch t := t.(type) {
	case *types.Vector:
		return l.fromMemory(scalarType(t.Elem()), l.read(aligned(a, t.Align()), memType(scalarType(t.Elem())), t.Len()))
	case *types.Matrix:
		var out []*ir.Value
		for i := range t.Cols() {
			out = append(out, l.loadMemory(l.offset(a, i*t.Column().Size()), t.Column())...)
		}
		return out
	case *types.SimdMatrix:
		return l.loadMemory(a, t.Share())
	case *types.Array:
		var out []*ir.Value
		for i := range t.Len {
			out = append(out, l.loadMemory(l.offset(a, i*t.Elem.Size()), t.Elem)...)
		}
		return out
	case *types.Struct:
		var out []*ir.Value
		for _, f := range t.Fields {
			out = append(out, l.loadMemory(l.offset(within(a, t), f.Offset), f.Type)...)
		}
		return out
	case *types.Pointer:
		// The number of the object in the top 16 bits of the 8 bytes, the offset below.
		a = aligned(a, t.Align())
		low := l.read(a, ir.U32, 1)[0]
		mid := l.read(aligned(l.offset(a, 4), 2), ir.I16, 1)[0]
		num := l.read(aligned(l.offset(a, 6), 2), ir.U16, 1)[0]
		off := b.Op(ir.OpAdd, ir.I64, b.Op(ir.OpMul, ir.I64, b.Convert(mid, ir.I64), b.ConstI(ir.I64, 1<<32)), b.Convert(low, ir.I64))
		return []*ir.Value{b.Convert(num, ir.U32), off}
	}
	e := elemType(t)
	return l.fromMemory(e, l.read(aligned(a, memType(e).Bytes()), memType(e), 1))
}

// fromMemory turns bytes into bools.
func (l *lowerer) fromMemory(t ir.Type, v []*ir.Value) []*ir.Value {
	if t != ir.Bool {
		return v
	}
	out := make([]*ir.Value, len(v))
	for i, x := range v {
		out[i] = l.b.Op(ir.OpNe, ir.Bool, x, l.b.Const(ir.U8, 0))
	}
	return out
}

func (l *lowerer) toMemory(t ir.Type, v []*ir.Value) []*ir.Value {
	if t != ir.Bool {
		return v
	}
	out := make([]*ir.Value, len(v))
	for i, x := range v {
		out[i] = l.b.Convert(x, ir.U8)
	}
	return out
}

// store writes the leaves of a place.
func (l *lowerer) store(p *place, v []*ir.Value) {
	switch {
	case p.lanes != nil:
		e := p.whole.Elem()
		if p.vars != nil {
			for i, k := range p.lanes {
				l.b.Set(p.vars[k], v[i])
			}
			return
		}
		if lo, ok := run(p.lanes); ok && len(p.lanes) > 1 {
			l.storeMemory(l.offset(p.addr, lo*e.Size()), types.VectorOf(e, len(p.lanes), true), v)
			return
		}
		for i, k := range p.lanes {
			l.storeMemory(l.offset(p.addr, k*e.Size()), e, v[i:i+1])
		}
	case p.vars != nil:
		for i, x := range p.vars {
			l.b.Set(x, v[i])
		}
	case numLeaves(p.t) > 0:
		l.storeMemory(p.addr, p.t, v)
	}
}

func (l *lowerer) storeMemory(a ir.Addr, t types.Type, v []*ir.Value) {
	b := l.b
	switch t := t.(type) {
	case *types.Vector:
		e := scalarType(t.Elem())
		b.Store(aligned(a, t.Align()), memType(e), l.toMemory(e, v)...)
	case *types.Matrix:
		n := t.Rows()
		for i := range t.Cols() {
			l.storeMemory(l.offset(a, i*t.Column().Size()), t.Column(), v[i*n:(i+1)*n])
		}
	case *types.SimdMatrix:
		l.storeMemory(a, t.Share(), v)
	case *types.Array:
		n := numLeaves(t.Elem)
		for i := range t.Len {
			l.storeMemory(l.offset(a, i*t.Elem.Size()), t.Elem, v[i*n:(i+1)*n])
		}
	case *types.Struct:
		for _, f := range t.Fields {
			n := numLeaves(f.Type)
			l.storeMemory(l.offset(within(a, t), f.Offset), f.Type, v[:n])
			v = v[n:]
		}
	case *types.Pointer:
		a = aligned(a, t.Align())
		b.Store(a, ir.U32, b.Convert(v[1], ir.U32))
		b.Store(aligned(l.offset(a, 4), 2), ir.I16, b.Convert(b.Op(ir.OpShr, ir.I64, v[1], b.ConstI(ir.I64, 32)), ir.I16))
		b.Store(aligned(l.offset(a, 6), 2), ir.U16, b.Convert(v[0], ir.U16))
	default:
		e := elemType(t)
		b.Store(aligned(a, memType(e).Bytes()), memType(e), l.toMemory(e, v)...)
	}
}

// constant gives the leaves of a constant value.
func (l *lowerer) constant(v check.Value, t types.Type) []*ir.Value {
	switch t := t.(type) {
	case *types.Vector:
		var out []*ir.Value
		for _, e := range v.Elems {
			out = append(out, l.constant(e, t.Elem())...)
		}
		return out
	case *types.Matrix:
		var out []*ir.Value
		for _, e := range v.Elems {
			out = append(out, l.constant(e, t.Column())...)
		}
		return out
	case *types.SimdMatrix:
		return append(l.constant(v.Elems[0], t.Elem()), l.constant(v.Elems[1], t.Elem())...)
	case *types.Array:
		var out []*ir.Value
		for _, e := range v.Elems {
			out = append(out, l.constant(e, t.Elem)...)
		}
		return out
	case *types.Struct:
		var out []*ir.Value
		for i, e := range v.Elems {
			out = append(out, l.constant(e, t.Fields[i].Type)...)
		}
		return out
	}
	e := elemType(t)
	if e == ir.Void {
		return nil
	}
	return []*ir.Value{l.b.Literal(e, ir.FromMemory(e, v.Bits))}
}

// table puts a constant into memory, for an index that is not known or a pointer to it.
func (l *lowerer) table(p *place) ir.Addr {
	r := l.roots[p.of]
	if r == nil {
		v := l.known[p.of]
		data := make([]byte, p.of.Type.Size())
		writeValue(data, v, p.of.Type)
		r = l.root(&ir.Root{Name: p.of.Name, Space: ir.Constant, Slot: -1, ReadOnly: true, Bytes: len(data), Align: p.of.Type.Align(), Elem: elem(p.of.Type), Data: data, Pos: position(p.of.Pos)})
		l.roots[p.of] = r
	}
	return ir.Addr{Root: r, Off: l.b.ConstI(ir.I64, int64(p.off))}
}

func writeValue(dst []byte, v check.Value, t types.Type) {
	switch t := t.(type) {
	case *types.Vector:
		for i, e := range v.Elems {
			writeValue(dst[i*t.Elem().Size():], e, t.Elem())
		}
	case *types.Matrix:
		for i, e := range v.Elems {
			writeValue(dst[i*t.Column().Size():], e, t.Column())
		}
	case *types.Array:
		for i, e := range v.Elems {
			writeValue(dst[i*t.Elem.Size():], e, t.Elem)
		}
	case *types.Struct:
		for i, e := range v.Elems {
			writeValue(dst[t.Fields[i].Offset:], e, t.Fields[i].Type)
		}
	default:
		for i := range t.Size() {
			dst[i] = byte(v.Bits >> (8 * i))
		}
	}
}

// address is where a place lies in memory.
func (l *lowerer) address(p *place, at check.Expr) ir.Addr {
	switch {
	case p.lanes != nil && len(p.lanes) == 1 && p.vars == nil:
		return l.offset(p.addr, p.lanes[0]*p.whole.Elem().Size())
	case p.value != nil:
		return l.table(p)
	case p.vars != nil || p.lanes != nil:
		l.fail(at.Pos(), "address of an object that was given registers")
	}
	return p.addr
}

// local makes a parameter or local with the given leaves; nil leaves it undefined.
func (l *lowerer) local(v *check.Var, init []*ir.Value) {
	b := l.b
	if l.taken[v] || needsMemory(v.Type) || l.b.F.Observed && init == nil && numLeaves(v.Type) > 0 {
		r := l.root(&ir.Root{Name: v.Name, Space: ir.Thread, Slot: -1, Bytes: max(v.Type.Size(), 1), Align: max(v.Type.Align(), v.Align), Elem: elem(v.Type), Pos: position(v.Pos)})
		b.DeclareRoot(r)
		if b.F.Observed {
			b.Probe(ir.ProbeDeclare, r.Name, r)
		}
		p := l.memoryPlace(r, v.Type)
		l.env[v] = p
		if init != nil {
			l.store(p, init)
		}
		return
	}
	p := &place{t: v.Type, vars: []*ir.Var{}}
	for _, f := range leaves(v.Type) {
		x := b.NewVar(v.Name, f.t)
		b.Declare(x)
		p.vars = append(p.vars, x)
	}
	l.env[v] = p
	if init != nil {
		l.store(p, init)
	}
}

// temporary is a fresh place without a name.
func (l *lowerer) temporary(name string, t types.Type) *place {
	p := &place{t: t, vars: []*ir.Var{}}
	for _, f := range leaves(t) {
		x := l.b.NewVar(name, f.t)
		l.b.Declare(x)
		p.vars = append(p.vars, x)
	}
	return p
}
