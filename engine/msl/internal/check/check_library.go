package check

import (
	"strconv"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// libraryFunc is one overload of a library function.
type libraryFunc struct {
	params []*Var // references for R and i
	ret    types.Type
}

// overloadsOf lists the overloads of a family for vectors as wide as the arguments.
func overloadsOf(shape sigShape, args []Expr) []*libraryFunc {
	w := shape.least
	for _, a := range args {
		if n := types.Width(a.Type()); n > 1 {
			w = max(w, n)
		}
	}
	if w > shape.most || len(args) > len(shape.params) || len(args) < len(shape.params)-shape.optional {
		return nil
	}
	var out []*libraryFunc
	for _, e := range shape.elems {
		f := &libraryFunc{ret: typeFor(shape.ret, e, w)}
		for i := range args {
			letter := shape.params[i]
			ref := letter == 'R' || letter == 'i'
			f.params = append(f.params, &Var{Type: typeFor(letter, e, w), Ref: ref})
		}
		out = append(out, f)
	}
	return out
}

// libraryMatch finds the one overload that fits the arguments best, nil if there is none.
func (c *checker) libraryMatch(lib *librarySet, args []Expr) (*libraryFunc, []rank) {
	shape, ok := sigShapes[builtinTable[lib.id].sig]
	if !ok {
		return nil, nil
	}
	cands := c.libraryCandidates(shape, args)
	for _, k := range cands {
		best := true
		for _, o := range cands {
			best = best && (o == k || c.better(k, o))
		}
		if best {
			return k.lib, k.ranks
		}
	}
	return nil, nil
}

func (c *checker) libraryCandidates(shape sigShape, args []Expr) []*candidate {
	var cands []*candidate
	for _, f := range overloadsOf(shape, args) {
		ranks := []rank{rankExact}
		for i, a := range args {
			r := c.argRank(a, f.params[i])
			if r == rankNone {
				ranks = nil
				break
			}
			ranks = append(ranks, r)
		}
		if ranks != nil {
			cands = append(cands, &candidate{lib: f, ranks: ranks})
		}
	}
	return cands
}

// callLibrary calls a function of the Metal library.
func (c *checker) callLibrary(at diag.Pos, lib *librarySet, args []Expr) Expr {
	if lib.private {
		return c.callPrivate(at, lib, args)
	}
	switch sig := builtinTable[lib.id].sig; sig {
	case sigBarrier:
		return c.barrier(at, lib, args)
	case sigAtomicLoad, sigAtomicStore, sigAtomicRMW, sigAtomicCAS, sigAtomicUpdate:
		return c.atomic(at, lib, sig, args)
	case sigFence:
		return c.fence(at, lib, args)
	case sigMatrix:
		return c.matrixFunction(at, lib.id, args)
	case sigSimdMatrix:
		return c.simdMatrixFunction(at, lib.id, args)
	}
	shape := sigShapes[builtinTable[lib.id].sig]
	f, _ := c.libraryMatch(lib, args)
	if f == nil {
		name := lib.id.String()
		if n := len(c.libraryCandidates(shape, args)); n > 0 {
			c.errorf(at, diag.Ambiguous, "call of %q with %s is ambiguous: convert the arguments to one type", name, argTypes(args))
		} else {
			c.errorf(at, diag.NoMatch, "no function %q takes %s", name, argTypes(args))
		}
		return c.bad(at)
	}
	vals := make([]Expr, len(args))
	for i, a := range args {
		vals[i] = c.bindArg(a, f.params[i])
		if isBad(vals[i]) {
			return c.bad(at)
		}
		if f.params[i].Ref {
			vals[i] = addressOf(a.Pos(), vals[i])
		}
	}
	return &CallBuiltin{node{at: at, typ: f.ret}, lib.id, lib.variant, vals}
}

// barrier checks threadgroup_barrier and simdgroup_barrier.
func (c *checker) barrier(at diag.Pos, lib *librarySet, args []Expr) Expr {
	if len(args) == 1 {
		x := c.rvalue(args[0])
		if k, ok := x.(*Const); ok && types.Identical(k.Type(), c.memFlags) {
			return &CallBuiltin{node{at: at, typ: types.Void}, lib.id, lib.variant, []Expr{k}}
		}
	}
	c.errorf(at, diag.NoMatch, "%q wants one constant of type mem_flags", lib.id)
	return c.bad(at)
}

// fence checks atomic_thread_fence(mem_flags, memory_order) and its form with a thread_scope.
func (c *checker) fence(at diag.Pos, lib *librarySet, args []Expr) Expr {
	wants := []string{"mem_flags", "memory_order", "thread_scope"}
	if len(args) == 2 || len(args) == 3 {
		flags := c.rvalue(args[0])
		ok := true
		for i, a := range args {
			e, isEnum := a.Type().(*types.Enum)
			ok = ok && isEnum && e.Name == wants[i]
		}
		if k, isConst := flags.(*Const); ok && isConst {
			return &CallBuiltin{node{at: at, typ: types.Void}, lib.id, lib.variant, []Expr{k}}
		}
	}
	c.errorf(at, diag.NoMatch, "%q wants constant mem_flags, a memory_order and perhaps a thread_scope, not %s", lib.id, argTypes(args))
	return c.bad(at)
}

// atomic checks the atomic functions. Memory orders must be relaxed: MSL documents no other.
func (c *checker) atomic(at diag.Pos, lib *librarySet, sig sigFamily, args []Expr) Expr {
	operands := map[sigFamily]int{sigAtomicLoad: 1, sigAtomicStore: 2, sigAtomicRMW: 2, sigAtomicUpdate: 2, sigAtomicCAS: 3}[sig]
	orders := 1
	if sig == sigAtomicCAS {
		orders = 2
	}
	if len(args) != operands+orders {
		c.errorf(at, diag.NoMatch, "%q got %d arguments, want %d", lib.id, len(args), operands+orders)
		return c.bad(at)
	}
	obj := c.rvalue(args[0])
	p, ok := obj.Type().(*types.Pointer)
	var elem *types.Scalar
	if ok {
		if a, isAtomic := p.Elem.(*types.Atomic); isAtomic {
			elem = a.Elem
		}
	}
	if elem == nil || p.Space != types.Device && p.Space != types.Threadgroup {
		if !isBad(obj) {
			c.errorf(args[0].Pos(), diag.NoMatch, "%q wants a pointer to an atomic in device or threadgroup memory, not %s", lib.id, obj.Type())
		}
		return c.bad(at)
	}
	if p.Const && sig != sigAtomicLoad {
		c.errorf(args[0].Pos(), diag.ConstViolation, "%q would change a const object", lib.id)
		return c.bad(at)
	}
	if !c.atomicAllowed(at, lib.id, elem) {
		return c.bad(at)
	}
	vals := []Expr{obj}
	for i := 1; i < operands; i++ {
		var x Expr
		if sig == sigAtomicCAS && i == 1 {
			x = c.convert(args[i], &types.Pointer{Elem: elem, Space: types.Thread})
		} else {
			x = c.convert(args[i], elem)
		}
		if isBad(x) {
			return c.bad(at)
		}
		vals = append(vals, x)
	}
	for _, o := range args[operands:] {
		k, isConst := c.rvalue(o).(*Const)
		if e, isEnum := o.Type().(*types.Enum); !isConst || !isEnum || e.Name != "memory_order" || k.Value.Bits != 0 {
			c.errorf(o.Pos(), diag.NoMatch, "%q wants memory_order_relaxed", lib.id)
			return c.bad(at)
		}
	}
	var ret types.Type = elem
	switch sig {
	case sigAtomicStore, sigAtomicUpdate:
		ret = types.Void
	case sigAtomicCAS:
		ret = types.Bool
	}
	return &CallBuiltin{node{at: at, typ: ret}, lib.id, lib.variant, vals}
}

// atomicAllowed reports an operation that MSL does not have for a type.
func (c *checker) atomicAllowed(at diag.Pos, f BuiltinFunc, elem *types.Scalar) bool {
	if elem == types.Bool {
		c.errorf(at, diag.UnsupportedType, "operations on atomic_bool are not supported")
		return false
	}
	ok := true
	switch f {
	case FnAtomicFetchAddExplicit, FnAtomicFetchSubExplicit:
		ok = elem == types.Int || elem == types.Uint || elem == types.Float
	case FnAtomicFetchMinExplicit, FnAtomicFetchMaxExplicit:
		ok = elem == types.Int || elem == types.Uint
	case FnAtomicMinExplicit, FnAtomicMaxExplicit:
		ok = elem == types.Ulong
	case FnAtomicFetchAndExplicit, FnAtomicFetchOrExplicit, FnAtomicFetchXorExplicit:
		ok = elem == types.Int || elem == types.Uint
	default:
		ok = elem != types.Ulong
	}
	if !ok {
		c.errorf(at, diag.NoMatch, "%q is not defined for atomic %s", f, elem)
	}
	return ok
}
