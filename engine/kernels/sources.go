package kernels

import (
	"embed"

	"github.com/octoryn/assay/engine/device"
)

//go:embed *.metal
var files embed.FS

// order is the order of compilation: a source uses only what stands before it.
var order = []string{
	"contract.metal", "int4.metal", "norm.metal", "router.metal", "qkv.metal", "attention.metal", "project.metal",
	"gate_up.metal", "expert_down.metal", "lm_head.metal",
}

// Sources returns the kernel texts, to be compiled in this order as one translation unit.
func Sources() []device.Source {
	out := make([]device.Source, len(order))
	for i, name := range order {
		text, err := files.ReadFile(name)
		if err != nil {
			panic("kernels: " + err.Error())
		}
		out[i] = device.Source{Name: name, Text: string(text)}
	}
	return out
}
