package tokenizer

// The byte alphabet: every byte has one printable letter, so that merges and vocabulary are ordinary text. Bytes that
// print in Latin-1 stand for themselves, the others for U+0100, U+0101, ... in rising order.
//
// Source: Radford et al. 2019, GPT-2's byte-level BPE.

var (
	letterOf = makeLetters()           // byte to letter
	byteOf   = invertLetters(letterOf) // letter to byte
)

func makeLetters() [256]rune {
	var letters [256]rune
	next := rune(0x100)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			letters[b] = b
			continue
		}
		letters[b] = next
		next++
	}
	return letters
}

func invertLetters(letters [256]rune) map[rune]byte {
	m := make(map[rune]byte, len(letters))
	for b, r := range letters {
		m[r] = byte(b)
	}
	return m
}

// spell writes bytes in the alphabet.
func spell(text string) []rune {
	out := make([]rune, len(text))
	for i := range len(text) {
		out[i] = letterOf[text[i]]
	}
	return out
}

// unspell is the inverse; false when a letter is not in the alphabet.
func unspell(token string) ([]byte, bool) {
	var out []byte
	for _, r := range token {
		b, ok := byteOf[r]
		if !ok {
			return nil, false
		}
		out = append(out, b)
	}
	return out, true
}
