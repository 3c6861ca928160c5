package ir

// Plan. Purpose: Verify finds every way in which a function can be broken, one at a time, in a function that is right otherwise.
// Control: the function untouched. Source: the rules in Verify's comment.

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// parts are the nodes of a small function that specs break.
type parts struct {
	f         *Func
	in, out   *Root
	n         *Var
	load, add *Value
	cond      *If
	loop      *Loop
	store     *Value
}

// right builds out[0] = in[lane]*2, and a loop that counts to it.
func right() *parts {
	b := NewBuilder("right")
	p := &parts{f: b.F}
	for _, r := range []*Root{{Name: "in", Slot: 0, Bytes: -1, Elem: U32, ReadOnly: true}, {Name: "out", Slot: 1, Bytes: -1, Elem: U32}} {
		r.Number = len(b.F.Roots)
		b.F.Roots = append(b.F.Roots, r)
	}
	p.in, p.out = b.F.Roots[0], b.F.Roots[1]
	p.n = b.NewVar("n", U32)
	b.Declare(p.n)
	b.Set(p.n, b.ConstI(U32, 0))
	off := b.Op(OpMul, I64, b.Convert(b.Builtin(ThreadIndex), I64), b.ConstI(I64, 4))
	p.load = b.Load(Addr{Root: p.in, Off: off}, U32, 1)[0]
	p.add = b.Op(OpAdd, U32, p.load, p.load)
	b.Loop([]*Var{p.n}, func(l *Loop) {
		p.loop = l
		more := b.Op(OpLt, Bool, b.Get(p.n), p.add)
		b.If(more, func() { b.Set(p.n, b.Op(OpAdd, U32, b.Get(p.n), b.ConstI(U32, 1))) }, func() { b.Break(l) })
	})
	Walk(b.F.Body.Body, func(n Node) {
		if c, ok := n.(*If); ok {
			p.cond = c
		}
	})
	b.Store(Addr{Root: p.out, Off: b.ConstI(I64, 0)}, U32, b.Get(p.n))
	p.store = b.F.Body.Body[len(b.F.Body.Body)-1].(*Value)
	return p
}

var _ = Describe("Verify", Label("area:executor"), func() {
	It("accepts a function that is right", func() {
		Expect(Verify(right().f)).To(Succeed())
	})

	DescribeTable("finds", func(spoil func(p *parts), want string) {
		p := right()
		spoil(p)
		Expect(Verify(p.f)).To(MatchError(ContainSubstring(want)))
	},
		Entry("an operand that is used before it is defined", func(p *parts) { p.f.Body.Body = append([]Node{p.store}, p.f.Body.Body...) }, "is not defined here"),
		Entry("an operand of a region that has been left", func(p *parts) {
			inner := p.cond.Then[0].(*Value)
			p.store.Args[1] = inner
		}, "is not defined here"),
		Entry("a node in two places", func(p *parts) { p.f.Body.Body = append(p.f.Body.Body, p.store) }, "stands in two places"),
		Entry("a missing operand", func(p *parts) { p.add.Args = p.add.Args[:1] }, "1 operands, want 2"),
		Entry("a nil operand", func(p *parts) { p.add.Args[1] = nil }, "nil operand"),
		Entry("operands of another type", func(p *parts) { p.add.Type = F32 }, "want"),
		Entry("a condition that is no bool", func(p *parts) { p.cond.Cond = p.add }, "want bool"),
		Entry("a variable of another function", func(p *parts) { p.cond.Then[len(p.cond.Then)-1].(*Value).Var = &Var{Type: U32} }, "does not belong"),
		Entry("a variable set to another type", func(p *parts) { p.n.Type = F32 }, "type"),
		Entry("a root of another function", func(p *parts) { p.load.Root = &Root{Name: "other"} }, `"other" does not belong`),
		Entry("an offset of 32 bits", func(p *parts) { p.store.Args[0] = &Value{Op: OpConst, Type: U32} }, "offset must be i64"),
		Entry("five elements at once", func(p *parts) { p.load.N = 5 }, "bad access"),
		Entry("an alignment that is no power of two", func(p *parts) { p.load.Align = 6 }, "bad alignment 6"),
		Entry("a store of another type", func(p *parts) { p.store.Mem = F32 }, "want f32"),
		Entry("a break outside its region", func(p *parts) { p.f.Body.Body = append(p.f.Body.Body, &Break{Target: p.loop}) }, "outside that region"),
		Entry("code after a break", func(p *parts) { p.cond.Else = append(p.cond.Else, &Value{ID: 99, Op: OpBarrier, Type: Void}) }, "followed by code"),
		Entry("an operation that does not exist for its type", func(p *parts) { p.add.Op = OpSqrt; p.add.Args = p.add.Args[:1] }, "does not exist for u32"),
		Entry("an unknown operation", func(p *parts) { p.add.Op = numOps }, "unknown operation"),
		Entry("a component of no vector", func(p *parts) { p.add.Op = OpComp; p.add.Args = []*Value{p.load}; p.add.Bits = 1 }, "no such component"),
		Entry("a literal in a list", func(p *parts) { p.add.Op = OpConst; p.add.Args = nil }, "stands in a list"),
		Entry("a literal not in register form", func(p *parts) { p.add.Args[1] = &Value{Op: OpConst, Type: U8, Bits: 256} }, "register form"),
	)
})
