package tokenizer

import "fmt"

// Error is something wrong with a tokenizer.json.
type Error struct {
	File  string
	Field string // path within the file; empty when the file itself is at fault
	Got   string
	Want  string
	Err   error // cause; may be nil
}

// Error says where, what, got and want on one line.
func (e *Error) Error() string {
	s := "tokenizer: " + e.File
	if e.Field != "" {
		s += fmt.Sprintf(": field %q", e.Field)
	}
	if e.Got != "" {
		s += ": got " + e.Got
	}
	if e.Want != "" {
		s += ", want " + e.Want
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
