package syntax

import "github.com/octoryn/assay/engine/msl/internal/diag"

// Source is one named piece of text of a translation unit.
type Source struct {
	Name string // file name in diagnostics
	Text string
}

// Options of Parse.
type Options struct {
	// Include finds the file of an #include that is not built in: path as written, from the including file's name.
	// nil finds none.
	Include func(path, from string) (Source, bool)
	// Defines are macros set before the first line: "NAME" or "NAME=VALUE".
	Defines []string
}

// File is a parsed translation unit.
type File struct {
	Decls []Decl
}

// Name is a possibly qualified name: ::a::b<int>, decltype(x)::c.
type Name struct {
	At       diag.Pos
	Global   bool // starts with ::
	Decltype Expr // starts with decltype(Decltype)::, else nil
	Parts    []NamePart
}

// NamePart is an identifier, or an operator's name ("operator+"), and its template arguments.
type NamePart struct {
	At      diag.Pos
	Ident   string
	HasArgs bool
	Args    []TemplateArg

	Template bool // the word template stands before it
}

// TemplateArg is a type or an expression; the other is nil. An argument that names something unknown to the parser is
// an expression.
type TemplateArg struct {
	Type Type
	X    Expr
	Pack bool // followed by ...
}

// Simple returns the identifier of a name that is no more than one, else "".
func (n *Name) Simple() string {
	if n.Global || n.Decltype != nil || len(n.Parts) != 1 || n.Parts[0].HasArgs {
		return ""
	}
	return n.Parts[0].Ident
}

// Last is the final part.
func (n *Name) Last() *NamePart { return &n.Parts[len(n.Parts)-1] }

// Quals are the qualifiers of a type: const, volatile and an address space ("" for none).
type Quals struct {
	Const, Volatile bool
	Space           string
}

// Type is a type as written.
type Type interface{ Pos() diag.Pos }

type (
	// NamedType is a builtin or user-defined type. Builtin spellings are reduced to one: "unsigned int" is uint.
	NamedType struct {
		At       diag.Pos
		Quals    Quals
		Name     *Name
		Typename bool
		Key      string // "struct", "union" or "enum" when written before the name
	}
	// AutoType is auto.
	AutoType struct {
		At    diag.Pos
		Quals Quals
	}
	// DecltypeType is decltype(X).
	DecltypeType struct {
		At    diag.Pos
		Quals Quals
		X     Expr
	}
	// PointerType is a pointer; Quals are the pointer's own.
	PointerType struct {
		At    diag.Pos
		Elem  Type
		Quals Quals
	}
	// RefType is an lvalue reference, or a && one.
	RefType struct {
		At     diag.Pos
		Elem   Type
		RValue bool
	}
	// ArrayType is an array; Len is nil for [].
	ArrayType struct {
		At   diag.Pos
		Elem Type
		Len  Expr
	}
	// FuncType is a function's type, in a typedef.
	FuncType struct {
		At     diag.Pos
		Ret    Type
		Params []*VarDecl
	}
	// PackType is a parameter pack: Elem...
	PackType struct {
		At   diag.Pos
		Elem Type
	}
)

// Attr is one attribute of [[...]] or __attribute__((...)): name(args).
type Attr struct {
	At      diag.Pos
	Name    string // with its namespace: "clang::loop"
	HasArgs bool
	Args    []Expr
}

// Specs are the specifiers of a declaration.
type Specs struct {
	Static, Constexpr, Inline, Extern, Mutable, Explicit bool
}

// InitKind says how a variable is initialised.
type InitKind uint8

// The kinds of initialiser.
const (
	InitNone   InitKind = iota
	InitAssign          // = X
	InitParen           // (Args)
	InitBrace           // {Args}, Init is an *InitList
)

// Decl is a declaration.
type Decl interface {
	Pos() diag.Pos
	decl()
}

type (
	// VarDecl is a variable, parameter or field. Name is "" for an unnamed parameter; Class is the class of a static
	// member defined outside it.
	VarDecl struct {
		At    diag.Pos
		Name  string
		Class *Name
		Part  *NamePart // with the template arguments of a specialisation, else nil
		Type  Type
		Specs Specs
		Attrs []Attr
		Kind  InitKind
		Init  Expr   // InitAssign, InitBrace
		Args  []Expr // InitParen
	}
	// FuncDecl is a function; Body is nil for a declaration only.
	FuncDecl struct {
		At        diag.Pos
		Name      *Name // the last part is "operator+", "operator()", ... for operators
		Ret       Type  // nil for constructors and conversions; the conversion's type is Conv
		Conv      Type
		Params    []*VarDecl
		Specs     Specs
		Attrs     []Attr
		Kernel    bool   // the keyword kernel or the attribute
		Stage     string // "vertex", "fragment", "mesh", "object" or "intersection": no compute function
		This      Quals  // of a member function
		Ctor      bool
		Dtor      bool
		Inits     []MemberInit
		Defaulted bool // = default
		Deleted   bool
		InstType  Type // an explicit instantiation through a function type: no Ret, no Params
		Body      *Block
	}
	// MemberInit initialises a field or a base in a constructor.
	MemberInit struct {
		At    diag.Pos
		Name  string
		Type  *Name // a base whose name is qualified or has template arguments, else nil
		Brace bool
		Args  []Expr
	}
	// StructDecl is a struct, class or union. Members is nil for a declaration only (Forward).
	StructDecl struct {
		At      diag.Pos
		Key     string
		Name    *Name // nil when anonymous
		Attrs   []Attr
		Bases   []Type
		Members []Decl
		Forward bool
	}
	// EnumDecl is an enumeration.
	EnumDecl struct {
		At         diag.Pos
		Name       string
		Scoped     bool
		Underlying Type
		Items      []EnumItem
	}
	// EnumItem is an enumerator; X may be nil.
	EnumItem struct {
		At   diag.Pos
		Name string
		X    Expr
	}
	// UsingNamespace is using namespace X.
	UsingNamespace struct {
		At   diag.Pos
		Name *Name
	}
	// UsingDecl is using X::name.
	UsingDecl struct {
		At   diag.Pos
		Name *Name
	}
	// AliasDecl is a typedef or using Name = Type.
	AliasDecl struct {
		At   diag.Pos
		Name string
		Type Type
	}
	// NamespaceDecl is a namespace; Name is "" when it has none.
	NamespaceDecl struct {
		At    diag.Pos
		Name  string
		Decls []Decl
	}
	// TemplateDecl is template <Params> Decl.
	TemplateDecl struct {
		At     diag.Pos
		Params []TemplateParam
		Decl   Decl
	}
	// TemplateParam is a type parameter, a template template parameter or a value of type Type.
	TemplateParam struct {
		At       diag.Pos
		Name     string
		Type     Type // nil for a type or template parameter
		Pack     bool
		Template []TemplateParam // of a template template parameter, which is a struct or alias template
		IsTmpl   bool
		DefType  Type
		DefValue Expr
	}
	// Instantiation is template Decl: an explicit instantiation of a function or struct.
	Instantiation struct {
		At   diag.Pos
		Decl Decl
	}
	// StaticAssert is static_assert(X, Msg).
	StaticAssert struct {
		At  diag.Pos
		X   Expr
		Msg string
	}
	// PragmaDecl is a pragma between declarations or statements.
	PragmaDecl struct {
		At   diag.Pos
		Text string
	}
)

// Capture is one entry of a lambda's list: Name, &Name or Name = Init.
type Capture struct {
	At   diag.Pos
	Name string // "this" for the object
	Ref  bool
	Init Expr
}

// Stmt is a statement.
type Stmt interface {
	Pos() diag.Pos
	stmt()
}

type (
	// Block is { ... }.
	Block struct {
		At    diag.Pos
		Stmts []Stmt
		End   diag.Pos
	}
	// DeclStmt declares; several VarDecls come from one declaration.
	DeclStmt struct {
		At    diag.Pos
		Decls []Decl
	}
	// ExprStmt evaluates X; nil is the empty statement.
	ExprStmt struct {
		At diag.Pos
		X  Expr
	}
	// If is an if statement.
	If struct {
		At         diag.Pos
		Constexpr  bool
		Cond       Expr
		Then, Else Stmt
	}
	// For is a for statement.
	For struct {
		At    diag.Pos
		Init  Stmt // DeclStmt or ExprStmt
		Cond  Expr
		Post  Expr
		Body  Stmt
		Attrs []Attr
	}
	// RangeFor is for (Var : X) Body; Var has no initialiser.
	RangeFor struct {
		At   diag.Pos
		Var  *VarDecl
		X    Expr
		Body Stmt
	}
	// While is a while statement.
	While struct {
		At   diag.Pos
		Cond Expr
		Body Stmt
	}
	// DoWhile is a do statement.
	DoWhile struct {
		At   diag.Pos
		Body Stmt
		Cond Expr
	}
	// Switch is a switch statement.
	Switch struct {
		At   diag.Pos
		Tag  Expr
		Body *Block
	}
	// CaseLabel is case X: or, with X nil, default:.
	CaseLabel struct {
		At diag.Pos
		X  Expr
	}
	// Return is a return statement.
	Return struct {
		At diag.Pos
		X  Expr
	}
	// Branch is break or continue.
	Branch struct {
		At   diag.Pos
		Word string
	}
)

// Expr is an expression.
type Expr interface {
	Pos() diag.Pos
	expr()
}

type (
	// Ident is a name.
	Ident struct{ Name *Name }
	// Literal is a number, character or string, or one of true, false, nullptr and this.
	Literal struct {
		At   diag.Pos
		Kind Kind // Word for the words
		Text string
	}
	// Paren is (X).
	Paren struct {
		At diag.Pos
		X  Expr
	}
	// Unary is an operator before or after X.
	Unary struct {
		At      diag.Pos
		Op      string
		X       Expr
		Postfix bool
	}
	// Binary is X Op Y, assignments and the comma included. At is the operator's position.
	Binary struct {
		At   diag.Pos
		Op   string
		X, Y Expr
	}
	// Cond is C ? X : Y.
	Cond struct {
		At      diag.Pos
		C, X, Y Expr
	}
	// Call is Fun(Args).
	Call struct {
		At   diag.Pos
		Fun  Expr
		Args []Expr
	}
	// Index is X[I].
	Index struct {
		At   diag.Pos
		X, I Expr
	}
	// Member is X.Part or X->Part.
	Member struct {
		At       diag.Pos
		X        Expr
		Arrow    bool
		Template bool
		Part     NamePart
		Conv     Type // of X.operator Conv, else nil
	}
	// Cast is (Type)X, or Word<Type>(X) for static_cast, reinterpret_cast, const_cast and as_type.
	Cast struct {
		At   diag.Pos
		Word string // "" for a C-style cast
		Type Type
		X    Expr
	}
	// TypeCall is Type(Args) or Type{Args}.
	TypeCall struct {
		At    diag.Pos
		Type  Type
		Brace bool
		Args  []Expr
	}
	// Designated is an element of an InitList: .Name = X, [Index] = X or, as GNU C has it, [Index ... Last] = X.
	Designated struct {
		At          diag.Pos
		Name        string
		Index, Last Expr // Last is nil but for a range
		X           Expr
	}
	// Lambda is [Captures](Params) Body. Default is "&", "=" or "".
	Lambda struct {
		At       diag.Pos
		Default  string
		Captures []Capture
		Params   []*VarDecl
		Mutable  bool
		Ret      Type // nil when the body decides
		Body     *Block
	}
	// InitList is {Elems}, of an initialiser.
	InitList struct {
		At    diag.Pos
		Elems []Expr
	}
	// SizeOf is sizeof or alignof of a type or an expression, or a question about a type such as __is_empty.
	SizeOf struct {
		At   diag.Pos
		Word string
		Type Type
		X    Expr
	}
	// PackExpansion is X...
	PackExpansion struct {
		At diag.Pos
		X  Expr
	}
)

func (t *NamedType) Pos() diag.Pos    { return t.At }
func (t *AutoType) Pos() diag.Pos     { return t.At }
func (t *DecltypeType) Pos() diag.Pos { return t.At }
func (t *PointerType) Pos() diag.Pos  { return t.At }
func (t *RefType) Pos() diag.Pos      { return t.At }
func (t *ArrayType) Pos() diag.Pos    { return t.At }
func (t *FuncType) Pos() diag.Pos     { return t.At }
func (t *PackType) Pos() diag.Pos     { return t.At }

func (d *VarDecl) Pos() diag.Pos        { return d.At }
func (d *FuncDecl) Pos() diag.Pos       { return d.At }
func (d *StructDecl) Pos() diag.Pos     { return d.At }
func (d *EnumDecl) Pos() diag.Pos       { return d.At }
func (d *UsingNamespace) Pos() diag.Pos { return d.At }
func (d *UsingDecl) Pos() diag.Pos      { return d.At }
func (d *AliasDecl) Pos() diag.Pos      { return d.At }
func (d *NamespaceDecl) Pos() diag.Pos  { return d.At }
func (d *TemplateDecl) Pos() diag.Pos   { return d.At }
func (d *Instantiation) Pos() diag.Pos  { return d.At }
func (d *StaticAssert) Pos() diag.Pos   { return d.At }
func (d *PragmaDecl) Pos() diag.Pos     { return d.At }

func (*VarDecl) decl()        {}
func (*FuncDecl) decl()       {}
func (*StructDecl) decl()     {}
func (*EnumDecl) decl()       {}
func (*UsingNamespace) decl() {}
func (*UsingDecl) decl()      {}
func (*AliasDecl) decl()      {}
func (*NamespaceDecl) decl()  {}
func (*TemplateDecl) decl()   {}
func (*Instantiation) decl()  {}
func (*StaticAssert) decl()   {}
func (*PragmaDecl) decl()     {}

func (s *Block) Pos() diag.Pos     { return s.At }
func (s *DeclStmt) Pos() diag.Pos  { return s.At }
func (s *ExprStmt) Pos() diag.Pos  { return s.At }
func (s *If) Pos() diag.Pos        { return s.At }
func (s *For) Pos() diag.Pos       { return s.At }
func (s *RangeFor) Pos() diag.Pos  { return s.At }
func (s *While) Pos() diag.Pos     { return s.At }
func (s *DoWhile) Pos() diag.Pos   { return s.At }
func (s *Switch) Pos() diag.Pos    { return s.At }
func (s *CaseLabel) Pos() diag.Pos { return s.At }
func (s *Return) Pos() diag.Pos    { return s.At }
func (s *Branch) Pos() diag.Pos    { return s.At }

func (*RangeFor) stmt()  {}
func (*Block) stmt()     {}
func (*DeclStmt) stmt()  {}
func (*ExprStmt) stmt()  {}
func (*If) stmt()        {}
func (*For) stmt()       {}
func (*While) stmt()     {}
func (*DoWhile) stmt()   {}
func (*Switch) stmt()    {}
func (*CaseLabel) stmt() {}
func (*Return) stmt()    {}
func (*Branch) stmt()    {}

func (e *Ident) Pos() diag.Pos         { return e.Name.At }
func (e *Literal) Pos() diag.Pos       { return e.At }
func (e *Paren) Pos() diag.Pos         { return e.At }
func (e *Unary) Pos() diag.Pos         { return e.At }
func (e *Binary) Pos() diag.Pos        { return e.At }
func (e *Cond) Pos() diag.Pos          { return e.At }
func (e *Call) Pos() diag.Pos          { return e.At }
func (e *Index) Pos() diag.Pos         { return e.At }
func (e *Member) Pos() diag.Pos        { return e.At }
func (e *Cast) Pos() diag.Pos          { return e.At }
func (e *TypeCall) Pos() diag.Pos      { return e.At }
func (e *InitList) Pos() diag.Pos      { return e.At }
func (e *Designated) Pos() diag.Pos    { return e.At }
func (e *Lambda) Pos() diag.Pos        { return e.At }
func (e *SizeOf) Pos() diag.Pos        { return e.At }
func (e *PackExpansion) Pos() diag.Pos { return e.At }

func (*Ident) expr()         {}
func (*Literal) expr()       {}
func (*Paren) expr()         {}
func (*Unary) expr()         {}
func (*Binary) expr()        {}
func (*Cond) expr()          {}
func (*Call) expr()          {}
func (*Index) expr()         {}
func (*Member) expr()        {}
func (*Cast) expr()          {}
func (*TypeCall) expr()      {}
func (*InitList) expr()      {}
func (*Designated) expr()    {}
func (*Lambda) expr()        {}
func (*SizeOf) expr()        {}
func (*PackExpansion) expr() {}
