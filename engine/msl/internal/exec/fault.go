package exec

import (
	"fmt"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Fault is something a kernel did wrong. Kinds are a closed list: "out of bounds", "misaligned", "null pointer",
// "write to read-only memory", "divergent barrier", "missing barrier", "endless loop".
type Fault struct {
	Kind    string
	Summary string   // argument, index, bound
	Parties []string // thread, source position, access
}

// place names the thread of a lane.
func (w *simdgroup) threadName(lane int) string {
	return ThreadName(w.g.shape, w.g.id, w.index, lane)
}

// ThreadName names the thread of a lane of a simdgroup.
func ThreadName(s Shape, group [3]int, simdgroup, lane int) string {
	t := simdgroup*32 + lane
	x, y := s[0], s[1]
	return fmt.Sprintf("thread (%d,%d,%d) of threadgroup (%d,%d,%d)", t%x, t/x%y, t/(x*y), group[0], group[1], group[2])
}

func verb(m *memAccess) string {
	switch m.op {
	case ir.OpLoad:
		return "read"
	case ir.OpStore:
		return "wrote"
	}
	switch m.atom {
	case ir.AtomicLoad:
		return "atomically read"
	case ir.AtomicStore:
		return "atomically wrote"
	}
	return "atomically changed"
}

// accessFault describes a failed access by one lane at byte offset off of a root.
func (w *simdgroup) accessFault(kind string, m *memAccess, root *ir.Root, length int64, off int64, lane int) *Fault {
	f := &Fault{Kind: kind}
	switch {
	case root == nil:
		f.Summary = "pointer to nothing"
	case kind == "null pointer":
		f.Summary = fmt.Sprintf("%s %q, argument %d, is bound to nothing", root.Space, root.Name, root.Slot)
	default:
		f.Summary = fmt.Sprintf("%s %q", root.Space, root.Name)
		if n := int64(root.Elem.Bytes()); n > 0 {
			index := off / n
			if off%n != 0 && off < 0 {
				index--
			}
			f.Summary += fmt.Sprintf("[%d]", index)
			f.Summary += fmt.Sprintf(", bytes %d..%d of %d (%d elements)", off, off+m.bytes-1, length, length/n)
		} else {
			f.Summary += fmt.Sprintf(", bytes %d..%d of %d", off, off+m.bytes-1, length)
		}
	}
	f.Parties = []string{fmt.Sprintf("%s %s at %s", w.threadName(lane), verb(m), m.pos)}
	return f
}
