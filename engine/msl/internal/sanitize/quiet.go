package sanitize

import (
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// quiet is an observer that wants nothing and says nothing; the others embed it and change what they need.
type quiet struct{}

func (quiet) Start(*exec.Launching)           {}
func (quiet) Watches(*ir.Root) bool           { return false }
func (quiet) Begin(exec.Group)                {}
func (quiet) Access(*exec.Access) *exec.Fault { return nil }
func (quiet) Barrier(exec.Group, uint64)      {}
func (quiet) SimdBarrier(exec.Place, uint64)  {}
func (quiet) Probe(*exec.Probe) *exec.Fault   { return nil }
func (quiet) End(exec.Group)                  {}
func (quiet) Finish() *exec.Fault             { return nil }
