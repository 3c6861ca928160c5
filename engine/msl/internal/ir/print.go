package ir

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// String renders the function as stable text: the roots, then the body.
func (f *Func) String() string {
	var b strings.Builder
	f.Fprint(&b)
	return b.String()
}

// Fprint writes what String returns.
func (f *Func) Fprint(w io.Writer) {
	fmt.Fprintf(w, "kernel %s\n", f.Name)
	for _, r := range f.Roots {
		fmt.Fprintf(w, "root %s: %s %s", r.Name, r.Space, r.Elem)
		if r.Slot >= 0 {
			fmt.Fprintf(w, " slot %d", r.Slot)
		}
		if r.Bytes >= 0 {
			fmt.Fprintf(w, " bytes %d", r.Bytes)
		}
		if r.ReadOnly {
			fmt.Fprint(w, " readonly")
		}
		fmt.Fprintln(w)
	}
	for _, v := range f.Vars {
		fmt.Fprintf(w, "var %s: %s\n", v, v.Type)
	}
	p := printer{w: w}
	p.list(f.Body.Body, 1)
}

// String is the name made unique by the number.
func (v *Var) String() string { return v.Name + "." + strconv.Itoa(v.Number) }

type printer struct{ w io.Writer }

func (p *printer) line(depth int, format string, args ...any) {
	fmt.Fprintf(p.w, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
}

func (p *printer) list(list []Node, depth int) {
	for _, n := range list {
		switch n := n.(type) {
		case *Value:
			p.line(depth, "%s", n.Text())
		case *If:
			p.line(depth, "if %s {", n.Cond.Ref())
			p.list(n.Then, depth+1)
			if len(n.Else) > 0 {
				p.line(depth, "} else {")
				p.list(n.Else, depth+1)
			}
			p.line(depth, "}")
		case *Loop:
			p.line(depth, "loop L%d {", n.Number)
			p.list(n.Body, depth+1)
			p.line(depth, "}")
		case *Block:
			p.line(depth, "block B%d {", n.Number)
			p.list(n.Body, depth+1)
			p.line(depth, "}")
		case *Break:
			p.line(depth, "break %s", label(n.Target))
		}
	}
}

func label(n Node) string {
	switch n := n.(type) {
	case *Loop:
		return "L" + strconv.Itoa(n.Number)
	case *Block:
		return "B" + strconv.Itoa(n.Number)
	}
	return "?"
}

// Text is the printed form of the operation on one line.
func (v *Value) Text() string {
	var b strings.Builder
	if v.Type != Void {
		fmt.Fprintf(&b, "%%%d:%s", v.ID, v.Type)
		if v.N > 1 {
			fmt.Fprintf(&b, "x%d", v.N)
		}
		b.WriteString(" = ")
	}
	b.WriteString(v.Op.String())
	switch v.Op {
	case OpConst:
		b.WriteString(" " + constText(v.Type, v.Bits))
		return b.String()
	case OpBuiltin:
		b.WriteString(" " + Builtin(v.Bits).String())
		return b.String()
	case OpGet, OpSet, OpDeclare:
		if v.Var == nil {
			b.WriteString(" " + v.Root.Name)
			break
		}
		b.WriteString(" " + v.Var.String())
	case OpConvert, OpBitcast:
		b.WriteString("." + v.Args[0].Type.String())
	case OpAtomic:
		b.WriteString("." + AtomicOp(v.Bits).String())
	case OpProbe:
		fmt.Fprintf(&b, ".%s %q", ProbeKind(v.Bits), v.Note)
	case OpBarrier, OpFence:
		fmt.Fprintf(&b, " %d", v.Bits)
	}
	args := v.Args
	if v.IsMem() {
		name := "?"
		if v.Root != nil {
			name = v.Root.Name
		} else {
			name = "(" + v.Args[1].Ref() + ")"
		}
		fmt.Fprintf(&b, " %s[%s] %s", name, v.Args[0].Ref(), v.Mem)
		if v.Align != v.Mem.Bytes() {
			fmt.Fprintf(&b, " align %d", v.Align)
		}
		args = v.Operands()
	}
	for _, a := range args {
		b.WriteString(" " + a.Ref())
	}
	if v.Op == OpComp {
		fmt.Fprintf(&b, " %d", v.Bits)
	}
	return b.String()
}

// Ref is how an operand is printed: literals and builtins in full, other values by number.
func (v *Value) Ref() string {
	switch v.Op {
	case OpConst:
		return constText(v.Type, v.Bits)
	case OpBuiltin:
		return Builtin(v.Bits).String()
	}
	return "%" + strconv.Itoa(v.ID)
}

// ValueText renders a value in register form.
func ValueText(t Type, v uint64) string { return constText(t, v) }

func constText(t Type, v uint64) string {
	switch {
	case t == Bool:
		return strconv.FormatBool(v != 0)
	case t.IsFloat():
		f := f32(v)
		if f != f || math.IsInf(float64(f), 0) {
			return fmt.Sprintf("%v(%#x)", f, uint32(v))
		}
		return strconv.FormatFloat(float64(f), 'g', -1, 32)
	case t.IsSigned():
		return strconv.FormatInt(int64(Extend(t, v)), 10)
	}
	return strconv.FormatUint(v, 10)
}
