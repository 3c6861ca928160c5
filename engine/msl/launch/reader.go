package launch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// InputError is something wrong with what the user gave: a file, a field of one, an option.
type InputError struct {
	File  string // "" for options
	Field string // "buffers[1].count"; "" for the whole file
	Msg   string // "got -3, want a whole number from 1 to 2147467264"
}

// Error is one line: file, field, got, want.
func (e *InputError) Error() string {
	s := e.Msg
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.File != "" {
		s = e.File + ": " + s
	}
	return s
}

// value is a JSON value and its path in the file.
type value struct {
	path string
	raw  json.RawMessage
}

// parseValue checks that text is one JSON value and nothing else.
func parseValue(text []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	err := d.Decode(&raw)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("something follows the value")
		} else if errors.Is(err, io.EOF) {
			return value{raw: raw}, nil
		}
	}
	if errors.Is(err, io.EOF) {
		return value{}, &InputError{Msg: "got an empty file, want a JSON object"}
	}
	offset := d.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = syntax.Offset - 1
	}
	before := text[:min(int(offset), len(text))]
	return value{}, &InputError{Msg: fmt.Sprintf("line %d, column %d: no JSON: %v", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'), err)}
}

func (v value) errorf(format string, args ...any) error {
	return &InputError{Field: v.path, Msg: fmt.Sprintf(format, args...)}
}

// got shortens the value for a message.
func (v value) got() string {
	const most = 40
	var b bytes.Buffer
	if json.Compact(&b, v.raw) != nil {
		b.Write(v.raw)
	}
	if b.Len() > most {
		return b.String()[:most] + "..."
	}
	return b.String()
}

func (v value) want(what string) error { return v.errorf("got %s, want %s", v.got(), what) }

// object calls field for each member in order. A key that field does not know, or that comes twice, is an error.
func (v value) object(field func(key string, x value) (known bool, err error)) error {
	d := json.NewDecoder(bytes.NewReader(v.raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return v.want("an object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return v.want("an object")
		}
		key := t.(string)
		x := value{path: key}
		if v.path != "" {
			x.path = v.path + "." + key
		}
		if err := d.Decode(&x.raw); err != nil {
			return x.errorf("%v", err)
		}
		if seen[key] {
			return x.errorf("given twice")
		}
		seen[key] = true
		known, err := field(key, x)
		if err != nil {
			return err
		}
		if !known {
			return x.errorf("unknown field")
		}
	}
	return nil
}

// list calls each for the elements in order.
func (v value) list(each func(i int, x value) error) error {
	var all []json.RawMessage
	if json.Unmarshal(v.raw, &all) != nil || all == nil {
		return v.want("a list")
	}
	for i, raw := range all {
		if err := each(i, value{fmt.Sprintf("%s[%d]", v.path, i), raw}); err != nil {
			return err
		}
	}
	return nil
}

func (v value) text() (string, error) {
	var s *string
	if json.Unmarshal(v.raw, &s) != nil || s == nil {
		return "", v.want("a string")
	}
	return *s, nil
}

func (v value) boolean() (bool, error) {
	var b *bool
	if json.Unmarshal(v.raw, &b) != nil || b == nil {
		return false, v.want("true or false")
	}
	return *b, nil
}

func (v value) integer(lo, hi int64) (int, error) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(v.raw)), 10, 64)
	if err != nil || n < lo || n > hi {
		return 0, v.want(fmt.Sprintf("a whole number from %d to %d", lo, hi))
	}
	return int(n), nil
}

// size reads one to three sizes; those left out are 1.
func (v value) size() ([3]int, error) {
	out := [3]int{1, 1, 1}
	n := 0
	err := v.list(func(i int, x value) (err error) {
		if i > 2 {
			return v.want("one to three sizes")
		}
		n++
		out[i], err = x.integer(1, 1<<32-1)
		return err
	})
	if err == nil && n == 0 {
		err = v.want("one to three sizes")
	}
	return out, err
}
