package golden

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strconv"
)

// File is one golden file: a greedy continuation of one prompt.
type File struct {
	Provenance Provenance `json:"provenance"`
	Prompt     Prompt     `json:"prompt"`
	Steps      []Step     `json:"steps"` // one a token chosen
}

// Provenance says what a file was made from.
type Provenance struct {
	Command         string `json:"command"`
	Fixture         string `json:"fixture"` // folder of the checkpoint, from the root of the repository
	FixtureSHA256   string `json:"fixture_sha256"`
	OracleSHA256    string `json:"oracle_sha256"`
	GeneratorSHA256 string `json:"generator_sha256"`
	Weights         string `json:"weights"`    // "as stored" or "int4"
	Arithmetic      string `json:"arithmetic"` // "float64"
	KV              string `json:"kv"`         // "exact" or "float16"
}

// Prompt names the prompt that was continued.
type Prompt struct {
	From   string `json:"from"` // file that lists it
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
	SHA256 string `json:"sha256"` // of the ids in decimal, each followed by a newline
}

// Step is one token, chosen as the highest logit, ties to the lowest id. LogSumExp and Projection are the [Digest] of
// the logits it was chosen from.
type Step struct {
	ID         int     `json:"id"`
	Margin     float64 `json:"margin"` // its logit minus the second highest
	LogSumExp  float64 `json:"log_sum_exp"`
	Projection float64 `json:"projection"`
}

// The pattern also takes the Go files, so that the generator, which imports this package, builds when there is no
// golden file yet.
//
//go:embed *
var files embed.FS

// Name is the name of the file of a prompt: folder and file, with a slash.
func Name(fixture, prompt string) string { return fixture + "/" + prompt + ".json" }

// Names lists the files, sorted.
func Names() []string {
	names, err := fs.Glob(files, "*/*.json")
	if err != nil {
		panic("golden: " + err.Error()) // the pattern is constant
	}
	return names
}

// Open reads the file of a prompt as it was when this package was built.
func Open(name string) (*File, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	return Parse(name, text)
}

// Parse reads the text of a file; name is for errors. Unknown and missing keys are errors.
func Parse(name string, text []byte) (*File, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	f := &File{}
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("golden: %s: %w", name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("golden: %s: more text after the object", name)
	}
	if !bytes.Equal(Format(f), text) {
		return nil, fmt.Errorf("golden: %s: not as the generator writes it: edited by hand?", name)
	}
	return f, nil
}

// Format gives the text of a file: head indented, one line a step, numbers with nine decimals.
func Format(f *File) []byte {
	var b bytes.Buffer
	section := func(name string, v any) {
		text, err := json.MarshalIndent(v, "  ", "  ")
		if err != nil {
			panic("golden: " + err.Error()) // strings and integers always marshal
		}
		fmt.Fprintf(&b, "  %q: %s,\n", name, text)
	}
	b.WriteString("{\n")
	section("provenance", f.Provenance)
	section("prompt", f.Prompt)
	b.WriteString("  \"steps\": [\n")
	for i, s := range f.Steps {
		comma := ","
		if i == len(f.Steps)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "    {\"id\": %d, \"margin\": %s, \"log_sum_exp\": %s, \"projection\": %s}%s\n",
			s.ID, decimal(s.Margin), decimal(s.LogSumExp), decimal(s.Projection), comma)
	}
	b.WriteString("  ]\n}\n")
	return b.Bytes()
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 9, 64) }
