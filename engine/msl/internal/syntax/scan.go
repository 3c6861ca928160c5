package syntax

import (
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// scanner makes tokens of the text of one file. A backslash before a newline joins two lines.
type scanner struct {
	file  *diag.File
	off   int
	fresh bool // at the start of a line
}

func newScanner(f *diag.File) *scanner { return &scanner{file: f, fresh: true} }

// splice moves past joined lines.
func (s *scanner) splice() {
	for t := s.file.Text; s.off+1 < len(t) && t[s.off] == '\\'; {
		switch {
		case t[s.off+1] == '\n':
			s.off += 2
		case t[s.off+1] == '\r' && s.off+2 < len(t) && t[s.off+2] == '\n':
			s.off += 3
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	s.splice()
	if s.off < len(s.file.Text) {
		return s.file.Text[s.off]
	}
	return 0
}

// peek2 returns the byte after the next.
func (s *scanner) peek2() byte {
	s.splice()
	save := s.off
	defer func() { s.off = save }()
	s.off++
	return s.peek()
}

func (s *scanner) atEnd() bool { s.splice(); return s.off >= len(s.file.Text) }

// blank skips white space and comments and reports whether there were any.
func (s *scanner) blank() bool {
	any := false
	for !s.atEnd() {
		switch c := s.peek(); {
		case c == '\n':
			s.fresh = true
			s.off++
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			s.off++
		case c == '/' && s.peek2() == '/':
			for !s.atEnd() && s.peek() != '\n' {
				s.off++
			}
		case c == '/' && s.peek2() == '*':
			s.comment()
		default:
			return any
		}
		any = true
	}
	return any
}

func (s *scanner) comment() {
	start := s.off
	s.peek2()
	s.off++
	s.peek()
	s.off++
	for !s.atEnd() {
		if s.peek() == '*' && s.peek2() == '/' {
			s.off++
			s.peek()
			s.off++
			return
		}
		s.off++
	}
	panic(diag.Errorf(s.file.PosAt(start), diag.UnterminatedComment, "comment is not closed"))
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// next returns the next token.
func (s *scanner) next() Token {
	t := Token{Space: s.blank(), first: s.fresh}
	s.fresh = false
	t.Pos = s.file.PosAt(s.off)
	if s.atEnd() {
		t.first = true
		return t
	}
	t.Pos = s.file.PosAt(s.off)
	switch c := s.peek(); {
	case isLetter(c):
		t.Kind, t.Text = Word, s.while(func(c byte) bool { return isLetter(c) || isDigit(c) })
	case isDigit(c), c == '.' && isDigit(s.peek2()):
		t.Kind, t.Text = Number, s.number()
	case c == '"', c == '\'':
		t.Kind, t.Text = s.quoted(c)
	default:
		t.Kind, t.Text = s.punct()
	}
	return t
}

func (s *scanner) while(in func(byte) bool) string {
	var b strings.Builder
	for !s.atEnd() && in(s.peek()) {
		b.WriteByte(s.peek())
		s.off++
	}
	return b.String()
}

// number takes a preprocessing number: digits, letters, dots, digit separators, and signs after an exponent letter.
func (s *scanner) number() string {
	var b strings.Builder
	for !s.atEnd() {
		c := s.peek()
		hex := strings.HasPrefix(b.String(), "0x") || strings.HasPrefix(b.String(), "0X")
		var last byte
		if b.Len() > 0 {
			last = b.String()[b.Len()-1] | 0x20
		}
		sign := (c == '+' || c == '-') && (last == 'p' || last == 'e' && !hex)
		apostrophe := c == '\'' && (isDigit(s.peek2()) || isLetter(s.peek2()))
		if !isDigit(c) && !isLetter(c) && c != '.' && !sign && !apostrophe {
			break
		}
		b.WriteByte(c)
		s.off++
	}
	return b.String()
}

// quoted takes a string or character. One that is not closed on its line is no token: an error unless it is skipped.
func (s *scanner) quoted(quote byte) (Kind, string) {
	var b strings.Builder
	b.WriteByte(quote)
	s.off++
	for !s.atEnd() && s.peek() != '\n' {
		c := s.peek()
		b.WriteByte(c)
		s.off++
		if c == quote {
			if quote == '"' {
				return String, b.String()
			}
			return Char, b.String()
		}
		if c == '\\' && !s.atEnd() && s.peek() != '\n' {
			b.WriteByte(s.peek())
			s.off++
		}
	}
	return other, b.String()
}

func (s *scanner) punct() (Kind, string) {
	save := s.off
	var b strings.Builder
	for range 3 {
		if s.atEnd() {
			break
		}
		b.WriteByte(s.peek())
		s.off++
	}
	s.off = save
	for _, p := range puncts {
		if strings.HasPrefix(b.String(), p) {
			for range p {
				s.peek()
				s.off++
			}
			return Punct, p
		}
	}
	s.off++
	for s.off < len(s.file.Text) && s.file.Text[s.off]&0xC0 == 0x80 && s.file.Text[save] >= 0x80 {
		s.off++ // the rest of a UTF-8 sequence
	}
	return other, s.file.Text[save:s.off]
}
