package check

import (
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// deduction binds template parameters by name.
type deduction struct {
	c      *checker
	params map[string]*syntax.TemplateParam
	bound  map[string]templateArg
	scope  *scope
}

func newDeduction(c *checker, s *scope, params []syntax.TemplateParam) *deduction {
	d := &deduction{c: c, params: map[string]*syntax.TemplateParam{}, bound: map[string]templateArg{}, scope: s}
	for i := range params {
		if params[i].Name != "" {
			d.params[params[i].Name] = &params[i]
		}
	}
	return d
}

// deduceCall returns the instance of t that a call means, nil if the arguments do not decide one.
func (c *checker) deduceCall(t *funcTemplate, part *syntax.NamePart, args []Expr) *function {
	bound := c.deduce(t, part, args)
	if bound == nil {
		return nil
	}
	return c.instance(t, bound)
}

// deduceConversion returns the instance of a conversion template that gives the type to, nil if there is none.
func (c *checker) deduceConversion(t *funcTemplate, to types.Type) *function {
	d := newDeduction(c, t.scope, t.params)
	if !d.unify(t.decl.Conv, qual{typ: to}, nil) {
		return nil
	}
	args := make([]templateArg, len(t.params))
	for i, p := range t.params {
		args[i] = d.bound[p.Name]
	}
	var complete []templateArg
	if !c.quietly(func() { complete = c.completeArgs(t.decl.At, "operator", t.scope, t.params, args) }) || complete == nil {
		return nil
	}
	return c.instance(t, complete)
}

// deduce works out the template arguments from those written and from the arguments of a call; nil if it cannot.
func (c *checker) deduce(t *funcTemplate, part *syntax.NamePart, args []Expr) []templateArg {
	var written []templateArg
	if part != nil {
		ok := c.quietly(func() { written = c.templateArgs(part.Args) })
		if !ok || written == nil && len(part.Args) > 0 {
			return nil
		}
	}
	return c.deduceWritten(t, written, args)
}

// deduceWritten is deduce with the written arguments worked out.
func (c *checker) deduceWritten(t *funcTemplate, written []templateArg, args []Expr) []templateArg {
	d := newDeduction(c, t.scope, t.params)
	for i, a := range written {
		if i >= len(t.params) {
			return nil
		}
		if t.params[i].Pack {
			d.bound[t.params[i].Name] = templateArg{isSet: true, pack: written[i:]}
			break
		}
		if t.params[i].Name != "" {
			d.bound[t.params[i].Name] = a
		}
	}
	fixed := map[string]bool{}
	for name := range d.bound {
		fixed[name] = true
	}
	params := t.decl.Params
	for i, p := range params {
		if pack, ok := p.Type.(*syntax.PackType); ok {
			if i != len(params)-1 || !d.pack(pack.Elem, args[min(i, len(args)):], fixed) {
				return nil
			}
			break
		}
		if i >= len(args) {
			break
		}
		if _, ok := args[i].(*braced); ok {
			continue
		}
		if !d.param(p.Type, args[i], fixed) {
			return nil
		}
	}
	out := make([]templateArg, len(t.params))
	for i, p := range t.params {
		if p.Name != "" {
			out[i] = d.bound[p.Name]
		} else if i < len(written) {
			out[i] = written[i]
		}
	}
	var complete []templateArg
	if !c.quietly(func() { complete = c.completeArgs(t.decl.At, t.decl.Name.Last().Ident, t.scope, t.params, out) }) {
		return nil
	}
	return complete
}

// pack deduces a function parameter pack from the rest of the arguments.
func (d *deduction) pack(elem syntax.Type, args []Expr, fixed map[string]bool) bool {
	name := d.paramName(elem)
	if name == "" || d.params[name] == nil || !d.params[name].Pack {
		inner, ok := elem.(*syntax.RefType)
		if !ok {
			return true
		}
		if name = d.paramName(inner.Elem); name == "" {
			return true
		}
	}
	if fixed[name] {
		return true
	}
	all := templateArg{isSet: true}
	for _, a := range args {
		one := &deduction{c: d.c, params: map[string]*syntax.TemplateParam{name: {Name: name}}, bound: map[string]templateArg{}, scope: d.scope}
		if !one.param(elem, a, nil) {
			return false
		}
		all.pack = append(all.pack, one.bound[name])
	}
	d.bound[name] = all
	return true
}

// paramName returns the template parameter that t is, "" for any other type.
func (d *deduction) paramName(t syntax.Type) string {
	if n, ok := t.(*syntax.NamedType); ok {
		if s := n.Name.Simple(); d.params[s] != nil && d.params[s].Type == nil {
			return s
		}
	}
	return ""
}

// param deduces from one argument. Parameters that were written are left as they are.
func (d *deduction) param(t syntax.Type, x Expr, fixed map[string]bool) bool {
	place, isPlace := x.Place()
	from := qual{typ: x.Type(), isConst: place.Const, space: place.Space, hasSpace: isPlace}
	ref, isRef := t.(*syntax.RefType)
	if isRef {
		t = ref.Elem
	} else {
		if a, ok := from.typ.(*types.Array); ok && isPlace {
			from = qual{typ: &types.Pointer{Elem: a.Elem, Space: place.Space, Const: place.Const}}
		} else {
			from = qual{typ: from.typ}
		}
		if a, ok := t.(*syntax.ArrayType); ok {
			t = &syntax.PointerType{At: a.At, Elem: a.Elem}
		}
	}
	if isBad(x) && types.IsInvalid(from.typ) {
		return true
	}
	return d.unify(t, from, fixed)
}

// unify makes t, in which template parameters stand, equal to from. What cannot be deduced from is skipped: whether the
// argument then fits is found out later.
func (d *deduction) unify(t syntax.Type, from qual, fixed map[string]bool) bool {
	switch t := t.(type) {
	case *syntax.NamedType:
		if name := d.paramName(t); name != "" {
			if fixed[name] {
				return true
			}
			q := qual{typ: from.typ}
			if t.Quals.Space == "" {
				q.space, q.hasSpace = types.Thread, false
			}
			return d.bind(name, templateArg{typ: &q})
		}
		return d.named(t, from, fixed)
	case *syntax.PointerType:
		p, ok := from.typ.(*types.Pointer)
		if !ok {
			return from.typ == types.Type(types.Null)
		}
		return d.unify(t.Elem, qual{typ: p.Elem, isConst: p.Const, space: p.Space, hasSpace: true}, fixed)
	case *syntax.ArrayType:
		a, ok := from.typ.(*types.Array)
		if !ok {
			return false
		}
		if !d.value(t.Len, IntValue(types.Int, int64(a.Len)), fixed) {
			return false
		}
		from.typ = a.Elem
		return d.unify(t.Elem, from, fixed)
	}
	return true
}

// bind notes an argument; a different one for the same parameter is a contradiction.
func (d *deduction) bind(name string, a templateArg) bool {
	if old, ok := d.bound[name]; ok {
		if old.typ != nil && a.typ != nil {
			return types.Identical(old.typ.typ, a.typ.typ)
		}
		if old.fn != nil || a.fn != nil || old.tmpl != nil || a.tmpl != nil {
			return old.fn == a.fn && old.tmpl == a.tmpl
		}
		return old.typ == nil && a.typ == nil && old.value.Bits == a.value.Bits
	}
	d.bound[name] = a
	return true
}

// value deduces a value parameter from the expression that names it.
func (d *deduction) value(x syntax.Expr, v Value, fixed map[string]bool) bool {
	id, ok := x.(*syntax.Ident)
	if !ok {
		return true
	}
	name := id.Name.Simple()
	if p := d.params[name]; p == nil || p.Type == nil || fixed[name] {
		return true
	}
	return d.bind(name, templateArg{value: v})
}

// named deduces through the arguments of vec, atomic and struct templates.
func (d *deduction) named(t *syntax.NamedType, from qual, fixed map[string]bool) bool {
	last := t.Name.Last()
	if !last.HasArgs {
		return true
	}
	if p := d.params[last.Ident]; p != nil && p.IsTmpl && len(t.Name.Parts) == 1 {
		return d.template(last, from, fixed)
	}
	var e entity
	d.c.in(d.scope, func() { d.c.quietly(func() { e, _ = d.c.find(t.Name) }) })
	switch e := e.(type) {
	case *libraryType:
		switch typ := from.typ.(type) {
		case *types.Vector:
			if e.name == "vec" && len(last.Args) == 2 {
				return d.arg(last.Args[0], templateArg{typ: &qual{typ: typ.Elem()}}, fixed) &&
					d.arg(last.Args[1], templateArg{value: IntValue(types.Int, int64(typ.Len()))}, fixed)
			}
		case *types.Atomic:
			if e.name == "atomic" && len(last.Args) == 1 {
				return d.arg(last.Args[0], templateArg{typ: &qual{typ: typ.Elem}}, fixed)
			}
		case *types.Matrix:
			if e.name == "matrix" && len(last.Args) == 3 {
				return d.sized(last, typ.Elem(), typ.Cols(), typ.Rows(), fixed)
			}
		case *types.SimdMatrix:
			if e.name == "simdgroup_matrix" && len(last.Args) == 3 {
				return d.sized(last, typ.Elem(), 8, 8, fixed)
			}
		}
		switch e.name {
		case "vec", "atomic", "matrix", "simdgroup_matrix":
			return false
		}
		return true
	case *aliasTemplate: // what the alias stands for decides its own arguments, and they decide these
		inner := newDeduction(d.c, e.scope, e.params)
		if !inner.unify(e.decl.Type, from, nil) {
			return false
		}
		for i, a := range last.Args {
			if i >= len(e.params) || e.params[i].Pack {
				break
			}
			if b, ok := inner.bound[e.params[i].Name]; ok && !d.arg(a, b, fixed) {
				return false
			}
		}
	case *classTemplate:
		s, ok := from.typ.(*types.Struct)
		if ok {
			s = d.c.instanceIn(s, e)
		}
		if !ok || s == nil {
			return false
		}
		have := d.c.classOf(s).args
		for i, a := range last.Args {
			if i < len(have) && !d.arg(a, have[i], fixed) {
				return false
			}
		}
	}
	return true
}

// template deduces a template template parameter and its arguments from an instance of a struct template.
func (d *deduction) template(part *syntax.NamePart, from qual, fixed map[string]bool) bool {
	s, ok := from.typ.(*types.Struct)
	if !ok || d.c.classOf(s).template == nil {
		return false
	}
	cl := d.c.classOf(s)
	if !fixed[part.Ident] && !d.bind(part.Ident, templateArg{tmpl: cl.template}) {
		return false
	}
	for i, a := range part.Args {
		if i < len(cl.args) && !d.arg(a, cl.args[i], fixed) {
			return false
		}
	}
	return true
}

// instanceIn is s if it is an instance of the template, else the first of its bases that is; nil if there is none.
func (c *checker) instanceIn(s *types.Struct, t *classTemplate) *types.Struct {
	if c.classOf(s).template == t {
		return s
	}
	for i := range s.Fields {
		if !s.Fields[i].Base {
			break
		}
		if b := c.instanceIn(s.Fields[i].Type.(*types.Struct), t); b != nil {
			return b
		}
	}
	return nil
}

// sized deduces through NAME<T, n, m>.
func (d *deduction) sized(part *syntax.NamePart, elem *types.Scalar, n, m int, fixed map[string]bool) bool {
	return d.arg(part.Args[0], templateArg{typ: &qual{typ: elem}}, fixed) &&
		d.arg(part.Args[1], templateArg{value: IntValue(types.Int, int64(n))}, fixed) &&
		d.arg(part.Args[2], templateArg{value: IntValue(types.Int, int64(m))}, fixed)
}

// arg makes a written template argument, in which parameters stand, equal to have.
func (d *deduction) arg(a syntax.TemplateArg, have templateArg, fixed map[string]bool) bool {
	switch {
	case a.Type != nil && have.typ != nil:
		if name := d.paramName(a.Type); name != "" || !d.constant(a.Type) {
			return d.unify(a.Type, *have.typ, fixed)
		}
		var q qual
		d.c.in(d.scope, func() { d.c.quietly(func() { q = d.c.resolve(a.Type) }) })
		return q.typ != nil && types.Identical(q.typ, have.typ.typ)
	case have.fn != nil || have.tmpl != nil:
		id, ok := a.X.(*syntax.Ident)
		return ok && d.params[id.Name.Simple()] != nil && d.bind(id.Name.Simple(), have)
	case a.Type == nil && have.typ == nil:
		if id, ok := a.X.(*syntax.Ident); ok && d.params[id.Name.Simple()] != nil {
			return d.value(a.X, have.value, fixed)
		}
		var v Value
		ok := false
		d.c.in(d.scope, func() {
			d.c.quietly(func() { v, ok = d.c.constant(d.c.rvalue(d.c.expr(a.X))) })
		})
		return !ok || v.Bits == have.value.Bits
	case a.Type == nil && have.typ != nil:
		if id, ok := a.X.(*syntax.Ident); ok {
			return d.unify(&syntax.NamedType{At: id.Name.At, Name: id.Name}, *have.typ, fixed)
		}
	}
	return false
}

// constant reports whether no template parameter stands in t.
func (d *deduction) constant(t syntax.Type) bool {
	switch t := t.(type) {
	case *syntax.NamedType:
		for _, p := range t.Name.Parts {
			if d.params[p.Ident] != nil {
				return false
			}
			for _, a := range p.Args {
				if a.Type != nil && !d.constant(a.Type) || a.Type == nil {
					return false
				}
			}
		}
		return true
	case *syntax.PointerType:
		return d.constant(t.Elem)
	}
	return false
}
