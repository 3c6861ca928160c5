package exec

import (
	"fmt"
	"io"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Dump writes the code for threadgroups of a shape, an instruction a line: number, name, registers (v vectors, s scalars), what it
// refers to, and the place in the source.
func (k *Kernel) Dump(w io.Writer, s Shape) error {
	p, err := k.program(whole(s))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "kernel %s, threadgroups of %dx%dx%d threads: %d instructions, %d vector and %d scalar registers\n",
		k.f.Name, s[0], s[1], s[2], len(p.code), p.numVectors, p.numScalars)
	for _, b := range p.builtins {
		fmt.Fprintf(w, "s%d = %s\n", b.slot, b.b)
	}
	for i, v := range p.init {
		if v != 0 {
			fmt.Fprintf(w, "s%d = %#x\n", i, v)
		}
	}
	for at := range p.code {
		fmt.Fprintf(w, "%4d  %-48s ; %s\n", at, p.text(&p.code[at]), p.pos[at])
	}
	return nil
}

// text is one instruction.
func (p *program) text(in *instr) string {
	var b strings.Builder
	b.WriteString(in.op.String())
	for i, r := range [4]uint16{in.d, in.a, in.b, in.c} {
		switch kinds[in.op][i] {
		case 'V', 'v':
			fmt.Fprintf(&b, " v%d", r)
		case 'S', 's':
			fmt.Fprintf(&b, " s%d", r)
		}
	}
	switch in.op {
	case opOne, opTwo, opTwoS, opCmp, opCmpS, opReduceM:
		fmt.Fprintf(&b, " fn%d", in.fn)
	case opCross:
		fmt.Fprintf(&b, " %s", ir.Op(in.fn))
	case opS1, opS2, opS3:
		fmt.Fprintf(&b, " f%d", in.imm)
	case opField, opFieldFma:
		f := p.fields[in.imm]
		fmt.Fprintf(&b, " shift %d mask %#x bias %d", f.shift, f.mask, f.bias)
	case opXorAdd, opShuffleXor:
		fmt.Fprintf(&b, " lanes %d", in.imm)
	case opPattern, opPatternW:
		q := p.patterns[in.imm]
		if q.affine {
			fmt.Fprintf(&b, " +%d a lane", q.stride)
		} else {
			fmt.Fprintf(&b, " +%v", q.diff)
		}
	case opLoad, opStore, opAtomic:
		p.accesses[in.imm].text(&b, p)
	case opGeneric, opCrossGeneric:
		g := p.generics[in.imm]
		if in.op == opCrossGeneric {
			b.WriteString(" " + g.op.String())
		}
		b.WriteString(" " + g.d.String())
		for _, a := range g.args {
			b.WriteString(" " + a.String())
		}
	case opJump, opJumpBack, opJumpZero, opIf, opElse, opJumpEmpty, opKill, opBreakIf, opLoopEnd:
		fmt.Fprintf(&b, " -> %d", in.imm)
	case opBarrier:
		fmt.Fprintf(&b, " flags %d", in.imm)
	}
	return b.String()
}

// text is what an access reads or writes.
func (m *memAccess) text(b *strings.Builder, p *program) {
	switch {
	case m.root >= 0:
		fmt.Fprintf(b, " %s", p.roots[m.root].Name)
	case m.rootS >= 0:
		fmt.Fprintf(b, " root s%d", m.rootS)
	default:
		fmt.Fprintf(b, " root v%d", m.rootV)
	}
	fmt.Fprintf(b, "[%d", m.imm)
	if m.base >= 0 {
		fmt.Fprintf(b, " + s%d", m.base)
	}
	if m.narrow >= 0 {
		fmt.Fprintf(b, " + s%d*%d", m.narrow, m.scale)
	}
	switch {
	case m.mode != addrPattern:
		fmt.Fprintf(b, " + v%d*%d", m.index, max(m.scale, 1))
	case m.pat.affine && m.pat.stride != 0:
		fmt.Fprintf(b, " + lane*%d", m.pat.stride)
	case !m.pat.affine:
		b.WriteString(" + pattern")
	}
	fmt.Fprintf(b, "] %sx%d", m.elem, m.n)
	if m.op == ir.OpAtomic {
		fmt.Fprintf(b, " %s %s", m.atom, m.out)
	}
	for _, v := range m.vals {
		b.WriteString(" " + v.String())
	}
}

// String names the register.
func (v value) String() string {
	return [...]string{inVector: "v", inPair: "w", inScalar: "s", inMask: "m"}[v.kind] + fmt.Sprint(v.id)
}
