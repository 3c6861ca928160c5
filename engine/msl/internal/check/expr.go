package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Expr is a checked expression: a place or a value.
type Expr interface {
	Pos() diag.Pos
	Type() types.Type
	// Place describes the object an expression denotes; ok is false for a value.
	Place() (p Place, ok bool)
}

// Place is what the type of a place does not say.
type Place struct {
	Space types.Space
	Const bool
}

// node is what every expression has.
type node struct {
	at    diag.Pos
	typ   types.Type
	lval  bool
	place Place
}

func (n *node) Pos() diag.Pos        { return n.at }
func (n *node) Type() types.Type     { return n.typ }
func (n *node) Place() (Place, bool) { return n.place, n.lval }

// Op is an operator of Unary, Binary and CompoundAssign.
type Op uint8

// The operators. Div and Rem truncate toward zero. Shr is arithmetic for a signed left operand. Shift counts are taken
// modulo the width of the left operand. LogAnd and LogOr do not evaluate Y when X decides.
const (
	Neg    Op = iota // unary; number or vector
	Not              // unary; bool or vector of bool
	BitNot           // unary; integer or vector of integers
	Add
	Sub
	Mul
	Div
	Rem // integers
	And // integers or bools, as are Or and Xor
	Or
	Xor
	Shl
	Shr
	Lt
	Le
	Gt
	Ge
	Eq
	Ne
	LogAnd // scalar bools
	LogOr
)

var opNames = [...]string{"-", "!", "~", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||"}

// String returns the operator's spelling.
func (o Op) String() string { return opNames[o] }

// IsComparison reports Lt to Ne.
func (o Op) IsComparison() bool { return o >= Lt && o <= Ne }

type (
	// Const is a constant value of any type but a pointer.
	Const struct {
		node
		Value Value
	}

	// Null is a null pointer.
	Null struct{ node }

	// VarRef is the place of Var.
	VarRef struct {
		node
		Var *Var
	}

	// Load is the value of the place X. Loading an array or struct copies it.
	Load struct {
		node
		X Expr
	}

	// Unary applies Neg, Not or BitNot. X has the node's type: the promotion to int is already made.
	Unary struct {
		node
		Op Op
		X  Expr
	}

	// Binary applies Op. X and Y have one type T: a number, bool, a vector, or a pointer (comparisons only). The node's
	// type is T, or for a comparison bool or a vector of bool. A shift's count is converted to T.
	Binary struct {
		node
		Op   Op
		X, Y Expr
	}

	// PointerAdd is the pointer X moved by Index elements; Index is any scalar integer value, negative ones move back.
	PointerAdd struct {
		node
		X, Index Expr
	}

	// PointerDiff is the distance from Y to X in elements, of type long. X and Y are pointers of one element type.
	PointerDiff struct {
		node
		X, Y Expr
	}

	// Assign stores the value R, of exactly L's type, in the place L. R is evaluated first. The node is a value: R's.
	Assign struct {
		node
		L, R Expr
	}

	// CompoundAssign is L op= Y: the place L is worked out once; its value, converted to Y's type, op Y, converted
	// back to L's type, is stored. Y is evaluated before L is. For a pointer L, Op is Add or Sub and Y a number of
	// elements, of any integer type. The node is a value: what was stored.
	CompoundAssign struct {
		node
		Op   Op
		L, Y Expr
	}

	// IncDec adds 1 to the place X, a number or a pointer, or takes 1 away. The node is a value of X's type: the old one
	// if Post, else the new.
	IncDec struct {
		node
		X         Expr
		Dec, Post bool
	}

	// Cond is C ? X : Y, all values; C is a scalar bool and only one of X and Y is evaluated.
	Cond struct {
		node
		C, X, Y Expr
	}

	// Comma evaluates X, drops it, and is the value Y.
	Comma struct {
		node
		X, Y Expr
	}

	// Convert changes the value X between numeric types: scalar to scalar, or vector to vector of as many components
	// (packed and plain included). To bool: x != 0. Float to integer truncates. Enumerations count as their
	// underlying type. To void: X is evaluated and dropped.
	Convert struct {
		node
		X        Expr
		Explicit bool // a cast, and no implicit conversion
	}

	// Splat repeats the scalar X, already of the element type, in each component of a vector or matrix.
	Splat struct {
		node
		X Expr
	}

	// PointerCast is the pointer X with another element type or another constness, in the same address space.
	PointerCast struct {
		node
		X Expr
	}

	// Decay is the address of the first element of X, a place of array type.
	Decay struct {
		node
		X Expr
	}

	// PointerInt is the pointer X as an integer of 64 bits.
	PointerInt struct {
		node
		X Expr
	}

	// Bitcast is the bits of X as another type of the same size: as_type.
	Bitcast struct {
		node
		X Expr
	}

	// AddrOf is the address of the place X.
	AddrOf struct {
		node
		X Expr
	}

	// Deref is the place the pointer value X points at. p[i] is Deref(PointerAdd(p, i)).
	Deref struct {
		node
		X Expr
	}

	// Index is an element of an array or vector X, or a column of a matrix: a place if X is one, else a value. Index is any
	// scalar integer value.
	Index struct {
		node
		X, Index Expr
	}

	// Member is field number Field of the struct X: a place if X is one, else a value.
	Member struct {
		node
		X     Expr
		Field int
	}

	// Swizzle picks components of the vector X: Lanes[i] is the index in X of component i. One lane makes a scalar. It is a
	// place if X is one and no lane is named twice; a Load of it yields a plain vector also when X is packed.
	Swizzle struct {
		node
		X     Expr
		Lanes []int
	}

	// Construct builds a vector from scalars and vectors of its element type, whose components, in order, are exactly
	// as many as the vector's.
	Construct struct {
		node
		Args []Expr
	}

	// Aggregate builds an array, struct or matrix from the values of its elements, fields or columns, in order, each of
	// exactly the element's type. Elements beyond len(Elems) are zero. A union has at most one, its first field.
	Aggregate struct {
		node
		Elems []Expr
	}

	// Call calls a function. An argument for a reference parameter is a place of the parameter's type, for any
	// other a value of it. Tail says that it is a function's call of itself as the last thing it does: its arguments
	// become the parameters, and the body starts anew.
	Call struct {
		node
		Func *Func
		Args []Expr
		Tail bool
	}

	// CallBuiltin calls a function of the Metal library. Its arguments are values; builtin.go says of what types. A
	// reference parameter gets the address.
	CallBuiltin struct {
		node
		ID      BuiltinFunc
		Variant Variant
		Args    []Expr
	}

	// VarDefined is is_function_constant_defined(Var): a bool.
	VarDefined struct {
		node
		Var *Var
	}

	// Closure is a lambda: a struct without fields. It initialises Vars, the copies of what the lambda captures by value.
	Closure struct {
		node
		Vars []*Var
	}

	// View is X, a place or a value, seen as another type made of the same scalars.
	View struct {
		node
		X Expr
	}

	// Materialize is a fresh thread object with the value X; it lives as long as the reference bound to it.
	Materialize struct {
		node
		X Expr
	}
)
