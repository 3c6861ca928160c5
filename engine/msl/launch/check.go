package launch

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/lower"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Unit is what became of one file.
type Unit struct {
	File        string       `json:"file"`
	Diagnostics []Diagnostic `json:"diagnostics"`
	Kernels     []Kernel     `json:"kernels"`
	Constants   []Argument   `json:"function_constants"`
}

// Diagnostic is one rule broken.
type Diagnostic struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Text    string `json:"-"` // with source line and caret
}

// Kernel is a kernel or an explicit instantiation of one.
type Kernel struct {
	Name      string     `json:"name"`
	Arguments []Argument `json:"arguments"`
	Error     string     `json:"error,omitempty"` // why it was not lowered
}

// Argument is a kernel's argument or a function constant.
type Argument struct {
	Kind  string `json:"kind"` // buffer, threadgroup, builtin, constant
	Index int    `json:"index"`
	Name  string `json:"name"`
	Type  string `json:"type"`            // with the address space
	Bytes int    `json:"bytes,omitempty"` // of what one element, or the object, takes
	Input string `json:"input,omitempty"` // builtin: the attribute
	If    string `json:"if,omitempty"`    // function constant that says whether it exists
}

// OK reports that every kernel lowers.
func (u *Unit) OK() bool {
	for _, k := range u.Kernels {
		if k.Error != "" {
			return false
		}
	}
	return len(u.Diagnostics) == 0
}

// Check compiles a file and lowers every kernel in it. The error is about reading files; what is wrong in them is in the Unit.
//
// A kernel that depends on function constants is lowered twice: numbers 4 and bools false, then numbers 1 and bools true.
func Check(file string, o Sources) (*Unit, error) {
	u := &Unit{File: file, Diagnostics: []Diagnostic{}, Kernels: []Kernel{}, Constants: []Argument{}}
	prog, err := o.compile(file)
	var input *InputError
	switch {
	case errors.As(err, &input):
		return nil, err
	case err != nil:
		u.Diagnostics = diagnostics(err)
		return u, nil
	}
	for _, v := range prog.FunctionConstants {
		u.Constants = append(u.Constants, Argument{Kind: "constant", Index: v.FunctionConstant, Name: v.Name, Type: v.Type.String(), Bytes: v.Type.Size()})
	}
	for _, k := range prog.Kernels {
		out := Kernel{Name: k.HostName, Arguments: []Argument{}}
		for _, p := range k.Params {
			out.Arguments = append(out.Arguments, argument(p))
		}
		for _, values := range trialConstants(prog) {
			if err := lowers(prog, k.HostName, values); err != nil {
				out.Error = err.Error()
				break
			}
		}
		u.Kernels = append(u.Kernels, out)
	}
	return u, nil
}

// lowers takes a kernel through every stage.
func lowers(prog *check.Program, name string, constants map[int]lower.Constant) error {
	f, err := lower.Kernel(prog, name, constants)
	if err == nil {
		err = ir.Verify(f)
	}
	if err == nil {
		_, err = exec.NewKernel(f)
	}
	return err
}

func argument(p *check.Var) Argument {
	a := Argument{Index: p.Binding.Index, Name: p.Name, Type: p.Type.String(), Bytes: p.Type.Size()}
	if p.Ref {
		a.Type = p.Space.String() + " " + a.Type + " &"
		if p.Const && p.Space != types.Constant {
			a.Type = "const " + a.Type
		}
	}
	if ptr, ok := p.Type.(*types.Pointer); ok {
		a.Bytes = ptr.Elem.Size()
	}
	switch p.Binding.Kind {
	case check.BindBuffer:
		a.Kind = "buffer"
	case check.BindThreadgroup:
		a.Kind = "threadgroup"
	default:
		a.Kind, a.Input, a.Index = "builtin", p.Binding.Builtin.String(), -1
	}
	if p.Binding.When != nil {
		a.If = p.Binding.When.Name
	}
	return a
}

// trialConstants are the sets of function constants that a kernel is tried with; one empty set if there are none.
func trialConstants(prog *check.Program) []map[int]lower.Constant {
	if len(prog.FunctionConstants) == 0 {
		return []map[int]lower.Constant{nil}
	}
	var out []map[int]lower.Constant
	for _, n := range []uint64{4, 1} {
		m := map[int]lower.Constant{}
		for _, v := range prog.FunctionConstants {
			for _, e := range elements {
				if e.Name != v.Type.String() {
					continue
				}
				c := lower.Constant{Type: e.t, Bits: n}
				switch {
				case e.t == ir.Bool:
					c.Bits = n & 1
				case e.IsFloat(): // registers hold the float32 of the same value
					c.Bits = uint64(math.Float32bits(float32(n)))
				}
				m[v.FunctionConstant] = c
			}
		}
		out = append(out, m)
	}
	return out
}

// diagnostics takes an error of the front end apart.
func diagnostics(err error) []Diagnostic {
	var list diag.List
	var one *diag.Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = diag.List{one}
	default:
		return []Diagnostic{{Message: err.Error(), Text: err.Error()}}
	}
	var out []Diagnostic
	for _, e := range list {
		d := Diagnostic{Code: e.Code.String(), Message: e.Msg, Text: diag.Render(e)}
		if e.Pos.IsValid() {
			d.Line, d.File = e.Pos.Presumed()
			d.Column = e.Pos.Col
		}
		out = append(out, d)
	}
	return out
}

// Text renders the unit for people: diagnostics with carets, then the kernels with their arguments.
func (u *Unit) Text() string {
	var b strings.Builder
	for _, d := range u.Diagnostics {
		b.WriteString(d.Text + "\n")
	}
	for _, c := range u.Constants {
		fmt.Fprintf(&b, "%s: function constant %d: %s %s\n", u.File, c.Index, c.Type, c.Name)
	}
	for _, k := range u.Kernels {
		if k.Error != "" {
			fmt.Fprintf(&b, "%s: kernel %q: refused: %s\n", u.File, k.Name, k.Error)
			continue
		}
		fmt.Fprintf(&b, "%s: kernel %q\n", u.File, k.Name)
		for _, a := range k.Arguments {
			switch a.Kind {
			case "builtin":
				fmt.Fprintf(&b, "    %s %s: %s\n", a.Type, a.Name, a.Input)
			default:
				fmt.Fprintf(&b, "    %s %d: %s %s", a.Kind, a.Index, a.Type, a.Name)
				if a.If != "" {
					fmt.Fprintf(&b, ", if %s", a.If)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}
