package syntax

import (
	"strconv"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// Limits that keep hostile text from costing more than a moment.
const (
	maxTokens       = 4 << 20 // tokens made by macros, over a translation unit
	maxIncludeDepth = 64
)

// headers are the names that #include <...> accepts without looking anywhere: their contents are built into package
// check.
var headers = map[string]bool{
	"metal_stdlib": true, "metal_math": true, "metal_integer": true, "metal_common": true, "metal_relational": true,
	"metal_geometric": true, "metal_atomic": true, "metal_simdgroup": true, "metal_quadgroup": true,
	"metal_compute": true, "metal_type_traits": true, "metal_limits": true, "metal_config": true,
	"metal_numeric": true, "metal_array": true, "metal_matrix": true, "metal_pack": true, "metal_uniform": true,
	"metal_types": true, "metal_simdgroup_matrix": true, "metal_packed_vector": true, "metal_vector": true,
	"metal_utility": true, "simd/simd.h": true, "metal_tuple": true, "metal_logging": true, "metal_tensor": true, "metal_extended_vector": true,
}

// predefined are the macros set before the first line. The version is MSL 3.1's, the first with bfloat.
const predefined = `#define __METAL_VERSION__ 310
#define __METAL__ 1
#define __METAL_MACOS__ 1
#define __cplusplus 201402L
#define __clang__ 1
#define __HAVE_BFLOAT__ 1
#define METAL_FUNC inline __attribute__((always_inline))
`

// preprocessor obeys directives.
type preprocessor struct {
	opts    Options
	macros  map[string]*macro
	stack   []*input // files being read, the innermost last
	once    map[string]bool
	spent   int
	scratch int
}

// input is a file being read and the conditionals open in it.
type input struct {
	scan *scanner
	held *Token // read but not used
	ifs  []*conditional
}

// conditional is an open #if.
type conditional struct {
	pos    diag.Pos
	taken  bool // some branch was
	active bool // this branch is
	outer  bool // the text around is
	inElse bool
}

func newPreprocessor(opts Options) *preprocessor {
	p := &preprocessor{opts: opts, macros: map[string]*macro{}, once: map[string]bool{}}
	p.enter(diag.NewFile("<predefined>", predefined))
	for p.fromFile().Kind != EOF {
	}
	for _, d := range opts.Defines {
		name, value, _ := strings.Cut(d, "=")
		p.enter(diag.NewFile("<define>", "#define "+name+" "+value))
		for p.fromFile().Kind != EOF {
		}
	}
	return p
}

func (p *preprocessor) enter(f *diag.File) { p.stack = append(p.stack, &input{scan: newScanner(f)}) }

// run returns the tokens of f, macros replaced.
func (p *preprocessor) run(f *diag.File) []Token {
	p.enter(f)
	x := &expander{pp: p, source: p.fromFile}
	var out []Token
	for {
		t := x.next()
		switch {
		case t.Kind == EOF:
			return out
		case t.Kind == other && (t.Text[0] == '"' || t.Text[0] == '\''):
			panic(diag.Errorf(t.Pos, diag.BadLiteral, "missing closing %c", t.Text[0]))
		case t.Kind == other:
			panic(diag.Errorf(t.Pos, diag.BadCharacter, "unexpected character %q", t.Text))
		case t.Is("_Pragma"):
			out = append(out, p.pragmaOperator(x, t))
		default:
			p.spend(1, t.Pos)
			out = append(out, t)
		}
	}
}

// spend counts tokens against the limit.
func (p *preprocessor) spend(n int, pos diag.Pos) {
	if p.spent += n; p.spent > maxTokens {
		panic(diag.Errorf(pos, diag.TooMuchExpansion, "more than %d tokens after macro replacement", maxTokens))
	}
}

// expand replaces the macros in a list of tokens on their own.
func (p *preprocessor) expand(tokens []Token) []Token {
	i := 0
	x := &expander{pp: p, source: func() Token {
		if i < len(tokens) {
			i++
			return tokens[i-1]
		}
		return Token{}
	}}
	var out []Token
	for {
		t := x.next()
		if t.Kind == EOF {
			return out
		}
		out = append(out, t)
	}
}

// fromFile returns the next token that directives leave, EOF at the end of the file that run was given.
func (p *preprocessor) fromFile() Token {
	for {
		in := p.stack[len(p.stack)-1]
		t := in.read()
		switch {
		case t.Kind == EOF:
			if n := len(in.ifs); n > 0 {
				panic(diag.Errorf(in.ifs[n-1].pos, diag.UnbalancedIf, "#if without #endif"))
			}
			p.stack = p.stack[:len(p.stack)-1]
			if len(p.stack) == 0 {
				return t
			}
		case t.first && t.Is("#"):
			if d, ok := p.directive(in, t); ok {
				return d
			}
		case in.active():
			return t
		}
	}
}

func (in *input) active() bool { return len(in.ifs) == 0 || in.ifs[len(in.ifs)-1].active }

func (in *input) read() Token {
	if in.held != nil {
		t := *in.held
		in.held = nil
		return t
	}
	return in.scan.next()
}

// rest returns the tokens up to the end of the line.
func (in *input) rest() []Token {
	var out []Token
	for {
		t := in.read()
		if t.first {
			in.held = &t
			return out
		}
		out = append(out, t)
	}
}

// directive obeys the directive after hash; a #pragma becomes a token.
func (p *preprocessor) directive(in *input, hash Token) (Token, bool) {
	if !in.active() {
		p.skipped(in)
		return Token{}, false
	}
	line := in.rest()
	if len(line) == 0 {
		return Token{}, false
	}
	name, args := line[0], line[1:]
	switch name.Text {
	case "define":
		p.define(name, args)
	case "undef":
		if len(args) != 1 || args[0].Kind != Word {
			panic(diag.Errorf(name.Pos, diag.BadDirective, "#undef wants one name"))
		}
		delete(p.macros, args[0].Text)
	case "include", "import":
		p.include(name, args)
	case "if", "ifdef", "ifndef":
		in.open(name.Pos, p.condition(name, args), true)
	case "elif", "else", "endif":
		p.branch(in, name, args)
	case "line":
		p.line(in, name, args)
	case "error":
		panic(diag.Errorf(hash.Pos, diag.UserError, "#error %s", join(args)))
	case "warning":
	case "pragma":
		if len(args) == 1 && args[0].Is("once") {
			p.once[in.scan.file.Name] = true
			return Token{}, false
		}
		return pragmaToken(hash.Pos, args), true
	default:
		panic(diag.Errorf(hash.Pos, diag.BadDirective, "unknown directive #%s", name.Text))
	}
	return Token{}, false
}

func pragmaToken(pos diag.Pos, args []Token) Token {
	for i := range args {
		args[i].Space = true
	}
	return Token{Kind: Pragma, Text: join(args), Pos: pos}
}

func (in *input) open(pos diag.Pos, cond, outer bool) {
	in.ifs = append(in.ifs, &conditional{pos: pos, taken: cond, active: cond && outer, outer: outer})
}

// skipped obeys a directive in text that is left out: only the conditionals count.
func (p *preprocessor) skipped(in *input) {
	line := in.rest()
	if len(line) == 0 {
		return
	}
	switch name := line[0]; name.Text {
	case "if", "ifdef", "ifndef":
		in.open(name.Pos, false, false)
	case "elif", "else", "endif":
		p.branch(in, name, line[1:])
	}
}

func (p *preprocessor) branch(in *input, name Token, args []Token) {
	n := len(in.ifs)
	if n == 0 {
		panic(diag.Errorf(name.Pos, diag.UnbalancedIf, "#%s without #if", name.Text))
	}
	c := in.ifs[n-1]
	if name.Text == "endif" {
		in.ifs = in.ifs[:n-1]
		return
	}
	if c.inElse {
		panic(diag.Errorf(name.Pos, diag.UnbalancedIf, "#%s after #else", name.Text))
	}
	c.inElse = name.Text == "else"
	c.active = c.outer && !c.taken && (c.inElse || p.condition(name, args))
	c.taken = c.taken || c.active
}

func (p *preprocessor) define(name Token, args []Token) {
	if len(args) == 0 || args[0].Kind != Word || args[0].Text == "defined" {
		panic(diag.Errorf(name.Pos, diag.BadMacro, "#define wants a name"))
	}
	m := &macro{name: args[0].Text}
	pos, body := args[0].Pos, args[1:]
	if len(body) > 0 && body[0].Is("(") && !body[0].Space {
		m.function = true
		body = m.parameters(pos, body[1:])
	}
	for i, t := range body {
		paste := t.Is("##") && (i == 0 || i == len(body)-1)
		str := t.Is("#") && m.function && (i == len(body)-1 || !m.has(body[i+1].Text))
		if paste || str {
			panic(diag.Errorf(t.Pos, diag.BadMacro, "%s has no operand in macro %q", t.Text, m.name))
		}
	}
	m.body = body
	p.macros[m.name] = m
}

func (m *macro) has(param string) bool {
	for _, p := range m.params {
		if p == param {
			return true
		}
	}
	return false
}

// parameters reads the parameter list and returns the body.
func (m *macro) parameters(pos diag.Pos, t []Token) []Token {
	for i := 0; i < len(t); i++ {
		switch {
		case t[i].Is(")") && (i == 0 || !t[i-1].Is(",")):
			return t[i+1:]
		case t[i].Is(",") && i > 0 && t[i-1].Kind == Word && !m.variadic:
		case t[i].Is("...") && !m.variadic:
			if i == 0 || t[i-1].Is(",") {
				m.params = append(m.params, "__VA_ARGS__")
			}
			m.variadic = true
		case t[i].Kind == Word && (i == 0 || t[i-1].Is(",")) && !m.has(t[i].Text):
			m.params = append(m.params, t[i].Text)
		default:
			panic(diag.Errorf(t[i].Pos, diag.BadMacro, "unexpected %s in the parameters of macro %q", t[i].describe(), m.name))
		}
	}
	panic(diag.Errorf(pos, diag.BadMacro, "parameters of macro %q are not closed", m.name))
}

func (p *preprocessor) include(name Token, args []Token) {
	if len(args) > 0 && args[0].Kind == Word {
		args = p.expand(args)
	}
	var path string
	switch {
	case len(args) == 1 && args[0].Kind == String:
		path = strings.Trim(args[0].Text, "\"")
	case len(args) > 2 && args[0].Is("<") && args[len(args)-1].Is(">"):
		for _, t := range args[1 : len(args)-1] {
			path += t.Text
		}
		if headers[path] {
			return
		}
	default:
		panic(diag.Errorf(name.Pos, diag.BadDirective, "#include wants \"file\" or <file>"))
	}
	from := p.stack[len(p.stack)-1].scan.file.Name
	if p.opts.Include != nil {
		if src, ok := p.opts.Include(path, from); ok {
			if p.once[src.Name] {
				return
			}
			if len(p.stack) >= maxIncludeDepth {
				panic(diag.Errorf(name.Pos, diag.TooMuchExpansion, "files include each other more than %d deep", maxIncludeDepth))
			}
			p.enter(diag.NewFile(src.Name, src.Text))
			return
		}
	}
	panic(diag.Errorf(args[0].Pos, diag.UnknownInclude, "no file %q to include", path))
}

func (p *preprocessor) line(in *input, name Token, args []Token) {
	args = p.expand(args)
	if len(args) >= 1 && args[0].Kind == Number {
		n, err := strconv.Atoi(args[0].Text)
		file := ""
		if len(args) == 2 && args[1].Kind == String {
			file = strings.Trim(args[1].Text, "\"")
		}
		if err == nil && n > 0 && (len(args) == 1 || file != "") {
			in.scan.file.Renumber(name.Pos.Line, n, file)
			return
		}
	}
	panic(diag.Errorf(name.Pos, diag.BadDirective, "#line wants a number and perhaps a file name"))
}

// pragmaOperator reads what follows _Pragma.
func (p *preprocessor) pragmaOperator(x *expander, t Token) Token {
	open, text, closing := x.next(), x.next(), x.next()
	if !open.Is("(") || text.Kind != String || !closing.Is(")") {
		panic(diag.Errorf(t.Pos, diag.BadPragma, "_Pragma wants a string in parentheses"))
	}
	s, err := strconv.Unquote(text.Text)
	if err != nil {
		panic(diag.Errorf(text.Pos, diag.BadLiteral, "bad string %s", text.Text))
	}
	scan := newScanner(diag.NewFile("", s))
	var args []Token
	for u := scan.next(); u.Kind != EOF; u = scan.next() {
		args = append(args, u)
	}
	return pragmaToken(t.Pos, args)
}
