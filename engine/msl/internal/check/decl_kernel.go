package check

import (
	"strconv"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Argument slots of a kernel.
const (
	maxBuffers           = 31
	maxThreadgroupSlots  = 31
	maxFunctionConstants = 65536
)

var builtinByName = func() map[string]Builtin {
	m := map[string]Builtin{}
	for b, name := range builtinNames {
		m[name] = Builtin(b)
	}
	return m
}()

// kernelSignature checks a kernel's return type and parameters and gives each its binding.
func (c *checker) kernelSignature(f *function) {
	fn, d := f.f, f.decl
	fn.HostName = d.Name.Last().Ident
	if !types.IsVoid(fn.Ret) && !types.IsInvalid(orInvalid(fn.Ret)) {
		c.errorf(d.At, diag.BadKernel, "kernel %q returns %s, want void", fn.Name, fn.Ret)
	}
	if f.class != nil {
		c.errorf(d.At, diag.BadKernel, "a kernel cannot be a member of a struct")
	}
	c.funcAttrs(fn, d.Attrs)
	if d.Body != nil || f.fromPrimary {
		c.bind(f)
	}
}

// hostName reports a second kernel of one name.
func (c *checker) hostName(fn *Func) {
	if at, taken := c.hostNames[fn.HostName]; taken {
		c.errorf(fn.Pos, diag.Redeclared, "a kernel is called %q already, at %s", fn.HostName, at)
		return
	}
	c.hostNames[fn.HostName] = fn.Pos
}

// funcAttrs reads the attributes of a function.
func (c *checker) funcAttrs(fn *Func, attrs []syntax.Attr) {
	for i := range attrs {
		a := &attrs[i]
		switch a.Name {
		case "host_name":
			if lit, ok := attrString(a); ok {
				fn.HostName = lit
			} else {
				c.errorf(a.At, diag.BadAttributeArg, "host_name wants a string")
			}
		case "max_total_threads_per_threadgroup":
			if n, ok := c.attrInt(a, 1024); ok {
				fn.MaxThreads = n
			}
		case "kernel", "always_inline", "noinline", "flatten", "clang::always_inline", "clang::noinline", "gnu::always_inline", "maybe_unused", "unused", "nodiscard", "optnone":
		default:
			c.errorf(a.At, diag.UnknownAttribute, "unknown attribute %q of a function", a.Name)
		}
	}
}

// attrString returns the string argument of an attribute.
func attrString(a *syntax.Attr) (string, bool) {
	if len(a.Args) != 1 {
		return "", false
	}
	lit, ok := a.Args[0].(*syntax.Literal)
	if !ok || lit.Kind != syntax.String {
		return "", false
	}
	s, err := strconv.Unquote(lit.Text)
	return s, err == nil
}

// attrInt returns the one argument of an attribute, from 0 up to and without limit.
func (c *checker) attrInt(a *syntax.Attr, limit int64) (int, bool) {
	if len(a.Args) != 1 {
		c.errorf(a.At, diag.BadAttributeArg, "attribute %q wants one number", a.Name)
		return 0, false
	}
	n, ok := c.constInt(a.Args[0], "an attribute's argument")
	if ok && (n < 0 || n >= limit && !(a.Name == "max_total_threads_per_threadgroup" && n == limit)) {
		c.errorf(a.At, diag.BadAttributeArg, "attribute %q got %d, want 0 to %d", a.Name, n, limit-1)
		ok = false
	}
	return int(n), ok
}

// bind gives every parameter of a kernel its binding. A buffer without an index takes the lowest that no other names.
func (c *checker) bind(f *function) {
	used := map[BindingKind]map[int]*Var{BindBuffer: {}, BindThreadgroup: {}}
	var late []*Var
	for i, v := range f.f.Params {
		if types.IsInvalid(v.Type) {
			continue
		}
		explicit := c.bindParam(v, f.decl.Params[min(i, len(f.decl.Params)-1)].Attrs)
		slots := used[v.Binding.Kind]
		switch {
		case slots == nil:
		case !explicit:
			late = append(late, v)
		case slots[v.Binding.Index] != nil:
			c.errorf(v.Pos, diag.BadBinding, "parameter %q takes slot %d, which is %q's", v.Name, v.Binding.Index, slots[v.Binding.Index].Name)
		default:
			slots[v.Binding.Index] = v
		}
	}
	for _, v := range late {
		slots := used[v.Binding.Kind]
		for slots[v.Binding.Index] != nil {
			v.Binding.Index++
		}
		if v.Binding.Index >= maxBuffers {
			c.errorf(v.Pos, diag.BadBinding, "parameter %q has no slot left of %d", v.Name, maxBuffers)
		}
		slots[v.Binding.Index] = v
	}
}

// bindParam sets the binding of one parameter; explicit says that its slot is written.
func (c *checker) bindParam(v *Var, attrs []syntax.Attr) (explicit bool) {
	space, pointer := v.Space, v.Ref
	if p, ok := v.Type.(*types.Pointer); ok && !v.Ref {
		space, pointer = p.Space, true
	}
	if pointer {
		switch space {
		case types.Device, types.Constant:
			v.Binding.Kind = BindBuffer
		case types.Threadgroup:
			v.Binding.Kind = BindThreadgroup
		default:
			c.errorf(v.Pos, diag.BadKernelParam, "kernel parameter %q points at the thread address space", v.Name)
			return false
		}
		c.bufferType(v)
	}
	for i := range attrs {
		a := &attrs[i]
		builtin, isBuiltin := builtinByName[a.Name]
		switch {
		case a.Name == "buffer", a.Name == "threadgroup":
			want := BindBuffer
			if a.Name == "threadgroup" {
				want = BindThreadgroup
			}
			n, ok := c.attrInt(a, maxBuffers)
			if !pointer || v.Binding.Kind != want {
				c.errorf(a.At, diag.BadBinding, "attribute %q does not fit kernel parameter %q", a.Name, v.Name)
				ok = false
			}
			if ok {
				v.Binding.Index, explicit = n, true
			}
		case isBuiltin:
			if pointer || v.Binding.Kind != BindNone {
				c.errorf(a.At, diag.BadBinding, "attribute %q does not fit kernel parameter %q", a.Name, v.Name)
				continue
			}
			v.Binding = Binding{Kind: BindBuiltin, Builtin: builtin, When: v.Binding.When}
			c.builtinType(v, builtin)
		case a.Name == "function_constant":
			c.whenConstant(v, a)
		case a.Name == "maybe_unused":
		default:
			c.errorf(a.At, diag.UnknownAttribute, "unknown attribute %q of a kernel parameter", a.Name)
		}
	}
	if v.Binding.Kind == BindNone {
		c.errorf(v.Pos, diag.BadKernelParam, "kernel parameter %q of type %s is no pointer or reference and has no attribute that says what it is", v.Name, v.Type)
	}
	return explicit
}

// bufferType refuses types that cannot lie in a buffer.
func (c *checker) bufferType(v *Var) {
	t := v.Type
	if !v.Ref {
		t = t.(*types.Pointer).Elem
	}
	if holdsPointer(t) {
		c.errorf(v.Pos, diag.BadKernelParam, "kernel parameter %q points at pointers: argument buffers are not supported", v.Name)
		return
	}
	if v.Ref {
		c.complete(v.Pos, t)
	}
}

func holdsPointer(t types.Type) bool {
	switch t := t.(type) {
	case *types.Pointer:
		return true
	case *types.Array:
		return holdsPointer(t.Elem)
	case *types.Struct:
		for i := range t.Fields {
			if holdsPointer(t.Fields[i].Type) {
				return true
			}
		}
	}
	return false
}

// whenConstant reads [[function_constant(NAME)]] on a parameter.
func (c *checker) whenConstant(v *Var, a *syntax.Attr) {
	if len(a.Args) == 1 {
		if ref, ok := c.expr(a.Args[0]).(*VarRef); ok && ref.Var.Global && ref.Var.Value == nil && ref.Var.Type == types.Type(types.Bool) {
			v.Binding.When = ref.Var
			return
		}
	}
	c.errorf(a.At, diag.BadAttributeArg, "function_constant on a parameter wants the name of a bool function constant")
}

// builtinType checks the type of a builtin input: ushort or uint, or up to three of them.
func (c *checker) builtinType(v *Var, b Builtin) {
	s := types.ScalarOf(v.Type)
	_, isEnum := v.Type.(*types.Enum)
	n := types.Width(v.Type)
	if vec, ok := v.Type.(*types.Vector); s == nil || isEnum || ok && vec.Packed() || s != types.Uint && s != types.Ushort && s != types.Ulong || n > 3 || n > 1 && !b.IsVector() {
		want := "ushort or uint"
		if b.IsVector() {
			want = "ushort or uint or a 2- or 3-vector of one"
		}
		c.errorf(v.Pos, diag.BadKernelParam, "%s %q is of type %s, want %s", b, v.Name, v.Type, want)
	}
}

// functionConstant reads the attributes of a program-scope variable and returns the index of a function constant, -1 for
// none.
func (c *checker) functionConstant(d *syntax.VarDecl) int {
	index := -1
	for i := range d.Attrs {
		a := &d.Attrs[i]
		switch a.Name {
		case "function_constant":
			if n, ok := c.attrInt(a, maxFunctionConstants); ok {
				index = n
			}
		case "maybe_unused", "unused":
		default:
			c.errorf(a.At, diag.UnknownAttribute, "unknown attribute %q of a variable", a.Name)
		}
	}
	return index
}
