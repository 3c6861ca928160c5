package types

import "strings"

// Space is an address space.
type Space uint8

// The address spaces. Thread is the space of every local variable and parameter that names no other.
const (
	Thread Space = iota
	Threadgroup
	Device
	Constant
)

// String returns the MSL keyword.
func (s Space) String() string {
	return [...]string{"thread", "threadgroup", "device", "constant"}[s]
}

// Pointer is the address of an object.
type Pointer struct {
	Elem     Type  // what it points at; may be Void
	Space    Space // the address space of *p, not of p
	Const    bool  // *p may not be written; always true in the constant address space
	Volatile bool
}

func (p *Pointer) String() string {
	var b strings.Builder
	b.WriteString(p.Space.String())
	if p.Const {
		b.WriteString(" const")
	}
	if p.Volatile {
		b.WriteString(" volatile")
	}
	b.WriteByte(' ')
	if a, ok := p.Elem.(*Array); ok {
		b.WriteString(a.spell("(*)"))
		return b.String()
	}
	b.WriteString(p.Elem.String())
	if !strings.HasSuffix(b.String(), "*") {
		b.WriteByte(' ')
	}
	b.WriteByte('*')
	return b.String()
}

// Size is 8.
func (p *Pointer) Size() int { return 8 }

// Align is 8.
func (p *Pointer) Align() int { return 8 }
