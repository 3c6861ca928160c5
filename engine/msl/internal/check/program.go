package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Program is one checked translation unit.
type Program struct {
	Kernels []*Func // in source order, explicit instantiations included; HostNames are distinct
	Funcs   []*Func // every function with a body that was instantiated or is no template, callees first; kernels included

	// Globals are the program-scope variables in the constant address space, in order of declaration; an initialiser
	// refers only to earlier ones. Static members and static constants of functions are here too.
	Globals []*Var

	// FunctionConstants are the globals with a function_constant attribute, in order of declaration.
	FunctionConstants []*Var
}

// Func is a function with a body.
type Func struct {
	Name     string // qualified, with template arguments: "detail::dot<float, 4>"
	HostName string // kernels: the name a pipeline is asked for by
	Kernel   bool
	Pos      diag.Pos
	Params   []*Var
	Ret      types.Type // types.Void for none
	RetRef   bool       // returns a reference: a Call of it is a place, each Return's Value is a place of type Ret
	RetSpace types.Space
	RetConst bool
	Body     *Block

	// ContractOff says that `#pragma METAL fp contract(off)` holds in the body, so that a*b+c may not be fused.
	ContractOff bool

	// Loops says that the body holds calls marked Tail.
	Loops bool

	// Lambda says that the body is a lambda's and names variables of the function around it.
	Lambda bool

	// Constexpr functions can be called by constant expressions.
	Constexpr bool

	// MaxThreads is the max_total_threads_per_threadgroup attribute of a kernel, 0 for none.
	MaxThreads int

	calls  []call // in order of their first place
	ensure func() // checks the body, if that was put off
}

// call is a use of a function.
type call struct {
	f  *Func
	at diag.Pos
}

// BindingKind says where a kernel parameter comes from.
type BindingKind uint8

// The kinds of binding.
const (
	BindNone        BindingKind = iota // not a kernel parameter
	BindBuffer                         // [[buffer(Index)]]
	BindThreadgroup                    // [[threadgroup(Index)]]
	BindBuiltin                        // [[thread_position_in_grid]] and the like
)

// Binding is the attribute of a kernel parameter.
type Binding struct {
	Kind    BindingKind
	Index   int     // of a buffer or of threadgroup memory
	Builtin Builtin // of a BindBuiltin
	When    *Var    // function constant that says whether the argument exists; nil for always
}

// Builtin is a kernel input that the launch supplies. The parameter's own type says how many components it takes and
// how wide they are: ushort, uint, ulong or their 2- and 3-vectors.
type Builtin uint8

// The builtin inputs.
const (
	ThreadPositionInGrid Builtin = iota
	ThreadgroupPositionInGrid
	ThreadPositionInThreadgroup
	ThreadIndexInThreadgroup
	ThreadsPerThreadgroup
	ThreadgroupsPerGrid
	ThreadsPerGrid
	ThreadIndexInSimdgroup
	SimdgroupIndexInThreadgroup
	SimdgroupsPerThreadgroup
	ThreadsPerSimdgroup
	DispatchThreadsPerThreadgroup
	ThreadIndexInQuadgroup
	QuadgroupIndexInThreadgroup
	QuadgroupsPerThreadgroup
	ThreadExecutionWidth // the same number as ThreadsPerSimdgroup
	DispatchSimdgroupsPerThreadgroup
	DispatchQuadgroupsPerThreadgroup
)

var builtinNames = [...]string{
	"thread_position_in_grid", "threadgroup_position_in_grid", "thread_position_in_threadgroup",
	"thread_index_in_threadgroup", "threads_per_threadgroup", "threadgroups_per_grid", "threads_per_grid",
	"thread_index_in_simdgroup", "simdgroup_index_in_threadgroup", "simdgroups_per_threadgroup",
	"threads_per_simdgroup", "dispatch_threads_per_threadgroup", "thread_index_in_quadgroup",
	"quadgroup_index_in_threadgroup", "quadgroups_per_threadgroup", "thread_execution_width",
	"dispatch_simdgroups_per_threadgroup", "dispatch_quadgroups_per_threadgroup",
}

// String returns the attribute's name.
func (b Builtin) String() string { return builtinNames[b] }

// IsVector reports an input of up to three components.
func (b Builtin) IsVector() bool {
	switch b {
	case ThreadPositionInGrid, ThreadgroupPositionInGrid, ThreadPositionInThreadgroup, ThreadsPerThreadgroup,
		ThreadgroupsPerGrid, ThreadsPerGrid, DispatchThreadsPerThreadgroup:
		return true
	}
	return false
}

// Var is a variable: a parameter, a local or a global.
type Var struct {
	Name string
	Type types.Type // of a reference: what it refers to
	Ref  bool       // a reference; see the package comment

	// Space is the address space of the object itself, not of what a pointer in it points at: Thread for
	// parameters and locals, Threadgroup for threadgroup variables of a kernel, Constant for globals. For a
	// reference it is the space of the object referred to.
	Space types.Space
	Const bool
	Pos   diag.Pos

	Align int // asked for by alignas, 0 for the type's own

	Binding          Binding
	FunctionConstant int // index of a function constant, else -1

	// Init is the initialiser: a value of Type, or for a reference a place of Type. nil leaves the object
	// uninitialised (threadgroup variables, function constants and parameters always).
	Init Expr

	// Value is the value of a const or constexpr variable whose initialiser is a constant expression; nil otherwise.
	Value *Value

	Global bool
}
