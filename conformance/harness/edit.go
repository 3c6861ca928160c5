package harness

import (
	"fmt"
	"strings"
	"sync"

	"github.com/octoryn/assay/engine/device"
)

// Edit replaces a piece of a kernel text by another.
type Edit struct {
	File     string // name of the source, such as "norm.metal"
	Old, New string
}

// EditKernels wraps a device so that kernel texts are edited before they are compiled. Compiling fails unless every
// edit found its text exactly once: a fault that was not planted proves nothing.
func EditKernels(d device.Device, edits ...Edit) device.Device {
	return &editing{Device: d, edits: edits}
}

type editing struct {
	device.Device
	edits []Edit
	mu    sync.Mutex
	done  map[int]bool
}

func (e *editing) Compile(sources []device.Source) (device.Library, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	sources = append([]device.Source(nil), sources...)
	for i, edit := range e.edits {
		for j := range sources {
			if sources[j].Name != edit.File {
				continue
			}
			if n := strings.Count(sources[j].Text, edit.Old); n != 1 {
				return nil, fmt.Errorf("harness: %s holds the text to edit %d times, want once: %s", edit.File, n, edit.Old)
			}
			sources[j].Text = strings.Replace(sources[j].Text, edit.Old, edit.New, 1)
			if e.done == nil {
				e.done = map[int]bool{}
			}
			e.done[i] = true
		}
	}
	return e.Device.Compile(sources)
}

// Planted reports whether every edit was made in some compilation.
func Planted(d device.Device) bool {
	e, ok := d.(*editing)
	return ok && len(e.done) == len(e.edits)
}
