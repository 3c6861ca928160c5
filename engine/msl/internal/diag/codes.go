package diag

// Preprocessor and scanner. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal.
const (
	// BadCharacter: a character that no token starts with.
	//
	//	int f() { return 1 @ 2; }
	BadCharacter Code = 1001

	// UnterminatedComment: a comment without an end.
	//
	//	/* never closed
	UnterminatedComment Code = 1002

	// BadNumber: a number that is none, or too large.
	//
	//	int f() { return 12ab; }
	BadNumber Code = 1003

	// BadLiteral: a string or character without an end, or with a bad escape.
	//
	//	int f() { return 'ab'; }
	BadLiteral Code = 1004

	// BadDirective: a directive that is unknown or incomplete.
	//
	//	#frobnicate
	BadDirective Code = 1005

	// UnbalancedIf: #if, #else and #endif that do not match.
	//
	//	#if 1
	//	int f();
	UnbalancedIf Code = 1006

	// UserError: an #error directive.
	//
	//	#error not this way
	UserError Code = 1007

	// UnknownInclude: an included file that is not found.
	//
	//	#include "nowhere.h"
	UnknownInclude Code = 1008

	// BadMacro: a #define that defines nothing usable.
	//
	//	#define F(a, a) a
	BadMacro Code = 1009

	// BadMacroCall: a macro called with the wrong number of arguments, or a ## that makes no token.
	//
	//	#define F(a, b) a
	//	int x = F(1);
	BadMacroCall Code = 1010

	// BadPreprocessorExpr: an #if condition that cannot be evaluated.
	//
	//	#if 1 +
	//	#endif
	BadPreprocessorExpr Code = 1011

	// TooMuchExpansion: macros that make millions of tokens, or files that include each other too deep.
	//
	//	#define A(x) x x x x x x x x x x x x x x x x
	//	A(A(A(A(A(A(A(A(1))))))))
	TooMuchExpansion Code = 1012

	// BadPragma: a _Pragma without a string.
	//
	//	_Pragma(unroll)
	BadPragma Code = 1013
)

// Parser. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal.
const (
	// UnexpectedToken: a token that cannot stand where it does.
	//
	//	int f( { }
	UnexpectedToken Code = 2001

	// TooDeep: text nested deeper than the parser goes.
	//
	//	#define A(x) ((((((((x))))))))
	//	#define B(x) A(A(A(A(A(A(A(A(x))))))))
	//	int f() { return B(B(B(B(B(B(B(B(1)))))))); }
	TooDeep Code = 2002

	// BadDeclarator: a declaration that declares nothing, or something with an impossible name.
	//
	//	float;
	BadDeclarator Code = 2003

	// DuplicateSpecifier: two different address spaces for one type.
	//
	//	void f(device threadgroup float *p);
	DuplicateSpecifier Code = 2005
)

// Names and declarations. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal.
const (
	// Undeclared: a name that is not declared.
	//
	//	int f() { return x; }
	Undeclared Code = 3001

	// Redeclared: a name or function declared twice in one scope.
	//
	//	int f() { return 1; }
	//	int f() { return 2; }
	Redeclared Code = 3002

	// NotAType: a name that should be a type and is not.
	//
	//	constant int x = 1;
	//	void f() { struct x y; }
	NotAType Code = 3003

	// NotAValue: a name that should be a value and is not.
	//
	//	void g();
	//	void f() { g; }
	NotAValue Code = 3004

	// NoSuchMember: a member or vector component that does not exist.
	//
	//	float f(float2 v) { return v.z; }
	NoSuchMember Code = 3005

	// Incomplete: a struct used before it is defined.
	//
	//	struct S;
	//	void f() { S s; }
	Incomplete Code = 3006

	// NoAddressSpace: a pointer or reference without an address space.
	//
	//	void f(float *p);
	NoAddressSpace Code = 3007

	// BadSpace: an object in an address space where it cannot be, or a conversion between address spaces.
	//
	//	float x = 1.0f;
	BadSpace Code = 3008

	// BadVariable: a variable of an impossible type or without an initialiser it needs.
	//
	//	void f() { void x; }
	BadVariable Code = 3009

	// BadField: a struct member of an impossible type.
	//
	//	struct S { void x; };
	BadField Code = 3010

	// BadEnum: an enumeration whose underlying type is no integer.
	//
	//	enum E : float { A };
	BadEnum Code = 3011

	// BadArray: an array with an impossible length or element.
	//
	//	void f() { int a[0]; }
	BadArray Code = 3012

	// BadAuto: auto where a type cannot be deduced.
	//
	//	void f() { auto x; }
	BadAuto Code = 3013

	// BadReference: a reference bound to something it cannot refer to, or where none can be.
	//
	//	void g(thread float &x);
	//	void f() { g(1.0f); }
	BadReference Code = 3014

	// BadDefault: a parameter without a default after one with it.
	//
	//	int f(int a = 1, int b);
	BadDefault Code = 3015

	// BadReturnType: a function that returns an array or a function.
	//
	//	typedef int A[2];
	//	A f();
	BadReturnType Code = 3016

	// BadTemplateArgs: template arguments that are too many, too few or of the wrong kind.
	//
	//	template <typename T> struct S { T x; };
	//	S<1> f();
	BadTemplateArgs Code = 3017

	// TooManyInstances: templates that instantiate each other without end.
	//
	//	template <int N> int g() { return g<N + 1>(); }
	//	int f() { return g<0>(); }
	TooManyInstances Code = 3018

	// Pack: a parameter pack that is not expanded, or expanded where none can be.
	//
	//	template <typename... A> void g(A... a) { int x = a; }
	//	void f() { g(1); }
	Pack Code = 3019

	// Specialisation: a kind of template or specialisation that is not supported.
	//
	//	template <typename T> constant int v = 1;
	//	template <> constant int v = 2;
	Specialisation Code = 3020

	// StaticMember: a static member initialised outside of its struct.
	//
	//	struct S { static constexpr constant int x = 1; };
	//	constant int S::x = 1;
	StaticMember Code = 3021

	// AmbiguousName: a name that is the program's and, through using namespace metal, the library's.
	//
	//	constant int step = 1;
	//	int f() { return step; }
	AmbiguousName Code = 3023

	// LocalFunction: a function declared inside a function.
	//
	//	void f() { template <typename T> void g(T x); }
	LocalFunction Code = 3022
)

// Types and expressions. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal.
const (
	// NoConversion: a value that does not convert to the type wanted.
	//
	//	half4 f(float4 v) { return v; }
	NoConversion Code = 4001

	// BadOperand: an operator whose operands it is not defined for.
	//
	//	float f(float x) { return x % 2.0f; }
	BadOperand Code = 4002

	// NotAPlace: something written or addressed that is no object.
	//
	//	void f() { 1 = 2; }
	NotAPlace Code = 4003

	// ConstViolation: something const written, or const lost.
	//
	//	void f(constant int *p) { *p = 1; }
	ConstViolation Code = 4004

	// NoMatch: a call that no function of the name takes.
	//
	//	int g(int a);
	//	int f() { return g(1, 2); }
	NoMatch Code = 4005

	// Ambiguous: a call that several functions fit equally well.
	//
	//	int f(uint a, int b) { return min(a, b); }
	Ambiguous Code = 4006

	// NotCallable: a call of something that is no function, or of a kernel.
	//
	//	int f(int x) { return x(1); }
	NotCallable Code = 4007

	// BadInit: an initialiser that does not fit.
	//
	//	void f() { int a[2] = {1, 2, 3}; }
	BadInit Code = 4008

	// BadBitcast: as_type between sizes that differ.
	//
	//	int f(half x) { return as_type<int>(x); }
	BadBitcast Code = 4009

	// AtomicValue: an atomic read or written as if it were a plain value.
	//
	//	int f(device atomic_int *p) { return *p; }
	AtomicValue Code = 4010

	// IndexRange: a constant index outside of a vector or array.
	//
	//	float f(float4 v) { return v[4]; }
	IndexRange Code = 4011

	// DivideByZero: a division by a constant zero.
	//
	//	int f(int x) { return x / 0; }
	DivideByZero Code = 4012
)

// Statements and constants. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal.
const (
	// BadBranch: break or continue outside of what it leaves.
	//
	//	void f() { break; }
	BadBranch Code = 5001

	// BadCase: a case in the wrong place, or twice.
	//
	//	void f(int x) { switch (x) { case 1: case 1: break; } }
	BadCase Code = 5002

	// BadReturn: a return that does not fit the function.
	//
	//	void f() { return 1; }
	BadReturn Code = 5003

	// BadUnroll: an unroll pragma that no loop follows.
	//
	//	void f() {
	//	#pragma unroll
	//	}
	BadUnroll Code = 5004

	// UnknownPragma: a METAL pragma that is unknown.
	//
	//	#pragma METAL fp contract(sometimes)
	UnknownPragma Code = 5005

	// NotConstant: an expression that should be constant and is not.
	//
	//	void f(int n) { int a[n]; }
	NotConstant Code = 5006

	// DependsOnFunctionConstant: an expression that should be constant at compile time and depends on a function constant.
	//
	//	constant int k [[function_constant(0)]];
	//	static_assert(k > 0, "");
	DependsOnFunctionConstant Code = 5007

	// AssertFailed: a static_assert that does not hold.
	//
	//	static_assert(sizeof(float3) == 12, "padded");
	AssertFailed Code = 5008

	// Recursion: a function that calls itself other than as the last thing it does, or through others.
	//
	//	int f(int n) { return n * f(n - 1); }
	Recursion Code = 5009

	// NoBody: a function that is called and has no body.
	//
	//	int g();
	//	int f() { return g(); }
	NoBody Code = 5010
)

// Kernels. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal.
const (
	// BadKernel: a kernel that returns something or is a member.
	//
	//	kernel int f() { return 1; }
	BadKernel Code = 6001

	// BadKernelParam: a kernel parameter that is neither memory nor a builtin input, or of an impossible type.
	//
	//	kernel void f(int n) {}
	BadKernelParam Code = 6002

	// BadBinding: an attribute that does not fit its parameter, or a slot taken twice.
	//
	//	kernel void f(device int *a [[buffer(0)]], device int *b [[buffer(0)]]) {}
	BadBinding Code = 6003

	// UnknownAttribute: an attribute that is unknown there.
	//
	//	kernel void f(device int *a [[colour(0)]]) {}
	UnknownAttribute Code = 6004

	// BadAttributeArg: an attribute with a bad argument.
	//
	//	kernel void f(device int *a [[buffer(99)]]) {}
	BadAttributeArg Code = 6005

	// BadFunctionConstant: a function constant with an initialiser or an impossible type, or two that disagree.
	//
	//	constant int k [[function_constant(0)]] = 1;
	BadFunctionConstant Code = 6006
)

// Parts of C++ or MSL that are refused. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal.
const (
	// NotInMSL: a construct of C++ that MSL leaves out.
	//
	//	void f() { goto x; }
	NotInMSL Code = 9001

	// Lambda: a lambda that names a variable it does not capture, or captures something that is none.
	//
	//	int f(int x) { auto g = [] { return x; }; return g(); }
	Lambda Code = 9002

	// BitField: a bit-field.
	//
	//	struct S { int x : 3; };
	BitField Code = 9003

	// DesignatedInit: a designator that names nothing that its list can initialise.
	//
	//	struct S { int x; };
	//	void f() { S s = {.y = 1}; }
	DesignatedInit Code = 9004

	// ConditionDecl: a declaration in a condition that is not one variable with its value.
	//
	//	void f() { if (int x) {} }
	ConditionDecl Code = 9005

	// UnsupportedType: a type that is not supported: double, textures, samplers, tensors.
	//
	//	double f();
	UnsupportedType Code = 9007

	// FunctionPointer: a pointer to a function.
	//
	//	typedef int F(int);
	//	void f(device F *p);
	FunctionPointer Code = 9008

	// RValueReference: a && reference.
	//
	//	void f(thread int &&x);
	RValueReference Code = 9009

	// Inheritance: a base that is no struct.
	//
	//	struct B : int {};
	Inheritance Code = 9010

	// Destructor: a destructor.
	//
	//	struct A { ~A() {} };
	Destructor Code = 9011

	// NotCompute: a vertex or fragment function.
	//
	//	vertex float4 f() { return float4(0.0f); }
	NotCompute Code = 9013
)

// Lowering. Each example is a whole program, read after #include <metal_stdlib> and using namespace metal, of one kernel.
const (
	// NotExecuted: something that is right and that the executor has no form for.
	//
	//	thread int &pick(thread int &a, thread int &b) { if (a > 0) return a; return b; }
	//	kernel void k(device int *out) { int a = out[0], b = 1; pick(a, b) = 2; out[0] = a + b; }
	NotExecuted Code = 9101
)
