package types

import (
	"fmt"
	"strings"
)

// Array is a fixed number of elements.
type Array struct {
	Elem Type
	Len  int
}

func (a *Array) String() string { return a.spell("") }

// spell writes the element type, inner, and the bounds outside in: float[2][3].
func (a *Array) spell(inner string) string {
	bounds := ""
	var t Type = a
	for {
		x, ok := t.(*Array)
		if !ok {
			break
		}
		bounds += fmt.Sprintf("[%d]", x.Len)
		t = x.Elem
	}
	if inner != "" {
		inner = " " + inner
	}
	return t.String() + inner + bounds
}

// Size is Len elements.
func (a *Array) Size() int { return a.Len * a.Elem.Size() }

// Align is the element's.
func (a *Array) Align() int { return a.Elem.Align() }

// Field is a data member. Offset is in bytes from the start of the struct.
type Field struct {
	Name   string
	Type   Type
	Offset int
	Const  bool
	Base   bool // a base struct: without a name, before all other fields
	Align  int  // asked for by alignas, 0 for the type's own
}

func (f *Field) align() int { return max(f.Type.Align(), f.Align) }

// Struct is a struct, class or union. It is identified by its address. Fields are complete once Complete was called.
type Struct struct {
	Name     string // qualified, with template arguments: "detail::block<4>"
	Union    bool
	Fields   []Field
	Packed   bool // fields follow each other without padding
	AlignAs  int  // asked for by alignas, 0 for none
	complete bool
	size     int
	align    int
}

// Complete lays the fields out in order, each at the next multiple of its alignment; a union's all at 0. A base without
// fields takes no room. The size is a multiple of the alignment and at least 1.
func (s *Struct) Complete(fields []Field) {
	s.Fields, s.complete, s.align, s.size = fields, true, max(1, s.AlignAs), 0
	for i := range fields {
		f := &fields[i]
		align := f.align()
		if s.Packed {
			align = max(1, f.Align)
		}
		s.align = max(s.align, align)
		if b, ok := f.Type.(*Struct); ok && f.Base && b.IsEmpty() {
			continue
		}
		if s.Union {
			s.size = max(s.size, f.Type.Size())
			continue
		}
		f.Offset = roundUp(s.size, align)
		s.size = f.Offset + f.Type.Size()
	}
	s.size = roundUp(max(s.size, 1), s.align)
}

func roundUp(n, align int) int { return (n + align - 1) &^ (align - 1) }

// IsComplete reports whether the fields are known.
func (s *Struct) IsComplete() bool { return s.complete }

// IsEmpty reports a struct without data.
func (s *Struct) IsEmpty() bool {
	for i := range s.Fields {
		b, ok := s.Fields[i].Type.(*Struct)
		if !ok || !s.Fields[i].Base || !b.IsEmpty() {
			return false
		}
	}
	return s.complete
}

// Field returns the index of the field called name, or -1.
func (s *Struct) Field(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

func (s *Struct) String() string { return s.Name }

// Size is the struct's, trailing padding included.
func (s *Struct) Size() int { return s.size }

// Align is the largest of the fields' and at least 1.
func (s *Struct) Align() int { return max(s.align, 1) }

// Atomic is atomic<Elem>: int, uint, ulong, bool or float.
type Atomic struct{ Elem *Scalar }

func (a *Atomic) String() string {
	switch a.Elem {
	case Int, Uint, Bool, Float, Ulong:
		return "atomic_" + a.Elem.name
	}
	return "atomic<" + a.Elem.name + ">"
}

// Size is the element's.
func (a *Atomic) Size() int { return a.Elem.Size() }

// Align is the element's.
func (a *Atomic) Align() int { return a.Elem.Align() }

// Enum is an enumeration. It is identified by its address.
type Enum struct {
	Name       string
	Underlying *Scalar
	Scoped     bool // enum class: no implicit conversion to an integer
}

func (e *Enum) String() string { return e.Name }

// Size is the underlying type's.
func (e *Enum) Size() int { return e.Underlying.Size() }

// Align is the underlying type's.
func (e *Enum) Align() int { return e.Underlying.Align() }

// Func is the type of a function name. It has no values: only template arguments name functions.
type Func struct {
	Params []Param
	Ret    Type
}

// Param is a parameter of a function type: a value, or a reference to an object in Space.
type Param struct {
	Type  Type
	Ref   bool
	Space Space
	Const bool // of a reference
}

func (p Param) String() string {
	if !p.Ref {
		return p.Type.String()
	}
	s := (&Pointer{Elem: p.Type, Space: p.Space, Const: p.Const}).String()
	return strings.TrimSuffix(s, "*") + "&"
}

func (f *Func) String() string {
	p := make([]string, len(f.Params))
	for i, t := range f.Params {
		p[i] = t.String()
	}
	return fmt.Sprintf("%s(%s)", f.Ret, strings.Join(p, ", "))
}

// Size is 0: functions are no objects.
func (f *Func) Size() int { return 0 }

// Align is 1.
func (f *Func) Align() int { return 1 }
