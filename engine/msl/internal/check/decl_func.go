package check

import (
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// function is a declared function: the Func that calls refer to, and what is needed to check its body.
type function struct {
	f     *Func
	decl  *syntax.FuncDecl
	scope *scope // where its names are looked up

	class    *types.Struct // of a member
	hasThis  bool          // f.Params[0] is this
	ctor     bool
	explicit bool
	conv     bool // a conversion function
	deleted  bool
	packAt   int // index in f.Params where the elements of a parameter pack start, -1 for none
	packLen  int

	defaults []syntax.Expr // of each parameter but this; nil for none
	autoRet  bool

	contractOff bool
	hasBody     bool
	checked     bool
	checking    bool
	fromPrimary bool // an instance of a template
	args        []templateArg
	special     bool // a member function specialised for one instance of its struct

	lambda *funcState // of a lambda's operator(): the function around it
}

// params are the parameters a caller gives arguments for.
func (f *function) params() []*Var {
	if f.hasThis {
		return f.f.Params[1:]
	}
	return f.f.Params
}

// least is the number of arguments that have no default.
func (f *function) least() int {
	n := len(f.defaults)
	for n > 0 && f.defaults[n-1] != nil {
		n--
	}
	return n
}

// funcDecl declares a function that is no template and checks its body.
func (c *checker) funcDecl(d *syntax.FuncDecl) {
	if d.Stage != "" {
		c.errorf(d.At, diag.NotCompute, "%s functions are not supported: this is a compute front end", d.Stage)
		return
	}
	if len(d.Name.Parts) > 1 {
		c.memberDefinition(d)
		return
	}
	if d.Name.Last().HasArgs {
		c.errorf(d.At, diag.BadTemplateArgs, "a function with template arguments is declared after template <>")
		return
	}
	f := c.signature(d, nil)
	if f == nil {
		return
	}
	f = c.addFunction(d.At, d.Name.Last().Ident, f)
	if f != nil && d.Body != nil {
		c.body(f)
	}
}

// addFunction adds f to the overloads of its name. A function with the same parameters is the same function: it is
// returned, with f's body if f has one.
func (c *checker) addFunction(pos diag.Pos, name string, f *function) *function {
	set, ok := c.declared(name)
	if !ok {
		set = &overloads{}
		hidden, isType := c.scope.names[name].(*typeName)
		switch {
		case isType && isTagged(hidden.q.typ): // found from now on as struct NAME only
			set.hidden = hidden
			c.scope.names[name] = set
		case c.scope.names[name] != nil && !c.isLibrary(c.scope.names[name]):
			c.errorf(pos, diag.Redeclared, "%q is declared already in this scope, and not as a function", name)
			return nil
		default:
			c.scope.names[name] = merge(c.scope.names[name], set)
		}
	}
	for _, old := range set.funcs {
		if !sameParams(old, f) {
			continue
		}
		if !types.Identical(old.f.Ret, f.f.Ret) && !f.autoRet && !old.autoRet {
			c.errorf(pos, diag.Redeclared, "%q differs from its earlier declaration only in what it returns: %s, before %s", name, f.f.Ret, old.f.Ret)
			return nil
		}
		if old.hasBody && f.hasBody {
			c.errorf(pos, diag.Redeclared, "%q is defined already with these parameters", name)
			return nil
		}
		if f.hasBody {
			for i, d := range old.defaults {
				if f.defaults[i] == nil {
					f.defaults[i] = d
				}
			}
			to := old.f
			*to = *f.f
			f.f = to
			*old = *f
		}
		return old
	}
	set.funcs = append(set.funcs, f)
	return f
}

// declared is the set of the program's functions of a name in the current scope, alone or beside the library's.
func (c *checker) declared(name string) (*overloads, bool) {
	switch e := c.scope.names[name].(type) {
	case *overloads:
		return e, true
	case *mixed:
		return e.user, true
	}
	return nil, false
}

// isTagged reports the types that struct NAME, union NAME or enum NAME can mean.
func isTagged(t types.Type) bool {
	switch t.(type) {
	case *types.Struct, *types.Enum:
		return true
	}
	return false
}

func (c *checker) isLibrary(e entity) bool {
	switch e.(type) {
	case *librarySet, *mixed:
		return true
	}
	return false
}

func sameParams(a, b *function) bool {
	if len(a.f.Params) != len(b.f.Params) || a.hasThis != b.hasThis {
		return false
	}
	for i, p := range a.f.Params {
		q := b.f.Params[i]
		if p.Ref != q.Ref || !types.Identical(p.Type, q.Type) || p.Ref && (p.Space != q.Space || p.Const != q.Const) {
			return false
		}
	}
	return true
}

// signature makes a function of its declaration, in the current scope; class is that of a member. nil after a mistake
// that leaves nothing to call.
func (c *checker) signature(d *syntax.FuncDecl, class *types.Struct) *function {
	name := d.Name.Last().Ident
	f := &function{decl: d, scope: c.scope, class: class, explicit: d.Specs.Explicit, hasBody: d.Body != nil,
		contractOff: c.contractOff, packAt: -1, deleted: d.Deleted, ctor: d.Ctor}
	fn := &Func{Name: c.scope.path + name, Pos: d.At, Constexpr: d.Specs.Constexpr, Kernel: d.Kernel}
	f.f = fn
	ok := true
	if class != nil && !d.Specs.Static && !d.Ctor {
		q := qual{}.with(d.This)
		fn.Params = append(fn.Params, &Var{Name: "this", Type: class, Ref: true, Space: q.space, Const: q.isConst, Pos: d.At, FunctionConstant: -1})
		f.hasThis = true
	}
	for _, p := range d.Params {
		if pack, isPack := p.Type.(*syntax.PackType); isPack {
			ok = c.packParams(f, p, pack) && ok
			continue
		}
		v := c.param(p, d.Kernel)
		ok = ok && v != nil
		if v == nil {
			v = &Var{Name: p.Name, Type: types.Invalid, Pos: p.At, FunctionConstant: -1}
		}
		fn.Params = append(fn.Params, v)
		var def syntax.Expr
		if p.Kind == syntax.InitAssign {
			def = p.Init
		} else if n := len(f.defaults); n > 0 && f.defaults[n-1] != nil {
			c.errorf(p.At, diag.BadDefault, "parameter %q needs a default: the one before it has one", p.Name)
		}
		f.defaults = append(f.defaults, def)
	}
	ok = c.returnType(f) && ok
	if d.Kernel {
		c.kernelSignature(f)
	}
	if !ok {
		if d.Body != nil && (class == nil || class.IsComplete()) { // still report what is wrong inside
			fn.Ret = orInvalid(fn.Ret)
			c.body(f)
		}
		return nil
	}
	return f
}

func orInvalid(t types.Type) types.Type {
	if t == nil {
		return types.Invalid
	}
	return t
}

func (c *checker) returnType(f *function) bool {
	d, fn := f.decl, f.f
	switch {
	case d.Ctor:
		fn.Ret = f.class
		return true
	case d.Conv != nil:
		f.conv = true
		fn.Ret = c.valueType(d.Conv)
		fn.Name += " " + fn.Ret.String()
		return !types.IsInvalid(fn.Ret)
	}
	q := c.resolve(d.Ret)
	fn.Ret = q.typ
	switch {
	case q.auto:
		f.autoRet = true
		if d.Body == nil {
			c.errorf(d.At, diag.BadAuto, "a function that returns auto needs its body here")
			return false
		}
		fn.Ret = types.Invalid
		return true
	case types.IsInvalid(q.typ):
		return false
	case q.ref:
		if !q.hasSpace || q.rvalue {
			c.errorf(d.Ret.Pos(), diag.NoAddressSpace, "reference to %s needs an address space: device, constant, threadgroup or thread", q.typ)
			return false
		}
		fn.RetRef, fn.RetSpace, fn.RetConst = true, q.space, q.isConst
	}
	switch q.typ.(type) {
	case *types.Array, *types.Func, *types.Atomic:
		if !q.ref {
			c.errorf(d.Ret.Pos(), diag.BadReturnType, "a function cannot return %s", q.typ)
			return false
		}
	}
	return true
}

// param makes a parameter. Arrays become pointers to their first element.
func (c *checker) param(p *syntax.VarDecl, kernel bool) *Var {
	return c.paramOf(p, c.resolve(p.Type))
}

func (c *checker) paramOf(p *syntax.VarDecl, q qual) *Var {
	v := &Var{Name: p.Name, Pos: p.At, FunctionConstant: -1}
	if q.auto {
		c.errorf(p.At, diag.BadAuto, "a parameter cannot be auto")
		return nil
	}
	if types.IsInvalid(q.typ) {
		return nil
	}
	if a, ok := q.typ.(*types.Array); ok && !q.ref {
		if !q.hasSpace { // an array that names no address space is one of the thread
			q.space, q.hasSpace = types.Thread, true
		}
		p := c.pointerTo(p.At, qual{typ: a.Elem, isConst: q.isConst, space: q.space, hasSpace: q.hasSpace, volatile: q.volatile})
		if types.IsInvalid(p.typ) {
			return nil
		}
		v.Type = p.typ
		return v
	}
	switch {
	case types.IsVoid(q.typ):
		c.errorf(p.At, diag.BadVariable, "a parameter cannot be void")
		return nil
	case isFuncType(q.typ):
		c.errorf(p.At, diag.FunctionPointer, "pointers to functions are not supported: parameter %q is %s", p.Name, q.typ)
		return nil
	case q.ref && q.rvalue:
		c.errorf(p.At, diag.RValueReference, "rvalue references are not supported")
		return nil
	case q.ref && !q.hasSpace:
		c.errorf(p.At, diag.NoAddressSpace, "reference to %s needs an address space: device, constant, threadgroup or thread", q.typ)
		return nil
	case !q.ref && q.hasSpace && q.space != types.Thread:
		c.errorf(p.At, diag.BadSpace, "a parameter of type %s cannot be in the %s address space; pass a pointer or a reference", q.typ, q.space)
		return nil
	}
	if !q.ref && types.HasAtomic(q.typ) {
		c.errorf(p.At, diag.BadVariable, "a parameter cannot be of type %s: atomics are not copied", q.typ)
		return nil
	}
	v.Type, v.Ref, v.Const = q.typ, q.ref, q.isConst
	if q.ref {
		v.Space = q.space
	}
	return v
}

// body checks the body of f once.
func (c *checker) body(f *function) {
	if f.checked || f.checking || f.decl.Body == nil && !f.ctor {
		return
	}
	if f.class != nil && !f.class.IsComplete() {
		c.errorf(f.f.Pos, diag.Incomplete, "%q is called before %s is defined", f.f.Name, f.class)
		return
	}
	f.checking = true
	c.deeper(f.f.Pos)
	outerFn, outerScope, contract, outerSink, dead := c.fn, c.scope, c.contractOff, c.sink, c.dead
	c.dead = 0
	c.sink = c.base // a mistake in a body is one, also if a deduction asked for it
	defer func() {
		c.fn, c.scope, c.contractOff, c.sink, c.dead = outerFn, outerScope, contract, outerSink, dead
		c.depth--
		f.checking, f.checked = false, true
	}()
	c.contractOff = f.contractOff
	c.scope = newScope(f.scope)
	c.scope.block = true
	c.fn = &funcState{f: f, autoRet: f.autoRet}
	if f.lambda != nil {
		c.fn.this = f.lambda.this
		f.f.Lambda = true
	}
	for i, v := range f.f.Params {
		if f.hasThis && i == 0 {
			c.fn.this = v
			continue
		}
		if f.packAt >= 0 && i >= f.packAt && i < f.packAt+f.packLen {
			continue
		}
		if !v.Ref {
			c.complete(v.Pos, v.Type)
		}
		c.declare(v.Pos, v.Name, v)
	}
	if f.f.Ret != nil && !f.f.RetRef && !f.ctor {
		c.complete(f.f.Pos, f.f.Ret)
	}
	if f.packAt >= 0 {
		c.declarePack(f)
	}
	fn := f.f
	if f.ctor {
		fn.Body = c.constructorBody(f)
	} else {
		fn.Body = &Block{At: f.decl.Body.At}
		contractOff := c.leadingContract(f.decl.Body)
		fn.ContractOff = contractOff
		c.stmts(f.decl.Body.Stmts, &fn.Body.Stmts)
	}
	if f.autoRet && !c.fn.retSet {
		fn.Ret = types.Void
	}
	f.autoRet = false
	c.funcs = append(c.funcs, fn)
	if fn.Kernel {
		c.prog.Kernels = append(c.prog.Kernels, fn)
		if !f.fromPrimary {
			c.hostName(fn)
		}
	}
}

// leadingContract returns whether contraction is off in a body: by a pragma at its start, else as outside.
func (c *checker) leadingContract(b *syntax.Block) bool {
	off := c.contractOff
	for _, s := range b.Stmts {
		d, ok := s.(*syntax.DeclStmt)
		if !ok {
			break
		}
		p, ok := d.Decls[0].(*syntax.PragmaDecl)
		if !ok {
			break
		}
		if on, ok := contractPragma(p.Text); ok {
			off = !on
		}
	}
	return off
}

// contractPragma reads the pragmas about contraction.
func contractPragma(text string) (on, ok bool) {
	f := strings.Fields(text)
	switch {
	case len(f) == 6 && (f[0] == "METAL" || f[0] == "clang") && f[1] == "fp" && f[2] == "contract" && f[3] == "(" && f[5] == ")":
		switch f[4] {
		case "off":
			return false, true
		case "on", "fast":
			return true, true
		}
	case len(f) == 3 && f[0] == "STDC" && f[1] == "FP_CONTRACT":
		return f[2] != "OFF", true
	}
	return false, false
}

// pragma checks a pragma that is no loop's. ok says it is about contraction.
func (c *checker) pragma(d *syntax.PragmaDecl) (on, ok bool) {
	if on, ok = contractPragma(d.Text); ok {
		return on, ok
	}
	f := strings.Fields(d.Text)
	if len(f) > 0 && f[0] == "METAL" {
		mode := len(f) == 6 && f[1] == "fp" && f[2] == "math_mode" && (f[4] == "safe" || f[4] == "relaxed" || f[4] == "fast")
		precise := len(f) == 6 && f[1] == "fp" && f[2] == "math_floating_point_functions" && (f[4] == "precise" || f[4] == "fast")
		if !mode && !precise && !(len(f) > 1 && f[1] == "internals") {
			c.errorf(d.At, diag.UnknownPragma, "unknown pragma \"METAL %s\"", strings.Join(f[1:], " "))
		}
	}
	return false, false
}
