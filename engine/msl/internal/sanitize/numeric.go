package sanitize

import (
	"fmt"
	"math"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Numeric holds a kernel to the numeric contract: no subnormal float or bfloat, which devices flush or do not; no NaN or infinity
// out of numbers; no float made an integer it does not fit; no reduction whose order the device chooses.
type Numeric struct{ quiet }

func (*Numeric) Probe(p *exec.Probe) *exec.Fault {
	switch p.Kind {
	case ir.ProbeUnordered:
		return eachLane(p, func(int) (kind, summary string) {
			return "unordered reduction", fmt.Sprintf("%s of floats: MSL leaves its order, and so its bits, to the device", p.Note)
		})
	case ir.ProbeFloat, ir.ProbeRead:
		return eachLane(p, func(lane int) (kind, summary string) {
			first := 0
			if p.Kind == ir.ProbeFloat {
				first = 1
			}
			for i := first; i < p.Args(); i++ {
				bits, t := p.Arg(i, lane)
				if x := float32Of(bits); subnormal(t, x) {
					return "subnormal", fmt.Sprintf("%v, operand of %s", x, p.Note)
				}
			}
			if p.Kind == ir.ProbeRead {
				return "", ""
			}
			bits, t := p.Arg(0, lane)
			f := float32Of(bits)
			if subnormal(t, f) {
				return "subnormal", fmt.Sprintf("%v, result of %s", f, p.Note)
			}
			nan, inf := f != f, math.IsInf(float64(f), 0)
			for i := 1; i < p.Args() && (nan || inf); i++ {
				bits, _ := p.Arg(i, lane)
				x := float32Of(bits)
				nan = nan && x == x
				inf = inf && !math.IsInf(float64(x), 0) && x == x
			}
			switch {
			case nan:
				return "NaN born", p.Note + operandText(p, lane)
			case inf:
				return "infinity born", p.Note + operandText(p, lane)
			}
			return "", ""
		})
	case ir.ProbeFloatToInt:
		return eachLane(p, func(lane int) (kind, summary string) {
			bits, _ := p.Arg(0, lane)
			if f := float32Of(bits); !fits(f, p.Note) {
				return "float out of range", fmt.Sprintf("%v is no %s", f, p.Note)
			}
			return "", ""
		})
	}
	return nil
}

// float32Of is the value of a float, half or bfloat in register form.
func float32Of(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

// subnormal reports whether f, of type t, is below the normal range of float32. Subnormal halves are kept by every device.
func subnormal(t ir.Type, f float32) bool {
	return t != ir.F16 && f != 0 && math.Abs(float64(f)) < 0x1p-126
}

// operandText lists the operands.
func operandText(p *exec.Probe, lane int) string {
	s := " of"
	for i := 1; i < p.Args(); i++ {
		bits, t := p.Arg(i, lane)
		s += " " + ir.ValueText(t, bits)
	}
	return s
}

// fits reports whether f, cut off, is a value of the integer type called name in the IR.
func fits(f float32, name string) bool {
	var width int
	signed := name[0] == 'i'
	fmt.Sscanf(name[1:], "%d", &width)
	low, high := 0.0, math.Ldexp(1, width)
	if signed {
		low, high = -math.Ldexp(1, width-1), math.Ldexp(1, width-1)
	}
	x := math.Trunc(float64(f))
	return x >= low && x < high // false for NaN
}
