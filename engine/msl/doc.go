// Package msl is a [device.Device] that executes Metal Shading Language in pure Go, on any machine.
//
// It runs the text of the kernels and knows none of them: syntax and check read it, lower makes the executor's IR of a
// kernel with its function constants, exec runs it, 32 lanes an instruction. Arithmetic is IEEE binary32 with a true fma;
// fresh memory is poison (NaN as a float, a large number as an index); every access is checked against the bounds of the
// argument it reaches, and what goes wrong is a [device.Fault] that names kernel, argument, thread and source line.
//
// LANGUAGE.md lists what is accepted, by section of the specification, and what is chosen where it leaves something open;
// DIAGNOSTICS.md what is refused, by number.
//
// A command buffer runs on a goroutine of its own from Commit on, command buffers in the order of their commits,
// dispatches one after the other; threadgroups of a dispatch are shared out over the machine's cores. None of that can
// change a result.
package msl
