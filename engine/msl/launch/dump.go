package launch

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/lower"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
)

// Stages are what Dump can print, in the order in which a program goes through them.
var Stages = []string{"tokens", "ast", "ir", "code"}

// DumpOptions says what of a file to print.
type DumpOptions struct {
	Sources
	Stage     string
	Kernel    string                 // ir and code: this one only
	Constants map[int]lower.Constant // function constants; those missing are tried with 4 and false
	PerGroup  [3]int                 // code: threads per threadgroup; 32 if zero
}

// Dump prints a stage of a file as stable text. The tokens are those after preprocessing; the tree is the checked one, with every
// conversion and load written out. The error holds source lines with carets.
func Dump(w io.Writer, file string, o DumpOptions) error {
	sources, err := o.read(file)
	if err != nil {
		return err
	}
	switch o.Stage {
	case "tokens":
		tokens, err := syntax.Tokens(sources, o.options())
		if err != nil {
			return rendered(err)
		}
		for _, t := range tokens {
			if t.Kind != syntax.EOF {
				fmt.Fprintf(w, "%s\t%s\t%s\n", t.Pos, kindNames[t.Kind], t.Text)
			}
		}
		return nil
	case "ast", "ir", "code":
	default:
		return &InputError{Field: "--stage", Msg: fmt.Sprintf("got %q, want one of %s", o.Stage, strings.Join(Stages, ", "))}
	}
	prog, err := check.CheckWith(sources, o.options())
	if err != nil {
		return rendered(err)
	}
	if o.Stage == "ast" {
		_, err := io.WriteString(w, check.Dump(prog))
		return err
	}
	constants := map[int]lower.Constant{}
	maps.Copy(constants, trialConstants(prog)[0])
	maps.Copy(constants, o.Constants)
	found := false
	for _, k := range prog.Kernels {
		if o.Kernel != "" && k.HostName != o.Kernel {
			continue
		}
		found = true
		f, err := lower.Kernel(prog, k.HostName, constants)
		if err != nil {
			return &SourceError{Text: fmt.Sprintf("kernel %q: %v", k.HostName, err)}
		}
		if o.Stage == "ir" {
			f.Fprint(w)
			continue
		}
		e, err := exec.NewKernel(f)
		if err != nil {
			return &SourceError{Text: fmt.Sprintf("kernel %q: %v", k.HostName, err)}
		}
		shape := exec.Shape{32, 1, 1}
		if o.PerGroup != [3]int{} {
			shape = o.PerGroup
		}
		if err := e.Dump(w, shape); err != nil {
			return &SourceError{Text: err.Error()}
		}
	}
	if !found && o.Kernel != "" {
		return noKernel(file, o.Kernel, prog)
	}
	return nil
}

var kindNames = map[syntax.Kind]string{syntax.Word: "word", syntax.Number: "number", syntax.Char: "char", syntax.String: "string",
	syntax.Punct: "punct", syntax.Pragma: "pragma"}

// SourceError is something wrong in a kernel's source, rendered with source lines and carets.
type SourceError struct{ Text string }

func (e *SourceError) Error() string { return e.Text }

// rendered turns an error of the front end into a SourceError.
func rendered(err error) error {
	var input *InputError
	if errors.As(err, &input) {
		return err
	}
	var lines []string
	for _, d := range diagnostics(err) {
		lines = append(lines, d.Text)
	}
	return &SourceError{strings.Join(lines, "\n")}
}

func noKernel(file, name string, prog *check.Program) error {
	names := make([]string, len(prog.Kernels))
	for i, k := range prog.Kernels {
		names[i] = k.HostName
	}
	has := "none"
	if len(names) > 0 {
		has = strings.Join(names, ", ")
	}
	return &InputError{Field: "kernel", Msg: fmt.Sprintf("got %q, want one of those in %s: %s", name, file, has)}
}
