package check

// BuiltinFunc names a function of the Metal library.
type BuiltinFunc uint16

// The library. T is the type that all of a function's T arguments were converted to.
const (
	// Math: T is half, float or a vector of one; T(T).
	FnAcos BuiltinFunc = iota
	FnAcosh
	FnAsin
	FnAsinh
	FnAtan
	FnAtanh
	FnCeil
	FnCos
	FnCosh
	FnCospi
	FnExp
	FnExp2
	FnExp10
	FnFabs
	FnFloor
	FnFract
	FnLog
	FnLog2
	FnLog10
	FnRint
	FnRound
	FnRsqrt
	FnSin
	FnSinh
	FnSinpi
	FnSqrt
	FnTan
	FnTanh
	FnTanpi
	FnTrunc
	FnSaturate
	FnSign

	// Math of two and three: T(T, T), T(T, T, T).
	FnAtan2
	FnCopysign
	FnFdim
	FnFmax
	FnFmin
	FnFmod
	FnPow
	FnPowr
	FnNextafter
	FnStep
	FnDivide
	FnFma
	FnFmax3
	FnFmin3
	FnFmedian3
	FnMix
	FnSmoothstep

	// Math with an exponent, or a second result through a pointer: ldexp T(T, intN), ilogb intN(T), frexp T(T, thread
	// intN *), modf and sincos T(T, thread T *).
	FnLdexp
	FnIlogb
	FnFrexp
	FnModf
	FnSincos

	// Numbers: T is any integer or float or a vector of one. abs of an unsigned is itself; clamp(x, lo, hi) is
	// min(max(x, lo), hi).
	FnAbs
	FnMin
	FnMax
	FnClamp
	FnMin3
	FnMax3
	FnMedian3

	// Integers: T is any integer or a vector of one. clz and ctz of 0 are the width. mul24 and mad24 take int and uint
	// only. absdiff is of the unsigned type.
	FnPopcount
	FnClz
	FnCtz
	FnReverseBits
	FnAbsdiff
	FnAddsat
	FnSubsat
	FnHadd
	FnRhadd
	FnMulhi
	FnRotate
	FnMadhi
	FnMadsat
	FnMul24
	FnMad24
	FnExtractBits
	FnInsertBits

	// Relational: bool or boolN of T's width. select(a, b, c) is c ? b : a in each component; c is a bool, or a boolN
	// as wide as T.
	FnIsfinite
	FnIsinf
	FnIsnan
	FnIsnormal
	FnSignbit
	FnIsordered
	FnIsunordered
	FnAll
	FnAny
	FnNot
	FnSelect

	// Geometry, of float vectors: dot, length, length_squared, distance, distance_squared give a scalar.
	FnDot
	FnDistance
	FnDistanceSquared
	FnLength
	FnLengthSquared
	FnNormalize
	FnCross
	FnFaceforward
	FnReflect
	FnRefract

	// Simdgroup: T is any number of up to 32 bits or a vector of one. Lane numbers, deltas and masks are ushort.
	FnSimdBroadcast
	FnSimdShuffle
	FnSimdShuffleXor
	FnSimdShuffleUp
	FnSimdShuffleDown
	FnSimdShuffleRotateUp
	FnSimdShuffleRotateDown
	FnSimdShuffleAndFillUp
	FnSimdShuffleAndFillDown
	FnSimdSum
	FnSimdProduct
	FnSimdMin
	FnSimdMax
	FnSimdPrefixInclusiveSum
	FnSimdPrefixExclusiveSum
	FnSimdPrefixInclusiveProduct
	FnSimdPrefixExclusiveProduct
	FnSimdBroadcastFirst
	FnSimdAnd
	FnSimdOr
	FnSimdXor
	FnSimdAll
	FnSimdAny
	FnSimdIsFirst
	FnSimdBallotBits // ulong: a bit for each active lane where the argument is true

	// Quadgroup: as simdgroup, over the active ones of 4 lanes.
	FnQuadBroadcast
	FnQuadShuffle
	FnQuadShuffleXor
	FnQuadShuffleUp
	FnQuadShuffleDown
	FnQuadShuffleRotateUp
	FnQuadShuffleRotateDown
	FnQuadShuffleAndFillUp
	FnQuadShuffleAndFillDown
	FnQuadBroadcastFirst
	FnQuadPrefixInclusiveSum
	FnQuadPrefixExclusiveSum
	FnQuadPrefixInclusiveProduct
	FnQuadPrefixExclusiveProduct
	FnQuadSum
	FnQuadProduct
	FnQuadMin
	FnQuadMax
	FnQuadAnd
	FnQuadOr
	FnQuadXor
	FnQuadAll
	FnQuadAny
	FnQuadIsFirst
	FnQuadBallotBits // uint

	// Barriers: the argument is a Const of type mem_flags, bits 1 device, 2 threadgroup, 4 texture.
	FnThreadgroupBarrier
	FnSimdgroupBarrier
	FnAtomicThreadFence

	// Atomics: the first argument is a pointer to an atomic in device or threadgroup memory; order and scope arguments
	// are checked and dropped. fetch functions give the old value. compare_exchange takes (object, thread T *expected,
	// T desired) and gives a bool.
	FnAtomicLoadExplicit
	FnAtomicStoreExplicit
	FnAtomicExchangeExplicit
	FnAtomicCompareExchangeWeakExplicit
	FnAtomicFetchAddExplicit
	FnAtomicFetchSubExplicit
	FnAtomicFetchMinExplicit
	FnAtomicFetchMaxExplicit
	FnAtomicFetchAndExplicit
	FnAtomicFetchOrExplicit
	FnAtomicFetchXorExplicit
	FnAtomicMinExplicit // ulong only, without a result
	FnAtomicMaxExplicit

	// Matrices. FnMatrixMultiply is the product of two matrices, or of a matrix and a vector on either side; MSL leaves the
	// order of its sums open. FnMatrixDiagonal has its argument on the diagonal, 0 elsewhere.
	FnTranspose
	FnDeterminant
	FnMatrixMultiply
	FnMatrixDiagonal

	// Simdgroup matrices, each of 8 by 8. Load takes (pointer, ulong elements a row, ulong2 origin, bool transpose) and
	// gives a matrix; Store takes the matrix before these. Multiply is A * B, MultiplyAccumulate A * B + C.
	FnSimdgroupLoad
	FnSimdgroupStore
	FnSimdgroupMultiply
	FnSimdgroupMultiplyAccumulate
	FnSimdgroupDiagonal

	// What a launch supplies, asked for inside of a function: uint or ushort.
	FnSimdgroupSize
	FnThreadIndexInSimdgroup

	// Others. as_type is a Bitcast, is_function_constant_defined a Const or a VarDefined, sizeof and numeric_limits
	// Consts.
	FnIsFunctionConstantDefined

	numBuiltinFuncs
)

// builtinRow declares one library function.
type builtinRow struct {
	name string
	sig  sigFamily
}

// builtinTable is the library, in the order of the constants.
var builtinTable = [numBuiltinFuncs]builtinRow{
	FnAcos:                              {"acos", sigF1},
	FnAcosh:                             {"acosh", sigF1},
	FnAsin:                              {"asin", sigF1},
	FnAsinh:                             {"asinh", sigF1},
	FnAtan:                              {"atan", sigF1},
	FnAtanh:                             {"atanh", sigF1},
	FnCeil:                              {"ceil", sigF1},
	FnCos:                               {"cos", sigF1},
	FnCosh:                              {"cosh", sigF1},
	FnCospi:                             {"cospi", sigF1},
	FnExp:                               {"exp", sigF1},
	FnExp2:                              {"exp2", sigF1},
	FnExp10:                             {"exp10", sigF1},
	FnFabs:                              {"fabs", sigF1},
	FnFloor:                             {"floor", sigF1},
	FnFract:                             {"fract", sigF1},
	FnLog:                               {"log", sigF1},
	FnLog2:                              {"log2", sigF1},
	FnLog10:                             {"log10", sigF1},
	FnRint:                              {"rint", sigF1},
	FnRound:                             {"round", sigF1},
	FnRsqrt:                             {"rsqrt", sigF1},
	FnSin:                               {"sin", sigF1},
	FnSinh:                              {"sinh", sigF1},
	FnSinpi:                             {"sinpi", sigF1},
	FnSqrt:                              {"sqrt", sigF1},
	FnTan:                               {"tan", sigF1},
	FnTanh:                              {"tanh", sigF1},
	FnTanpi:                             {"tanpi", sigF1},
	FnTrunc:                             {"trunc", sigF1},
	FnSaturate:                          {"saturate", sigF1},
	FnSign:                              {"sign", sigF1},
	FnAtan2:                             {"atan2", sigF2},
	FnCopysign:                          {"copysign", sigF2},
	FnFdim:                              {"fdim", sigF2},
	FnFmax:                              {"fmax", sigF2},
	FnFmin:                              {"fmin", sigF2},
	FnFmod:                              {"fmod", sigF2},
	FnPow:                               {"pow", sigF2},
	FnPowr:                              {"powr", sigF2},
	FnNextafter:                         {"nextafter", sigF2},
	FnStep:                              {"step", sigF2},
	FnDivide:                            {"divide", sigF2},
	FnFma:                               {"fma", sigF3},
	FnFmax3:                             {"fmax3", sigF3},
	FnFmin3:                             {"fmin3", sigF3},
	FnFmedian3:                          {"fmedian3", sigF3},
	FnMix:                               {"mix", sigF3},
	FnSmoothstep:                        {"smoothstep", sigF3},
	FnLdexp:                             {"ldexp", sigLdexp},
	FnIlogb:                             {"ilogb", sigIlogb},
	FnFrexp:                             {"frexp", sigFrexp},
	FnModf:                              {"modf", sigModf},
	FnSincos:                            {"sincos", sigModf},
	FnAbs:                               {"abs", sigN1},
	FnMin:                               {"min", sigN2},
	FnMax:                               {"max", sigN2},
	FnClamp:                             {"clamp", sigN3},
	FnMin3:                              {"min3", sigN3},
	FnMax3:                              {"max3", sigN3},
	FnMedian3:                           {"median3", sigN3},
	FnPopcount:                          {"popcount", sigI1},
	FnClz:                               {"clz", sigI1},
	FnCtz:                               {"ctz", sigI1},
	FnReverseBits:                       {"reverse_bits", sigI1},
	FnAbsdiff:                           {"absdiff", sigAbsdiff},
	FnAddsat:                            {"addsat", sigI2},
	FnSubsat:                            {"subsat", sigI2},
	FnHadd:                              {"hadd", sigI2},
	FnRhadd:                             {"rhadd", sigI2},
	FnMulhi:                             {"mulhi", sigI2},
	FnRotate:                            {"rotate", sigI2},
	FnMadhi:                             {"madhi", sigI3},
	FnMadsat:                            {"madsat", sigI3},
	FnMul24:                             {"mul24", sigI24},
	FnMad24:                             {"mad24", sigI24x3},
	FnExtractBits:                       {"extract_bits", sigExtract},
	FnInsertBits:                        {"insert_bits", sigInsert},
	FnIsfinite:                          {"isfinite", sigFB1},
	FnIsinf:                             {"isinf", sigFB1},
	FnIsnan:                             {"isnan", sigFB1},
	FnIsnormal:                          {"isnormal", sigFB1},
	FnSignbit:                           {"signbit", sigFB1},
	FnIsordered:                         {"isordered", sigFB2},
	FnIsunordered:                       {"isunordered", sigFB2},
	FnAll:                               {"all", sigAny},
	FnAny:                               {"any", sigAny},
	FnNot:                               {"not", sigNot},
	FnSelect:                            {"select", sigSelect},
	FnDot:                               {"dot", sigDot},
	FnDistance:                          {"distance", sigDot},
	FnDistanceSquared:                   {"distance_squared", sigDot},
	FnLength:                            {"length", sigLength},
	FnLengthSquared:                     {"length_squared", sigLength},
	FnNormalize:                         {"normalize", sigV1},
	FnCross:                             {"cross", sigCross},
	FnFaceforward:                       {"faceforward", sigV3},
	FnReflect:                           {"reflect", sigV2},
	FnRefract:                           {"refract", sigRefract},
	FnSimdBroadcast:                     {"simd_broadcast", sigShuffle},
	FnSimdShuffle:                       {"simd_shuffle", sigShuffle},
	FnSimdShuffleXor:                    {"simd_shuffle_xor", sigShuffle},
	FnSimdShuffleUp:                     {"simd_shuffle_up", sigShuffle},
	FnSimdShuffleDown:                   {"simd_shuffle_down", sigShuffle},
	FnSimdShuffleRotateUp:               {"simd_shuffle_rotate_up", sigShuffle},
	FnSimdShuffleRotateDown:             {"simd_shuffle_rotate_down", sigShuffle},
	FnSimdShuffleAndFillUp:              {"simd_shuffle_and_fill_up", sigFill},
	FnSimdShuffleAndFillDown:            {"simd_shuffle_and_fill_down", sigFill},
	FnSimdSum:                           {"simd_sum", sigReduce},
	FnSimdProduct:                       {"simd_product", sigReduce},
	FnSimdMin:                           {"simd_min", sigReduce},
	FnSimdMax:                           {"simd_max", sigReduce},
	FnSimdPrefixInclusiveSum:            {"simd_prefix_inclusive_sum", sigReduce},
	FnSimdPrefixExclusiveSum:            {"simd_prefix_exclusive_sum", sigReduce},
	FnSimdPrefixInclusiveProduct:        {"simd_prefix_inclusive_product", sigReduce},
	FnSimdPrefixExclusiveProduct:        {"simd_prefix_exclusive_product", sigReduce},
	FnSimdBroadcastFirst:                {"simd_broadcast_first", sigReduce},
	FnSimdAnd:                           {"simd_and", sigReduceBits},
	FnSimdOr:                            {"simd_or", sigReduceBits},
	FnSimdXor:                           {"simd_xor", sigReduceBits},
	FnSimdAll:                           {"simd_all", sigVote},
	FnSimdAny:                           {"simd_any", sigVote},
	FnSimdIsFirst:                       {"simd_is_first", sigFirst},
	FnSimdBallotBits:                    {"simd_ballot_bits", sigBallot64},
	FnQuadBroadcast:                     {"quad_broadcast", sigShuffle},
	FnQuadShuffle:                       {"quad_shuffle", sigShuffle},
	FnQuadShuffleXor:                    {"quad_shuffle_xor", sigShuffle},
	FnQuadShuffleUp:                     {"quad_shuffle_up", sigShuffle},
	FnQuadShuffleDown:                   {"quad_shuffle_down", sigShuffle},
	FnQuadShuffleRotateUp:               {"quad_shuffle_rotate_up", sigShuffle},
	FnQuadShuffleRotateDown:             {"quad_shuffle_rotate_down", sigShuffle},
	FnQuadShuffleAndFillUp:              {"quad_shuffle_and_fill_up", sigFill},
	FnQuadShuffleAndFillDown:            {"quad_shuffle_and_fill_down", sigFill},
	FnQuadBroadcastFirst:                {"quad_broadcast_first", sigReduce},
	FnQuadPrefixInclusiveSum:            {"quad_prefix_inclusive_sum", sigReduce},
	FnQuadPrefixExclusiveSum:            {"quad_prefix_exclusive_sum", sigReduce},
	FnQuadPrefixInclusiveProduct:        {"quad_prefix_inclusive_product", sigReduce},
	FnQuadPrefixExclusiveProduct:        {"quad_prefix_exclusive_product", sigReduce},
	FnQuadSum:                           {"quad_sum", sigReduce},
	FnQuadProduct:                       {"quad_product", sigReduce},
	FnQuadMin:                           {"quad_min", sigReduce},
	FnQuadMax:                           {"quad_max", sigReduce},
	FnQuadAnd:                           {"quad_and", sigReduceBits},
	FnQuadOr:                            {"quad_or", sigReduceBits},
	FnQuadXor:                           {"quad_xor", sigReduceBits},
	FnQuadAll:                           {"quad_all", sigVote},
	FnQuadAny:                           {"quad_any", sigVote},
	FnQuadIsFirst:                       {"quad_is_first", sigFirst},
	FnQuadBallotBits:                    {"quad_ballot_bits", sigBallot32},
	FnThreadgroupBarrier:                {"threadgroup_barrier", sigBarrier},
	FnSimdgroupBarrier:                  {"simdgroup_barrier", sigBarrier},
	FnAtomicThreadFence:                 {"atomic_thread_fence", sigFence},
	FnAtomicLoadExplicit:                {"atomic_load_explicit", sigAtomicLoad},
	FnAtomicStoreExplicit:               {"atomic_store_explicit", sigAtomicStore},
	FnAtomicExchangeExplicit:            {"atomic_exchange_explicit", sigAtomicRMW},
	FnAtomicCompareExchangeWeakExplicit: {"atomic_compare_exchange_weak_explicit", sigAtomicCAS},
	FnAtomicFetchAddExplicit:            {"atomic_fetch_add_explicit", sigAtomicRMW},
	FnAtomicFetchSubExplicit:            {"atomic_fetch_sub_explicit", sigAtomicRMW},
	FnAtomicFetchMinExplicit:            {"atomic_fetch_min_explicit", sigAtomicRMW},
	FnAtomicFetchMaxExplicit:            {"atomic_fetch_max_explicit", sigAtomicRMW},
	FnAtomicFetchAndExplicit:            {"atomic_fetch_and_explicit", sigAtomicRMW},
	FnAtomicFetchOrExplicit:             {"atomic_fetch_or_explicit", sigAtomicRMW},
	FnAtomicFetchXorExplicit:            {"atomic_fetch_xor_explicit", sigAtomicRMW},
	FnAtomicMinExplicit:                 {"atomic_min_explicit", sigAtomicUpdate},
	FnAtomicMaxExplicit:                 {"atomic_max_explicit", sigAtomicUpdate},
	FnTranspose:                         {"transpose", sigMatrix},
	FnDeterminant:                       {"determinant", sigMatrix},
	FnMatrixMultiply:                    {"operator* of matrices", sigInternal},
	FnMatrixDiagonal:                    {"diagonal of a matrix", sigInternal},
	FnSimdgroupLoad:                     {"simdgroup_load", sigSimdMatrix},
	FnSimdgroupStore:                    {"simdgroup_store", sigSimdMatrix},
	FnSimdgroupMultiply:                 {"simdgroup_multiply", sigSimdMatrix},
	FnSimdgroupMultiplyAccumulate:       {"simdgroup_multiply_accumulate", sigSimdMatrix},
	FnSimdgroupDiagonal:                 {"diagonal of a simdgroup matrix", sigInternal},
	FnSimdgroupSize:                     {"get_simdgroup_size", sigInternal},
	FnThreadIndexInSimdgroup:            {"get_thread_index_in_simdgroup", sigInternal},
	FnIsFunctionConstantDefined:         {"is_function_constant_defined", sigDefined},
}

// String returns the function's name in MSL.
func (f BuiltinFunc) String() string { return builtinTable[f].name }

// Variant is the namespace a math function was called in.
type Variant uint8

// The variants: precise:: and fast:: name the accuracy, without either the compile options do.
const (
	VariantDefault Variant = iota
	VariantPrecise
	VariantFast
)
