// Package exec runs kernels of package ir: 32 lanes an instruction.
//
// A [Kernel] is built once from a function and specialised for each threadgroup shape it is launched with. Building
// goes through four steps, a file each: analyse (what is equal in all lanes), select (IR to instructions over
// unlimited registers), allocate (intervals to registers), and the result, a program. A simdgroup is a resumable
// state: program counter, mask of active lanes, a file of scalars and a file of vector registers; run returns at a
// barrier, and the threadgroup resumes each simdgroup in turn. Nothing needs a goroutine per simdgroup, so a launch
// gives the same bits whatever the number of workers; workers share threadgroups only.
//
// Words: a scalar holds a value equal in every active lane, or lane 0's value of one that differs from lane to lane by a
// fixed pattern (such as an index that counts lanes), or a mask: a varying bool, one bit a lane. A vector register holds
// 32 values. Results that only temporaries hold are computed for all lanes, active or not; memory, cross-lane operations
// and variables that outlive divergence respect the mask.
//
// Every access is checked against the bounds of what it addresses. What goes wrong is a [Fault]. An [Observer] can
// listen to accesses and barriers; without one nothing is paid for it.
package exec
