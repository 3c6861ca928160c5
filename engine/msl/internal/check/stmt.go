package check

import "github.com/octoryn/assay/engine/msl/internal/diag"

// Stmt is a checked statement.
type Stmt interface {
	Pos() diag.Pos
	stmt()
}

// Unroll is what a pragma before a loop asks for. It never changes a result.
type Unroll int

// Values of Unroll; a positive one is a count.
const (
	UnrollDefault Unroll = 0
	UnrollFull    Unroll = -1
	UnrollNone    Unroll = -2
)

type (
	// Block is a list of statements with a scope of its own.
	Block struct {
		At    diag.Pos
		Stmts []Stmt
	}

	// Decl declares locals, in order. A variable lives until its Block ends and is fresh each time Decl runs. One in
	// the threadgroup space exists once per threadgroup, for the whole dispatch.
	Decl struct {
		At   diag.Pos
		Vars []*Var
	}

	// ExprStmt evaluates X and drops its value. X may be of type void, and may be a place, which is then not read.
	ExprStmt struct {
		At diag.Pos
		X  Expr
	}

	// If runs Then when Cond, a bool value, holds, else Else, which may be nil. `if constexpr` is already decided.
	If struct {
		At         diag.Pos
		Cond       Expr
		Then, Else Stmt
	}

	// For runs Init, then Body and Post while Cond holds. Each of Init, Cond and Post may be nil. What Init declares
	// lives as long as the loop.
	For struct {
		At     diag.Pos
		Init   Stmt
		Cond   Expr
		Post   Expr
		Body   Stmt
		Unroll Unroll
	}

	// While runs Body while Cond holds.
	While struct {
		At     diag.Pos
		Cond   Expr
		Body   Stmt
		Unroll Unroll
	}

	// DoWhile runs Body once, and again while Cond holds.
	DoWhile struct {
		At     diag.Pos
		Body   Stmt
		Cond   Expr
		Unroll Unroll
	}

	// Switch jumps to the case whose values hold Tag's, else to the default case if there is one, else past the end.
	// Tag is an integer value. Control falls from the end of one case into the next; Break leaves the switch.
	Switch struct {
		At    diag.Pos
		Tag   Expr
		Cases []Case
	}

	// Case is one arm. Values are of Tag's type: the low bits of the two's complement, sign-extended if signed.
	Case struct {
		At      diag.Pos
		Values  []int64
		Default bool // may stand beside values
		Stmts   []Stmt
	}

	// Return leaves the function. Value is nil in a void function; a place if the function returns a reference.
	Return struct {
		At    diag.Pos
		Value Expr
	}

	// Break leaves the innermost loop or switch.
	Break struct{ At diag.Pos }

	// Continue starts the next round of the innermost loop: Post, if there is one, then Cond.
	Continue struct{ At diag.Pos }
)

func (s *Block) Pos() diag.Pos    { return s.At }
func (s *Decl) Pos() diag.Pos     { return s.At }
func (s *ExprStmt) Pos() diag.Pos { return s.At }
func (s *If) Pos() diag.Pos       { return s.At }
func (s *For) Pos() diag.Pos      { return s.At }
func (s *While) Pos() diag.Pos    { return s.At }
func (s *DoWhile) Pos() diag.Pos  { return s.At }
func (s *Switch) Pos() diag.Pos   { return s.At }
func (s *Return) Pos() diag.Pos   { return s.At }
func (s *Break) Pos() diag.Pos    { return s.At }
func (s *Continue) Pos() diag.Pos { return s.At }

func (*Block) stmt()    {}
func (*Decl) stmt()     {}
func (*ExprStmt) stmt() {}
func (*If) stmt()       {}
func (*For) stmt()      {}
func (*While) stmt()    {}
func (*DoWhile) stmt()  {}
func (*Switch) stmt()   {}
func (*Return) stmt()   {}
func (*Break) stmt()    {}
func (*Continue) stmt() {}
