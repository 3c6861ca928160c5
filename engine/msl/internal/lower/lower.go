package lower

import (
	"fmt"
	"sort"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Constant is the value of a function constant, in register form.
type Constant struct {
	Type ir.Type
	Bits uint64
}

// Kernel lowers the kernel called name by the host. constants gives function constants by index; those that the kernel
// does not use may be missing.
func Kernel(prog *check.Program, name string, constants map[int]Constant) (f *ir.Func, err error) {
	return kernel(prog, name, constants, false)
}

// Observed lowers the kernel with probes that tell an observer what it computes. Variables that are declared without a value
// stand in memory, so that reading them too early shows.
func Observed(prog *check.Program, name string, constants map[int]Constant) (*ir.Func, error) {
	return kernel(prog, name, constants, true)
}

func kernel(prog *check.Program, name string, constants map[int]Constant, observed bool) (f *ir.Func, err error) {
	var k *check.Func
	for _, x := range prog.Kernels {
		if x.HostName == name {
			k = x
		}
	}
	if k == nil {
		return nil, fmt.Errorf("no kernel %q", name)
	}
	l := &lowerer{b: ir.NewBuilder(name), prog: prog, env: map[*check.Var]*place{}, roots: map[*check.Var]*ir.Root{}, known: map[*check.Var]check.Value{},
		lambdas: map[*check.Func]bool{}, indexes: map[*check.Var]bool{}, bytes: map[ir.Space]int{},
		failed: map[*check.Var]*diag.Error{}, taken: map[*check.Var]bool{}, scanned: map[*check.Func]bool{}, constants: constants}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(stop)
			if !ok {
				panic(r)
			}
			f, err = nil, e.err
		}
	}()
	if err := l.functionConstants(); err != nil {
		return nil, err
	}
	l.b.F.Observed = observed
	l.globals()
	l.kernel(k)
	l.layoutThreadgroup()
	f = ir.Optimize(l.b.F)
	if observed {
		f = ir.ProbeFloats(f)
	}
	return f, nil
}

// stop carries an error out of the recursion.
type stop struct{ err error }

// lowerer holds the state of one kernel.
type lowerer struct {
	b         *ir.Builder
	prog      *check.Program
	env       map[*check.Var]*place
	roots     map[*check.Var]*ir.Root // threadgroup variables and constant tables
	known     map[*check.Var]check.Value
	failed    map[*check.Var]*diag.Error // globals without a value
	taken     map[*check.Var]bool        // address taken
	scanned   map[*check.Func]bool
	lambdas   map[*check.Func]bool // whether a function is or calls a lambda
	constants map[int]Constant
	fn        *frame
	targets   []target
	indexing  int                 // depth of indices around
	assigning *check.Var          // the variable that a value is being computed for
	indexes   map[*check.Var]bool // variables that occur in an index
	copying   bool                // an aggregate is being loaded whole
	bytes     map[ir.Space]int    // kept so far
	calls     int                 // inlined so far
	lastRef   *place              // what the last call of a function returning a reference gave
}

// frame is a function being inlined.
type frame struct {
	f     *check.Func
	end   ir.Node   // block to leave on return; nil where return is the last thing anyway
	again ir.Node   // of a function that calls itself: the block to leave to start anew
	ret   []*ir.Var // leaves of the result
	refs  *place    // what a function returning a reference gave
	up    *frame
}

// target is a loop or switch around.
type target struct {
	brk, cont ir.Node
}

func (l *lowerer) fail(p diag.Pos, format string, args ...any) {
	panic(stop{diag.Errorf(p, diag.NotExecuted, format, args...)})
}

func position(p diag.Pos) ir.Pos {
	if !p.IsValid() {
		return ir.Pos{}
	}
	line, file := p.Presumed()
	return ir.Pos{File: file, Line: int32(line), Col: int32(p.Col)}
}

func (l *lowerer) at(p diag.Pos) { l.b.Pos = position(p) }

// functionConstants takes over the given values, checking their types.
func (l *lowerer) functionConstants() error {
	for _, v := range l.prog.FunctionConstants {
		c, ok := l.constants[v.FunctionConstant]
		if !ok {
			continue
		}
		if want := elemType(v.Type); c.Type != want {
			return fmt.Errorf("function constant %d (%q): value of type %s, want %s", v.FunctionConstant, v.Name, c.Type, want)
		}
		bits := ir.ToMemory(c.Type, c.Bits)
		l.known[v] = check.Value{Type: v.Type, Bits: ir.Extend(c.Type, bits)}
	}
	return nil
}

// globals computes the values that depend on function constants. A failure matters only if the kernel uses the global.
func (l *lowerer) globals() {
	for _, v := range l.prog.Globals {
		if v.FunctionConstant >= 0 || v.Init == nil {
			continue
		}
		if v.Value != nil {
			l.known[v] = *v.Value
			continue
		}
		if x, err := check.Evaluate(v.Init, l.known); err == nil {
			l.known[v] = x
		} else {
			l.failed[v] = err
		}
	}
}

// Limits of what one kernel may keep for a thread, and a threadgroup: far beyond any device's, and little enough to run here.
const (
	maxThreadBytes      = 256 << 10
	maxThreadgroupBytes = 1 << 20
	maxCalls            = 100000 // inlined, one inside the other counted too
)

// root adds an object.
func (l *lowerer) root(r *ir.Root) *ir.Root {
	if limit := map[ir.Space]int{ir.Thread: maxThreadBytes, ir.Threadgroup: maxThreadgroupBytes}[r.Space]; limit > 0 && r.Slot < 0 {
		if l.bytes[r.Space] += r.Bytes; l.bytes[r.Space] > limit {
			panic(stop{fmt.Errorf("%s: kernel %q keeps more than %d bytes of %s memory", r.Pos, l.b.F.Name, limit, r.Space)})
		}
	}
	r.Number = len(l.b.F.Roots)
	l.b.F.Roots = append(l.b.F.Roots, r)
	return r
}

// elem is the scalar type in which indices of messages count.
func elem(t types.Type) ir.Type {
	switch t := t.(type) {
	case *types.Array:
		return elem(t.Elem)
	case *types.Scalar, *types.Enum, *types.Atomic:
		return memType(elemType(t))
	case *types.Vector, *types.Matrix, *types.SimdMatrix:
		return memType(elemType(t))
	}
	return ir.Void
}

func align(t types.Type) int {
	if t == types.Type(types.Void) {
		return 1
	}
	return t.Align()
}

// kernel binds the parameters and lowers the body.
func (l *lowerer) kernel(k *check.Func) {
	b := l.b
	l.scan(k)
	l.fn = &frame{f: k, end: b.F.Body}
	for _, p := range k.Params {
		l.at(p.Pos)
		l.parameter(p)
	}
	l.stmts(k.Body.Stmts, true)
}

func (l *lowerer) parameter(p *check.Var) {
	b := l.b
	exists := true
	if w := p.Binding.When; w != nil {
		c, ok := l.known[w]
		if !ok {
			panic(stop{l.missing(w)})
		}
		exists = c.Bool()
	}
	switch p.Binding.Kind {
	case check.BindBuffer, check.BindThreadgroup:
		ptr, isPtr := p.Type.(*types.Pointer)
		what, sp, ro := p.Type, p.Space, p.Const
		if isPtr {
			what, sp, ro = ptr.Elem, ptr.Space, ptr.Const
		}
		var r *ir.Root
		if exists {
			r = l.root(&ir.Root{Name: p.Name, Space: space(sp), Slot: p.Binding.Index, ReadOnly: ro || sp == types.Constant, Bytes: -1, Align: align(what), Elem: elem(what), Pos: position(p.Pos)})
			if !isPtr {
				r.Bytes = what.Size()
			}
		}
		if !isPtr {
			if !exists { // reading it is a fault when it happens
				l.env[p] = &place{t: p.Type, addr: ir.Addr{RootNum: b.Const(ir.U32, ir.NullRoot), Off: b.ConstI(ir.I64, 0)}}
				return
			}
			l.env[p] = l.memoryPlace(r, p.Type)
			return
		}
		num := b.Const(ir.U32, ir.NullRoot)
		if exists {
			num = b.Const(ir.U32, uint64(r.Number))
		}
		l.local(p, []*ir.Value{num, b.ConstI(ir.I64, 0)})
	case check.BindBuiltin:
		l.local(p, l.builtin(p))
	default:
		l.fail(p.Pos, "kernel parameter %q has no binding", p.Name)
	}
}

// builtin computes a builtin input, converted to the parameter's type.
func (l *lowerer) builtin(p *check.Var) []*ir.Value {
	b := l.b
	vec := map[check.Builtin]ir.Builtin{
		check.ThreadPositionInGrid: ir.GridX, check.ThreadgroupPositionInGrid: ir.GroupX, check.ThreadPositionInThreadgroup: ir.ThreadX,
		check.ThreadsPerThreadgroup: ir.GroupSizeX, check.DispatchThreadsPerThreadgroup: ir.GroupSizeX, check.ThreadgroupsPerGrid: ir.NumGroupsX, check.ThreadsPerGrid: ir.GridSizeX,
	}
	t := elemType(p.Type)
	if k, ok := vec[p.Binding.Builtin]; ok {
		out := make([]*ir.Value, types.Width(p.Type))
		for i := range out {
			out[i] = b.Convert(b.Builtin(k+ir.Builtin(i)), t)
		}
		return out
	}
	four := b.Const(ir.U32, 4)
	var v *ir.Value
	switch p.Binding.Builtin {
	case check.ThreadIndexInThreadgroup:
		v = b.Builtin(ir.ThreadIndex)
	case check.ThreadIndexInSimdgroup:
		v = b.Builtin(ir.Lane)
	case check.SimdgroupIndexInThreadgroup:
		v = b.Builtin(ir.SimdgroupIndex)
	case check.SimdgroupsPerThreadgroup, check.DispatchSimdgroupsPerThreadgroup:
		v = b.Builtin(ir.NumSimdgroups)
	case check.ThreadsPerSimdgroup, check.ThreadExecutionWidth:
		v = b.Builtin(ir.SimdgroupSize)
	case check.ThreadIndexInQuadgroup:
		v = b.Op(ir.OpRem, ir.U32, b.Builtin(ir.Lane), four)
	case check.QuadgroupIndexInThreadgroup:
		v = b.Op(ir.OpDiv, ir.U32, b.Builtin(ir.ThreadIndex), four)
	case check.QuadgroupsPerThreadgroup, check.DispatchQuadgroupsPerThreadgroup:
		n := b.Op(ir.OpMul, ir.U32, b.Op(ir.OpMul, ir.U32, b.Builtin(ir.GroupSizeX), b.Builtin(ir.GroupSizeY)), b.Builtin(ir.GroupSizeZ))
		v = b.Op(ir.OpDiv, ir.U32, b.Op(ir.OpAdd, ir.U32, n, b.Const(ir.U32, 3)), four)
	default:
		l.fail(p.Pos, "builtin %s", p.Binding.Builtin)
	}
	return []*ir.Value{b.Convert(v, t)}
}

// missing is the error for a function constant without a value.
func (l *lowerer) missing(v *check.Var) error {
	return fmt.Errorf("kernel %q: function constant %d (%q) has no value", l.b.F.Name, v.FunctionConstant, v.Name)
}

// missingBehind finds the function constant that keeps a global from having a value.
func (l *lowerer) missingBehind(v *check.Var) error {
	var found *check.Var
	check.VisitExpr(v.Init, func(e check.Expr) {
		if r, ok := e.(*check.VarRef); ok && found == nil {
			if _, ok := l.known[r.Var]; !ok && r.Var.FunctionConstant >= 0 {
				found = r.Var
			}
		}
	})
	if found != nil {
		return l.missing(found)
	}
	check.VisitExpr(v.Init, func(e check.Expr) {
		if r, ok := e.(*check.VarRef); ok && l.failed[r.Var] != nil && r.Var != v {
			found = r.Var
		}
	})
	if found != nil {
		return l.missingBehind(found)
	}
	return l.failed[v]
}

// layoutThreadgroup places the threadgroup variables, the most strictly aligned first, so that nothing is wasted between.
func (l *lowerer) layoutThreadgroup() {
	var list []*ir.Root
	for _, r := range l.b.F.Roots {
		if r.Space == ir.Threadgroup && r.Slot < 0 {
			list = append(list, r)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Align > list[j].Align })
	off := 0
	for _, r := range list {
		off = (off + r.Align - 1) &^ (r.Align - 1)
		r.Start = off
		off += r.Bytes
	}
	l.b.F.ThreadgroupBytes = (off + 15) &^ 15
}
