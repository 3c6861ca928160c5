package sanitize

import (
	"fmt"
	"math/bits"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Simdgroup finds functions that exchange values between lanes where part of the simdgroup does not take part, and shuffles from
// lanes that are not active or do not exist: what they give is undefined.
type Simdgroup struct{ quiet }

func (*Simdgroup) Probe(p *exec.Probe) *exec.Fault {
	switch p.Kind {
	case ir.ProbeSimdgroup:
		if missing := p.Initial() &^ p.Mask; missing != 0 {
			return &exec.Fault{Kind: "simdgroup function under divergence", Summary: p.Note, Parties: []string{
				fmt.Sprintf("%s calls it at %s", p.Thread(bits.TrailingZeros32(p.Mask)), p.Pos),
				fmt.Sprintf("%s does not", p.Thread(bits.TrailingZeros32(missing)))}}
		}
	case ir.ProbeShuffle:
		return eachLane(p, func(lane int) (kind, summary string) {
			from, _ := p.Arg(0, lane)
			n := int32(uint32(from))
			switch {
			case n < 0 || n > 31:
				return "shuffle from outside the simdgroup", fmt.Sprintf("%s reads lane %d of 32", p.Note, n)
			case p.Mask>>uint(n)&1 == 0:
				return "shuffle from an inactive lane", fmt.Sprintf("%s reads lane %d", p.Note, n)
			}
			return "", ""
		})
	}
	return nil
}
