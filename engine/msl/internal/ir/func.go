package ir

import "fmt"

// Func is one kernel, specialised: nothing in it refers to another function or to a function constant.
type Func struct {
	Name  string
	Body  *Block // a Break of it is the kernel's return
	Roots []*Root
	Vars  []*Var

	// ThreadgroupBytes is the static threadgroup memory, ThreadBytes the addressable memory of each thread.
	ThreadgroupBytes int
	ThreadBytes      int
	HasBarrier       bool

	// Observed says that the function tells an observer what it computes, by probes. Then what stands in a branch is computed only
	// where the branch is taken, nothing ahead of it and selected, and arrays stay in memory.
	Observed bool

	numValues int
	numBlocks int
}

// Space is an address space.
type Space uint8

// The address spaces, spelled as in MSL.
const (
	Device Space = iota
	Constant
	Threadgroup
	Thread
)

// String is the MSL spelling.
func (s Space) String() string { return [...]string{"device", "constant", "threadgroup", "thread"}[s] }

// Root is an object that memory operations address: bytes 0..Bytes-1 of one argument, table or array.
type Root struct {
	Number   int // index in Func.Roots
	Name     string
	Space    Space
	Slot     int  // argument slot, or -1
	ReadOnly bool // declared const, or constant memory
	Bytes    int  // size, when the kernel fixes it; -1 when the binding does
	Align    int  // alignment of the element type; offsets of bindings must respect it
	Elem     Type // of which indices in messages count; Void for structs
	Start    int  // Threadgroup and Thread: offset in the static area; Constant tables: unused
	Data     []byte
	Written  bool // some store or atomic may reach it
	Pos      Pos
}

// Var is a named variable: one scalar register that can be assigned again.
type Var struct {
	Number int // index in Func.Vars
	Name   string
	Type   Type
}

// Pos is a place in the source text.
type Pos struct {
	File      string
	Line, Col int32
}

// String renders file:line:col.
func (p Pos) String() string {
	if p.Line == 0 {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Node is a Value, If, Loop, Block or Break.
type Node interface{ isNode() }

// Value is one operation and its result.
type Value struct {
	ID    int
	Op    Op
	Type  Type // of the result; Void if there is none
	Args  []*Value
	Bits  uint64 // OpConst: the value; OpBuiltin, OpAtomic, OpProbe: which; OpComp: index; OpBarrier: mem_flags
	Var   *Var   // OpGet, OpSet, OpDeclare
	Root  *Root  // memory operations; nil if the root is an operand
	Mem   Type   // memory operations: element type in memory
	N     int    // memory operations: number of consecutive elements
	Align int    // memory operations: the bytes of which the address must be a multiple
	Note  string // OpProbe: see ProbeKind; OpLoad: "copy" if the value is part of an aggregate being copied
	Pos   Pos
}

// If runs Then in the lanes where Cond holds, and Else in the others.
type If struct {
	Cond       *Value
	Then, Else []Node
	Pos        Pos
}

// Loop repeats Body until a Break of it, or of a region around it, leaves.
type Loop struct {
	Number int
	Body   []Node
	Pos    Pos
}

// Block runs Body once; a Break of it goes to its end.
type Block struct {
	Number int
	Body   []Node
	Pos    Pos
}

// Break leaves Target, a Loop or Block around it.
type Break struct {
	Target Node
	Pos    Pos
}

func (*Value) isNode() {}
func (*If) isNode()    {}
func (*Loop) isNode()  {}
func (*Block) isNode() {}
func (*Break) isNode() {}

// Walk calls f for every node of list, parents before children.
func Walk(list []Node, f func(Node)) {
	for _, n := range list {
		f(n)
		switch n := n.(type) {
		case *If:
			Walk(n.Then, f)
			Walk(n.Else, f)
		case *Loop:
			Walk(n.Body, f)
		case *Block:
			Walk(n.Body, f)
		}
	}
}

// Offset is the byte-offset operand of a memory operation.
func (v *Value) Offset() *Value { return v.Args[0] }

// RootOperand is the root-number operand of a memory operation whose Root is nil.
func (v *Value) RootOperand() *Value {
	if v.Root != nil {
		return nil
	}
	return v.Args[1]
}

// Operands are the values stored or combined by a memory operation, after the address.
func (v *Value) Operands() []*Value {
	if v.Root == nil {
		return v.Args[2:]
	}
	return v.Args[1:]
}

// IsMem reports whether v accesses memory.
func (v *Value) IsMem() bool { return v.Op == OpLoad || v.Op == OpStore || v.Op == OpAtomic }

// NullRoot is the root number of a null pointer.
const NullRoot = 0xffff
