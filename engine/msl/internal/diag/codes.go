package diag

// Preprocessor and scanner.
const (
	BadCharacter        Code = 1001
	UnterminatedComment Code = 1002
	BadNumber           Code = 1003
	BadLiteral          Code = 1004
	BadDirective        Code = 1005
	UnbalancedIf        Code = 1006
	UserError           Code = 1007
	UnknownInclude      Code = 1008
	BadMacro            Code = 1009
	BadMacroCall        Code = 1010
	BadPreprocessorExpr Code = 1011
	TooMuchExpansion    Code = 1012
	BadPragma           Code = 1013
)

// Parser.
const (
	UnexpectedToken    Code = 2001
	TooDeep            Code = 2002
	BadDeclarator      Code = 2003
	BadAttribute       Code = 2004
	DuplicateSpecifier Code = 2005
)

// Names and declarations.
const (
	Undeclared   Code = 3001
	Redeclared   Code = 3002
	NotAType     Code = 3003
	NotAValue    Code = 3004
	NoSuchMember Code = 3005
	Incomplete   Code = 3006
)

// Parts of C++ or MSL that are refused.
const (
	NotInMSL         Code = 9001
	Lambda           Code = 9002
	BitField         Code = 9003
	DesignatedInit   Code = 9004
	ConditionDecl    Code = 9005
	TemplateTemplate Code = 9006
)
