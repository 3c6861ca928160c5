package syntax

import (
	"errors"
	"strconv"
	"strings"
)

// NumberLit is a number as it was written. A floating-point literal is Digits with the suffix taken off, which
// strconv.ParseFloat reads, so that it is rounded once, to the type asked for.
type NumberLit struct {
	Float    bool
	Int      uint64
	Digits   string
	Suffix   string // lower case: "", "u", "l", "ul", "f", "h", "bf"
	Unsigned bool
	Decimal  bool // an integer written in base ten
}

var errNumber = errors.New("bad number")

// ParseNumber reads a number token.
func ParseNumber(text string) (NumberLit, error) {
	s := strings.ToLower(strings.ReplaceAll(text, "'", ""))
	hex := strings.HasPrefix(s, "0x")
	binary := strings.HasPrefix(s, "0b")
	if strings.ContainsAny(s, ".p") || !hex && !binary && strings.ContainsRune(s, 'e') ||
		!hex && !binary && (strings.HasSuffix(s, "f") || strings.HasSuffix(s, "h")) {
		return parseFloat(s, hex)
	}
	end := len(s)
	for end > 0 && (s[end-1] == 'u' || s[end-1] == 'l') {
		end--
	}
	lit := NumberLit{Suffix: s[end:], Unsigned: strings.Contains(s[end:], "u")}
	switch lit.Suffix {
	case "", "u", "l", "ul":
	case "lu", "ull", "llu":
		lit.Suffix = "ul"
	case "ll":
		lit.Suffix = "l"
	default:
		return lit, errNumber
	}
	digits, base := s[:end], 10
	switch {
	case hex:
		digits, base = digits[2:], 16
	case binary:
		digits, base = digits[2:], 2
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	lit.Decimal = base == 10
	n, err := strconv.ParseUint(digits, base, 64)
	lit.Int = n
	return lit, err
}

func parseFloat(s string, hex bool) (NumberLit, error) {
	lit := NumberLit{Float: true}
	for _, suffix := range []string{"bf", "f", "h", "l"} {
		if rest, ok := strings.CutSuffix(s, suffix); ok && !(hex && !strings.Contains(rest, "p")) {
			s, lit.Suffix = rest, suffix
			break
		}
	}
	if lit.Suffix == "l" || !hex && !strings.ContainsAny(s, ".e") || hex && !strings.Contains(s, "p") || strings.Contains(s, "_") {
		return lit, errNumber
	}
	lit.Digits = s
	if _, err := strconv.ParseFloat(s, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return lit, errNumber
	}
	return lit, nil
}

// CharValue returns the value of a character literal of one byte.
func CharValue(text string) (int, bool) {
	s, err := strconv.Unquote(text)
	if text == `'\0'` {
		return 0, true
	}
	if err != nil || len(s) != 1 {
		return 0, false
	}
	return int(int8(s[0])), true
}
