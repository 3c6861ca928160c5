package device

import (
	"fmt"
	"strings"
)

// EventKind says what happened.
type EventKind string

// The kinds of event a [Recorder] writes down.
const (
	EventAlloc    EventKind = "alloc"    // NewBuffer or NewBufferNoCopy
	EventRelease  EventKind = "release"  // Buffer.Release
	EventWrite    EventKind = "write"    // host write to device memory
	EventRead     EventKind = "read"     // host read from device memory
	EventBegin    EventKind = "begin"    // NewCommandBuffer
	EventDispatch EventKind = "dispatch" // appended to a command buffer
	EventBarrier  EventKind = "barrier"  // appended to a command buffer
	EventCommit   EventKind = "commit"   // command buffer handed to the device
	EventWait     EventKind = "wait"     // host waited for a command buffer
)

// Event is one thing the host asked of a device, in the order in which the host asked it.
type Event struct {
	Kind          EventKind
	CommandBuffer int    // number of the command buffer, from 0; -1 for buffer events
	Label         string // of the buffer or command buffer
	OffsetBytes   int    // of a read or write
	LengthBytes   int    // of an alloc, read or write
	Dispatch      *DispatchRecord
	Err           error // what the device answered, nil when it complied
}

// DispatchRecord is a dispatch as values: it keeps no buffer alive.
type DispatchRecord struct {
	Tag                   Tag
	Kernel                string
	Threadgroups          Size
	ThreadsPerThreadgroup Size
	Args                  []ArgRecord
}

// ArgRecord is one bound argument as values.
type ArgRecord struct {
	Index            int
	Buffer           string // label, empty for inline bytes and threadgroup memory
	OffsetBytes      int
	InlineBytes      int
	ThreadgroupBytes int
}

// Trace is what a [Recorder] has written down so far.
type Trace struct{ Events []Event }

// Dispatches returns the dispatches in order.
func (t Trace) Dispatches() []DispatchRecord {
	var out []DispatchRecord
	for _, e := range t.Events {
		if e.Kind == EventDispatch {
			out = append(out, *e.Dispatch)
		}
	}
	return out
}

// Count is the number of events of a kind.
func (t Trace) Count(kind EventKind) int {
	n := 0
	for _, e := range t.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// String prints one line an event, the same text for the same calls.
func (t Trace) String() string {
	var b strings.Builder
	for _, e := range t.Events {
		b.WriteString(e.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// String prints the event on one line.
func (e Event) String() string {
	var b strings.Builder
	if e.CommandBuffer >= 0 {
		fmt.Fprintf(&b, "%d ", e.CommandBuffer)
	}
	b.WriteString(string(e.Kind))
	switch e.Kind {
	case EventAlloc:
		fmt.Fprintf(&b, " %q %d bytes", e.Label, e.LengthBytes)
	case EventRead, EventWrite:
		fmt.Fprintf(&b, " %q %d bytes at %d", e.Label, e.LengthBytes, e.OffsetBytes)
	case EventDispatch:
		b.WriteByte(' ')
		b.WriteString(e.Dispatch.String())
	default:
		if e.Label != "" {
			fmt.Fprintf(&b, " %q", e.Label)
		}
	}
	if e.Err != nil {
		fmt.Fprintf(&b, " failed: %v", e.Err)
	}
	return b.String()
}

// String prints the dispatch on one line: role, layer, step, kernel, grid and arguments.
func (d DispatchRecord) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s layer %d step %d: %s %s threadgroups of %s threads (",
		d.Tag.Role, d.Tag.Layer, d.Tag.Step, d.Kernel, d.Threadgroups, d.ThreadsPerThreadgroup)
	for i, a := range d.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		switch {
		case a.Buffer != "" && a.OffsetBytes != 0:
			fmt.Fprintf(&b, "%d=%s+%d", a.Index, a.Buffer, a.OffsetBytes)
		case a.Buffer != "":
			fmt.Fprintf(&b, "%d=%s", a.Index, a.Buffer)
		case a.ThreadgroupBytes != 0:
			fmt.Fprintf(&b, "threadgroup %d=%d bytes", a.Index, a.ThreadgroupBytes)
		default:
			fmt.Fprintf(&b, "%d=%d inline bytes", a.Index, a.InlineBytes)
		}
	}
	b.WriteByte(')')
	return b.String()
}

// String prints X, X*Y or X*Y*Z, as short as the size allows.
func (s Size) String() string {
	x, y, z := max(s.X, 1), max(s.Y, 1), max(s.Z, 1)
	switch {
	case z > 1:
		return fmt.Sprintf("%d*%d*%d", x, y, z)
	case y > 1:
		return fmt.Sprintf("%d*%d", x, y)
	}
	return fmt.Sprint(x)
}
