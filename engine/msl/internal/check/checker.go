package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// Source is one named piece of text.
type Source = syntax.Source

// Limits that keep hostile text from costing more than a moment.
const (
	maxErrors          = 50
	maxInstances       = 20000
	maxInstanceDepth   = 200
	maxArrayBytes      = 16 << 20
	maxEvaluationSteps = 1 << 20
)

// Check parses and checks sources, in order, as one translation unit. The error is a diag.List or a *diag.Error.
func Check(sources []Source) (*Program, error) {
	return CheckWith(sources, syntax.Options{})
}

// CheckWith is Check with options for the preprocessor.
func CheckWith(sources []Source, opts syntax.Options) (*Program, error) {
	file, err := syntax.Parse(sources, opts)
	if err != nil {
		return nil, err
	}
	return File(file)
}

// File checks a parsed translation unit. The error is a diag.List of at most 50 diagnostics.
func File(file *syntax.File) (prog *Program, err error) {
	c := newChecker()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooMany); !ok {
				panic(r)
			}
			if c.fatal != nil {
				c.base.errs = append(c.base.errs, c.fatal)
			}
			prog, err = nil, c.base.errs
		}
	}()
	for _, d := range file.Decls {
		c.topDecl(d)
	}
	c.drain()
	c.order()
	if len(c.base.errs) > 0 {
		return nil, c.base.errs
	}
	return c.prog, nil
}

// tooMany is the panic that ends a check with maxErrors diagnostics.
type tooMany struct{}

// checker holds the state of one check.
type checker struct {
	base   *sink       // what the check is to report
	sink   *sink       // where diagnostics go now: base, or one that is thrown away
	fatal  *diag.Error // ended the check
	prog   *Program
	global *scope
	metal  *scope
	scope  *scope
	fn     *funcState

	classes map[*types.Struct]*class
	enums   map[*types.Enum]*scope

	funcs       []*Func // with a body, in order of checking
	queue       []*function
	instances   int
	depth       int // of instantiation
	dead        int // what is being checked can not be reached
	contractOff bool
	hostNames   map[string]diag.Pos

	memFlags   *types.Enum
	noMatrices map[string]*types.Struct
}

// funcState is the function whose body is being checked.
type funcState struct {
	f          *function
	autoRet    bool
	retSet     bool
	loops      int
	switches   int
	self       *Var // of a constructor: the object being made
	this       *Var
	unroll     *Unroll
	unrollAt   diag.Pos
	staticVars int
}

// errorf reports a diagnostic. The same one at the same place, as instances of one template give, is reported once.
func (c *checker) errorf(pos diag.Pos, code diag.Code, format string, args ...any) {
	c.report(diag.Errorf(pos, code, format, args...))
}

func (c *checker) report(e *diag.Error) {
	if c.sink.seen[*e] {
		return
	}
	c.sink.seen[*e] = true
	c.sink.errs = append(c.sink.errs, e)
	if len(c.sink.errs) >= maxErrors {
		panic(tooMany{})
	}
}

// sink collects diagnostics.
type sink struct {
	errs diag.List
	seen map[diag.Error]bool
}

func newSink() *sink { return &sink{seen: map[diag.Error]bool{}} }

// fatalf reports a diagnostic after which nothing else is checked.
func (c *checker) fatalf(pos diag.Pos, code diag.Code, format string, args ...any) {
	c.fatal = diag.Errorf(pos, code, format, args...)
	panic(tooMany{})
}

func newChecker() *checker {
	c := &checker{
		noMatrices: map[string]*types.Struct{}, base: newSink(), prog: &Program{},
		classes: map[*types.Struct]*class{}, enums: map[*types.Enum]*scope{}, hostNames: map[string]diag.Pos{},
	}
	c.sink = c.base
	c.global = newScope(nil)
	c.metal = newScope(c.global)
	c.library()
	c.privateLibrary()
	c.libraryTemplates()
	return c
}

// topDecl checks a declaration of a file or namespace, then the bodies it called for.
func (c *checker) topDecl(d syntax.Decl) {
	c.decl(d)
	if c.scope == c.global {
		c.drain()
	}
}

// drain checks the bodies of template instances and members that are due.
func (c *checker) drain() {
	for len(c.queue) > 0 {
		f := c.queue[0]
		c.queue = c.queue[1:]
		c.body(f)
	}
}

// decl checks a declaration at file, namespace or block scope, variables in blocks excepted.
func (c *checker) decl(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.VarDecl:
		c.globalVar(d)
	case *syntax.FuncDecl:
		c.funcDecl(d)
	case *syntax.StructDecl:
		c.structDecl(d)
	case *syntax.EnumDecl:
		c.enumDecl(d)
	case *syntax.AliasDecl:
		c.aliasDecl(d)
	case *syntax.UsingNamespace:
		c.usingNamespace(d)
	case *syntax.UsingDecl:
		c.usingDecl(d)
	case *syntax.NamespaceDecl:
		c.namespaceDecl(d)
	case *syntax.TemplateDecl:
		c.templateDecl(d)
	case *syntax.Instantiation:
		c.instantiation(d)
	case *syntax.StaticAssert:
		c.staticAssert(d)
	case *syntax.PragmaDecl:
		if on, ok := c.pragma(d); ok {
			c.contractOff = !on
		}
	}
}

func (c *checker) staticAssert(d *syntax.StaticAssert) {
	x := c.boolCond(c.rvalue(c.expr(d.X)))
	v, ok := c.constant(x)
	if ok && !v.Bool() {
		msg := ""
		if d.Msg != "" {
			msg = ": " + d.Msg[1:len(d.Msg)-1]
		}
		c.errorf(d.At, diag.AssertFailed, "static assertion failed%s", msg)
	}
}

func (c *checker) usingNamespace(d *syntax.UsingNamespace) {
	e, ok := c.find(d.Name)
	if !ok {
		return
	}
	ns, isNS := e.(*namespace)
	if !isNS {
		c.errorf(d.Name.At, diag.Undeclared, "no namespace is called %q", nameString(d.Name))
		return
	}
	c.scope.using = append(c.scope.using, ns.scope)
}

func (c *checker) usingDecl(d *syntax.UsingDecl) {
	e, ok := c.find(d.Name)
	if !ok {
		return
	}
	if e == nil {
		c.errorf(d.Name.At, diag.Undeclared, "%q is not declared", nameString(d.Name))
		return
	}
	name := d.Name.Last().Ident
	c.scope.names[name] = merge(c.scope.names[name], e)
}

func (c *checker) namespaceDecl(d *syntax.NamespaceDecl) {
	var ns *namespace
	switch old := c.scope.names[d.Name].(type) {
	case nil:
		ns = &namespace{name: d.Name, scope: newScope(c.scope)}
		c.scope.names[d.Name] = ns
		if d.Name != "" {
			ns.scope.path += d.Name + "::"
		} else {
			c.scope.using = append(c.scope.using, ns.scope)
		}
	case *namespace:
		ns = old
	default:
		c.errorf(d.At, diag.Redeclared, "%q is declared already, and not as a namespace", d.Name)
		return
	}
	contract := c.contractOff
	c.in(ns.scope, func() {
		for _, x := range d.Decls {
			c.decl(x)
		}
	})
	c.contractOff = contract
}

// order sorts the functions callees first, and refuses recursion.
func (c *checker) order() {
	const (
		active = 1
		done   = 2
	)
	state := map[*Func]int{}
	var visit func(f *Func)
	visit = func(f *Func) {
		state[f] = active
		for _, call := range f.calls {
			switch state[call.f] {
			case active:
				c.recursive(f, call)
			case 0:
				if call.f.Body == nil {
					c.errorf(call.at, diag.NoBody, "function %q is called but has no body", call.f.Name)
					state[call.f] = done
					continue
				}
				visit(call.f)
			}
		}
		state[f] = done
		c.prog.Funcs = append(c.prog.Funcs, f)
	}
	for _, f := range c.funcs {
		if state[f] == 0 {
			visit(f)
		}
	}
}
