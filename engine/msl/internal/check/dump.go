package check

import (
	"fmt"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Dump writes a checked program as text, with every conversion and load visible: for tests and for the command.
func Dump(p *Program) string {
	d := &dumper{}
	for _, v := range p.Globals {
		d.line("%s", d.variable(v))
	}
	for _, f := range p.Funcs {
		d.function(f)
	}
	return d.String()
}

type dumper struct {
	strings.Builder
	depth int
}

func (d *dumper) line(format string, args ...any) {
	d.WriteString(strings.Repeat("  ", d.depth))
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

func (d *dumper) variable(v *Var) string {
	s := v.Space.String() + " "
	if v.Const {
		s += "const "
	}
	s += v.Type.String()
	if v.Ref {
		s += " &"
	}
	s += " " + v.Name
	switch b := v.Binding; b.Kind {
	case BindBuffer:
		s += fmt.Sprintf(" [[buffer(%d)]]", b.Index)
	case BindThreadgroup:
		s += fmt.Sprintf(" [[threadgroup(%d)]]", b.Index)
	case BindBuiltin:
		s += fmt.Sprintf(" [[%s]]", b.Builtin)
	}
	if v.FunctionConstant >= 0 {
		s += fmt.Sprintf(" [[function_constant(%d)]]", v.FunctionConstant)
	}
	switch {
	case v.Value != nil && v.Global:
		s += " = " + v.Value.String()
	case v.Init != nil:
		s += " = " + d.expr(v.Init)
	}
	return s
}

func (d *dumper) function(f *Func) {
	head := "func "
	if f.Kernel {
		head = "kernel "
	}
	params := make([]string, len(f.Params))
	for i, v := range f.Params {
		params[i] = d.variable(v)
	}
	ret := f.Ret.String()
	if f.RetRef {
		ret = f.RetSpace.String() + " " + ret + " &"
	}
	if f.Kernel && f.HostName != f.Name {
		head += fmt.Sprintf("%q ", f.HostName)
	}
	d.line("%s%s(%s) %s", head, f.Name, strings.Join(params, ", "), ret)
	d.block(f.Body.Stmts)
}

func (d *dumper) block(stmts []Stmt) {
	d.depth++
	for _, s := range stmts {
		d.stmt(s)
	}
	d.depth--
}

func (d *dumper) sub(s Stmt) {
	if b, ok := s.(*Block); ok {
		d.block(b.Stmts)
		return
	}
	d.block([]Stmt{s})
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		d.line("block")
		d.block(s.Stmts)
	case *Decl:
		for _, v := range s.Vars {
			d.line("var %s", d.variable(v))
		}
	case *ExprStmt:
		d.line("%s", d.expr(s.X))
	case *If:
		d.line("if %s", d.expr(s.Cond))
		d.sub(s.Then)
		if s.Else != nil {
			d.line("else")
			d.sub(s.Else)
		}
	case *For:
		d.line("for%s", unrolled(s.Unroll))
		d.depth++
		if s.Init != nil {
			d.stmt(s.Init)
		}
		if s.Cond != nil {
			d.line("while %s", d.expr(s.Cond))
		}
		if s.Post != nil {
			d.line("post %s", d.expr(s.Post))
		}
		d.sub(s.Body)
		d.depth--
	case *While:
		d.line("while%s %s", unrolled(s.Unroll), d.expr(s.Cond))
		d.sub(s.Body)
	case *DoWhile:
		d.line("do%s", unrolled(s.Unroll))
		d.sub(s.Body)
		d.line("while %s", d.expr(s.Cond))
	case *Switch:
		d.line("switch %s", d.expr(s.Tag))
		for _, k := range s.Cases {
			head := fmt.Sprint(k.Values)
			if k.Default {
				head += " default"
			}
			d.line("case %s", head)
			d.block(k.Stmts)
		}
	case *Return:
		if s.Value == nil {
			d.line("return")
		} else {
			d.line("return %s", d.expr(s.Value))
		}
	case *Break:
		d.line("break")
	case *Continue:
		d.line("continue")
	}
}

func unrolled(u Unroll) string {
	switch u {
	case UnrollDefault:
		return ""
	case UnrollFull:
		return " unroll"
	case UnrollNone:
		return " nounroll"
	}
	return fmt.Sprintf(" unroll(%d)", int(u))
}

func (d *dumper) exprs(xs []Expr) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = d.expr(x)
	}
	return strings.Join(out, ", ")
}

func (d *dumper) expr(x Expr) string {
	switch x := x.(type) {
	case *Const:
		return x.Value.String()
	case *Null:
		return "nullptr"
	case *VarRef:
		return x.Var.Name
	case *Load:
		return "load(" + d.expr(x.X) + ")"
	case *Unary:
		return x.Op.String() + d.expr(x.X)
	case *Binary:
		return "(" + d.expr(x.X) + " " + x.Op.String() + " " + d.expr(x.Y) + ")"
	case *PointerAdd:
		return "offset(" + d.expr(x.X) + ", " + d.expr(x.Index) + ")"
	case *PointerDiff:
		return "distance(" + d.expr(x.X) + ", " + d.expr(x.Y) + ")"
	case *Assign:
		return d.expr(x.L) + " = " + d.expr(x.R)
	case *CompoundAssign:
		return d.expr(x.L) + " " + x.Op.String() + "= " + d.expr(x.Y)
	case *IncDec:
		op := "++"
		if x.Dec {
			op = "--"
		}
		if x.Post {
			return d.expr(x.X) + op
		}
		return op + d.expr(x.X)
	case *Cond:
		return "(" + d.expr(x.C) + " ? " + d.expr(x.X) + " : " + d.expr(x.Y) + ")"
	case *Comma:
		return "(" + d.expr(x.X) + ", " + d.expr(x.Y) + ")"
	case *Convert, *Splat, *PointerCast, *Bitcast, *PointerInt, *View:
		return d.conversion(x)
	case *Decay:
		return "decay(" + d.expr(x.X) + ")"
	case *AddrOf:
		return "&" + d.expr(x.X)
	case *Deref:
		return "*" + d.expr(x.X)
	case *Index:
		return d.expr(x.X) + "[" + d.expr(x.Index) + "]"
	case *Member:
		f := &x.X.Type().(*types.Struct).Fields[x.Field]
		if f.Base {
			return d.expr(x.X) + "." + f.Type.String()
		}
		return d.expr(x.X) + "." + f.Name
	case *Swizzle:
		s := d.expr(x.X) + "."
		for _, l := range x.Lanes {
			s += "xyzw"[l : l+1]
		}
		return s
	case *Construct:
		return x.typ.String() + "(" + d.exprs(x.Args) + ")"
	case *Aggregate:
		return x.typ.String() + "{" + d.exprs(x.Elems) + "}"
	case *Call:
		return x.Func.Name + "(" + d.exprs(x.Args) + ")"
	case *CallBuiltin:
		variant := [...]string{"", "precise::", "fast::"}[x.Variant]
		return variant + x.ID.String() + "(" + d.exprs(x.Args) + ")"
	case *Closure:
		s := "lambda {"
		for i, v := range x.Vars {
			if i > 0 {
				s += ", "
			}
			s += d.variable(v)
		}
		return s + "}"
	case *VarDefined:
		return "defined(" + x.Var.Name + ")"
	case *Materialize:
		return "materialize(" + d.expr(x.X) + ")"
	}
	return "bad"
}

// conversion spells a node that gives its operand another type.
func (d *dumper) conversion(x Expr) string {
	word, inner := "", Expr(nil)
	switch x := x.(type) {
	case *Convert:
		word, inner = "convert", x.X
	case *Splat:
		word, inner = "splat", x.X
	case *PointerCast:
		word, inner = "cast", x.X
	case *Bitcast:
		word, inner = "bits", x.X
	case *PointerInt:
		word, inner = "address", x.X
	case *View:
		word, inner = "view", x.X
	}
	return word + "<" + x.Type().String() + ">(" + d.expr(inner) + ")"
}
