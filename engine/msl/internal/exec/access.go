package exec

import "github.com/octoryn/assay/engine/msl/internal/ir"

// addressing says how the lanes' byte offsets are formed.
type addressing uint8

const (
	addrPattern addressing = iota // base + pattern
	addrIndex                     // base + extend(index[i])*scale + imm
	addrWide                      // index[i], 64 bits
)

// memAccess describes one memory instruction, apart from the values of registers. Offsets are int64, so that no product
// of a 32-bit index can wrap.
type memAccess struct {
	op    ir.Op
	atom  ir.AtomicOp
	elem  ir.Type
	size  int // of elem
	n     int // consecutive elements
	root  int // index of the root; -1: in a register
	rootS int32
	rootV int32
	mode  addressing

	base    int32    // scalar; -1: none
	imm     int64    // added to it
	index   int32    // addrIndex: vector; addrWide: pair
	scale   int64    // of index
	signed  bool     // index is signed
	pat     *pattern // in bytes, of addrPattern
	narrow  int32    // addrPattern: scalar of 32 bits added, times scale; -1: none
	narrowP *pattern // its pattern, unscaled: valid unless the 32-bit value wraps within the simdgroup

	uniform bool    // the address is equal in all lanes, and so is what is loaded
	vals    []value // loaded into, or stored from; atomics: operands
	out     value   // of an atomic
	pos     ir.Pos

	number  int
	copied  bool  // part of an aggregate that is being copied whole
	bytes   int64 // size*n
	align   int64 // alignment in bytes minus 1
	aligned bool  // the pattern keeps the alignment of its base
	dense   bool  // lanes follow each other without gaps
}

// finish derives the fields that speed the access up.
func (m *memAccess) finish() {
	m.bytes = int64(m.size * m.n)
	m.aligned = true
	for _, d := range m.pat.diff {
		m.aligned = m.aligned && d&m.align == 0
	}
	m.dense = m.pat.affine && m.pat.stride == m.bytes
}

// value is a register operand of an access.
type value struct {
	id   int32
	kind valueKind
}

type valueKind uint8

const (
	inVector valueKind = iota
	inPair
	inScalar
	inMask
)
