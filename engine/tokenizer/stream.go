package tokenizer

import "unicode/utf8"

// Stream decodes token by token and never gives out half a character: bytes that may still become one are held back.
type Stream struct {
	t    *Tokenizer
	held []byte
}

// NewStream starts a stream.
func (t *Tokenizer) NewStream() *Stream { return &Stream{t: t} }

// Next takes one token and returns the text that is now complete. A byte that can no longer become part of a character
// comes out as it is.
func (s *Stream) Next(id int) []byte {
	s.held = append(s.held, s.t.token(id)...)
	end := len(s.held)
	for back := 1; back < utf8.UTFMax && back <= len(s.held); back++ {
		if tail := s.held[len(s.held)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				end -= back
			}
			break
		}
	}
	out := append([]byte(nil), s.held[:end]...)
	s.held = append(s.held[:0], s.held[end:]...)
	return out
}

// Rest returns what is still held back when no token follows.
func (s *Stream) Rest() []byte {
	out := s.held
	s.held = nil
	return out
}
