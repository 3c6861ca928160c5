package ir

// ProbeKind says what an OpProbe tells; it is kept in Value.Bits.
type ProbeKind uint8

// The probes and their operands. A probe acts in the active lanes and has no result.
const (
	ProbeOverflow   ProbeKind = iota // x, y: of the signed operation Note: + - *, or unary - of x
	ProbeDivide                      // x, y: of the integer operation Note: / or %
	ProbeShift                       // x, count: of the operation Note: << or >>
	ProbeNarrow                      // x, y: before and after an implicit conversion to the narrower integer type Note
	ProbeFloat                       // result, then operands, of the floating-point operation Note
	ProbeFloatToInt                  // x: a float converted to the integer type Note
	ProbeRead                        // operands of the comparison, minimum or maximum of floats Note
	ProbeUnordered                   // nothing: a reduction of floats, Note, whose order MSL leaves open
	ProbeSimdgroup                   // nothing: the simdgroup function Note is about to be executed
	ProbeShuffle                     // lane (i32): from which the function Note reads
	ProbeDeclare                     // nothing: the thread array Root comes into being
	numProbes
)

var probeNames = [numProbes]string{"overflow", "divide", "shift", "narrow", "float", "float_to_int", "read", "unordered", "simdgroup", "shuffle", "declare"}

// String is the printed name.
func (k ProbeKind) String() string { return probeNames[k] }

// Probe appends a probe. It does not count towards budgets: an observed kernel is unrolled like the plain one.
func (b *Builder) Probe(k ProbeKind, note string, root *Root, args ...*Value) {
	v := b.value(OpProbe, Void, args...)
	v.Bits, v.Note, v.Root = uint64(k), note, root
	b.emit(v)
	if !b.dead {
		b.count--
	}
}

// note marks the load just appended.
func (b *Builder) note(s string) {
	for i := len(*b.list) - 1; i >= 0 && s != "" && !b.dead; i-- {
		if v, ok := (*b.list)[i].(*Value); ok && v.Op == OpLoad {
			v.Note = s
			return
		}
	}
}

// LoadCopy is Load for part of an aggregate that is being copied whole, set or not.
func (b *Builder) LoadCopy(a Addr, mem Type, n int) []*Value {
	v := b.Load(a, mem, n)
	b.note("copy")
	return v
}

// ProbeFloats inserts a probe after each floating-point operation and comparison.
func ProbeFloats(f *Func) *Func {
	probe := func(v *Value) *Value {
		p := &Value{Op: OpProbe, Type: Void, Note: v.Op.String(), Pos: v.Pos}
		switch {
		case v.Type.IsFloat() && v.Op.arithmetic():
			p.Bits, p.Args = uint64(ProbeFloat), []*Value{v}
		case v.Op >= OpEq && v.Op <= OpLe || v.Op == OpMin || v.Op == OpMax:
			p.Bits = uint64(ProbeRead)
		default:
			return nil
		}
		for _, a := range v.Args {
			if a.Type.IsFloat() {
				p.Args = append(p.Args, a)
			}
		}
		if len(p.Args) == 0 {
			return nil
		}
		f.numValues++
		p.ID = f.numValues
		return p
	}
	var list func(in []Node) []Node
	list = func(in []Node) []Node {
		var out []Node
		for _, n := range in {
			out = append(out, n)
			switch n := n.(type) {
			case *If:
				n.Then, n.Else = list(n.Then), list(n.Else)
			case *Loop:
				n.Body = list(n.Body)
			case *Block:
				n.Body = list(n.Body)
			case *Value:
				if p := probe(n); p != nil {
					out = append(out, p)
				}
			}
		}
		return out
	}
	f.Body.Body = list(f.Body.Body)
	return f
}

// arithmetic reports whether the operation rounds, or otherwise makes a float from floats.
func (o Op) arithmetic() bool {
	switch o {
	case OpAdd, OpSub, OpMul, OpDiv, OpFma, OpSqrt, OpRsqrt, OpMod, OpLdexp, OpNextafter, OpConvert:
		return true
	}
	return o >= OpExp && o <= OpAtan2
}
