package weights

import (
	"fmt"
	"strings"
)

// InputError is what is wrong with a checkpoint: which file, which field of it, what was found, what was wanted.
type InputError struct {
	File  string // path as opened
	Field string // `tensor "NAME": shape`, `config key "NAME"`; empty when the file itself is meant
	Got   string
	Want  string
	Err   error // cause outside the folder's content, such as an error of the file system
}

func (e *InputError) Error() string {
	var b strings.Builder
	b.WriteString("weights: " + e.File)
	if e.Field != "" {
		b.WriteString(": " + e.Field)
	}
	if e.Got != "" {
		b.WriteString(": got " + e.Got)
	}
	if e.Want != "" {
		b.WriteString(", want " + e.Want)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *InputError) Unwrap() error { return e.Err }

// wrong makes an InputError; got is formatted with args.
func wrong(file, field, want, got string, args ...any) *InputError {
	return &InputError{File: file, Field: field, Got: fmt.Sprintf(got, args...), Want: want}
}
