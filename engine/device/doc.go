// Package device is the interface between the engine and the machines that can run its kernels.
//
// It holds interfaces and plain values only and imports nothing but the standard library. A [Device]
// compiles Metal Shading Language sources into a [Library], makes [Buffer]s and [CommandBuffer]s; the
// engine never asks which device it drives. Words are Apple's: a [Dispatch] launches a grid of
// threadgroups; 32 threads of a threadgroup form a simdgroup; a [CommandBuffer] is committed once and
// waited for once.
//
// Whatever goes wrong while a kernel executes is a [Fault]; what goes wrong while sources are compiled
// is the device's own diagnostic error; anything else is an ordinary error.
package device
