package exec

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// thread interprets a function for one thread, straight from the tree: the meaning that the machine must agree with. It knows
// nothing of lanes, so it has no cross-lane operations and no barriers.
type thread struct {
	values   map[*ir.Value]uint64
	vectors  map[*ir.Value][]uint64
	vars     map[*ir.Var]uint64
	mem      map[*ir.Root][]byte
	builtins map[ir.Builtin]uint64
	leaving  ir.Node
}

func (t *thread) get(v *ir.Value) uint64 {
	switch v.Op {
	case ir.OpConst:
		return v.Bits
	case ir.OpBuiltin:
		return t.builtins[ir.Builtin(v.Bits)]
	}
	return t.values[v]
}

func (t *thread) list(list []ir.Node) {
	for _, n := range list {
		if t.leaving != nil {
			return
		}
		switch n := n.(type) {
		case *ir.Value:
			t.value(n)
		case *ir.If:
			if t.get(n.Cond) != 0 {
				t.list(n.Then)
			} else {
				t.list(n.Else)
			}
		case *ir.Loop:
			for t.leaving == nil {
				t.list(n.Body)
			}
			if t.leaving == ir.Node(n) {
				t.leaving = nil
			}
		case *ir.Block:
			t.list(n.Body)
			if t.leaving == ir.Node(n) {
				t.leaving = nil
			}
		case *ir.Break:
			t.leaving = n.Target
		}
	}
}

func (t *thread) value(v *ir.Value) {
	switch v.Op {
	case ir.OpGet:
		t.values[v] = t.vars[v.Var]
	case ir.OpSet:
		t.vars[v.Var] = t.get(v.Args[0])
	case ir.OpDeclare:
	case ir.OpComp:
		t.values[v] = t.vectors[v.Args[0]][v.Bits]
	case ir.OpLoad:
		m := t.mem[v.Root][int64(t.get(v.Offset())):]
		out := make([]uint64, v.N)
		for i := range out {
			out[i] = ir.FromMemory(v.Mem, raw(m[i*v.Mem.Bytes():], v.Mem.Bytes()))
		}
		t.vectors[v], t.values[v] = out, out[0]
	case ir.OpStore:
		m := t.mem[v.Root][int64(t.get(v.Offset())):]
		for i, x := range v.Operands() {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], ir.ToMemory(v.Mem, t.get(x)))
			copy(m[i*v.Mem.Bytes():], b[:v.Mem.Bytes()])
		}
	default:
		at := v.Type
		if len(v.Args) > 0 {
			at = v.Args[0].Type
		}
		if v.Op == ir.OpSelect {
			at = v.Args[1].Type
		}
		var x [3]uint64
		for i, a := range v.Args {
			x[i] = t.get(a)
		}
		t.values[v] = ir.Eval(v.Op, at, v.Type)(x[0], x[1], x[2])
	}
}

func raw(b []byte, n int) uint64 {
	var w [8]byte
	copy(w[:], b[:n])
	return binary.LittleEndian.Uint64(w[:])
}

// program generator

// maker builds random kernels: every thread reads its inputs and a table, computes, and writes its outputs.
type maker struct {
	r     *rand.Rand
	b     *ir.Builder
	in    *ir.Root // u32[64]
	out   *ir.Root // 8 words a thread
	tg    *ir.Root // thread array
	pool  map[ir.Type][]*ir.Value
	vars  []*ir.Var
	depth int
	loops []ir.Node
	left  int // operations still allowed
}

var makerTypes = []ir.Type{ir.I32, ir.U32, ir.F32, ir.Bool, ir.U8, ir.I16, ir.U16, ir.F16, ir.I64, ir.U64, ir.BF16}

var makerOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpNeg, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpShl, ir.OpShr, ir.OpMin, ir.OpMax,
	ir.OpAbs, ir.OpMulHi, ir.OpClz, ir.OpPopcount, ir.OpFma, ir.OpSqrt, ir.OpFloor, ir.OpRint, ir.OpRound, ir.OpTrunc, ir.OpCopysign, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe,
	ir.OpSelect, ir.OpConvert, ir.OpBitcast, ir.OpAdd, ir.OpMul, ir.OpFma, ir.OpSelect, ir.OpConvert, ir.OpCeil}

func (m *maker) typ() ir.Type {
	if m.r.IntN(3) > 0 {
		return makerTypes[m.r.IntN(4)]
	}
	return makerTypes[m.r.IntN(len(makerTypes))]
}

// pick gives some value of type t that is in scope, or a literal.
func (m *maker) pick(t ir.Type) *ir.Value {
	if p := m.pool[t]; len(p) > 0 && m.r.IntN(5) > 0 {
		return p[max(m.r.IntN(len(p)), m.r.IntN(len(p)))]
	}
	if m.r.IntN(3) == 0 {
		for _, v := range m.vars {
			if v.Type == t {
				return m.b.Get(v)
			}
		}
	}
	bits := m.r.Uint64()
	switch m.r.IntN(4) {
	case 0:
		bits = uint64(m.r.IntN(40))
	case 1:
		bits = uint64(int64(m.r.IntN(40) - 20))
	}
	if t.IsFloat() {
		switch m.r.IntN(4) {
		case 0:
			return m.b.ConstF(t, float32(m.r.NormFloat64()))
		case 1:
			return m.b.ConstF(t, float32(m.r.IntN(20)-10))
		}
		return m.b.Literal(t, ir.FromMemory(t, bits&(1<<(8*t.Bytes())-1)))
	}
	return m.b.Const(t, bits)
}

func (m *maker) keep(v *ir.Value) { m.pool[v.Type] = append(m.pool[v.Type], v) }

func (m *maker) op() {
	b := m.b
	op := makerOps[m.r.IntN(len(makerOps))]
	t := m.typ()
	switch op {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		if t == ir.Bool {
			return
		}
		m.keep(b.Op(op, ir.Bool, m.pick(t), m.pick(t)))
		return
	case ir.OpSelect:
		m.keep(b.Op(op, t, m.pick(ir.Bool), m.pick(t), m.pick(t)))
		return
	case ir.OpConvert:
		if from := m.typ(); from != t {
			m.keep(b.Op(op, t, m.pick(from)))
		}
		return
	case ir.OpBitcast:
		if from := m.typ(); from != t && from.Bytes() == t.Bytes() && t != ir.Bool && from != ir.Bool {
			m.keep(b.Op(op, t, m.pick(from)))
		}
		return
	}
	if ir.Eval(op, t, t) == nil {
		return
	}
	args := []*ir.Value{m.pick(t)}
	for len(args) < arity(op) {
		args = append(args, m.pick(t))
	}
	m.keep(b.Op(op, t, args...))
}

func arity(op ir.Op) int {
	switch op {
	case ir.OpNeg, ir.OpNot, ir.OpAbs, ir.OpClz, ir.OpPopcount, ir.OpSqrt, ir.OpFloor, ir.OpCeil, ir.OpRint, ir.OpRound, ir.OpTrunc:
		return 1
	case ir.OpFma:
		return 3
	}
	return 2
}

// index makes an address of element size bytes within count elements.
func (m *maker) index(root *ir.Root, count, size int) ir.Addr {
	b := m.b
	var i *ir.Value
	switch m.r.IntN(5) {
	case 0:
		i = b.ConstI(ir.U32, int64(m.r.IntN(count)))
	case 1:
		i = b.Op(ir.OpAdd, ir.U32, b.Builtin(ir.Lane), b.ConstI(ir.U32, int64(m.r.IntN(max(count-32, 1)))))
		if count < 64 {
			i = b.Op(ir.OpRem, ir.U32, i, b.ConstI(ir.U32, int64(count)))
		}
	default:
		i = b.Op(ir.OpRem, ir.U32, m.pick(ir.U32), b.ConstI(ir.U32, int64(count)))
	}
	off := b.Op(ir.OpMul, ir.I64, b.Convert(i, ir.I64), b.ConstI(ir.I64, int64(size)))
	return ir.Addr{Root: root, Off: off}
}

func (m *maker) memory() {
	b := m.b
	switch m.r.IntN(4) {
	case 0:
		m.keep(b.Load(m.index(m.in, 64, 4), ir.U32, 1)[0])
	case 1:
		t := []ir.Type{ir.F32, ir.F16, ir.U8, ir.I8, ir.I16, ir.U64, ir.BF16}[m.r.IntN(7)]
		n := []int{1, 2, 4}[m.r.IntN(3)]
		for n*t.Bytes() > 16 {
			n /= 2
		}
		for _, v := range b.Load(m.index(m.in, 16, 16), t, n) {
			if t != ir.I8 {
				m.keep(v)
			}
		}
	case 2:
		t := []ir.Type{ir.U32, ir.F32}[m.r.IntN(2)]
		b.Store(m.index(m.tg, 8, 4), t, m.pick(t))
	case 3:
		t := []ir.Type{ir.U32, ir.F32}[m.r.IntN(2)]
		m.keep(b.Load(m.index(m.tg, 8, 4), t, 1)[0])
	}
}

// body adds statements; scoped values go out of use at its end.
func (m *maker) body(n int) {
	saved := map[ir.Type][]*ir.Value{}
	for t, p := range m.pool {
		saved[t] = p[:len(p):len(p)]
	}
	vars := len(m.vars)
	for range n {
		if m.b.Dead() || m.left <= 0 {
			break
		}
		m.left--
		switch m.r.IntN(12) {
		case 0, 1:
			m.memory()
		case 2:
			v := m.b.NewVar("v", m.typ())
			m.b.Declare(v)
			m.b.Set(v, m.pick(v.Type))
			m.vars = append(m.vars, v)
		case 3, 4:
			if len(m.vars) > 0 {
				v := m.vars[m.r.IntN(len(m.vars))]
				m.b.Set(v, m.pick(v.Type))
			}
		case 5:
			m.nested()
		default:
			m.op()
		}
	}
	m.pool = saved
	m.vars = m.vars[:vars]
}

func (m *maker) nested() {
	if m.depth >= 4 {
		return
	}
	m.depth++
	defer func() { m.depth-- }()
	b := m.b
	switch m.r.IntN(5) {
	case 0, 1:
		b.If(m.pick(ir.Bool), func() { m.body(4) }, func() {
			if m.r.IntN(2) == 0 {
				m.body(3)
			}
		})
	case 2:
		b.Block(func(n *ir.Block) {
			m.loops = append(m.loops, n)
			m.body(5)
			m.loops = m.loops[:len(m.loops)-1]
		})
	case 3:
		if len(m.loops) > 0 {
			n := m.loops[m.r.IntN(len(m.loops))]
			b.If(m.pick(ir.Bool), func() { b.Break(n) }, nil)
		}
	case 4:
		i := b.NewVar("i", ir.U32)
		b.Declare(i)
		b.Set(i, b.ConstI(ir.U32, 0))
		limit := b.Op(ir.OpRem, ir.U32, m.pick(ir.U32), b.ConstI(ir.U32, 5))
		written := append([]*ir.Var{i}, m.vars...)
		b.Loop(written, func(l *ir.Loop) {
			b.If(b.Op(ir.OpLe, ir.Bool, limit, b.Get(i)), func() { b.Break(l) }, nil)
			b.Set(i, b.Op(ir.OpAdd, ir.U32, b.Get(i), b.ConstI(ir.U32, 1)))
			m.loops = append(m.loops, l)
			m.body(6)
			m.loops = m.loops[:len(m.loops)-1]
		})
	}
}

// makeKernel builds a random kernel. Its outputs are 8 words a thread.
func makeKernel(seed uint64) *ir.Func {
	m := &maker{r: rand.New(rand.NewPCG(seed, 1)), b: ir.NewBuilder("random"), pool: map[ir.Type][]*ir.Value{}, left: 120}
	b := m.b
	add := func(r *ir.Root) *ir.Root {
		r.Number = len(b.F.Roots)
		b.F.Roots = append(b.F.Roots, r)
		return r
	}
	m.in = add(&ir.Root{Name: "in", Space: ir.Device, Slot: 0, ReadOnly: true, Bytes: -1, Elem: ir.U32})
	m.out = add(&ir.Root{Name: "out", Space: ir.Device, Slot: 1, Bytes: -1, Elem: ir.U32})
	m.tg = add(&ir.Root{Name: "local", Space: ir.Thread, Slot: -1, Bytes: 32, Elem: ir.U32})
	b.DeclareRoot(m.tg)
	for i := range 8 {
		b.Store(ir.Addr{Root: m.tg, Off: b.ConstI(ir.I64, int64(4*i))}, ir.U32, b.ConstI(ir.U32, int64(i)))
	}
	for _, k := range []ir.Builtin{ir.Lane, ir.ThreadIndex, ir.SimdgroupIndex, ir.GroupX, ir.ThreadX, ir.GridX} {
		m.keep(b.Builtin(k))
	}
	var outs []*ir.Var
	for i := range 8 {
		t := []ir.Type{ir.U32, ir.I32, ir.F32, ir.F32, ir.I64, ir.U16, ir.F16, ir.Bool}[i]
		v := b.NewVar("o", t)
		b.Declare(v)
		b.Set(v, b.Literal(t, 0))
		outs = append(outs, v)
	}
	m.vars = append(m.vars, outs...)
	m.body(40)
	at := b.Op(ir.OpMul, ir.U32, b.Builtin(ir.GridX), b.ConstI(ir.U32, 8))
	for i, v := range outs {
		off := b.Op(ir.OpMul, ir.I64, b.Convert(b.Op(ir.OpAdd, ir.U32, at, b.ConstI(ir.U32, int64(i))), ir.I64), b.ConstI(ir.I64, 4))
		x := b.Get(v)
		switch v.Type {
		case ir.I32, ir.F32:
			x = b.Bitcast(x, ir.U32)
		case ir.F16:
			x = b.Convert(b.Bitcast(x, ir.U16), ir.U32)
		case ir.U32:
		default:
			x = b.Convert(x, ir.U32)
		}
		b.Store(ir.Addr{Root: m.out, Off: off}, ir.U32, x)
	}
	return b.F
}
