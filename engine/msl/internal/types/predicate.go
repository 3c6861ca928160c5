package types

// Identical reports whether a and b are the same type.
func Identical(a, b Type) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *Pointer:
		b, ok := b.(*Pointer)
		return ok && a.Space == b.Space && a.Const == b.Const && a.Volatile == b.Volatile && Identical(a.Elem, b.Elem)
	case *Array:
		b, ok := b.(*Array)
		return ok && a.Len == b.Len && Identical(a.Elem, b.Elem)
	case *Atomic:
		b, ok := b.(*Atomic)
		return ok && a.Elem == b.Elem
	case *Func:
		b, ok := b.(*Func)
		if !ok || len(a.Params) != len(b.Params) || !Identical(a.Ret, b.Ret) {
			return false
		}
		for i, p := range a.Params {
			q := b.Params[i]
			if p.Ref != q.Ref || !Identical(p.Type, q.Type) || p.Ref && (p.Space != q.Space || p.Const != q.Const) {
				return false
			}
		}
		return true
	}
	return false
}

// ScalarOf returns t, or t's element if t is a vector, or t's underlying type if t is an enumeration; nil for any other.
func ScalarOf(t Type) *Scalar {
	switch t := t.(type) {
	case *Scalar:
		return t
	case *Vector:
		return t.elem
	case *Enum:
		return t.Underlying
	}
	return nil
}

// Width returns the number of components of a vector, and 1 for any other type.
func Width(t Type) int {
	if v, ok := t.(*Vector); ok {
		return v.n
	}
	return 1
}

// WithElem returns the type of t's shape, scalar or plain vector, with the element type elem.
func WithElem(t Type, elem *Scalar) Type {
	if v, ok := t.(*Vector); ok {
		return VectorOf(elem, v.n, false)
	}
	return elem
}

// IsInvalid reports the type of an expression already reported as wrong.
func IsInvalid(t Type) bool { return t == Type(Invalid) }

// IsVoid reports void.
func IsVoid(t Type) bool { return t == Type(Void) }

// IsNumeric reports bool, a number, or a vector of them.
func IsNumeric(t Type) bool {
	switch t := t.(type) {
	case *Scalar:
		return t.IsNumeric()
	case *Vector:
		return true
	}
	return false
}

// IsInteger reports an integer or a vector of integers; bool is none.
func IsInteger(t Type) bool {
	if _, ok := t.(*Enum); ok {
		return false
	}
	s := ScalarOf(t)
	return s != nil && s.IsInteger()
}

// IsFloat reports half, bfloat, float or a vector of them.
func IsFloat(t Type) bool {
	s := ScalarOf(t)
	return s != nil && s.IsFloat()
}

// HasAtomic reports whether t is or holds an atomic.
func HasAtomic(t Type) bool {
	switch t := t.(type) {
	case *Atomic:
		return true
	case *Array:
		return HasAtomic(t.Elem)
	case *Struct:
		for i := range t.Fields {
			if HasAtomic(t.Fields[i].Type) {
				return true
			}
		}
	}
	return false
}
