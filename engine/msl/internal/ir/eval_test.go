package ir

// Plan. Purpose: every integer operation of every type equals math/big reduced to the type; what the builder folds or simplifies has
// the value the operation has. Boundaries: zero, one, the ends of each type, shift counts at and past the width, division by zero.
// Control: evaluating in the type one step wider is wrong on the same operands. Source: MSL specification, integers; op.go for what MSL leaves open.

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var intTypes = []Type{I8, U8, I16, U16, I32, U32, I64, U64}

// value is the number that register bits of a type stand for.
func value(t Type, v uint64) *big.Int {
	w := uint(8 * t.Bytes())
	n := new(big.Int).SetUint64(v & (math.MaxUint64 >> (64 - w)))
	if t.IsSigned() && n.Bit(int(w-1)) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), w))
	}
	return n
}

// wrap reduces a number to a type.
func wrap(t Type, n *big.Int) *big.Int {
	w := uint(8 * t.Bytes())
	m := new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), w), big.NewInt(1)))
	if t.IsSigned() && m.Bit(int(w-1)) == 1 {
		m.Sub(m, new(big.Int).Lsh(big.NewInt(1), w))
	}
	return m
}

// truth is the number an operation should give; nil when the spec does not speak of it.
func truth(op Op, t Type, a, b *big.Int) *big.Int {
	w := uint(8 * t.Bytes())
	unsigned := new(big.Int).And(a, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), w), big.NewInt(1))).Uint64()
	z := new(big.Int)
	count := uint(new(big.Int).Mod(b, big.NewInt(int64(max(w, 32)))).Uint64()) // narrow operands are promoted
	switch op {
	case OpAdd:
		return wrap(t, z.Add(a, b))
	case OpSub:
		return wrap(t, z.Sub(a, b))
	case OpMul:
		return wrap(t, z.Mul(a, b))
	case OpDiv:
		if b.Sign() == 0 {
			return z
		}
		return wrap(t, z.Quo(a, b))
	case OpRem:
		if b.Sign() == 0 {
			return nil
		}
		return wrap(t, z.Rem(a, b))
	case OpNeg:
		return wrap(t, z.Neg(a))
	case OpNot:
		return wrap(t, z.Not(a))
	case OpAnd:
		return wrap(t, z.And(a, b))
	case OpOr:
		return wrap(t, z.Or(a, b))
	case OpXor:
		return wrap(t, z.Xor(a, b))
	case OpShl:
		return wrap(t, z.Lsh(a, count))
	case OpShr:
		return wrap(t, z.Rsh(a, count))
	case OpMin:
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	case OpMax:
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	case OpAbs:
		return wrap(t, z.Abs(a))
	case OpMulHi:
		return wrap(t, z.Rsh(z.Mul(a, b), w))
	case OpClz:
		return z.SetInt64(int64(bits.LeadingZeros64(unsigned)) - int64(64-w))
	case OpCtz:
		return z.SetInt64(int64(min(uint(bits.TrailingZeros64(unsigned)), w)))
	case OpPopcount:
		return z.SetInt64(int64(bits.OnesCount64(unsigned)))
	}
	return nil
}

// operands are the ends of a type and random numbers, in register form.
func operands(t Type, r *rand.Rand) []uint64 {
	var out []uint64
	w := uint(8 * t.Bytes())
	for _, v := range []uint64{0, 1, 2, 3, 7, uint64(w) - 1, uint64(w), uint64(w) + 1, 1<<(w-1) - 1, 1 << (w - 1), 1<<(w-1) + 1, math.MaxUint64, math.MaxUint64 - 1} {
		out = append(out, Normalise(t, v))
	}
	for range 12 {
		out = append(out, Normalise(t, r.Uint64()>>r.IntN(64)))
	}
	return out
}

var integerOps = []Op{OpAdd, OpSub, OpMul, OpDiv, OpRem, OpNeg, OpNot, OpAnd, OpOr, OpXor, OpShl, OpShr, OpMin, OpMax, OpAbs, OpMulHi, OpClz, OpCtz, OpPopcount}

var _ = Describe("the meaning of operations", Label("area:executor"), func() {
	for _, t := range intTypes {
		It("on "+t.String()+" is that of whole numbers reduced to the type", func() {
			r := rand.New(rand.NewPCG(1, uint64(t)))
			for _, op := range integerOps {
				eval := Eval(op, t, t)
				Expect(eval).NotTo(BeNil(), "%v", ops[op].name)
				for _, a := range operands(t, r) {
					for _, b := range operands(t, r) {
						want := truth(op, t, value(t, a), value(t, b))
						if got := eval(a, b, 0); want != nil && value(t, got).Cmp(want) != 0 {
							Fail(fmt.Sprintf("%s.%s %v %v: got %v, want %v", ops[op].name, t, value(t, a), value(t, b), value(t, got), want))
						}
					}
				}
			}
		})
	}

	It("is another in a wider type", func() {
		Expect(Eval(OpAdd, U8, U8)(200, 100, 0)).To(Equal(uint64(44)))
		Expect(Eval(OpAdd, U16, U16)(200, 100, 0)).To(Equal(uint64(300)))
	})

	It("of conversions between integers keeps the number where it fits and reduces it where not", func() {
		r := rand.New(rand.NewPCG(2, 2))
		for _, from := range intTypes {
			for _, to := range intTypes {
				eval := Eval(OpConvert, from, to)
				for _, v := range operands(from, r) {
					got, want := value(to, eval(v, 0, 0)), wrap(to, value(from, v))
					Expect(got.Cmp(want)).To(BeZero(), "%v to %v: %v", from, to, value(from, v))
				}
			}
		}
	})
})

// evaluate computes a value the builder made, with the variable's value given.
func evaluate(v *Value, variable uint64) uint64 {
	switch v.Op {
	case OpConst:
		return v.Bits
	case OpGet:
		return variable
	}
	var a [3]uint64
	for i, x := range v.Args {
		a[i] = evaluate(x, variable)
	}
	return Eval(v.Op, operandType(v.Op, v.Type, v.Args), v.Type)(a[0], a[1], a[2])
}

var _ = Describe("the builder", Label("area:executor"), func() {
	It("folds and simplifies without changing a value", func() {
		r := rand.New(rand.NewPCG(3, 3))
		simplified := 0
		for _, t := range append([]Type{F32, F16}, intTypes...) {
			list := integerOps
			if t.IsFloat() {
				list = []Op{OpAdd, OpSub, OpMul, OpDiv, OpNeg, OpAbs, OpMin, OpMax}
			}
			consts := operands(U32, r)
			if t.IsInt() {
				consts = operands(t, r)
			} else {
				consts = consts[:0]
				for _, f := range []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, 0.5, -1.5, float32(math.Inf(1)), float32(math.NaN())} {
					consts = append(consts, bitsF(f))
				}
			}
			for _, op := range list {
				for _, c := range consts {
					for _, swapped := range []bool{false, true} {
						b := NewBuilder("fold")
						n := b.NewVar("n", t)
						b.Declare(n)
						x, k := b.Get(n), b.Literal(t, c)
						args := []*Value{x, k}
						if swapped {
							args = []*Value{k, x}
						}
						args = args[:ops[op].args]
						before := b.Count()
						made := b.Op(op, t, args...)
						if b.Count() == before {
							simplified++
						}
						for _, v := range consts {
							a0, a1 := v, c
							if swapped {
								a0, a1 = c, v
							}
							got, want := evaluate(made, v), Eval(op, t, t)(a0, a1, 0)
							if t.IsFloat() && f32(got) != f32(got) && f32(want) != f32(want) {
								continue
							}
							if got != want {
								Fail(fmt.Sprintf("%s.%s of %#x and %#x: got %#x, want %#x from %s", ops[op].name, t, a0, a1, got, want, made.Text()))
							}
						}
					}
				}
			}
		}
		Expect(simplified).To(BeNumerically(">", 100))
	})

	It("drops the branch a literal condition does not take, and what follows a break", func() {
		b := NewBuilder("dead")
		b.If(b.Literal(Bool, 0), func() { b.Barrier(OpBarrier, 1) }, nil)
		b.Break(b.F.Body)
		b.Barrier(OpBarrier, 1)
		Expect(b.Dead()).To(BeTrue())
		Expect(b.F.HasBarrier).To(BeFalse())
		Expect(Verify(b.F)).To(Succeed())
	})
})
