package ir

// Op is what a Value does.
type Op uint8

// The operations. The comment shows the printed form; t is the type of the result or, for comparisons and
// conversions, of the operands.
const (
	OpInvalid Op = iota

	OpConst   // %1:f32 = const 1.5
	OpBuiltin // %1:u32 = builtin lane
	OpGet     // %1:f32 = get acc
	OpSet     // set acc %1
	OpDeclare // declare acc            fresh, undefined contents
	OpComp    // %2:f32 = comp %1 2     component of a vector load

	// Arithmetic; integers wrap, division by zero gives 0, shift counts count
	// modulo 32, or 64 for 64-bit types: narrow operands are promoted.
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpRem
	OpNeg
	OpAnd
	OpOr
	OpXor
	OpNot
	OpShl
	OpShr // arithmetic for signed types
	OpMin // integers: smaller; floats: NaN loses
	OpMax
	OpAbs
	OpMulHi
	OpClz
	OpCtz
	OpPopcount
	OpReverseBits

	// Comparisons give a bool.
	OpEq
	OpNe
	OpLt
	OpLe

	OpSelect  // %4 = select %c %a %b   a where c holds, else b
	OpConvert // %2:i32 = convert.f32 %1
	OpBitcast // %2:u32 = bitcast.f32 %1

	// Floating point.
	OpFma
	OpSqrt
	OpRsqrt
	OpFloor
	OpCeil
	OpTrunc
	OpRint
	OpRound
	OpCopysign
	OpMod
	OpLdexp // f32, i32
	OpFrexpMantissa
	OpFrexpExponent
	OpNextafter
	OpIsNan
	OpIsInf
	OpSignbit

	// Library functions whose bits MSL leaves open; see package num.
	OpExp
	OpExp2
	OpExp10
	OpLog
	OpLog2
	OpLog10
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpSinh
	OpCosh
	OpTanh
	OpAsinh
	OpAcosh
	OpAtanh
	OpPow
	OpAtan2

	// Memory. The first operand is the byte offset (i64), the second, if Root is nil, the root number (u32).
	OpLoad   // %3:f32x4 = load in[%1] u8
	OpStore  // store out[%1] f32 %2
	OpAtomic // %3:u32 = atomic.add cnt[%1] %2

	// Across the lanes of a simdgroup.
	OpShuffle     // value, u32 lane
	OpShuffleXor  // value, u32 mask
	OpShuffleUp   // value, u32 delta; low lanes keep their own value
	OpShuffleDown // value, u32 delta; high lanes keep their own value
	OpRotateUp    // value, u32 delta; modulo 32
	OpRotateDown
	OpSimdSum // over the active lanes, in rising order from lane 0
	OpSimdProduct
	OpSimdMin
	OpSimdMax
	OpSimdAnd
	OpSimdOr
	OpSimdXor
	OpPrefixSumExclusive
	OpPrefixSumInclusive
	OpPrefixProductExclusive
	OpPrefixProductInclusive
	OpSimdAll
	OpSimdAny
	OpBallot // u64
	OpBroadcastFirst
	OpSimdIsFirst

	// Ordering.
	OpBarrier     // every thread of the threadgroup; Bits holds the mem_flags
	OpSimdBarrier // an ordering point within a simdgroup
	OpFence

	OpProbe // probe.kind "note" %1 %2: tells the observer of the launch; see ProbeKind

	numOps
)

type opFlags uint8

const (
	pure   opFlags = 1 << iota // depends on the operands only, and can be folded, moved within its region, dropped
	cross                      // reads other lanes
	effect                     // must stay
)

type opInfo struct {
	name  string
	args  int // -1: varies
	flags opFlags
}

var ops = [numOps]opInfo{
	OpConst: {"const", 0, pure}, OpBuiltin: {"builtin", 0, pure}, OpGet: {"get", 0, 0}, OpSet: {"set", 1, effect},
	OpDeclare: {"declare", 0, effect}, OpComp: {"comp", 1, 0},
	OpAdd: {"add", 2, pure}, OpSub: {"sub", 2, pure}, OpMul: {"mul", 2, pure}, OpDiv: {"div", 2, pure}, OpRem: {"rem", 2, pure},
	OpNeg: {"neg", 1, pure}, OpAnd: {"and", 2, pure}, OpOr: {"or", 2, pure}, OpXor: {"xor", 2, pure}, OpNot: {"not", 1, pure},
	OpShl: {"shl", 2, pure}, OpShr: {"shr", 2, pure}, OpMin: {"min", 2, pure}, OpMax: {"max", 2, pure}, OpAbs: {"abs", 1, pure},
	OpMulHi: {"mulhi", 2, pure}, OpClz: {"clz", 1, pure}, OpCtz: {"ctz", 1, pure}, OpPopcount: {"popcount", 1, pure},
	OpReverseBits: {"reverse_bits", 1, pure},
	OpEq:          {"eq", 2, pure}, OpNe: {"ne", 2, pure}, OpLt: {"lt", 2, pure}, OpLe: {"le", 2, pure},
	OpSelect: {"select", 3, pure}, OpConvert: {"convert", 1, pure}, OpBitcast: {"bitcast", 1, pure},
	OpFma: {"fma", 3, pure}, OpSqrt: {"sqrt", 1, pure}, OpRsqrt: {"rsqrt", 1, pure}, OpFloor: {"floor", 1, pure}, OpCeil: {"ceil", 1, pure},
	OpTrunc: {"trunc", 1, pure}, OpRint: {"rint", 1, pure}, OpRound: {"round", 1, pure}, OpCopysign: {"copysign", 2, pure},
	OpMod: {"fmod", 2, pure}, OpLdexp: {"ldexp", 2, pure}, OpFrexpMantissa: {"frexp_m", 1, pure}, OpFrexpExponent: {"frexp_e", 1, pure},
	OpNextafter: {"nextafter", 2, pure}, OpIsNan: {"isnan", 1, pure}, OpIsInf: {"isinf", 1, pure}, OpSignbit: {"signbit", 1, pure},
	OpExp: {"exp", 1, pure}, OpExp2: {"exp2", 1, pure}, OpExp10: {"exp10", 1, pure}, OpLog: {"log", 1, pure}, OpLog2: {"log2", 1, pure},
	OpLog10: {"log10", 1, pure}, OpSin: {"sin", 1, pure}, OpCos: {"cos", 1, pure}, OpTan: {"tan", 1, pure}, OpAsin: {"asin", 1, pure},
	OpAcos: {"acos", 1, pure}, OpAtan: {"atan", 1, pure}, OpSinh: {"sinh", 1, pure}, OpCosh: {"cosh", 1, pure}, OpTanh: {"tanh", 1, pure},
	OpAsinh: {"asinh", 1, pure}, OpAcosh: {"acosh", 1, pure}, OpAtanh: {"atanh", 1, pure}, OpPow: {"pow", 2, pure}, OpAtan2: {"atan2", 2, pure},
	OpLoad: {"load", -1, 0}, OpStore: {"store", -1, effect}, OpAtomic: {"atomic", -1, effect},
	OpShuffle: {"shuffle", 2, cross}, OpShuffleXor: {"shuffle_xor", 2, cross}, OpShuffleUp: {"shuffle_up", 2, cross},
	OpShuffleDown: {"shuffle_down", 2, cross}, OpRotateUp: {"rotate_up", 2, cross}, OpRotateDown: {"rotate_down", 2, cross},
	OpSimdSum: {"simd_sum", 1, cross}, OpSimdProduct: {"simd_product", 1, cross}, OpSimdMin: {"simd_min", 1, cross},
	OpSimdMax: {"simd_max", 1, cross}, OpSimdAnd: {"simd_and", 1, cross}, OpSimdOr: {"simd_or", 1, cross}, OpSimdXor: {"simd_xor", 1, cross},
	OpPrefixSumExclusive: {"prefix_sum_exclusive", 1, cross}, OpPrefixSumInclusive: {"prefix_sum_inclusive", 1, cross},
	OpPrefixProductExclusive: {"prefix_product_exclusive", 1, cross}, OpPrefixProductInclusive: {"prefix_product_inclusive", 1, cross},
	OpSimdAll: {"simd_all", 1, cross}, OpSimdAny: {"simd_any", 1, cross}, OpBallot: {"ballot", 1, cross},
	OpBroadcastFirst: {"broadcast_first", 1, cross}, OpSimdIsFirst: {"simd_is_first", 0, cross},
	OpBarrier: {"barrier", 0, effect}, OpSimdBarrier: {"simd_barrier", 0, effect}, OpFence: {"fence", 0, effect},
	OpProbe: {"probe", -1, effect},
}

// String is the printed name.
func (o Op) String() string { return ops[o].name }

// Pure reports whether the result depends on the operands alone.
func (o Op) Pure() bool { return ops[o].flags&pure != 0 }

// Effect reports whether the operation must be kept though nothing uses its result.
func (o Op) Effect() bool { return ops[o].flags&effect != 0 }

// Cross reports whether the operation reads the values of other lanes.
func (o Op) Cross() bool { return ops[o].flags&cross != 0 }

// Reduction reports whether every active lane receives the same result.
func (o Op) Reduction() bool {
	return o >= OpSimdSum && o <= OpSimdXor || o == OpSimdAll || o == OpSimdAny || o == OpBallot || o == OpBroadcastFirst
}

// Unordered reports whether MSL leaves the bits of a float result open.
func (o Op) Unordered() bool {
	return o >= OpExp && o <= OpAtan2 || o == OpSimdSum || o == OpSimdProduct || o == OpRsqrt
}

// Builtin is a value that describes a thread's place in the grid.
type Builtin uint8

// The builtins; X, Y and Z follow each other. All are u32.
const (
	Lane           Builtin = iota // thread_index_in_simdgroup
	SimdgroupIndex                // simdgroup_index_in_threadgroup
	ThreadIndex                   // thread_index_in_threadgroup
	NumSimdgroups                 // simdgroups_per_threadgroup
	SimdgroupSize                 // threads_per_simdgroup
	ThreadX                       // thread_position_in_threadgroup
	ThreadY
	ThreadZ
	GroupX // threadgroup_position_in_grid
	GroupY
	GroupZ
	GridX // thread_position_in_grid
	GridY
	GridZ
	GroupSizeX // threads_per_threadgroup
	GroupSizeY
	GroupSizeZ
	NumGroupsX // threadgroups_per_grid
	NumGroupsY
	NumGroupsZ
	GridSizeX // threads_per_grid
	GridSizeY
	GridSizeZ
	NumBuiltins
)

var builtinNames = [NumBuiltins]string{"lane", "simdgroup", "thread_index", "simdgroups", "simdgroup_size",
	"thread.x", "thread.y", "thread.z", "group.x", "group.y", "group.z", "grid.x", "grid.y", "grid.z",
	"group_size.x", "group_size.y", "group_size.z", "groups.x", "groups.y", "groups.z", "grid_size.x", "grid_size.y", "grid_size.z"}

// String is the printed name.
func (b Builtin) String() string { return builtinNames[b] }

// PerLane reports whether the lanes of a simdgroup may see different values.
func (b Builtin) PerLane() bool {
	return b == Lane || b == ThreadIndex || b >= ThreadX && b <= ThreadZ || b >= GridX && b <= GridZ
}

// AtomicOp is the operation of an OpAtomic, kept in Value.Bits.
type AtomicOp uint8

// The atomic operations. Operands after the address: the value; for CompareExchange, expected and desired.
const (
	AtomicLoad AtomicOp = iota
	AtomicStore
	AtomicExchange
	AtomicAdd
	AtomicSub
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicMin
	AtomicMax
	AtomicCompareExchange
	numAtomics
)

var atomicNames = [numAtomics]string{"load", "store", "exchange", "add", "sub", "and", "or", "xor", "min", "max", "compare_exchange"}

// String is the printed name.
func (a AtomicOp) String() string { return atomicNames[a] }
