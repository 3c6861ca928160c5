package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// The Metal library is written with functions of the compiler's own whose names start with __metal_. Public headers that
// add forms for bfloat to the library call them too. Each is the library function of the same name; those that come in
// a fast and a precise form take a last argument that says which: one of the macros below.
const privatePrefix = "__metal_"

// The values of the macros are ours: only these names are used.
var privateModes = map[string]Variant{
	"__METAL_MAYBE_FAST_MATH__": VariantDefault, "__METAL_PRECISE_MATH__": VariantPrecise, "__METAL_FAST_MATH__": VariantFast,
}

// privateNames are those that have no library function of the same name.
var privateNames = map[string]BuiltinFunc{
	"__metal_get_simdgroup_size":            FnSimdgroupSize,
	"__metal_get_thread_index_in_simdgroup": FnThreadIndexInSimdgroup,
	"__builtin_ctz":                         FnCtz,
	"__builtin_clz":                         FnClz,
	"__builtin_popcount":                    FnPopcount,
}

// privateLibrary declares the private functions.
func (c *checker) privateLibrary() {
	for name, v := range privateModes {
		c.global.names[name] = &constName{IntValue(types.Int, int64(v))}
	}
	for name, id := range privateNames {
		c.global.names[name] = &librarySet{id: id, private: true}
	}
	for id, row := range builtinTable {
		if _, ok := sigShapes[row.sig]; ok {
			c.global.names[privatePrefix+row.name] = &librarySet{id: BuiltinFunc(id), private: true}
		}
	}
}

// callPrivate calls a private function.
func (c *checker) callPrivate(at diag.Pos, lib *librarySet, args []Expr) Expr {
	public := &librarySet{id: lib.id}
	switch lib.id {
	case FnSimdgroupSize, FnThreadIndexInSimdgroup: // the argument's type is the result's
		if len(args) == 1 && (args[0].Type() == types.Type(types.Ushort) || args[0].Type() == types.Type(types.Uint)) {
			return &CallBuiltin{node{at: at, typ: args[0].Type()}, lib.id, VariantDefault, nil}
		}
		c.errorf(at, diag.NoMatch, "no function %q takes %s", privatePrefix+lib.id.String(), argTypes(args))
		return c.bad(at)
	case FnSimdXor: // of floats it is of their bits
		if len(args) == 1 && args[0].Type() == types.Type(types.Float) {
			x := &Bitcast{node{at: at, typ: types.Uint}, c.rvalue(args[0])}
			y := &CallBuiltin{node{at: at, typ: types.Uint}, lib.id, VariantDefault, []Expr{x}}
			return &Bitcast{node{at: at, typ: types.Float}, y}
		}
	}
	shape := sigShapes[builtinTable[lib.id].sig]
	if n := len(args); n == len(shape.params)+1 {
		if k, ok := c.rvalue(args[n-1]).(*Const); ok && k.Type() == types.Type(types.Int) {
			public.variant = Variant(k.Value.Bits)
			args = args[:n-1]
		}
	}
	vals := append([]Expr(nil), args...)
	for i := range vals { // a second result goes through a pointer
		if p, ok := vals[i].Type().(*types.Pointer); ok && i < len(shape.params) && !types.IsVoid(p.Elem) {
			vals[i] = c.deref(at, c.rvalue(vals[i]))
		}
	}
	return c.callLibrary(at, public, vals)
}
