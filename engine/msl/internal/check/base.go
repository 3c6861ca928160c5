package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// A base is the first of a struct's fields that have no name. Its members are found after the struct's own.

// bases adds the bases of a struct to its fields.
func (c *checker) bases(cl *class, d *syntax.StructDecl) []types.Field {
	var fields []types.Field
	for _, b := range d.Bases {
		q := c.resolve(b)
		if types.IsInvalid(q.typ) {
			continue
		}
		s, ok := q.typ.(*types.Struct)
		if !ok || s.Union || cl.typ.Union {
			c.errorf(b.Pos(), diag.Inheritance, "%s cannot be a base of %s", q.typ, cl.typ)
			continue
		}
		if !c.complete(b.Pos(), s) {
			continue
		}
		fields = append(fields, types.Field{Type: s, Base: true})
		cl.scope.bases = append(cl.scope.bases, c.classOf(s).scope)
	}
	return fields
}

// basePath is the fields that lead from a struct to its base; nil if to is none.
func basePath(from, to *types.Struct) []int {
	for i := range from.Fields {
		if !from.Fields[i].Base {
			break
		}
		b := from.Fields[i].Type.(*types.Struct)
		if b == to {
			return []int{i}
		}
		if p := basePath(b, to); p != nil {
			return append([]int{i}, p...)
		}
	}
	return nil
}

// derives reports whether the struct from has the base to.
func derives(from, to types.Type) bool {
	f, fok := from.(*types.Struct)
	t, tok := to.(*types.Struct)
	return fok && tok && f != t && basePath(f, t) != nil
}

// baseOf is the part of x that is the base to; x itself if it is of that type.
func baseOf(x Expr, to *types.Struct) Expr {
	s, ok := x.Type().(*types.Struct)
	if !ok || s == to {
		return x
	}
	place, isPlace := x.Place()
	for _, i := range basePath(s, to) {
		f := &s.Fields[i]
		x = &Member{node{at: x.Pos(), typ: f.Type, lval: isPlace, place: place}, x, i}
		s = f.Type.(*types.Struct)
	}
	return x
}

// basePointer is a pointer to a base of what x points at.
func basePointer(x Expr, to *types.Pointer) Expr {
	p := x.Type().(*types.Pointer)
	object := &Deref{node{at: x.Pos(), typ: p.Elem, lval: true, place: Place{p.Space, to.Const}}, x}
	return addressOf(x.Pos(), baseOf(object, to.Elem.(*types.Struct)))
}

// baseNamed is the index of the base that a constructor initialises by name; -1 if there is none.
func (c *checker) baseNamed(t *types.Struct, m *syntax.MemberInit) int {
	var named types.Type
	if m.Type != nil {
		named = c.namedType(m.Type).typ
	} else if e, ok := c.scope.lookup(m.Name).(*typeName); ok {
		named = e.q.typ
	}
	for i := range t.Fields {
		if !t.Fields[i].Base {
			break
		}
		b := t.Fields[i].Type.(*types.Struct)
		if named != nil && types.Identical(b, named) {
			return i
		}
		if cl := c.classOf(b); named == nil && cl.template != nil && cl.template.name == m.Name {
			return i
		}
	}
	return -1
}
