package check

import (
	"math/bits"

	"github.com/octoryn/assay/engine/msl/internal/types"
)

// builtin computes a library function of constants: those of integers whose value is exact, and min, max and clamp.
func (ev *evaluator) builtin(x *CallBuiltin) Value {
	args := make([]Value, len(x.Args))
	for i, a := range x.Args {
		args[i] = ev.value(a)
	}
	less := func(s *types.Scalar, a, b uint64) bool { return binaryBits(Lt, s, a, b) != 0 }
	low := func(s *types.Scalar, a uint64) uint64 { return a << (64 - s.Bits()) >> (64 - s.Bits()) }
	ints := func(f func(s *types.Scalar, a uint64) uint64) Value {
		return ev.each1(x.typ, args[0], func(s *types.Scalar, a uint64) uint64 { return wrap(s, f(s, a)) })
	}
	min := func(a, b Value) Value {
		return ev.each2(a, b, func(s *types.Scalar, p, q uint64) uint64 {
			if less(s, q, p) {
				return q
			}
			return p
		})
	}
	max := func(a, b Value) Value {
		return ev.each2(a, b, func(s *types.Scalar, p, q uint64) uint64 {
			if less(s, p, q) {
				return q
			}
			return p
		})
	}
	if s := elemScalar(x.typ); s != nil && (s.IsInteger() || s == types.Bool) {
		switch x.ID {
		case FnMin:
			return min(args[0], args[1])
		case FnMax:
			return max(args[0], args[1])
		case FnClamp:
			return min(max(args[0], args[1]), args[2])
		case FnPopcount:
			return ints(func(s *types.Scalar, a uint64) uint64 { return uint64(bits.OnesCount64(low(s, a))) })
		case FnCtz:
			return ints(func(s *types.Scalar, a uint64) uint64 {
				return uint64(bits.TrailingZeros64(low(s, a) | 1<<(s.Bits()-1)<<1)) // of 0: the width
			})
		case FnClz:
			return ints(func(s *types.Scalar, a uint64) uint64 {
				return uint64(bits.LeadingZeros64(low(s, a)) - (64 - s.Bits()))
			})
		}
	}
	ev.fail(x.at, "library function %q is not evaluated by a constant expression", x.ID)
	return Value{}
}

// each2 applies f to the scalars of two values of one type.
func (ev *evaluator) each2(a, b Value, f func(s *types.Scalar, p, q uint64) uint64) Value {
	if a.Elems == nil {
		return Value{Type: a.Type, Bits: f(elemScalar(a.Type), a.Bits, b.Bits)}
	}
	out := Value{Type: a.Type, Elems: make([]Value, len(a.Elems))}
	for i := range a.Elems {
		out.Elems[i] = ev.each2(a.Elems[i], b.Elems[i], f)
	}
	return out
}
