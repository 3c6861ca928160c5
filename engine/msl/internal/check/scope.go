package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// entity is what a name can stand for: *Var, *typeName, *constName, *overloads, *classTemplate, *aliasTemplate,
// *varTemplate, *namespace, *fieldName, *packName or *librarySet.
type entity interface{}

type (
	// typeName is a type, qualifiers included.
	typeName struct{ q qual }

	// constName is a named constant without storage: an enumerator, a template's value parameter, INFINITY.
	constName struct{ value Value }

	// overloads are the functions and function templates of one name in one scope.
	overloads struct {
		funcs     []*function
		templates []*funcTemplate
		hidden    *typeName // a struct or enumeration of the same name
	}

	// librarySet is a function of the Metal library by name.
	librarySet struct {
		id      BuiltinFunc
		variant Variant
		private bool // called by its private name
	}

	// libraryType is a template or constant of the Metal library that types and names are looked up in by hand.
	libraryType struct{ name string }

	// namespace is a namespace.
	namespace struct {
		name  string
		scope *scope
	}

	// fieldName is a data member, found inside the class: this->field.
	fieldName struct {
		class *types.Struct
		index int
	}

	// packName is a template parameter pack or a function parameter pack: a list of entities.
	packName struct{ elems []entity }
)

// none reports that there are no functions.
func (o *overloads) none() bool { return len(o.funcs) == 0 && len(o.templates) == 0 }

// scope is one level of names.
type scope struct {
	names map[string]entity
	using []*scope
	outer *scope
	path  string        // qualified name of the namespace or class, with a trailing "::"
	class *types.Struct // of a class's scope
	block bool          // inside a function
	lazy  bool          // inside an instance of a template: members are checked when they are used
	bases []*scope      // of a class's scope: those of its bases
	wall  bool          // of a lambda without a default capture: locals outside are out of reach

	copies *lambdaCopies // of a lambda that captures by value: locals outside are copied
}

func newScope(outer *scope) *scope {
	s := &scope{names: map[string]entity{}, outer: outer}
	if outer != nil {
		s.path, s.block, s.lazy = outer.path, outer.block, outer.lazy
	}
	return s
}

// local finds a name in s and the namespaces opened in it, functions of all of them joined.
func (s *scope) local(name string) entity {
	e := s.names[name]
	seen := map[*scope]bool{s: true}
	todo := append([]*scope(nil), s.using...)
	for len(todo) > 0 {
		u := todo[0]
		todo = todo[1:]
		if seen[u] {
			continue
		}
		seen[u] = true
		e = merge(e, u.names[name])
		todo = append(todo, u.using...)
	}
	for i := 0; e == nil && i < len(s.bases); i++ {
		e = s.bases[i].local(name)
	}
	return e
}

// mixed is a user's overloads and the library's function of the same name, both visible.
type mixed struct {
	user *overloads
	lib  *librarySet
}

// ambiguousName is a name that the program and, through a using directive, the library give different meanings.
type ambiguousName struct{ name string }

// merge joins two meanings of a name in one scope.
func merge(a, b entity) entity {
	if a == nil {
		return b
	}
	if b == nil || a == b {
		return a
	}
	switch x := a.(type) {
	case *overloads:
		switch y := b.(type) {
		case *overloads:
			return &overloads{
				funcs:     append(append([]*function(nil), x.funcs...), y.funcs...),
				templates: append(append([]*funcTemplate(nil), x.templates...), y.templates...),
			}
		case *librarySet:
			return &mixed{x, y}
		case *mixed:
			return &mixed{merge(x, y.user).(*overloads), y.lib}
		}
	case *librarySet:
		if y, ok := b.(*overloads); ok {
			return &mixed{y, x}
		}
		if y, ok := b.(*librarySet); !ok || y.id != x.id {
			return &ambiguousName{x.id.String()}
		}
	case *mixed:
		if y, ok := b.(*overloads); ok {
			return &mixed{merge(x.user, y).(*overloads), x.lib}
		}
	default:
		if y, ok := b.(*librarySet); ok {
			return &ambiguousName{y.id.String()}
		}
	}
	return a
}

// lookup finds a name in s or outside.
func (s *scope) lookup(name string) entity {
	wall := false
	var copies []*lambdaCopies
	for ; s != nil; s = s.outer {
		if e := s.local(name); e != nil {
			if v, ok := e.(*Var); ok && wall && !v.Global && v.Value == nil {
				return &notCaptured{v}
			}
			if v, ok := e.(*Var); ok {
				for i := len(copies) - 1; i >= 0; i-- {
					v = copies[i].of(v)
				}
				return v
			}
			return e
		}
		wall = wall || s.wall
		if s.copies != nil {
			copies = append(copies, s.copies)
		}
	}
	return nil
}

// notCaptured is a local that a lambda names without capturing it.
type notCaptured struct{ v *Var }

// declare adds a name to the current scope. Functions are added by declareFunction.
func (c *checker) declare(pos diag.Pos, name string, e entity) {
	if name == "" {
		return
	}
	if old, ok := c.scope.names[name]; ok {
		if t, isType := old.(*typeName); isType {
			if u, ok := e.(*typeName); ok && types.Identical(t.q.typ, u.q.typ) {
				return
			}
		}
		c.errorf(pos, diag.Redeclared, "%q is declared already in this scope", name)
		return
	}
	c.scope.names[name] = e
}

// in runs f with s as the current scope.
func (c *checker) in(s *scope, f func()) {
	outer := c.scope
	c.scope = s
	defer func() { c.scope = outer }()
	f()
}

// find resolves a qualified name; nil if it is not declared. The last part's template arguments are left to the caller.
// Mistakes in the parts before it are reported, and ok is then false.
func (c *checker) find(n *syntax.Name) (e entity, ok bool) {
	defer func() {
		if a, is := e.(*ambiguousName); is {
			c.errorf(n.At, diag.AmbiguousName, "%q is declared here and is a function of the Metal library", a.name)
			e, ok = nil, false
		}
	}()
	if len(n.Parts) == 1 && n.Decltype == nil {
		if n.Global {
			return c.global.local(n.Parts[0].Ident), true
		}
		return c.scope.lookup(n.Parts[0].Ident), true
	}
	s := c.scopeOf(n)
	if s == nil {
		return nil, false
	}
	return s.local(n.Last().Ident), true
}

// scopeOf returns the scope that the parts of n before the last name; nil after reporting that there is none.
func (c *checker) scopeOf(n *syntax.Name) *scope {
	var s *scope
	if n.Global {
		s = c.global
	}
	if n.Decltype != nil {
		q := c.decltype(&syntax.DecltypeType{At: n.At, X: n.Decltype})
		t, ok := q.typ.(*types.Struct)
		if !ok || !c.complete(n.At, t) {
			if !ok && !types.IsInvalid(q.typ) {
				c.errorf(n.At, diag.NoSuchMember, "%s has no members", q.typ)
			}
			return nil
		}
		s = c.classOf(t).scope
	}
	for i := range n.Parts[:len(n.Parts)-1] {
		part := &n.Parts[i]
		var e entity
		if s == nil {
			e = c.scope.lookup(part.Ident)
		} else {
			e = s.local(part.Ident)
		}
		switch x := e.(type) {
		case nil:
			c.errorf(part.At, diag.Undeclared, "%q is not declared", part.Ident)
			return nil
		case *namespace:
			s = x.scope
			continue
		}
		q, ok := c.typeOfEntity(e, part)
		if !ok {
			return nil
		}
		switch t := q.typ.(type) {
		case *types.Struct:
			s = c.classOf(t).scope
			continue
		case *types.Enum:
			s = c.enums[t]
			continue
		}
		if types.IsInvalid(q.typ) {
			return nil
		}
		c.errorf(part.At, diag.NoSuchMember, "%s has no members", q.typ)
		return nil
	}
	return s
}
