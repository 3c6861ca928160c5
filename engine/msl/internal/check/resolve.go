package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// qual is a type with what a declaration adds to it.
type qual struct {
	typ      types.Type
	isConst  bool
	volatile bool
	space    types.Space
	hasSpace bool
	ref      bool
	rvalue   bool // &&
	auto     bool // typ is to be deduced; pointers around it are in autoPtr
	unsized  bool // an array whose length the initialiser gives; typ is the element's array of length 0
}

var spaces = map[string]types.Space{
	"thread": types.Thread, "threadgroup": types.Threadgroup, "device": types.Device, "constant": types.Constant,
}

// nameString spells a name for a message.
func nameString(n *syntax.Name) string { return syntax.NameString(n) }

// with adds qualifiers.
func (q qual) with(s syntax.Quals) qual {
	q.isConst = q.isConst || s.Const
	q.volatile = q.volatile || s.Volatile
	if s.Space != "" {
		q.space, q.hasSpace = spaces[s.Space], true
	}
	if q.hasSpace && q.space == types.Constant {
		q.isConst = true
	}
	return q
}

var invalid = qual{typ: types.Invalid}

// resolve works out a type as written. After a mistake it reports it and returns the invalid type.
func (c *checker) resolve(t syntax.Type) qual {
	switch t := t.(type) {
	case *syntax.NamedType:
		if t.Key != "" && len(t.Name.Parts) == 1 {
			if set, ok := c.scope.lookup(t.Name.Parts[0].Ident).(*overloads); ok && set.hidden != nil {
				return set.hidden.q.with(t.Quals)
			}
		}
		return c.namedType(t.Name).with(t.Quals)
	case *syntax.AutoType:
		return qual{typ: types.Invalid, auto: true}.with(t.Quals)
	case *syntax.DecltypeType:
		return c.decltype(t).with(t.Quals)
	case *syntax.PointerType:
		e := c.resolve(t.Elem)
		if e.auto {
			return qual{typ: types.Invalid, auto: true}.with(t.Quals)
		}
		return c.pointerTo(t.At, e).with(t.Quals)
	case *syntax.RefType:
		e := c.resolve(t.Elem)
		if e.ref {
			return e
		}
		if _, isPointer := e.typ.(*types.Pointer); isPointer && !e.hasSpace { // a pointer variable is the thread's
			e.space, e.hasSpace = types.Thread, true
		}
		e.ref, e.rvalue = true, t.RValue
		return e
	case *syntax.ArrayType:
		return c.arrayType(t)
	case *syntax.FuncType:
		return c.funcType(t)
	case *syntax.PackType:
		c.errorf(t.At, diag.Pack, "a parameter pack cannot stand here")
	}
	return invalid
}

// value is resolve for the type of a value: no reference, no auto, complete.
func (c *checker) valueType(t syntax.Type) types.Type {
	q := c.resolve(t)
	switch {
	case q.auto:
		c.errorf(t.Pos(), diag.BadAuto, "auto cannot stand here")
		return types.Invalid
	case q.ref:
		c.errorf(t.Pos(), diag.BadReference, "a reference cannot stand here")
		return types.Invalid
	}
	c.complete(t.Pos(), q.typ)
	return q.typ
}

// complete reports the use of a struct whose members are not known yet.
func (c *checker) complete(pos diag.Pos, t types.Type) bool {
	switch t := t.(type) {
	case *types.Array:
		return c.complete(pos, t.Elem)
	case *types.Struct:
		if !t.IsComplete() {
			c.errorf(pos, diag.Incomplete, "%s is declared but not defined here", t)
			return false
		}
	}
	return true
}

func (c *checker) pointerTo(pos diag.Pos, e qual) qual {
	switch {
	case types.IsInvalid(e.typ):
		return invalid
	case e.ref:
		c.errorf(pos, diag.BadReference, "a pointer to a reference is not possible")
		return invalid
	case isFuncType(e.typ): // only a template parameter can be one, and is then the function
		return qual{typ: e.typ}
	case e.unsized:
		c.errorf(pos, diag.BadArray, "a pointer to an array without a length is not possible")
		return invalid
	case !e.hasSpace:
		c.errorf(pos, diag.NoAddressSpace, "pointer to %s needs an address space: device, constant, threadgroup or thread", e.typ)
		return invalid
	}
	return qual{typ: &types.Pointer{Elem: e.typ, Space: e.space, Const: e.isConst, Volatile: e.volatile}}
}

func (c *checker) arrayType(t *syntax.ArrayType) qual {
	e := c.resolve(t.Elem)
	if types.IsInvalid(e.typ) && !e.auto {
		if t.Len != nil {
			c.expr(t.Len)
		}
		return invalid
	}
	if e.ref || e.auto || e.unsized || types.IsVoid(e.typ) {
		c.errorf(t.At, diag.BadArray, "an array of this type is not possible")
		return invalid
	}
	if !c.complete(t.At, e.typ) {
		return invalid
	}
	if t.Len == nil {
		e.typ, e.unsized = &types.Array{Elem: e.typ}, true
		return e
	}
	n, ok := c.constInt(t.Len, "an array's length")
	if !ok {
		return invalid
	}
	if n <= 0 || n > maxArrayBytes/int64(max(e.typ.Size(), 1)) {
		c.errorf(t.Len.Pos(), diag.BadArray, "an array cannot have %d elements of %s", n, e.typ)
		return invalid
	}
	e.typ = &types.Array{Elem: e.typ, Len: int(n)}
	return e
}

// funcType works out a function's type. Parameters that are arrays are pointers.
func (c *checker) funcType(t *syntax.FuncType) qual {
	ret := c.resolve(t.Ret)
	f := &types.Func{Ret: ret.typ}
	if types.IsInvalid(f.Ret) {
		return invalid
	}
	for _, p := range t.Params {
		v := c.paramOf(p, c.resolve(p.Type))
		if v == nil {
			return invalid
		}
		f.Params = append(f.Params, types.Param{Type: v.Type, Ref: v.Ref, Space: v.Space, Const: v.Ref && v.Const})
	}
	return qual{typ: f}
}

func isFuncType(t types.Type) bool { _, ok := t.(*types.Func); return ok }

// typ is the type of a function.
func (f *function) typ() *types.Func {
	t := &types.Func{Ret: orInvalid(f.f.Ret)}
	for _, p := range f.params() {
		t.Params = append(t.Params, types.Param{Type: p.Type, Ref: p.Ref, Space: p.Space, Const: p.Ref && p.Const})
	}
	return t
}

// decltype returns the type of an expression, or of a function that a name and its template arguments select.
func (c *checker) decltype(t *syntax.DecltypeType) qual {
	if id, ok := t.X.(*syntax.Ident); ok {
		if f := c.namedFunction(id.Name); f != nil {
			return qual{typ: f.typ()}
		}
	}
	x := c.expr(t.X)
	q := qual{typ: x.Type()}
	if v, ok := x.(*VarRef); ok {
		q.isConst = v.Var.Const && v.Var.Space == types.Thread
	}
	return q
}

// namedType resolves a name that should be a type.
func (c *checker) namedType(n *syntax.Name) qual {
	if q, ok := c.libraryMember(n); ok {
		return q
	}
	e, ok := c.find(n)
	if !ok {
		return invalid
	}
	if e == nil {
		if s := n.Last().Ident; isRefused(s) {
			c.errorf(n.At, diag.UnsupportedType, "type %s is not supported", s)
			return invalid
		}
		c.errorf(n.At, diag.Undeclared, "%q is not declared", nameString(n))
		return invalid
	}
	q, _ := c.typeOfEntity(e, n.Last())
	return q
}

// isRefused reports a type of MSL that this front end does not accept.
func isRefused(name string) bool {
	_, resource := syntax.Resources[name]
	_, tracing := syntax.Raytracing[name]
	return resource || tracing || name == "double" || name == "tuple"
}

// typeOfEntity returns the type that an entity and the template arguments written after its name stand for.
func (c *checker) typeOfEntity(e entity, part *syntax.NamePart) (qual, bool) {
	switch e := e.(type) {
	case *typeName:
		if part.HasArgs {
			if s, ok := e.q.typ.(*types.Struct); ok && c.classOf(s).template != nil { // the class's own name
				return c.classInstance(c.classOf(s).template, part)
			}
			c.errorf(part.At, diag.BadTemplateArgs, "%q takes no template arguments", part.Ident)
			return invalid, false
		}
		return e.q, true
	case *classTemplate:
		return c.classInstance(e, part)
	case *aliasTemplate:
		return c.aliasInstance(e, part)
	case *libraryType:
		return c.libraryTypeOf(e, part)
	}
	c.errorf(part.At, diag.NotAType, "%q is not a type", part.Ident)
	return invalid, false
}

func (c *checker) aliasDecl(d *syntax.AliasDecl) {
	q := c.resolve(d.Type)
	if q.auto || q.unsized {
		c.errorf(d.At, diag.BadAuto, "%q needs a complete type", d.Name)
		q = invalid
	}
	c.declare(d.At, d.Name, &typeName{q})
}

func (c *checker) enumDecl(d *syntax.EnumDecl) {
	t := &types.Enum{Name: c.scope.path + d.Name, Underlying: types.Int, Scoped: d.Scoped}
	fixed := d.Underlying != nil || d.Scoped
	if d.Underlying != nil {
		s, ok := c.valueType(d.Underlying).(*types.Scalar)
		if !ok || !s.IsInteger() {
			if ok && types.IsInvalid(s) {
				s = types.Int
			} else {
				c.errorf(d.Underlying.Pos(), diag.BadEnum, "an enumeration's underlying type is an integer")
			}
			s = types.Int
		}
		t.Underlying = s
	}
	c.declare(d.At, d.Name, &typeName{qual{typ: t}})
	inner := newScope(c.scope)
	c.enums[t] = inner
	var consts []*constName
	next := int64(0)
	c.in(inner, func() {
		for _, item := range d.Items {
			if item.X != nil {
				if n, ok := c.constInt(item.X, "an enumerator"); ok {
					next = n
				}
			}
			k := &constName{Value{Type: t, Bits: uint64(next)}}
			c.declare(item.At, item.Name, k)
			consts = append(consts, k)
			next++
		}
	})
	if !fixed {
		t.Underlying = enumType(consts)
	}
	for _, k := range consts {
		k.value = IntValue(t, int64(k.value.Bits))
	}
	if !d.Scoped {
		for _, item := range d.Items {
			if k := inner.names[item.Name]; k != nil {
				c.declare(item.At, item.Name, k)
			}
		}
	}
}

// enumType returns the integer that holds every enumerator: int if it can, else uint, else long.
func enumType(consts []*constName) *types.Scalar {
	var low, high int64
	for _, k := range consts {
		low, high = min(low, int64(k.value.Bits)), max(high, int64(k.value.Bits))
	}
	switch {
	case low >= -1<<31 && high < 1<<31:
		return types.Int
	case low >= 0 && high < 1<<32:
		return types.Uint
	}
	return types.Long
}
