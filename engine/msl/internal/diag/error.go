package diag

import (
	"errors"
	"fmt"
	"strings"
)

// Code numbers a diagnostic. 1xxx: preprocessor and scanner; 2xxx: parser; 3xxx: names and declarations;
// 4xxx: types and expressions; 5xxx: statements and constants; 6xxx: kernels; 9xxx: parts of the language that
// this front end does not accept yet.
type Code int

// String returns the code as it is printed: "MSL2007".
func (c Code) String() string { return fmt.Sprintf("MSL%04d", int(c)) }

// Error is one diagnostic.
type Error struct {
	Pos  Pos
	Code Code
	Msg  string // lower case, no full stop
}

// Error returns "file:line:col: MSL2007: message".
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %s", e.Pos, e.Code, e.Msg) }

// Errorf makes a diagnostic.
func Errorf(pos Pos, code Code, format string, args ...any) *Error {
	return &Error{pos, code, fmt.Sprintf(format, args...)}
}

// List is one or more diagnostics, in the order they were found. errors.As finds the first *Error in it.
type List []*Error

// Error returns every diagnostic on a line of its own.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the diagnostics as errors.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// Render returns the text of err, each diagnostic in it followed by its source line and a caret:
//
//	rms_norm.metal:14:9: MSL4007: cannot convert float4 to half4 implicitly
//	    half4 h = v;
//	              ^
func Render(err error) string {
	var list List
	var one *Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = List{one}
	default:
		return err.Error()
	}
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
		if !e.Pos.IsValid() {
			continue
		}
		line := e.Pos.File.Line(e.Pos.Line)
		fmt.Fprintf(&b, "\n    %s\n    %s^", strings.TrimLeft(line, " \t"), indent(line, e.Pos.Col))
	}
	return b.String()
}

// indent returns white space as wide as line is before col once its leading white space is gone. Tabs stay tabs.
func indent(line string, col int) string {
	lead := len(line) - len(strings.TrimLeft(line, " \t"))
	var b strings.Builder
	for i := lead; i < col-1 && i < len(line); i++ {
		switch {
		case line[i] == '\t':
			b.WriteByte('\t')
		case line[i]&0xC0 != 0x80: // one column a character, not a byte
			b.WriteByte(' ')
		}
	}
	return b.String()
}
