package syntax_test

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/syntax"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Plan. Purpose: grammar.txt is the grammar. Every case that is accepted can be derived from it, so it covers what the parser takes; and
// each alternative, option and repetition of each production is used by one of these cases, so every one has a tested example.
// Controls: a program with a token lost cannot be derived; a production that nothing uses is reported.
// What the scopes decide is not in the grammar, so it derives more than the parser takes.

// rule is a part of a production.
type rule struct {
	id   int
	kind string // token, ref, seq, alt, opt, rep
	text string
	kids []*rule
}

// grammar is the productions by name.
type grammar struct {
	rules []*rule
	prods map[string]*rule
	words map[string]bool // words that are quoted
}

var (
	remark    = regexp.MustCompile(`\s+//.*`)
	prodStart = regexp.MustCompile(`^    ([A-Z]\w*) += `)
	symbol    = regexp.MustCompile(`'[^']+'|\w+|[{}()\[\]|.]`)
)

// readGrammar reads the productions of grammar.txt: from a name and an equals sign to a full stop.
func readGrammar(text string) *grammar {
	g := &grammar{prods: map[string]*rule{}, words: map[string]bool{}}
	name, body := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(remark.ReplaceAllString(line, ""), "\n ")
		if m := prodStart.FindStringSubmatch(line); m != nil {
			name, body, line = m[1], "", line[len(m[0]):]
		}
		if name == "" {
			continue
		}
		body += " " + line
		if strings.HasSuffix(line, " .") {
			toks := symbol.FindAllString(strings.TrimSuffix(body, "."), -1)
			p := &grammarParser{g: g, toks: toks}
			g.prods[name] = p.alt()
			if p.i != len(toks) {
				panic("grammar.txt: " + name + ": unexpected " + toks[p.i])
			}
			name = ""
		}
	}
	for _, r := range g.rules {
		if r.kind == "ref" && g.prods[r.text] == nil {
			panic("grammar.txt: no production " + r.text)
		}
	}
	return g
}

type grammarParser struct {
	g    *grammar
	toks []string
	i    int
}

func (p *grammarParser) peek() string {
	if p.i < len(p.toks) {
		return p.toks[p.i]
	}
	return ""
}

func (p *grammarParser) add(kind, text string, kids ...*rule) *rule {
	r := &rule{id: len(p.g.rules), kind: kind, text: text, kids: kids}
	p.g.rules = append(p.g.rules, r)
	return r
}

func (p *grammarParser) alt() *rule {
	kids := []*rule{p.seq()}
	for p.peek() == "|" {
		p.i++
		kids = append(kids, p.seq())
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return p.add("alt", "", kids...)
}

func (p *grammarParser) seq() *rule {
	var kids []*rule
	for {
		switch t := p.peek(); {
		case t == "" || strings.Contains("|)]}", t):
			return p.add("seq", "", kids...)
		case t == "(" || t == "[" || t == "{":
			p.i++
			r := p.alt()
			p.i++ // its end
			if t != "(" {
				r = p.add(map[string]string{"[": "opt", "{": "rep"}[t], "", r)
			}
			kids = append(kids, r)
		default:
			p.i++
			kind := "ref"
			if t[0] == '\'' {
				kind, t = "token", strings.Trim(t, "'")
				p.g.words[t] = true
			} else if t == strings.ToUpper(t) {
				kind = "token"
			}
			kids = append(kids, p.add(kind, t))
		}
	}
}

// String is the rule as grammar.txt writes it.
func (r *rule) String() string {
	var kids []string
	for _, k := range r.kids {
		kids = append(kids, k.String())
	}
	switch r.kind {
	case "seq":
		return strings.Join(kids, " ")
	case "alt":
		return "( " + strings.Join(kids, " | ") + " )"
	case "opt":
		return "[ " + kids[0] + " ]"
	case "rep":
		return "{ " + kids[0] + " }"
	case "token":
		if r.text != strings.ToUpper(r.text) || strings.ToLower(r.text) == r.text {
			return "'" + r.text + "'"
		}
	}
	return r.text
}

// derivation looks for one of the tokens.
type derivation struct {
	g    *grammar
	toks []syntax.Token
	ends map[[2]int][]int // where a rule may end that starts at a token
	used map[*rule]bool
}

// contextual words are quoted in the grammar and are names elsewhere; refusedWords are names nowhere.
var (
	contextual   = map[string]bool{"final": true, "void": true}
	refusedWords = map[string]bool{"goto": true, "try": true, "catch": true, "throw": true, "new": true, "delete": true, "virtual": true}
)

func (d *derivation) token(text string, at int) []int {
	t := d.toks[at]
	one := func(ok bool) []int {
		if ok {
			return []int{at + 1}
		}
		return nil
	}
	switch text {
	case "IDENT":
		return one(t.Kind == syntax.Word && (!d.g.words[t.Text] || contextual[t.Text]) && !refusedWords[t.Text])
	case "NUMBER":
		return one(t.Kind == syntax.Number)
	case "CHAR":
		return one(t.Kind == syntax.Char)
	case "STRING":
		return one(t.Kind == syntax.String)
	case "PRAGMA":
		return one(t.Kind == syntax.Pragma)
	case "OPERATOR":
		if t.Is("(") && d.toks[at+1].Is(")") || t.Is("[") && d.toks[at+1].Is("]") || t.Is(">") && d.toks[at+1].Is(">") {
			return []int{at + 2}
		}
		return one(t.Kind == syntax.Punct)
	case "[[", "]]", ">>":
		if t.Is(text[:1]) && d.toks[at+1].Is(text[:1]) && (text != ">>" || !d.toks[at+1].Space) {
			return []int{at + 2}
		}
		return nil
	}
	return one(t.Is(text))
}

// match lists where r may end.
func (d *derivation) match(r *rule, at int) []int {
	key := [2]int{r.id, at}
	if e, ok := d.ends[key]; ok {
		return e
	}
	d.ends[key] = nil // a rule that starts with itself does not get further
	switch r.kind {   // most rules, so without a set
	case "token":
		d.ends[key] = d.token(r.text, at)
		return d.ends[key]
	case "ref":
		d.ends[key] = d.match(d.g.prods[r.text], at)
		return d.ends[key]
	}
	set := map[int]bool{}
	switch r.kind {
	case "alt":
		for _, k := range r.kids {
			for _, e := range d.match(k, at) {
				set[e] = true
			}
		}
	case "seq":
		set[at] = true
		for _, k := range r.kids {
			next := map[int]bool{}
			for s := range set {
				for _, e := range d.match(k, s) {
					next[e] = true
				}
			}
			set = next
		}
	case "opt":
		set[at] = true
		for _, e := range d.match(r.kids[0], at) {
			set[e] = true
		}
	case "rep":
		set[at] = true
		for todo := []int{at}; len(todo) > 0; todo = todo[1:] {
			for _, e := range d.match(r.kids[0], todo[0]) {
				if !set[e] {
					set[e] = true
					todo = append(todo, e)
				}
			}
		}
	}
	var out []int
	for e := range set {
		out = append(out, e)
	}
	sort.Ints(out)
	d.ends[key] = out
	return out
}

// reaches reports whether r can go from at to end.
func (d *derivation) reaches(r *rule, at, end int) bool {
	e := d.match(r, at)
	i := sort.SearchInts(e, end)
	return i < len(e) && e[i] == end
}

// mark notes the rules of every derivation of r from at to end.
func (d *derivation) mark(r *rule, at, end int, seen map[[3]int]bool) {
	key := [3]int{r.id, at, end}
	if seen[key] || !d.reaches(r, at, end) {
		return
	}
	seen[key] = true
	if at < end || r.kind == "seq" {
		d.used[r] = true
	}
	switch r.kind {
	case "ref":
		d.mark(d.g.prods[r.text], at, end, seen)
	case "alt":
		for _, k := range r.kids {
			d.mark(k, at, end, seen)
		}
	case "opt":
		d.mark(r.kids[0], at, end, seen)
	case "rep":
		from := map[int]bool{at: true}
		for todo := []int{at}; len(todo) > 0; todo = todo[1:] {
			for _, e := range d.match(r.kids[0], todo[0]) {
				if e > todo[0] && d.reaches(r, e, end) {
					d.mark(r.kids[0], todo[0], e, seen)
					if !from[e] {
						from[e] = true
						todo = append(todo, e)
					}
				}
			}
		}
	case "seq":
		starts := map[int]bool{at: true}
		for i, k := range r.kids {
			rest := &rule{id: -1 - r.id*64 - i, kind: "seq", kids: r.kids[i+1:]}
			next := map[int]bool{}
			for s := range starts {
				for _, e := range d.match(k, s) {
					if d.reaches(rest, e, end) {
						d.mark(k, s, e, seen)
						next[e] = true
					}
				}
			}
			starts = next
		}
	}
}

// derive derives tokens from File and notes what that uses. It returns how far a derivation comes.
func (g *grammar) derive(toks []syntax.Token, used map[*rule]bool) (end int) {
	split := make([]syntax.Token, 0, len(toks)+2)
	for _, t := range toks {
		if t.Is(">>") { // may close two lists
			a, b := t, t
			a.Text, b.Text, b.Space = ">", ">", false
			split = append(split, a, b)
			continue
		}
		if t.Is(">") {
			t.Space = true
		}
		split = append(split, t)
	}
	last := len(split) - 1 // EOF
	split = append(split, split[last], split[last])
	d := &derivation{g: g, toks: split, ends: map[[2]int][]int{}, used: used}
	ends := d.match(g.prods["File"], 0)
	if ends[len(ends)-1] == last {
		d.mark(g.prods["File"], 0, last, map[[3]int]bool{})
	}
	if at := ends[len(ends)-1]; at < last {
		return at + 1
	}
	return 0
}

// accepted are the files of the cases that the parser accepts; what package check then refuses is syntax too.
func accepted() (files []string) {
	for _, pattern := range []string{"testdata/print/*.txtar", "../check/testdata/accept/*.txtar", "../check/testdata/tree/*.txtar",
		"../check/testdata/refuse/*.txtar", "../../testdata/exec/*.txtar", "../../testdata/language/*.txtar"} {
		files = append(files, glob(pattern)...)
	}
	return files
}

// unused lists the parts of productions that nothing used: alternatives, options and repetitions.
func (g *grammar) unused(used map[*rule]bool) (list []string) {
	for name, p := range g.prods {
		var walk func(r *rule)
		walk = func(r *rule) {
			if !used[r] {
				list = append(list, name+": "+r.String())
				return
			}
			for _, k := range r.kids {
				walk(k)
			}
		}
		walk(p)
	}
	sort.Strings(list)
	return list
}

var _ = Describe("grammar.txt", Label("area:msl"), Ordered, func() {
	var g *grammar
	used := map[*rule]bool{}
	BeforeAll(func() {
		data, err := os.ReadFile("grammar.txt")
		Expect(err).NotTo(HaveOccurred())
		g = readGrammar(string(data))
	})
	tokens := func(sources []syntax.Source, opts syntax.Options) []syntax.Token {
		GinkgoHelper()
		toks, err := syntax.Tokens(sources, opts)
		Expect(err).NotTo(HaveOccurred())
		return toks
	}

	It("derives every case that is accepted", func() {
		var problems []string
		for _, path := range accepted() {
			sources, opts, _ := archive(path)
			if _, err := syntax.Parse(sources, opts); err != nil && strings.Contains(path, "refuse") {
				continue // a mistake of syntax
			}
			toks := tokens(sources, opts)
			if at := g.derive(toks, used); at > 0 {
				problems = append(problems, fmt.Sprintf("%s: stops in the declaration after %s", path, toks[min(at, len(toks))-1].Pos))
			}
		}
		Expect(problems).To(BeEmpty())
	})

	It("has no part that no case uses", func() {
		Expect(g.unused(used)).To(BeEmpty())
	})

	It("is judged by checks that can fail", func() {
		derives := func(text string) bool {
			return g.derive(tokens([]syntax.Source{{Name: "a.metal", Text: text}}, syntax.Options{}), map[*rule]bool{}) == 0
		}
		Expect(derives("int f(int x) { return x + 1; }")).To(BeTrue(), "the control")
		for _, wrong := range []string{"int f(int x) { return x + ; }", "int f(int x { return x; }", "int f(int x) { return x }", "struct S { int x }",
			"int a[3;", "void f() { if x; }", "void f() { goto x; }"} {
			Expect(derives(wrong)).To(BeFalse(), wrong)
		}
		small := readGrammar("    File  = { IDENT ';' | NUMBER ';' } .   // a remark\n    Other = 'x' .\n")
		seen := map[*rule]bool{}
		Expect(small.derive(tokens([]syntax.Source{{Name: "a.metal", Text: "a; b;"}}, syntax.Options{}), seen)).To(BeZero())
		Expect(small.unused(seen)).To(Equal([]string{"File: NUMBER ';'", "Other: 'x'"}))
	})
})
