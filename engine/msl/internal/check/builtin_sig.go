package check

import "github.com/octoryn/assay/engine/msl/internal/types"

// sigFamily is the shape of a library function's overloads.
type sigFamily uint8

// The families; builtin.go says what each stands for.
const (
	sigF1 sigFamily = iota
	sigF2
	sigF3
	sigLdexp
	sigIlogb
	sigFrexp
	sigModf
	sigN1
	sigN2
	sigN3
	sigI1
	sigAbsdiff
	sigI2
	sigI3
	sigI24
	sigI24x3
	sigExtract
	sigInsert
	sigFB1
	sigFB2
	sigAny
	sigNot
	sigSelect
	sigDot
	sigLength
	sigV1
	sigV2
	sigV3
	sigRefract
	sigCross
	sigShuffle
	sigFill
	sigReduce
	sigReduceBits
	sigVote
	sigBallot64 // called by private names, in library.metal
	sigBallot32
	sigFirst
	sigBarrier
	sigAtomicLoad
	sigAtomicStore
	sigAtomicRMW
	sigAtomicCAS
	sigAtomicUpdate
	sigDefined
	sigFence
	sigMatrix
	sigSimdMatrix
	sigInternal // no name of the library: operators
)

// The library has no functions of bfloat: an argument of that type is converted to float. Simdgroup functions have no
// 64-bit forms.
var (
	floats   = []*types.Scalar{types.Float, types.Half}
	integers = []*types.Scalar{types.Int, types.Uint, types.Short, types.Ushort, types.Char, types.Uchar, types.Long, types.Ulong}
	numbers  = append(append([]*types.Scalar(nil), floats...), integers...)
	upTo32   = append(append([]*types.Scalar(nil), floats...), integers[:6]...)
	everyone = append(append([]*types.Scalar(nil), numbers...), types.Bool)
	ints32   = []*types.Scalar{types.Int, types.Uint}
	onlyBool = []*types.Scalar{types.Bool}
)

// sigShape spells the overloads of a family, one for each scalar E in elems and each width: T is a scalar or vector of
// E, E the scalar, U the unsigned T, I and B int and bool as wide as T, b a bool, u, s and l a uint, a ushort and a ulong, R and i
// references to a T and to an I in thread memory.
type sigShape struct {
	elems    []*types.Scalar
	params   string
	ret      byte // one of these letters
	least    int  // width
	most     int
	optional int // parameters at the end that may be left out
}

var sigShapes = map[sigFamily]sigShape{
	sigF1:         {floats, "T", 'T', 1, 4, 0},
	sigF2:         {floats, "TT", 'T', 1, 4, 0},
	sigF3:         {floats, "TTT", 'T', 1, 4, 0},
	sigLdexp:      {floats, "TI", 'T', 1, 4, 0},
	sigIlogb:      {floats, "T", 'I', 1, 4, 0},
	sigFrexp:      {floats, "Ti", 'T', 1, 4, 0},
	sigModf:       {floats, "TR", 'T', 1, 4, 0},
	sigN1:         {numbers, "T", 'T', 1, 4, 0},
	sigN2:         {numbers, "TT", 'T', 1, 4, 0},
	sigN3:         {numbers, "TTT", 'T', 1, 4, 0},
	sigI1:         {integers, "T", 'T', 1, 4, 0},
	sigAbsdiff:    {integers, "TT", 'U', 1, 4, 0},
	sigI2:         {integers, "TT", 'T', 1, 4, 0},
	sigI3:         {integers, "TTT", 'T', 1, 4, 0},
	sigI24:        {ints32, "TT", 'T', 1, 4, 0},
	sigI24x3:      {ints32, "TTT", 'T', 1, 4, 0},
	sigExtract:    {integers, "Tuu", 'T', 1, 4, 0},
	sigInsert:     {integers, "TTuu", 'T', 1, 4, 0},
	sigFB1:        {floats, "T", 'B', 1, 4, 0},
	sigFB2:        {floats, "TT", 'B', 1, 4, 0},
	sigAny:        {onlyBool, "T", 'b', 1, 4, 0},
	sigNot:        {onlyBool, "T", 'T', 1, 4, 0},
	sigSelect:     {everyone, "TTB", 'T', 1, 4, 0},
	sigDot:        {floats, "TT", 'E', 2, 4, 0},
	sigLength:     {floats, "T", 'E', 2, 4, 0},
	sigV1:         {floats, "T", 'T', 2, 4, 0},
	sigV2:         {floats, "TT", 'T', 2, 4, 0},
	sigV3:         {floats, "TTT", 'T', 2, 4, 0},
	sigRefract:    {floats, "TTE", 'T', 2, 4, 0},
	sigCross:      {floats, "TT", 'T', 3, 3, 0},
	sigShuffle:    {upTo32, "Ts", 'T', 1, 4, 0},
	sigFill:       {upTo32, "TTss", 'T', 1, 4, 1},
	sigReduce:     {upTo32, "T", 'T', 1, 4, 0},
	sigReduceBits: {integers[:6], "T", 'T', 1, 4, 0},
	sigVote:       {onlyBool, "T", 'b', 1, 1, 0},
	sigFirst:      {onlyBool, "", 'b', 1, 1, 0},
	sigBallot64:   {onlyBool, "T", 'l', 1, 1, 0},
	sigBallot32:   {onlyBool, "T", 'u', 1, 1, 0},
}

// typeFor is the type that a letter stands for with the scalar e and the width w.
func typeFor(letter byte, e *types.Scalar, w int) types.Type {
	wide := func(s *types.Scalar) types.Type {
		if w > 1 {
			return types.VectorOf(s, w, false)
		}
		return s
	}
	switch letter {
	case 'T', 'R':
		return wide(e)
	case 'E':
		return e
	case 'U':
		return wide(e.Unsigned())
	case 'I', 'i':
		return wide(types.Int)
	case 'B':
		return wide(types.Bool)
	case 'b':
		return types.Bool
	case 'u':
		return types.Uint
	case 's':
		return types.Ushort
	case 'l':
		return types.Ulong
	}
	panic("check: unknown letter")
}
