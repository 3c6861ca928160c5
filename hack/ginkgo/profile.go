package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// profile is one entry of ginkgo.yaml.
type profile struct {
	required bool           // skipped, pending and focused specs fail
	flags    map[string]any // Ginkgo's flags, without dashes
}

// readProfile decodes the named profile of the file.
func readProfile(file, name string) (profile, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return profile{}, fmt.Errorf("ginkgo profiles: %w", err)
	}
	var all map[string]map[string]any
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return profile{}, fmt.Errorf("ginkgo profiles: %s: %w", file, err)
	}
	flags, ok := all[name]
	if !ok {
		return profile{}, fmt.Errorf("ginkgo profiles: %s: no profile %q, want one of %s", file, name, strings.Join(sortedKeys(all), ", "))
	}
	p := profile{flags: map[string]any{}}
	for key, value := range flags {
		switch value.(type) {
		case bool, int, float64, string:
		default:
			return profile{}, fmt.Errorf("ginkgo profiles: %s: %s.%s: got %T, want a bool, a number or a string", file, name, key, value)
		}
		if key != "required" {
			p.flags[key] = value
			continue
		}
		required, ok := value.(bool)
		if !ok {
			return profile{}, fmt.Errorf("ginkgo profiles: %s: %s.required: got %T, want a bool", file, name, value)
		}
		p.required = required
	}
	return p, nil
}

// args renders the flags in a stable order. Ginkgo refuses the ones it does not know.
func (p profile) args() []string {
	var out []string
	for _, key := range sortedKeys(p.flags) {
		dashes := "--"
		if len(key) == 1 {
			dashes = "-"
		}
		out = append(out, fmt.Sprintf("%s%s=%v", dashes, key, p.flags[key]))
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
