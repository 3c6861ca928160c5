package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
)

// maxJSONBytes bounds config.json, the index and packed.json; the index of a 48-layer, 128-expert model takes 2 MB.
const maxJSONBytes = 256 << 20

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// readSmall reads a whole JSON file.
func readSmall(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if st.IsDir() {
		return nil, &Error{Kind: Unreadable, File: path, Got: "a folder", Want: "a file"}
	}
	if st.Size() > maxJSONBytes {
		return nil, &Error{Kind: Unreadable, File: path, Got: fmt.Sprintf("%d bytes", st.Size()), Want: fmt.Sprintf("at most %d bytes", maxJSONBytes)}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return b, nil
}

// member is one name and value of a JSON object, in file order.
type member struct {
	name  string
	value json.RawMessage
}

// errDuplicate is a name given twice in one object.
type errDuplicate struct{ name string }

func (e errDuplicate) Error() string { return fmt.Sprintf("name %q given twice", e.name) }

// objectMembers splits one JSON object into its members. encoding/json would let the last of two equal names
// win; here the second is an error, because in a list of tensors it hides one.
func objectMembers(data []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var ms []member
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: t.(string)} // the decoder accepts nothing but a string here
		if seen[m.name] {
			return nil, errDuplicate{m.name}
		}
		seen[m.name] = true
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return ms, nil
}

// object is a JSON object read field by field. The first thing wrong is kept in err, and later reads return zero.
type object struct {
	file   string
	prefix string // path of the object within the file, with its dot
	fields map[string]json.RawMessage
	err    error
}

// readObject reads the JSON object in a file.
func readObject(path string) (*object, error) {
	b, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	return parseObject(path, "", b)
}

func parseObject(path, prefix string, data []byte) (*object, error) {
	ms, err := objectMembers(data)
	var dup errDuplicate
	if errors.As(err, &dup) {
		return nil, &Error{Kind: Duplicate, File: path, Field: prefix + dup.name}
	}
	if err != nil {
		e := &Error{Kind: Malformed, File: path, Err: err}
		if prefix != "" {
			e.Field = prefix[:len(prefix)-1]
		}
		return nil, e
	}
	o := &object{file: path, prefix: prefix, fields: map[string]json.RawMessage{}}
	for _, m := range ms {
		o.fields[m.name] = m.value
	}
	return o, nil
}

// has reports whether a field is there and not null.
func (o *object) has(name string) bool {
	v, ok := o.fields[name]
	return ok && string(v) != "null"
}

func (o *object) fail(kind Kind, name, got, want string) {
	if o.err == nil {
		o.err = &Error{Kind: kind, File: o.file, Field: o.prefix + name, Got: got, Want: want}
	}
}

// raw returns a field that must be there.
func (o *object) raw(name, want string) (json.RawMessage, bool) {
	if o.err != nil {
		return nil, false
	}
	v, ok := o.fields[name]
	if !ok {
		o.fail(Missing, name, "", want)
		return nil, false
	}
	return v, true
}

// integer returns a whole number in [low, high].
func (o *object) integer(name string, low, high int) int {
	want := fmt.Sprintf("a whole number in [%d, %d]", low, high)
	v, ok := o.raw(name, want)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < int64(low) || n > int64(high) {
		o.fail(BadValue, name, brief(v), want)
		return 0
	}
	return int(n)
}

// positive returns a finite number above zero.
func (o *object) positive(name string) float64 {
	const want = "a number above 0"
	v, ok := o.raw(name, want)
	if !ok {
		return 0
	}
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		o.fail(BadValue, name, brief(v), want)
		return 0
	}
	return x
}

func (o *object) boolean(name string) bool {
	v, ok := o.raw(name, "true or false")
	if !ok {
		return false
	}
	switch string(v) {
	case "true":
		return true
	case "false":
		return false
	}
	o.fail(BadValue, name, brief(v), "true or false")
	return false
}

func (o *object) text(name, want string) string {
	v, ok := o.raw(name, want)
	if !ok {
		return ""
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil || string(v) == "null" {
		o.fail(BadValue, name, brief(v), want)
	}
	return s
}

// integers returns a list of whole numbers in [low, high].
func (o *object) integers(name string, low, high int) []int {
	want := fmt.Sprintf("a list of whole numbers in [%d, %d]", low, high)
	v, ok := o.raw(name, want)
	if !ok {
		return nil
	}
	var ns []int
	if err := json.Unmarshal(v, &ns); err != nil || string(v) == "null" {
		o.fail(BadValue, name, brief(v), want)
		return nil
	}
	for _, n := range ns {
		if n < low || n > high {
			o.fail(BadValue, name, brief(v), want)
			return nil
		}
	}
	return ns
}

// child returns an object-valued field.
func (o *object) child(name string) *object {
	v, ok := o.raw(name, "an object")
	if !ok {
		return nil
	}
	c, err := parseObject(o.file, o.prefix+name+".", v)
	if err != nil {
		o.err = err
		return nil
	}
	return c
}

// brief shortens a JSON value for a message.
func brief(v json.RawMessage) string {
	if len(v) > 60 {
		return string(v[:57]) + "..."
	}
	return string(v)
}
