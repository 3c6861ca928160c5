// Package sanitize holds the executor's sanitizers: observers that look on while a kernel runs and say what it does wrong although
// nothing visibly breaks here. Each has a file of its own.
//
//	race           two threads meet in memory, at least one writes, and no barrier stands between them
//	uninitialised  bytes are read that nothing has written
//	integer        signed overflow, a shift past the width, division by zero, an index that loses value on the way
//	numeric        subnormals, NaN and infinities born, floats that fit no integer, reductions without an order
//	simdgroup      functions of a simdgroup where not all of it is, shuffles from lanes that are not there
//	writes         elements written twice by one dispatch, and elements of an output that nothing wrote
//
// Bounds, alignment, null pointers, barriers and endless loops need no observer: the executor always looks. A new sanitizer is a
// file here and a line in [Names].
package sanitize
