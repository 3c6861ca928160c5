package check

import (
	"fmt"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// templateArg is an argument of a template: a type, a value, or the list of a pack.
type templateArg struct {
	typ   *qual
	value Value
	pack  []templateArg
	isSet bool // of a pack: it was given
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
			s += "," + typeKey(p)
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
	}
	return &constName{a.value}
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
		case i < len(args) && (args[i].typ != nil || args[i].isSet || args[i].value.Type != nil):
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
	if (p.Type == nil) != (a.typ != nil) {
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
	x := c.convert(constant(at, a.value), t)
	v, ok := c.constant(x)
	a.value = v
	return ok
}

// bindParams makes the scope of an instance: every template parameter bound to its argument.
func (c *checker) bindParams(outer *scope, params []syntax.TemplateParam, args []templateArg) *scope {
	s := newScope(outer)
	s.class = nil
	for i, p := range params {
		if p.Name != "" {
			s.names[p.Name] = argEntity(args[i])
		}
	}
	return s
}
