// Package lower turns a kernel of the checked tree into the executor's IR.
//
// It inlines every function, gives function constants their values, unrolls loops whose trips are known, and takes
// vectors and structs apart into scalars. A local whose address is never taken becomes variables, one a scalar;
// arrays, and what is pointed at, become memory, which package ir turns into variables where every index turned out to
// be constant. A pointer is two scalars: the number of the object it points into, and a byte offset; the number is
// nearly always a literal.
//
// Words: the leaves of a type are its scalars in order of memory, a pointer counting as two. A place is what an
// expression denotes: variables, memory, or a constant.
package lower
