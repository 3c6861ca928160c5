package check

import (
	"fmt"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Since every call is inlined, a lambda need not carry what it captures: its body names the variables around it, or, for
// what is captured by value, hidden variables that the lambda expression sets. The lambda itself is a struct without
// fields whose operator() is that body.

// lambda checks a lambda expression.
func (c *checker) lambda(e *syntax.Lambda) Expr {
	if c.fn == nil {
		c.errorf(e.At, diag.Lambda, "a lambda stands in a function")
		return c.bad(e.At)
	}
	line := e.At.Line
	t := &types.Struct{Name: fmt.Sprintf("%s::lambda%d", c.fn.f.f.Name, line)}
	t.Complete(nil)
	out := &Closure{node: node{at: e.At, typ: t}}
	inner := newScope(c.scope)
	inner.wall = e.Default == ""
	for _, k := range e.Captures {
		if k.Name == "this" {
			continue
		}
		if _, twice := inner.names[k.Name]; twice {
			c.errorf(k.At, diag.Redeclared, "%q is captured twice", k.Name)
			continue
		}
		v := c.capture(k)
		if v == nil {
			return c.bad(e.At)
		}
		inner.names[k.Name] = v
		if !k.Ref || k.Init != nil {
			v.Const = v.Const || !e.Mutable && !k.Ref
			out.Vars = append(out.Vars, v)
		}
	}
	if e.Default == "=" {
		inner.copies = &lambdaCopies{c: c, closure: out, mutable: e.Mutable}
	}
	c.closureCall(e, t, inner)
	return out
}

// capture is the variable that a capture stands for in the body: the one captured by reference, or a copy.
func (c *checker) capture(k syntax.Capture) *Var {
	if k.Init != nil {
		t := syntax.Type(&syntax.AutoType{At: k.At})
		if k.Ref {
			t = &syntax.RefType{At: k.At, Elem: t}
		}
		v := &Var{Name: k.Name, Pos: k.At, FunctionConstant: -1, Type: types.Invalid}
		c.initAuto(v, c.resolve(t), &syntax.VarDecl{At: k.At, Name: k.Name, Type: t, Kind: syntax.InitAssign, Init: k.Init})
		v.Ref = k.Ref
		if types.IsInvalid(v.Type) {
			return nil
		}
		return v
	}
	v, ok := c.scope.lookup(k.Name).(*Var)
	if !ok || v.Global {
		c.errorf(k.At, diag.Lambda, "%q is no variable that a lambda can capture", k.Name)
		return nil
	}
	if k.Ref {
		return v
	}
	return c.copyOf(k.At, v)
}

// copyOf makes the hidden copy of a variable captured by value; nil if it cannot be copied.
func (c *checker) copyOf(at diag.Pos, v *Var) *Var {
	if v.Space == types.Threadgroup && !v.Ref {
		return v // threadgroup variables are not captured: there is one
	}
	if _, isArray := v.Type.(*types.Array); isArray {
		return &Var{Name: v.Name, Type: v.Type, Pos: at, FunctionConstant: -1, Init: &Load{node{at: at, typ: v.Type}, varRef(at, v)}}
	}
	x := c.rvalue(varRef(at, v))
	if isBad(x) {
		return nil
	}
	return &Var{Name: v.Name, Type: v.Type, Pos: at, FunctionConstant: -1, Init: x, Value: v.Value}
}

// lambdaCopies makes the copies of a lambda whose default is to capture by value, when the body first names a variable.
type lambdaCopies struct {
	c       *checker
	closure *Closure
	mutable bool
	made    map[*Var]*Var
}

func (l *lambdaCopies) of(v *Var) *Var {
	if v.Global || v.Value != nil {
		return v
	}
	if k := l.made[v]; k != nil {
		return k
	}
	k := l.c.copyOf(v.Pos, v)
	if k == nil || k == v {
		return v
	}
	k.Const = k.Const || !l.mutable
	if l.made == nil {
		l.made = map[*Var]*Var{}
	}
	l.made[v] = k
	l.closure.Vars = append(l.closure.Vars, k)
	return k
}

// closureCall declares operator() of a lambda: a function, or a template if a parameter is auto.
func (c *checker) closureCall(e *syntax.Lambda, t *types.Struct, inner *scope) {
	cl := c.classOf(t)
	cl.scope.outer = inner
	cl.scope.block = true
	cl.scope.class = nil
	cl.scope.path = t.Name + "::"
	d := &syntax.FuncDecl{At: e.At, Name: &syntax.Name{At: e.At, Parts: []syntax.NamePart{{At: e.At, Ident: "operator()"}}}, Ret: e.Ret, Body: e.Body,
		Specs: syntax.Specs{Static: true, Constexpr: true}}
	if d.Ret == nil {
		d.Ret = &syntax.AutoType{At: e.At}
	}
	var params []syntax.TemplateParam
	for i, p := range e.Params {
		q := *p
		if typ, ok := withoutAuto(p.Type, fmt.Sprintf("auto:%d", i)); ok {
			q.Type = typ
			params = append(params, syntax.TemplateParam{At: p.At, Name: fmt.Sprintf("auto:%d", i)})
		}
		d.Params = append(d.Params, &q)
	}
	set := &overloads{}
	cl.scope.names["operator()"] = set
	c.in(cl.scope, func() {
		if params != nil {
			tmpl := c.newTemplate(&syntax.TemplateDecl{At: e.At, Params: params, Decl: d}, d)
			tmpl.lambda = c.fn
			set.templates = append(set.templates, tmpl)
			return
		}
		f := c.signature(d, nil)
		if f == nil {
			return
		}
		f.lambda, f.f.Lambda = c.fn, true
		set.funcs = append(set.funcs, f)
		c.body(f)
	})
}

// withoutAuto replaces auto in a type by a template parameter's name; ok is false if there is none.
func withoutAuto(t syntax.Type, name string) (syntax.Type, bool) {
	switch t := t.(type) {
	case *syntax.AutoType:
		return &syntax.NamedType{At: t.At, Quals: t.Quals, Name: &syntax.Name{At: t.At, Parts: []syntax.NamePart{{At: t.At, Ident: name}}}}, true
	case *syntax.RefType:
		if e, ok := withoutAuto(t.Elem, name); ok {
			u := *t
			u.Elem = e
			return &u, true
		}
	case *syntax.PointerType:
		if e, ok := withoutAuto(t.Elem, name); ok {
			u := *t
			u.Elem = e
			return &u, true
		}
	}
	return t, false
}
