package syntax

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// maxDepth bounds how deep declarations, statements and expressions nest.
const maxDepth = 256

// Parse parses the sources, in order, as one translation unit: macros of an earlier one hold in a later one. It stops
// at the first mistake; the error is a *diag.Error.
func Parse(sources []Source, opts Options) (file *File, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*diag.Error)
			if !ok {
				panic(r)
			}
			file, err = nil, e
		}
	}()
	toks := preprocess(sources, opts)
	p := &parser{toks: toks, scope: newScope(globalScope())}
	file = &File{}
	for p.peek().Kind != EOF {
		file.Decls = append(file.Decls, p.declaration()...)
	}
	return file, nil
}

// preprocess returns the tokens of all sources, macros replaced, with an EOF at the end.
func preprocess(sources []Source, opts Options) []Token {
	pp := newPreprocessor(opts)
	var toks []Token
	end := diag.Pos{}
	for _, s := range sources {
		f := diag.NewFile(s.Name, s.Text)
		toks = append(toks, pp.run(f)...)
		end = f.PosAt(len(s.Text))
	}
	if n := len(toks); n > 0 {
		end = toks[n-1].Pos
	}
	return append(toks, Token{Kind: EOF, Pos: end})
}

// Tokens returns the tokens of the sources after preprocessing, for dumps.
func Tokens(sources []Source, opts Options) (toks []Token, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*diag.Error)
			if !ok {
				panic(r)
			}
			toks, err = nil, e
		}
	}()
	return preprocess(sources, opts), nil
}

// parser turns tokens into a tree. Mistakes are panics with a *diag.Error, which Parse recovers.
type parser struct {
	toks      []Token
	i         int
	scope     *scope
	class     []string // names of the classes around
	depth     int
	noGreater int    // inside template arguments: > closes them
	extra     []Decl // declared inside specifiers, before the declaration proper
	anonymous int
	local     int // inside function bodies
}

func (p *parser) peek() Token { return p.toks[p.i] }

// at returns the token n places on.
func (p *parser) at(n int) Token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) next() Token {
	t := p.toks[p.i]
	if t.Kind != EOF {
		p.i++
	}
	return t
}

// is reports whether the next token is text.
func (p *parser) is(text string) bool { return p.peek().Is(text) }

// got takes the next token if it is text.
func (p *parser) got(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

// want takes the next token, which must be text.
func (p *parser) want(text string) Token {
	if !p.is(text) {
		p.unexpected("\"" + text + "\"")
	}
	return p.next()
}

// unexpected reports the next token; want says what should stand there.
func (p *parser) unexpected(want string) {
	t := p.peek()
	panic(diag.Errorf(t.Pos, diag.UnexpectedToken, "unexpected %s, want %s", t.describe(), want))
}

// closeAngle takes a > that ends template arguments, splitting a >> or the like.
func (p *parser) closeAngle() {
	t := p.peek()
	if t.Kind == Punct && len(t.Text) > 1 && t.Text[0] == '>' {
		rest := t
		rest.Text = t.Text[1:]
		rest.Pos.Col++
		t.Text = ">"
		p.toks = append(p.toks[:p.i:p.i], append([]Token{t, rest}, p.toks[p.i+1:]...)...)
	}
	p.want(">")
}

// ident takes an identifier that can be a name.
func (p *parser) ident(what string) Token {
	if t := p.peek(); t.Kind != Word || reserved[t.Text] {
		p.unexpected(what)
	}
	return p.next()
}

// enter counts nesting; the caller defers the result.
func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		panic(diag.Errorf(p.peek().Pos, diag.TooDeep, "nested more than %d deep", maxDepth))
	}
	return func() { p.depth-- }
}

// push opens a scope; the caller defers the result.
func (p *parser) push() func() {
	outer := p.scope
	p.scope = newScope(outer)
	return func() { p.scope = outer }
}

// declare notes a name in the current scope.
func (p *parser) declare(name string, kind nameKind, inner *scope) {
	if old := p.scope.names[name]; old != nil {
		if old.kind == funcTemplate && kind == valueName || old.kind == classTemplate && kind == typeName {
			if inner != nil {
				old.inner = inner
			}
			return
		}
		if inner == nil {
			inner = old.inner
		}
	}
	p.scope.names[name] = &entry{kind: kind, inner: inner}
}

// nameAt looks at the qualified name that starts at token i. It returns what the name is, as far as the parser can
// tell, its members, and the index after it, template arguments included.
func (p *parser) nameAt(i int) (kind nameKind, inner *scope, next int) {
	var s *scope
	lookup := p.scope.lookup
	if p.toks[i].Is("::") {
		i++
		for s = p.scope; s.outer != nil; s = s.outer {
			if s.outer.outer == nil {
				break
			}
		}
		lookup = s.lookup
	}
	for {
		t := p.toks[i]
		if t.Kind != Word || reserved[t.Text] && !isBuiltinWord(t.Text) {
			return valueName, nil, i
		}
		e := lookup(t.Text)
		i++
		kind, inner = valueName, nil
		if e != nil {
			kind, inner = e.kind, e.inner
		}
		if (kind == classTemplate || kind == funcTemplate) && p.toks[i].Is("<") {
			i = p.skipAngles(i)
		}
		if !p.toks[i].Is("::") || p.toks[i].Kind == EOF {
			return kind, inner, i
		}
		i++
		if p.toks[i].Is("template") {
			i++
		}
		members := inner
		lookup = func(name string) *entry {
			if members == nil {
				return nil
			}
			return members.local(name)
		}
	}
}

func isBuiltinWord(s string) bool { return builtinTypes[s] != "" }

// skipAngles returns the index after the template arguments that start at token i.
func (p *parser) skipAngles(i int) int {
	angle, round := 0, 0
	for ; p.toks[i].Kind != EOF; i++ {
		switch t := p.toks[i]; {
		case t.Kind != Punct:
		case t.Text == "(" || t.Text == "[" || t.Text == "{":
			round++
		case t.Text == ")" || t.Text == "]" || t.Text == "}":
			if round--; round < 0 {
				return i
			}
		case t.Text == ";":
			return i
		case round > 0:
		case t.Text == "<":
			angle++
		case t.Text == ">":
			if angle--; angle == 0 {
				return i + 1
			}
		case t.Text == ">>":
			if angle -= 2; angle < 0 { // the second belongs to arguments around these
				return i
			} else if angle == 0 {
				return i + 1
			}
		}
	}
	return i
}
