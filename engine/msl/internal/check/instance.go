package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// classTemplate declares a struct template or a specialisation of one.
func (c *checker) classTemplate(d *syntax.TemplateDecl, sd *syntax.StructDecl) {
	part := sd.Name.Last()
	name := part.Ident
	t, _ := c.scope.names[name].(*classTemplate)
	if part.HasArgs {
		if t == nil {
			c.errorf(sd.At, diag.Undeclared, "no struct template is called %q", name)
			return
		}
		if len(d.Params) > 0 {
			t.partial = append(t.partial, &partialClass{specialisation{d.Params, part.Args, c.scope}, sd})
			return
		}
		args := c.templateArgs(part.Args)
		if args == nil {
			return
		}
		if args = c.completeArgs(part.At, name, t.scope, t.params, args); args == nil {
			return
		}
		key := argsKey(args)
		if t.instances[key] != nil || t.special[key] != nil {
			c.errorf(sd.At, diag.Redeclared, "%q is specialised or used already with these arguments", name)
			return
		}
		t.special[key] = sd
		return
	}
	if t != nil {
		if t.decl != nil && !sd.Forward {
			c.errorf(sd.At, diag.Redeclared, "struct template %q is defined already", name)
			return
		}
		if !sd.Forward {
			t.decl, t.params = sd, d.Params
		}
		return
	}
	t = &classTemplate{name: name, params: d.Params, scope: c.scope, instances: map[string]*types.Struct{}, special: map[string]*syntax.StructDecl{}}
	if !sd.Forward {
		t.decl = sd
	}
	c.declare(sd.At, name, t)
}

// classInstance is the struct that a struct template and its arguments stand for.
func (c *checker) classInstance(t *classTemplate, part *syntax.NamePart) (qual, bool) {
	if !part.HasArgs {
		c.errorf(part.At, diag.BadTemplateArgs, "struct template %q needs template arguments", part.Ident)
		return invalid, false
	}
	args := c.templateArgs(part.Args)
	if args == nil {
		if len(part.Args) == 0 {
			args = []templateArg{}
		} else {
			return invalid, false
		}
	}
	if args = c.completeArgs(part.At, t.name, t.scope, t.params, args); args == nil {
		return invalid, false
	}
	s := c.structInstance(part.At, t, args)
	if s == nil {
		return invalid, false
	}
	return qual{typ: s}, true
}

func (c *checker) structInstance(at diag.Pos, t *classTemplate, args []templateArg) *types.Struct {
	key := argsKey(args)
	if s := t.instances[key]; s != nil {
		return s
	}
	c.count(at)
	decl, params, bound, outer := t.decl, t.params, args, t.scope
	if d := t.special[key]; d != nil {
		decl, params, bound = d, nil, nil
	} else if p, b := c.partialFor(at, t, args); p != nil {
		decl, params, bound, outer = p.decl, p.params, b, p.scope
	}
	if decl == nil {
		c.errorf(at, diag.Incomplete, "struct template %q is declared but not defined here", t.name)
		return nil
	}
	defer c.deeper(at)()
	s := &types.Struct{Name: t.scope.path + t.name + argsString(args), Union: decl.Key == "union"}
	t.instances[key] = s
	cl := c.classOf(s)
	cl.template, cl.args = t, args
	inner := c.bindParams(outer, params, bound)
	inner.names[t.name] = &typeName{qual{typ: s}}
	fn, contract := c.fn, c.contractOff
	c.fn = nil
	c.in(inner, func() { c.classBody(cl, decl) })
	c.fn, c.contractOff = fn, contract
	return s
}

// partialFor finds the partial specialisation that fits, and its arguments.
func (c *checker) partialFor(at diag.Pos, t *classTemplate, args []templateArg) (*partialClass, []templateArg) {
	heads := make([]*specialisation, len(t.partial))
	for i, p := range t.partial {
		heads[i] = &p.specialisation
	}
	i, bound := c.specialFor(at, t.name, heads, args)
	if i < 0 {
		return nil, nil
	}
	return t.partial[i], bound
}

// specialFor finds the most special specialisation that fits args, and its own arguments; -1 if there is none.
func (c *checker) specialFor(at diag.Pos, name string, heads []*specialisation, args []templateArg) (int, []templateArg) {
	best := -1
	var bestArgs []templateArg
	for k, p := range heads {
		d := newDeduction(c, p.scope, p.params)
		ok := len(p.args) == len(args)
		for i := 0; ok && i < len(args); i++ {
			ok = d.arg(p.args[i], args[i], nil)
		}
		if !ok {
			continue
		}
		bound := make([]templateArg, len(p.params))
		for i, tp := range p.params {
			bound[i] = d.bound[tp.Name]
			ok = ok && bound[i].given()
		}
		if !ok || !c.means(p, bound, args) {
			continue
		}
		if best >= 0 && heads[best].weight() == p.weight() {
			c.errorf(at, diag.Ambiguous, "several specialisations of %q fit", name)
			return best, bestArgs
		}
		if best < 0 || p.weight() > heads[best].weight() {
			best, bestArgs = k, bound
		}
	}
	return best, bestArgs
}

// means reports whether the head of a specialisation, its parameters bound, says args: conditions such as enable_if, from
// which nothing is deduced, are decided here.
func (c *checker) means(p *specialisation, bound, args []templateArg) bool {
	var have []templateArg
	ok := c.quietly(func() {
		c.in(c.bindParams(p.scope, p.params, bound), func() { have = c.templateArgs(p.args) })
	})
	if !ok || have == nil && len(p.args) > 0 || len(have) != len(args) {
		return false
	}
	for i := range have {
		if have[i].typ != nil && args[i].typ != nil {
			if !types.Identical(have[i].typ.typ, args[i].typ.typ) {
				return false
			}
		} else if have[i].value.Type != nil && have[i].value.Bits != args[i].value.Bits {
			return false
		}
	}
	return true
}

// weight orders specialisations: fewer parameters and more spelled out is more special.
func (p *specialisation) weight() int {
	w := newWeigher(p.params)
	n := -len(p.params)
	for _, a := range p.args {
		n += w.arg(a)
	}
	return n
}

// specialVar declares a specialisation of a variable template.
func (c *checker) specialVar(d *syntax.TemplateDecl, x *syntax.VarDecl) {
	t, ok := c.scope.lookup(x.Name).(*varTemplate)
	if !ok {
		c.errorf(x.At, diag.Undeclared, "no variable template is called %q", x.Name)
		return
	}
	t.partial = append(t.partial, &partialVar{specialisation{d.Params, x.Part.Args, c.scope}, x})
}

// aliasInstance is the type that an alias template and its arguments stand for.
func (c *checker) aliasInstance(t *aliasTemplate, part *syntax.NamePart) (q qual, ok bool) {
	args := c.templateArgs(part.Args)
	if args == nil {
		return invalid, false
	}
	if args = c.completeArgs(part.At, t.decl.Name, t.scope, t.params, args); args == nil {
		return invalid, false
	}
	defer c.deeper(part.At)()
	c.in(c.bindParams(t.scope, t.params, args), func() { q = c.resolve(t.decl.Type) })
	return q, !types.IsInvalid(q.typ)
}

// varInstance is the variable that a variable template and its arguments stand for.
func (c *checker) varInstance(t *varTemplate, part *syntax.NamePart) *Var {
	args := c.templateArgs(part.Args)
	if args == nil {
		return nil
	}
	if args = c.completeArgs(part.At, t.decl.Name, t.scope, t.params, args); args == nil {
		return nil
	}
	key := argsKey(args)
	if v := t.instances[key]; v != nil {
		return v
	}
	c.count(part.At)
	defer c.deeper(part.At)()
	var v *Var
	decl, params, bound, outer := t.decl, t.params, args, t.scope
	heads := make([]*specialisation, len(t.partial))
	for i, p := range t.partial {
		heads[i] = &p.specialisation
	}
	if i, b := c.specialFor(part.At, t.decl.Name, heads, args); i >= 0 {
		p := t.partial[i]
		decl, params, bound, outer = p.decl, p.params, b, p.scope
	}
	c.in(c.bindParams(outer, params, bound), func() {
		v = c.globalOf(decl, t.scope.path+t.decl.Name+argsString(args))
	})
	if types.IsInvalid(v.Type) {
		return nil
	}
	t.instances[key] = v
	return v
}

// namedFunction is the one function that a name with template arguments selects, nil if it is not that.
func (c *checker) namedFunction(n *syntax.Name) *function {
	e, ok := c.find(n)
	if !ok {
		return nil
	}
	set, _ := functionsOf(e)
	if set == nil {
		return nil
	}
	if !n.Last().HasArgs {
		if len(set.funcs) == 1 && len(set.templates) == 0 {
			return set.funcs[0]
		}
		return nil
	}
	var found *function
	for _, t := range set.templates {
		if bound := c.deduce(t, n.Last(), nil); bound != nil {
			if f := c.instance(t, bound); f != nil {
				if found != nil {
					return nil
				}
				found = f
			}
		}
	}
	return found
}

// instantiation checks an explicit instantiation. A kernel gets the name of its host_name attribute.
func (c *checker) instantiation(d *syntax.Instantiation) {
	switch x := d.Decl.(type) {
	case *syntax.StructDecl:
		if t, ok := c.scope.lookup(x.Name.Last().Ident).(*classTemplate); ok {
			if q, ok := c.classInstance(t, x.Name.Last()); ok {
				c.queue = append(c.queue, c.classOf(q.typ.(*types.Struct)).lazy...)
			}
			return
		}
		c.errorf(x.At, diag.Undeclared, "no struct template is called %q", nameString(x.Name))
	case *syntax.FuncDecl:
		c.instantiateFunction(x)
	default:
		c.errorf(d.At, diag.Specialisation, "this cannot be instantiated")
	}
}

func (c *checker) instantiateFunction(d *syntax.FuncDecl) {
	e, ok := c.find(d.Name)
	if !ok {
		return
	}
	set, _ := functionsOf(e)
	if set == nil || len(set.templates) == 0 {
		c.errorf(d.At, diag.Undeclared, "no function template is called %q", nameString(d.Name))
		return
	}
	f, why := c.instantiated(d, set)
	if f == nil {
		c.errorf(d.At, diag.NoMatch, "no function template %q fits this instantiation%s", nameString(d.Name), why)
		return
	}
	if f.decl.Body == nil {
		c.errorf(d.At, diag.NoBody, "function template %q has no body to instantiate", nameString(d.Name))
		return
	}
	if !f.f.Kernel {
		c.body(f)
		return
	}
	if !f.checked {
		c.in(f.scope, func() { c.kernelSignature(f) })
		c.body(f)
		c.funcs = c.funcs[:len(c.funcs)-1] // its copies stand for it
		c.prog.Kernels = c.prog.Kernels[:len(c.prog.Kernels)-1]
	}
	k := *f.f
	c.funcAttrs(&k, d.Attrs)
	k.Pos = d.At
	c.hostName(&k)
	c.funcs = append(c.funcs, &k)
	c.prog.Kernels = append(c.prog.Kernels, &k)
}

// instantiated finds the instance that an explicit instantiation means.
func (c *checker) instantiated(d *syntax.FuncDecl, set *overloads) (*function, string) {
	var want *function
	if d.InstType != nil {
		q := c.resolve(d.InstType)
		ft, ok := q.typ.(*types.Func)
		if !ok {
			return nil, ""
		}
		var found *function
		for _, t := range set.templates {
			bound := c.deduce(t, d.Name.Last(), nil)
			if bound == nil {
				continue
			}
			f := c.instance(t, bound)
			if f == nil {
				continue
			}
			if types.Identical(f.typ(), ft) {
				found = f
			}
		}
		return found, ""
	}
	want = c.signature(stripped(d), nil)
	if want == nil {
		return nil, ""
	}
	for _, t := range set.templates {
		bound := c.matchSignature(t, d.Name.Last(), want)
		if bound == nil {
			continue
		}
		return c.instance(t, bound), ""
	}
	return nil, ""
}
