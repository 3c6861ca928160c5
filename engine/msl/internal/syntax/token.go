package syntax

import "github.com/octoryn/assay/engine/msl/internal/diag"

// Kind classifies a Token.
type Kind uint8

// The kinds. Keywords are identifiers until the parser looks at them.
const (
	EOF Kind = iota
	Word
	Number
	Char
	String
	Punct
	Pragma // a whole #pragma or _Pragma; Text is its tokens joined by single spaces
	other  // a character that no token starts with; an error unless a directive drops it
)

// Token is one lexical element.
type Token struct {
	Kind  Kind
	Text  string
	Pos   diag.Pos
	Space bool // white space stands before it
	first bool // first on its line
	hide  *hideSet
}

// Is reports whether t is the punctuator or identifier text.
func (t Token) Is(text string) bool { return t.Text == text && (t.Kind == Punct || t.Kind == Word) }

// describe names t in a message.
func (t Token) describe() string {
	switch t.Kind {
	case EOF:
		return "end of file"
	case Pragma:
		return "#pragma"
	}
	return "\"" + t.Text + "\""
}

// puncts holds the punctuators longest first.
var puncts = []string{
	"<<=", ">>=", "...", "->*",
	"::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##",
	"{", "}", "[", "]", "(", ")", ";", ":", "?", ".", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",", "#",
}
