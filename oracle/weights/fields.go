package weights

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// fields reads the keys of a JSON object, keeps the first error, and knows which keys nobody asked for.
type fields struct {
	file   string
	prefix string // of key names in errors: "" or "rope_parameters."
	values map[string]json.RawMessage
	asked  map[string]bool
	err    error
}

// readFields reads a JSON object from a file.
func readFields(file string) (*fields, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &InputError{File: file, Err: cause(err)}
	}
	members, err := objectInOrder(text)
	if err != nil {
		return nil, wrong(file, "", "a JSON object", "%v", err)
	}
	return newFields(file, "", members), nil
}

func newFields(file, prefix string, members []keyed) *fields {
	f := &fields{file: file, prefix: prefix, values: map[string]json.RawMessage{}, asked: map[string]bool{}}
	for _, m := range members {
		f.values[m.key] = m.value
	}
	return f
}

func (f *fields) name(key string) string { return "config key " + strconv.Quote(f.prefix+key) }

func (f *fields) fail(key, want, got string, args ...any) {
	if f.err == nil {
		f.err = wrong(f.file, f.name(key), want, got, args...)
	}
}

// has reports whether a key is there and not null.
func (f *fields) has(key string) bool {
	v, ok := f.values[key]
	return ok && string(v) != "null"
}

// get decodes a key that must be there.
func (f *fields) get(key, kind string, into any) bool {
	f.asked[key] = true
	if !f.has(key) {
		got := "nothing"
		if _, ok := f.values[key]; ok {
			got = "null"
		}
		f.fail(key, kind, "%s", got)
		return false
	}
	if err := json.Unmarshal(f.values[key], into); err != nil {
		f.fail(key, kind, "%s", f.values[key])
		return false
	}
	return true
}

// count reads an integer from least up. The limit keeps products of three counts within an int64.
func (f *fields) count(key string, least int) int {
	const most = 1 << 20
	var n int
	if f.get(key, "an integer", &n) && (n < least || n > most) {
		f.fail(key, fmt.Sprintf("%d to %d", least, most), "%d", n)
	}
	return n
}

// large is count for sizes that may exceed a million, such as a context length.
func (f *fields) large(key string) int {
	const most = 1 << 30
	var n int
	if f.get(key, "an integer", &n) && (n < 1 || n > most) {
		f.fail(key, fmt.Sprintf("1 to %d", most), "%d", n)
	}
	return n
}

// positive reads a finite number above 0.
func (f *fields) positive(key string) float64 {
	var x float64
	if f.get(key, "a number", &x) && !(x > 0 && x <= math.MaxFloat64) {
		f.fail(key, "a number above 0", "%v", x)
	}
	return x
}

func (f *fields) flag(key string) bool {
	var b bool
	f.get(key, "true or false", &b)
	return b
}

func (f *fields) text(key string) string {
	var s string
	f.get(key, "a string", &s)
	return s
}

func (f *fields) counts(key string) []int {
	var l []int
	f.get(key, "a list of integers", &l)
	return l
}

// object reads a nested object.
func (f *fields) object(key string) *fields {
	f.asked[key] = true
	members, err := objectInOrder(f.values[key])
	if err != nil {
		f.fail(key, "an object", "%s", f.values[key])
	}
	return newFields(f.file, f.prefix+key+".", members)
}

// only accepts a key that is missing, null, or has one of the values given as JSON.
func (f *fields) only(key, why string, accepted ...string) {
	f.asked[key] = true
	if f.has(key) && !slices.Contains(accepted, string(f.values[key])) {
		f.fail(key, why, "%s", f.values[key])
	}
}

// ignore marks keys that do not enter the forward pass.
func (f *fields) ignore(keys ...string) {
	for _, k := range keys {
		f.asked[k] = true
	}
}

// rest refuses a key nobody asked for, unless it is null or false: it might change the result.
func (f *fields) rest() {
	var left []string
	for k, v := range f.values {
		if !f.asked[k] && string(v) != "null" && string(v) != "false" {
			left = append(left, k)
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		f.fail(left[0], "no key whose meaning is unknown", "%s", f.values[left[0]])
	}
}
