package checkpoint

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Kind is what is wrong with an input or output, for callers that branch.
type Kind string

// The kinds of Error.
const (
	Unreadable  Kind = "unreadable"        // cannot be opened, read or mapped
	Malformed   Kind = "malformed"         // is not the JSON or safetensors it should be
	Truncated   Kind = "truncated"         // ends before its own header says
	Missing     Kind = "missing"           // file, field or tensor is not there
	Unsupported Kind = "unsupported"       // is valid, but asks for what this project does not do
	BadValue    Kind = "bad value"         // field has a value no such model can have
	BadDType    Kind = "wrong dtype"       // tensor has another element type
	BadShape    Kind = "wrong shape"       // tensor has another shape
	BadOffsets  Kind = "wrong offsets"     // tensors overlap, leave gaps, or leave the file
	Duplicate   Kind = "duplicate"         // same name twice
	Unexpected  Kind = "unexpected tensor" // tensor the configuration has no place for
	PathEscape  Kind = "path escape"       // index names a file outside its folder
	NotFinite   Kind = "not finite"        // NaN or infinity among weights
	Unpackable  Kind = "unpackable"        // finite weights that the int4 format cannot carry
	Exists      Kind = "exists"            // destination is already there
	Unwritable  Kind = "unwritable"        // destination cannot be written
)

// Error is one thing wrong with a checkpoint folder.
type Error struct {
	Kind   Kind
	File   string // path of the file or folder at fault
	Tensor string // set when one tensor is at fault
	Field  string // set when one JSON field is at fault
	Got    string // what was found; may be empty
	Want   string // what would have been accepted; may be empty
	Err    error  // cause from below; may be nil
}

// Error says where, what, got and want on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("checkpoint: " + filepath.ToSlash(e.File))
	if e.Tensor != "" {
		fmt.Fprintf(&b, ": tensor %q", e.Tensor)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, ": field %q", e.Field)
	}
	b.WriteString(": " + string(e.Kind))
	if e.Got != "" {
		b.WriteString(": got " + e.Got)
	}
	if e.Want != "" {
		if e.Got == "" {
			b.WriteString(":")
		} else {
			b.WriteString(",")
		}
		b.WriteString(" want " + e.Want)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// unreadable wraps a failure of the file system, telling a missing file from an unreadable one.
func unreadable(path string, err error) *Error {
	if isNotExist(err) {
		return &Error{Kind: Missing, File: path, Err: err}
	}
	return &Error{Kind: Unreadable, File: path, Err: err}
}
