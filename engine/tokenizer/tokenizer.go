package tokenizer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"golang.org/x/text/unicode/norm"
)

// Tokenizer encodes and decodes. It may be used from several goroutines.
type Tokenizer struct {
	nfc          bool
	pattern      *regexp2.Regexp
	ignoreMerges bool
	encode       map[string]int // token in the byte alphabet, to id
	byteID       [256]int       // id of each single byte
	ranks        map[pair]merge
	added        []addedToken
	texts        [][]byte // bytes by id; nil where there is no token
}

type pair struct{ left, right int }

type merge struct{ rank, id int }

type addedToken struct {
	content string
	id      int
}

// Len is one more than the highest token id.
func (t *Tokenizer) Len() int { return len(t.texts) }

func (t *Tokenizer) token(id int) []byte {
	if id < 0 || id >= len(t.texts) {
		return nil
	}
	return t.texts[id]
}

func (t *Tokenizer) setToken(id int, text []byte) {
	if id >= len(t.texts) {
		t.texts = append(t.texts, make([][]byte, id+1-len(t.texts))...)
	}
	t.texts[id] = text
}

// Encode turns text into token ids. No token is added that the text does not hold. Text that is not UTF-8 is refused.
func (t *Tokenizer) Encode(text string) ([]int, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("tokenizer: text is not UTF-8 at byte %d", invalidAt(text))
	}
	ids := []int{}
	for text != "" {
		at, tok := t.nextAdded(text)
		var err error
		if ids, err = t.encodePlain(ids, text[:at]); err != nil {
			return nil, err
		}
		if tok == nil {
			break
		}
		ids = append(ids, tok.id)
		text = text[at+len(tok.content):]
	}
	return ids, nil
}

// nextAdded finds the leftmost added token, the longest among those that start there; nil and len(text) when there is none.
func (t *Tokenizer) nextAdded(text string) (at int, tok *addedToken) {
	at = len(text)
	for i := range t.added {
		a := &t.added[i]
		if j := strings.Index(text[:min(at+len(a.content), len(text))], a.content); j >= 0 && (j < at || j == at && tok != nil && len(a.content) > len(tok.content)) {
			at, tok = j, a
		}
	}
	return at, tok
}

// encodePlain appends the ids of text without added tokens.
func (t *Tokenizer) encodePlain(ids []int, text string) ([]int, error) {
	if text == "" {
		return ids, nil
	}
	if t.nfc {
		text = norm.NFC.String(text)
	}
	runes := []rune(text)
	from := 0
	m, err := t.pattern.FindRunesMatch(runes)
	for ; m != nil && err == nil; m, err = t.pattern.FindNextMatch(m) {
		if m.Index > from { // what the pattern leaves out is a piece too
			ids = t.encodePiece(ids, string(runes[from:m.Index]))
		}
		ids = t.encodePiece(ids, string(runes[m.Index:m.Index+m.Length]))
		from = m.Index + m.Length
	}
	if err != nil {
		return nil, fmt.Errorf("tokenizer: splitting pattern: %w", err)
	}
	if from < len(runes) {
		ids = t.encodePiece(ids, string(runes[from:]))
	}
	return ids, nil
}

// encodePiece appends the ids of one piece.
func (t *Tokenizer) encodePiece(ids []int, piece string) []int {
	if piece == "" {
		return ids
	}
	if id, ok := t.encode[string(spell(piece))]; ok && (t.ignoreMerges || len(piece) == 1) {
		return append(ids, id)
	}
	parts := make([]int, len(piece))
	for i := range len(piece) {
		parts[i] = t.byteID[piece[i]]
	}
	return append(ids, t.mergeAll(parts)...)
}

// Decode returns the bytes the ids stand for, added tokens as their text. An id without a token stands for nothing. The
// bytes of a few tokens need not be whole UTF-8; see [Stream].
func (t *Tokenizer) Decode(ids []int) []byte {
	var out []byte
	for _, id := range ids {
		out = append(out, t.token(id)...)
	}
	return out
}

func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return i
			}
		}
	}
	return len(text)
}
