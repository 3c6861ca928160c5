package check

import (
	"fmt"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// templateArg is an argument of a template: a type, a value, a function, a template, or the list of a pack.
type templateArg struct {
	typ   *qual
	value Value
	pack  []templateArg
	isSet bool         // of a pack: it was given
	name  *functionArg // a function's name, before the parameter's type has chosen one
	fn    *function
	tmpl  entity // *classTemplate, *aliasTemplate or *libraryType
}

// functionArg is a function named as a template argument: the overloads, and the template arguments written after it,
// nil for none.
type functionArg struct {
	set     *overloads
	written []templateArg
}

// given reports whether there is an argument.
func (a *templateArg) given() bool {
	return a.typ != nil || a.isSet || a.value.Type != nil || a.name != nil || a.fn != nil || a.tmpl != nil
}

// typeKey is a text that two types share only if they are identical.
func typeKey(t types.Type) string {
	switch t := t.(type) {
	case *types.Struct, *types.Enum:
		return fmt.Sprintf("%s@%p", t, t)
	case *types.Pointer:
		return fmt.Sprintf("%s%t%t*%s", t.Space, t.Const, t.Volatile, typeKey(t.Elem))
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len, typeKey(t.Elem))
	case *types.Func:
		s := "func " + typeKey(t.Ret)
		for _, p := range t.Params {
			s += "," + typeKey(p.Type)
			if p.Ref {
				s += fmt.Sprintf("&%d%t", p.Space, p.Const)
			}
		}
		return s
	}
	return t.String()
}

func argKey(a templateArg) string {
	switch {
	case a.typ != nil:
		return fmt.Sprintf("%s/%t%t%t%d", typeKey(a.typ.typ), a.typ.isConst, a.typ.ref, a.typ.hasSpace, a.typ.space)
	case a.isSet:
		return "{" + argsKey(a.pack) + "}"
	case a.fn != nil:
		return fmt.Sprintf("fn@%p", a.fn)
	case a.tmpl != nil:
		return fmt.Sprintf("tmpl@%p", a.tmpl)
	}
	return typeKey(a.value.Type) + a.value.String()
}

func argsKey(args []templateArg) string {
	s := make([]string, len(args))
	for i, a := range args {
		s[i] = argKey(a)
	}
	return strings.Join(s, ";")
}

// argsString spells template arguments in a name.
func argsString(args []templateArg) string {
	var s []string
	for _, a := range args {
		switch {
		case a.typ != nil:
			s = append(s, a.typ.typ.String())
		case a.isSet:
			if len(a.pack) > 0 {
				inner := argsString(a.pack)
				s = append(s, inner[1:len(inner)-1])
			}
		case a.fn != nil:
			s = append(s, a.fn.f.Name)
		case a.tmpl != nil:
			s = append(s, templateName(a.tmpl))
		default:
			s = append(s, a.value.String())
		}
	}
	return "<" + strings.Join(s, ", ") + ">"
}

func argEntity(a templateArg) entity {
	switch {
	case a.typ != nil:
		return &typeName{*a.typ}
	case a.isSet:
		p := &packName{}
		for _, e := range a.pack {
			p.elems = append(p.elems, argEntity(e))
		}
		return p
	case a.fn != nil:
		return &overloads{funcs: []*function{a.fn}}
	case a.tmpl != nil:
		return a.tmpl
	}
	return &constName{a.value}
}

// templateName is the name of a template that stands for types.
func templateName(e entity) string {
	switch e := e.(type) {
	case *classTemplate:
		return e.name
	case *aliasTemplate:
		return e.decl.Name
	case *libraryType:
		return e.name
	}
	return "?"
}

// templateArgs checks written template arguments; nil after a mistake.
func (c *checker) templateArgs(in []syntax.TemplateArg) []templateArg {
	out := make([]templateArg, 0, len(in))
	for _, a := range in {
		if a.Pack {
			elems, ok := c.expandTemplateArg(a)
			if !ok {
				return nil
			}
			out = append(out, elems...)
			continue
		}
		t, ok := c.templateArg(a)
		if !ok {
			return nil
		}
		out = append(out, t)
	}
	return out
}

// completeArgs fills args up to the template's parameters with defaults, and converts values to the parameters' types. It
// returns nil after a mistake.
func (c *checker) completeArgs(at diag.Pos, name string, outer *scope, params []syntax.TemplateParam, args []templateArg) []templateArg {
	if n := len(params); n > 0 && params[n-1].Pack {
		if len(args) < n || !args[n-1].isSet {
			fixed := min(len(args), n-1)
			pack := templateArg{isSet: true, pack: append([]templateArg(nil), args[fixed:]...)}
			if len(args) >= n-1 {
				args = append(append([]templateArg(nil), args[:fixed]...), pack)
			}
		}
	}
	if len(args) > len(params) {
		c.errorf(at, diag.BadTemplateArgs, "%q got %d template arguments, want %d", name, len(args), len(params))
		return nil
	}
	out := make([]templateArg, len(params))
	s := newScope(outer)
	for i, p := range params {
		switch {
		case i < len(args) && args[i].given():
			out[i] = args[i]
		case p.Pack:
			out[i] = templateArg{isSet: true}
		case p.DefType == nil && p.DefValue == nil:
			c.errorf(at, diag.BadTemplateArgs, "%q has no argument for template parameter %q", name, p.Name)
			return nil
		default:
			ok := true
			c.in(s, func() {
				if p.DefType != nil {
					out[i], ok = c.templateArg(syntax.TemplateArg{Type: p.DefType})
				} else {
					out[i], ok = c.templateArg(syntax.TemplateArg{X: p.DefValue})
				}
			})
			if !ok {
				return nil
			}
		}
		if !c.argKind(at, name, s, p, &out[i]) {
			return nil
		}
		if p.Name != "" {
			s.names[p.Name] = argEntity(out[i])
		}
	}
	return out
}

// argKind checks that an argument is a type where one is wanted, and converts a value to the parameter's type.
func (c *checker) argKind(at diag.Pos, name string, s *scope, p syntax.TemplateParam, a *templateArg) bool {
	if p.Pack {
		ok := a.isSet
		elem := p
		elem.Pack = false
		for i := range a.pack {
			ok = ok && c.argKind(at, name, s, elem, &a.pack[i])
		}
		return ok
	}
	if isType := p.Type == nil && !p.IsTmpl; isType != (a.typ != nil) || p.IsTmpl != (a.tmpl != nil) {
		c.errorf(at, diag.BadTemplateArgs, "template argument %q of %q is of the wrong kind", p.Name, name)
		return false
	}
	if p.Type == nil {
		return true
	}
	var t types.Type
	c.in(s, func() {
		q := c.resolve(p.Type)
		t = q.typ
		if q.auto {
			t = a.value.Type
		}
	})
	if types.IsInvalid(t) {
		return false
	}
	if ft, ok := t.(*types.Func); ok {
		return c.chooseFunction(at, name, p, a, ft)
	}
	if a.name != nil {
		c.errorf(at, diag.BadTemplateArgs, "template argument %q of %q is a function, want a value of type %s", p.Name, name, t)
		return false
	}
	x := c.convert(constant(at, a.value), t)
	v, ok := c.constant(x)
	a.value = v
	return ok
}

// chooseFunction picks the function of type t among those that an argument names.
func (c *checker) chooseFunction(at diag.Pos, name string, p syntax.TemplateParam, a *templateArg, t *types.Func) bool {
	if a.fn != nil && types.Identical(a.fn.typ(), t) {
		return true
	}
	var found *function
	if a.name != nil {
		if a.name.written == nil {
			for _, f := range a.name.set.funcs {
				if types.Identical(f.typ(), t) {
					found = f
				}
			}
		}
		for _, tmpl := range a.name.set.templates {
			if found == nil {
				found = c.instanceOfType(tmpl, a.name.written, t)
			}
		}
	}
	if found == nil {
		c.errorf(at, diag.BadTemplateArgs, "template argument %q of %q is no function of type %s", p.Name, name, t)
		return false
	}
	a.name, a.fn = nil, found
	return true
}

// instanceOfType is the instance of a function template that has the type t; nil if there is none.
func (c *checker) instanceOfType(tmpl *funcTemplate, written []templateArg, t *types.Func) *function {
	args := make([]Expr, len(t.Params))
	for i, p := range t.Params {
		n := node{typ: p.Type}
		if p.Ref {
			n.lval, n.place = true, Place{p.Space, p.Const}
		}
		args[i] = &bad{n}
	}
	bound := c.deduceWritten(tmpl, written, args)
	if bound == nil {
		return nil
	}
	f := c.instance(tmpl, bound)
	if f == nil || !types.Identical(f.typ(), t) {
		return nil
	}
	return f
}

// bindParams makes the scope of an instance: every template parameter bound to its argument.
func (c *checker) bindParams(outer *scope, params []syntax.TemplateParam, args []templateArg) *scope {
	s := newScope(outer)
	s.class, s.lazy = nil, true
	for i, p := range params {
		if p.Name != "" {
			s.names[p.Name] = argEntity(args[i])
		}
	}
	return s
}
