// Package check turns parsed Metal Shading Language into a checked program: every name resolved, every implicit
// conversion explicit, every expression typed, every overload chosen, every template instantiated.
//
// The checked tree is what later stages read; they never look at syntax or at names again.
//
// Words. A place is an expression that denotes an object (C++: an lvalue): it has an address space and may be
// const. Every other expression is a value. A place becomes a value only through a Load, so a consumer can be
// written as two functions: one for places, one for values.
//
// References. There is no reference type. A reference is a Var with Ref set: its Type is the type referred to, its
// Space and Const are those of the object referred to, its Init (or the argument bound to it) is a place of exactly
// that type. VarRef of it is the place it was bound to; the place is worked out once, when the reference is bound.
// A const reference bound to a value is bound to a Materialize, a fresh thread object with that value.
//
// Functions. Member functions are functions whose first parameter is a reference called "this". Recursion is
// refused, but for calls marked Tail, so every call can be inlined; Program.Funcs lists callees before callers.
//
// Order of evaluation. Operands and arguments left to right; an assignment's right side before its place; && || ?: and
// comma as in C++. MSL leaves most of this open.
//
// Function constants. A Var with FunctionConstant >= 0 gets its value when a pipeline is made. A global whose initialiser
// depends on one has a nil Value: Evaluate computes it once the function constants are known.
package check
