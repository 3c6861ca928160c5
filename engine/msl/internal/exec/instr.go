package exec

// opcode says what an instruction does. The comment gives the operands: V a vector register, W a pair of them holding
// 64-bit values, S a scalar, M a scalar holding a mask; d is written.
type opcode uint8

const (
	opEnd opcode = iota

	// Lanes. fn is a number of a kernel.
	opOne      // V d, V a
	opTwo      // V d, V a, V b
	opTwoS     // V d, V a, S b
	opCmp      // M d, V a, V b
	opCmpS     // M d, V a, S b
	opFma      // V d, V a, V b, V c
	opFmaS     // V d, V a, S b, V c
	opFmaC     // V d, V a, V b, S c
	opFmaSC    // V d, V a, S b, S c
	opField    // V d, V a; fields[imm]
	opFieldFma // V d, V a, V b, V c; fields[imm]
	opXorAdd   // V d, V a; imm
	opTreeSum  // S d, V a
	opSel      // V d, M a, V b, V c
	opSelVS    // V d, M a, V b, S c
	opSelSV    // V d, M a, S b, V c
	opSelSS    // V d, M a, S b, S c
	opSplat    // V d, S a
	opSplatW   // W d, S a
	opPattern  // V d, S a; patterns[imm]
	opPatternW
	opMove   // V d, V a
	opMoveW  // W d, W a
	opBlend  // V d, V a: where active
	opBlendW // W d, W a
	opGeneric

	// Scalars. fn is a number of a scalar function.
	opS1    // S d, S a
	opS2    // S d, S a, S b
	opS3    // S d, S a, S b, S c
	opMoveS // S d, S a
	opAdd32
	opMul32
	opAdd64
	opMul64
	opMaskOf // M d, S a: all lanes or none
	opBlendM // M d, M a: where active
	opSelM   // M d, M a, M b, M c
	opNotM   // M d, M a

	// Memory: accesses[imm].
	opLoad
	opStore
	opAtomic
	opHalfFma // V d, V a, S b, V c: accesses[imm] loads halves into a, then d = a*b + c

	// Across lanes.
	opShuffleXor // V d, V a; imm
	opShuffle    // V d, V a, V b
	opLane       // S d, V a, S b: the value of lane b
	opCross      // V d, V a, S b; fn
	opCrossGeneric
	opReduceM // S d, M a; fn

	// Control. imm is a target.
	opJump
	opJumpBack
	opJumpZero // S a
	opIf       // M d saved, M a condition: narrow the mask, jump if empty
	opElse     // M d saved, M a condition
	opSave     // M d
	opRestore  // M a
	opJumpEmpty
	opStrip   // M d: remove the active lanes
	opKill    // empty the mask, jump
	opBreakIf // M a: remove lanes from the mask, jump if empty
	opLoopEnd // jump back unless the mask is empty
	opBarrier
	opSimdBarrier // imm: mem_flags
	opProbe       // probes[imm]
	numOpcodes
)

// operand kinds of an instruction, in the order d, a, b, c.
type opKinds [4]byte

var kinds = [numOpcodes]opKinds{
	opOne: {'V', 'v'}, opTwo: {'V', 'v', 'v'}, opTwoS: {'V', 'v', 's'}, opCmp: {'S', 'v', 'v'}, opCmpS: {'S', 'v', 's'},
	opFma: {'V', 'v', 'v', 'v'}, opFmaS: {'V', 'v', 's', 'v'}, opFmaC: {'V', 'v', 'v', 's'}, opFmaSC: {'V', 'v', 's', 's'},
	opField: {'V', 'v'}, opFieldFma: {'V', 'v', 'v', 'v'}, opXorAdd: {'V', 'v'}, opTreeSum: {'S', 'v'},
	opSel: {'V', 's', 'v', 'v'}, opSelVS: {'V', 's', 'v', 's'}, opSelSV: {'V', 's', 's', 'v'}, opSelSS: {'V', 's', 's', 's'},
	opSplat: {'V', 's'}, opSplatW: {'V', 's'}, opPattern: {'V', 's'}, opPatternW: {'V', 's'}, opMove: {'V', 'v'}, opMoveW: {'V', 'v'},
	opBlend: {'V', 'v'}, opBlendW: {'V', 'v'},
	opS1: {'S', 's'}, opS2: {'S', 's', 's'}, opS3: {'S', 's', 's', 's'}, opMoveS: {'S', 's'},
	opAdd32: {'S', 's', 's'}, opMul32: {'S', 's', 's'}, opAdd64: {'S', 's', 's'}, opMul64: {'S', 's', 's'},
	opMaskOf: {'S', 's'}, opBlendM: {'S', 's'}, opSelM: {'S', 's', 's', 's'}, opNotM: {'S', 's'},
	opHalfFma: {'V', 'V', 's', 'v'}, opShuffleXor: {'V', 'v'}, opShuffle: {'V', 'v', 'v'}, opLane: {'S', 'v', 's'}, opCross: {'V', 'v', 's'}, opReduceM: {'S', 's'},
	opJumpZero: {0, 's'}, opIf: {'S', 's'}, opElse: {'s', 's'}, opSave: {'S'}, opRestore: {0, 's'}, opStrip: {'S'}, opBreakIf: {0, 's'},
}

var opcodeNames = [numOpcodes]string{"end", "one", "two", "two_s", "cmp", "cmp_s", "fma", "fma_s", "fma_c", "fma_sc", "field", "field_fma",
	"xor_add", "tree_sum", "sel", "sel_vs", "sel_sv", "sel_ss", "splat", "splat_w", "pattern", "pattern_w", "move", "move_w", "blend", "blend_w",
	"generic", "s1", "s2", "s3", "move_s", "add32", "mul32", "add64", "mul64", "mask_of", "blend_m", "sel_m", "not_m",
	"load", "store", "atomic", "half_fma", "shuffle_xor", "shuffle", "lane", "cross", "cross_generic", "reduce_m",
	"jump", "jump_back", "jump_zero", "if", "else", "save", "restore", "jump_empty", "strip", "kill", "break_if", "loop_end", "barrier", "simd_barrier", "probe"}

// String is the name in dumps.
func (o opcode) String() string { return opcodeNames[o] }

// jumps reports whether imm is a target.
func (o opcode) jumps() bool {
	switch o {
	case opJump, opJumpBack, opJumpZero, opIf, opElse, opJumpEmpty, opKill, opBreakIf, opLoopEnd:
		return true
	}
	return false
}

// instr is one instruction, 16 bytes.
type instr struct {
	op         opcode
	fn         uint8
	d, a, b, c uint16
	imm        int32
}

// What opReduceM computes from a mask.
const (
	reduceAll uint8 = iota
	reduceAny
	reduceBallot
	reduceFirst
)
