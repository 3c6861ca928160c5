package sanitize

import (
	"fmt"
	"math/bits"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Integer finds integer operations that C++ leaves undefined, and indices that lose their value in a conversion nobody asked for.
type Integer struct{ quiet }

func (*Integer) Probe(p *exec.Probe) *exec.Fault {
	switch p.Kind {
	case ir.ProbeOverflow, ir.ProbeDivide, ir.ProbeShift, ir.ProbeNarrow:
	default:
		return nil
	}
	return eachLane(p, func(lane int) (kind, summary string) {
		x, t := p.Arg(0, lane)
		var y uint64
		if p.Args() > 1 {
			y, _ = p.Arg(1, lane)
		}
		text := func(v uint64) string { return ir.ValueText(t, v) }
		switch p.Kind {
		case ir.ProbeOverflow:
			if overflows(p.Note, p.Args(), t, int64(ir.Extend(t, x)), int64(ir.Extend(t, y))) {
				if p.Args() == 1 {
					return "integer overflow", fmt.Sprintf("-(%s) is no %s", text(x), name(t))
				}
				return "integer overflow", fmt.Sprintf("%s %s %s is no %s", text(x), p.Note, text(y), name(t))
			}
		case ir.ProbeDivide:
			if ir.Extend(t, y) == 0 {
				return "division by zero", fmt.Sprintf("%s %s 0", text(x), p.Note)
			}
			if t.IsSigned() && int64(ir.Extend(t, y)) == -1 && int64(ir.Extend(t, x)) == -1<<(8*t.Bytes()-1) {
				return "integer overflow", fmt.Sprintf("%s %s -1 is no %s", text(x), p.Note, name(t))
			}
		case ir.ProbeShift:
			_, ct := p.Arg(1, lane)
			if n := int64(ir.Extend(ct, y)); n < 0 || n >= int64(8*max(t.Bytes(), 4)) {
				return "shift past the width", fmt.Sprintf("%s %s %s, in %d bits", text(x), p.Note, ir.ValueText(ct, y), 8*max(t.Bytes(), 4))
			}
		case ir.ProbeNarrow:
			_, to := p.Arg(1, lane)
			if b, a := ir.ValueText(t, x), ir.ValueText(to, y); a != b {
				return "index loses its value", fmt.Sprintf("%s becomes %s as %s", b, a, name(to))
			}
		}
		return "", ""
	})
}

// overflows reports whether the exact result lies outside the signed type t.
func overflows(sign string, args int, t ir.Type, x, y int64) bool {
	width := 8 * t.Bytes()
	least := int64(-1) << (width - 1)
	most := -(least + 1)
	switch {
	case args == 1:
		return x == least
	case width < 64 && sign == "+":
		return x+y < least || x+y > most
	case width < 64 && sign == "-":
		return x-y < least || x-y > most
	case width < 64:
		return x*y < least || x*y > most
	case sign == "+":
		return y > 0 && x > most-y || y < 0 && x < least-y
	case sign == "-":
		return y < 0 && x > most+y || y > 0 && x < least+y
	}
	if x == 0 || y == 0 {
		return false
	}
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	if (x < 0) != (y < 0) {
		return hi > 0 || lo > 1<<63
	}
	return hi > 0 || lo > 1<<63-1
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// name is how MSL calls an integer type.
func name(t ir.Type) string {
	switch t {
	case ir.I8:
		return "char"
	case ir.U8:
		return "uchar"
	case ir.I16:
		return "short"
	case ir.U16:
		return "ushort"
	case ir.I32:
		return "int"
	case ir.U32:
		return "uint"
	case ir.I64:
		return "long"
	case ir.U64:
		return "ulong"
	}
	return t.String()
}

// eachLane asks for each active lane, or for one if all see the same, whether something is wrong.
func eachLane(p *exec.Probe, wrong func(lane int) (kind, summary string)) *exec.Fault {
	for m := p.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if kind, summary := wrong(lane); kind != "" {
			return &exec.Fault{Kind: kind, Summary: summary, Parties: []string{fmt.Sprintf("%s at %s", p.Thread(lane), p.Pos)}}
		}
		if p.Uniform() {
			break
		}
	}
	return nil
}
