// Package launch compiles and runs single kernels: the work behind the command's msl check, msl dump and msl run, and behind the
// cases in testdata.
//
// A launch is described in JSON (see [Spec]): the kernel, the grid, what its arguments are bound to, what is to be checked, and what
// is expected. [Run] executes it without a GPU and says what was computed, what went wrong and how often each argument was
// reached. Bad input is an [InputError] that names the field, what it held and what was wanted; what a kernel does wrong is a
// [Finding], never an error.
//
// The package knows the executor and the sanitizers; it is no device, has no command buffers and keeps nothing between
// calls.
package launch
