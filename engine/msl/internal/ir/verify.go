package ir

import (
	"fmt"
	"slices"
)

// Verify checks what every Func must satisfy: operands are defined before use in a region around the use, operand
// counts and types fit the operation, a Break names a region around it and ends its list, roots and variables
// belong to the function, and no node stands in two places.
func Verify(f *Func) error {
	v := &verifier{f: f, defined: map[*Value]bool{}, seen: map[Node]bool{}}
	v.open = append(v.open, f.Body)
	if err := v.list(f.Body.Body); err != nil {
		return fmt.Errorf("ir: kernel %q: %w", f.Name, err)
	}
	return nil
}

type verifier struct {
	f       *Func
	defined map[*Value]bool
	seen    map[Node]bool
	open    []Node
}

func (v *verifier) list(list []Node) error {
	var here []*Value
	defer func() {
		for _, x := range here {
			delete(v.defined, x)
		}
	}()
	for i, n := range list {
		if v.seen[n] {
			return fmt.Errorf("%s stands in two places", describe(n))
		}
		v.seen[n] = true
		switch n := n.(type) {
		case *Value:
			if n.Op >= numOps || slices.Contains(n.Args, nil) { // what Text cannot print
				return fmt.Errorf("%%%d (%s): unknown operation %d or nil operand", n.ID, n.Pos, n.Op)
			}
			if err := v.value(n); err != nil {
				return fmt.Errorf("%s (%s): %w", n.Text(), n.Pos, err)
			}
			v.defined[n] = true
			here = append(here, n)
		case *If:
			if err := v.operand(n.Cond); err != nil {
				return fmt.Errorf("if: %w", err)
			}
			if n.Cond.Type != Bool {
				return fmt.Errorf("if: condition %%%d has type %s, want bool", n.Cond.ID, n.Cond.Type)
			}
			if err := v.list(n.Then); err != nil {
				return err
			}
			if err := v.list(n.Else); err != nil {
				return err
			}
		case *Loop, *Block:
			v.open = append(v.open, n)
			body := blockBody(n)
			if err := v.list(body); err != nil {
				return err
			}
			v.open = v.open[:len(v.open)-1]
		case *Break:
			if i != len(list)-1 {
				return fmt.Errorf("break %s is followed by code", label(n.Target))
			}
			if !contains(v.open, n.Target) {
				return fmt.Errorf("break %s stands outside that region", label(n.Target))
			}
		default:
			return fmt.Errorf("unknown node %T", n)
		}
	}
	return nil
}

func blockBody(n Node) []Node {
	if l, ok := n.(*Loop); ok {
		return l.Body
	}
	return n.(*Block).Body
}

func contains(list []Node, n Node) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

func describe(n Node) string {
	if v, ok := n.(*Value); ok {
		return v.Text()
	}
	return fmt.Sprintf("%T %s", n, label(n))
}

func (v *verifier) operand(x *Value) error {
	switch {
	case x.Op == OpConst:
		if x.Type != F32 && !x.Type.IsFloat() && Normalise(x.Type, x.Bits) != x.Bits {
			return fmt.Errorf("constant %#x is not in the register form of %s", x.Bits, x.Type)
		}
		return nil
	case x.Op == OpBuiltin:
		if Builtin(x.Bits) >= NumBuiltins {
			return fmt.Errorf("unknown builtin %d", x.Bits)
		}
		return nil
	case !v.defined[x]:
		return fmt.Errorf("operand %%%d is not defined here", x.ID)
	case x.Type == Void:
		return fmt.Errorf("operand %%%d has no result", x.ID)
	}
	return nil
}

func (v *verifier) value(x *Value) error {
	if x.Op == OpInvalid {
		return fmt.Errorf("no operation")
	}
	for _, a := range x.Args {
		if err := v.operand(a); err != nil {
			return err
		}
	}
	if n := ops[x.Op].args; n >= 0 && n != len(x.Args) {
		return fmt.Errorf("%d operands, want %d", len(x.Args), n)
	}
	want := func(i int, t Type) error {
		if x.Args[i].Type != t {
			return fmt.Errorf("operand %d has type %s, want %s", i, x.Args[i].Type, t)
		}
		return nil
	}
	switch x.Op {
	case OpConst, OpBuiltin:
		return fmt.Errorf("stands in a list")
	case OpGet, OpSet, OpDeclare:
		if x.Op == OpDeclare && x.Root != nil {
			return nil
		}
		if x.Var == nil || x.Var.Number >= len(v.f.Vars) || v.f.Vars[x.Var.Number] != x.Var {
			return fmt.Errorf("variable does not belong to the kernel")
		}
		if x.Op == OpSet {
			return want(0, x.Var.Type)
		}
		if x.Op == OpGet && x.Type != x.Var.Type {
			return fmt.Errorf("type %s, want %s", x.Type, x.Var.Type)
		}
		return nil
	case OpComp:
		if l := x.Args[0]; l.Op != OpLoad || x.Bits >= uint64(l.N) || l.Type != x.Type {
			return fmt.Errorf("no such component")
		}
		return nil
	case OpLoad, OpStore, OpAtomic:
		return v.mem(x)
	}
	for _, a := range x.Args {
		if a.Op == OpLoad && a.N > 1 {
			return fmt.Errorf("operand %%%d is a vector; take a component", a.ID)
		}
	}
	if x.Op == OpProbe && ProbeKind(x.Bits) >= numProbes {
		return fmt.Errorf("unknown probe %d", x.Bits)
	}
	if !x.Op.Pure() {
		return nil
	}
	t := operandType(x.Op, x.Type, x.Args)
	if Eval(x.Op, t, x.Type) == nil {
		return fmt.Errorf("does not exist for %s", t)
	}
	switch x.Op {
	case OpSelect:
		if err := want(0, Bool); err != nil {
			return err
		}
		if err := want(1, x.Type); err != nil {
			return err
		}
		return want(2, x.Type)
	case OpConvert, OpBitcast:
		return nil
	case OpEq, OpNe, OpLt, OpLe, OpIsNan, OpIsInf, OpSignbit:
		if x.Type != Bool {
			return fmt.Errorf("result type %s, want bool", x.Type)
		}
	case OpLdexp:
		return want(1, I32)
	case OpFrexpExponent:
		return nil
	case OpShl, OpShr:
		return want(0, x.Type)
	default:
		if x.Type != t {
			return fmt.Errorf("result type %s, want %s", x.Type, t)
		}
	}
	for i := range x.Args {
		if err := want(i, t); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) mem(x *Value) error {
	if len(x.Args) == 0 || x.Args[0].Type != I64 {
		return fmt.Errorf("offset must be i64")
	}
	if x.Root == nil {
		if len(x.Args) < 2 || x.Args[1].Type != U32 {
			return fmt.Errorf("root number must be u32")
		}
	} else if x.Root.Number >= len(v.f.Roots) || v.f.Roots[x.Root.Number] != x.Root {
		return fmt.Errorf("root %q does not belong to the kernel", x.Root.Name)
	}
	if x.N < 1 || x.N > 4 || x.Mem == Void || x.Mem == Bool {
		return fmt.Errorf("bad access %s x%d", x.Mem, x.N)
	}
	if x.Align < 1 || x.Align&(x.Align-1) != 0 {
		return fmt.Errorf("bad alignment %d", x.Align)
	}
	for _, a := range x.Operands() {
		if a.Type != x.Mem {
			return fmt.Errorf("operand %%%d has type %s, want %s", a.ID, a.Type, x.Mem)
		}
		if a.Op == OpLoad && a.N > 1 {
			return fmt.Errorf("operand %%%d is a vector; take a component", a.ID)
		}
	}
	switch x.Op {
	case OpLoad:
		if x.Type != x.Mem || len(x.Operands()) != 0 {
			return fmt.Errorf("bad load")
		}
	case OpStore:
		if len(x.Operands()) != x.N {
			return fmt.Errorf("%d values, want %d", len(x.Operands()), x.N)
		}
	case OpAtomic:
		if AtomicOp(x.Bits) >= numAtomics || x.Mem.Bytes() < 4 {
			return fmt.Errorf("bad atomic")
		}
	}
	return nil
}
