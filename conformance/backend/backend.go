// Package backend opens devices by the name a user gives them. The command and the specs' harness share it; the
// engine takes a device and never chooses one.
package backend

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Default is the device used when none is asked for.
const Default = "msl"

// Backend is one kind of device this program knows of.
type Backend struct {
	Name   string
	Absent string // why it cannot be opened here; "" when it can
}

// List names every kind of device, those that cannot be opened here included.
func List() []Backend {
	return []Backend{
		{Name: "msl"},
		{Name: "metal", Absent: metalAbsent()},
		{Name: "cuda", Absent: "not in this build: the CUDA device is a later version's"},
	}
}

func metalAbsent() string {
	if runtime.GOOS != "darwin" {
		return "not in this build: Metal exists on Apple systems only, and this is " + runtime.GOOS + "/" + runtime.GOARCH
	}
	return "not in this build: the Metal device is a later version's"
}

// Open opens the device of that name. The error names the devices there are, or says why this one is absent.
func Open(name string) (device.Device, error) {
	var names []string
	for _, b := range List() {
		if b.Name == name && b.Absent != "" {
			return nil, fmt.Errorf("device %q: %s", name, b.Absent)
		}
		names = append(names, b.Name)
	}
	if name == "msl" {
		return msl.New(msl.Options{}), nil
	}
	return nil, fmt.Errorf("device %q: unknown, want one of %s", name, strings.Join(names, ", "))
}

// checks are the sanitizers of a checked device: all but the one about writing everything once, as a KV cache is filled over many steps.
var checks = []string{"integer", "numeric", "race", "simdgroup", "uninitialised"}

// OpenChecked is Open for a device whose sanitizers look on at every dispatch; nil if the device has none.
func OpenChecked(name string) func() (device.Device, error) {
	if name != "msl" {
		return nil
	}
	return func() (device.Device, error) { return msl.New(msl.Options{Checks: checks}), nil }
}
