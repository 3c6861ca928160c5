package launch

import (
	"os"
	"path/filepath"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
)

// Sources says how a translation unit is read.
type Sources struct {
	Include []string // folders in which #include looks, after that of the including file
	Defines []string // macros set before the first line: NAME or NAME=VALUE
	Prelude []string // files read before the unit, as hosts do that paste sources together
}

// read loads the prelude and a file.
func (o Sources) read(file string) ([]syntax.Source, error) {
	for _, dir := range o.Include {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, inputFile(dir, err)
		}
		if !info.IsDir() {
			return nil, &InputError{File: dir, Msg: "got a file, want a folder for #include to look in"}
		}
	}
	var out []syntax.Source
	for _, f := range append(append([]string(nil), o.Prelude...), file) {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, inputFile(f, err)
		}
		out = append(out, syntax.Source{Name: f, Text: string(text)})
	}
	return out, nil
}

// options are those of the preprocessor.
func (o Sources) options() syntax.Options {
	return syntax.Options{Defines: o.Defines, Include: func(path, from string) (syntax.Source, bool) {
		dirs := append([]string{filepath.Dir(from)}, o.Include...)
		if filepath.IsAbs(path) {
			dirs = []string{""}
		}
		for _, dir := range dirs {
			name := filepath.Join(dir, path)
			if text, err := os.ReadFile(name); err == nil {
				return syntax.Source{Name: name, Text: string(text)}, true
			}
		}
		return syntax.Source{}, false
	}}
}

// compile parses and checks a file.
func (o Sources) compile(file string) (*check.Program, error) {
	sources, err := o.read(file)
	if err != nil {
		return nil, err
	}
	return check.CheckWith(sources, o.options())
}
