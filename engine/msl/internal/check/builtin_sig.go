package check

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
	sigCross
	sigShuffle
	sigFill
	sigReduce
	sigReduceBits
	sigVote
	sigFirst
	sigCount
	sigBarrier
	sigAtomicLoad
	sigAtomicStore
	sigAtomicRMW
	sigAtomicCAS
	sigDefined
)
