package syntax

import (
	"fmt"

	"github.com/octoryn/assay/engine/msl/internal/diag"
)

// structSpecifier parses struct X, or its definition, which is added to extra.
func (p *parser) structSpecifier(d *declSpecs) Type {
	key := p.next()
	s := &StructDecl{At: key.Pos, Key: key.Text}
	if s.Key == "class" {
		s.Key = "struct"
	}
	s.Attrs = p.attributes()
	if p.peek().Kind == Word && !reserved[p.peek().Text] {
		s.At = p.peek().Pos
		s.Name = p.typeNameParts()
	}
	s.Attrs = append(s.Attrs, p.attributes()...)
	p.got("final")
	if !p.is("{") && !p.is(":") {
		if s.Name == nil {
			p.unexpected("a name or {")
		}
		s.Forward = true
		if simple := s.Name.Last().Ident; p.is(";") {
			if len(s.Name.Parts) == 1 && !s.Name.Last().HasArgs {
				p.declare(simple, typeName, nil)
			}
			p.extra = append(p.extra, s)
		}
		return &NamedType{At: s.At, Name: s.Name, Key: s.Key}
	}
	if s.Name == nil {
		s.Name = simpleName(s.At, p.anonymousName(d))
	}
	p.structBody(s)
	p.extra = append(p.extra, s)
	return &NamedType{At: s.At, Name: s.Name}
}

// anonymousName names a class without a name: after the typedef it stands in, if there is one.
func (p *parser) anonymousName(d *declSpecs) string {
	if d != nil && d.typedef {
		depth := 0
		for i := p.i; p.toks[i].Kind != EOF; i++ {
			switch {
			case p.toks[i].Is("{"):
				depth++
			case p.toks[i].Is("}"):
				if depth--; depth == 0 && p.toks[i+1].Kind == Word && p.toks[i+2].Is(";") {
					return p.toks[i+1].Text
				}
			}
		}
	}
	p.anonymous++
	return fmt.Sprintf("__anonymous%d", p.anonymous)
}

// structBody parses the bases and members.
func (p *parser) structBody(s *StructDecl) {
	defer p.enter()()
	var bases []*scope
	if p.got(":") {
		for {
			if p.is("virtual") {
				panic(diag.Errorf(p.peek().Pos, diag.NotInMSL, "virtual is not part of MSL"))
			}
			for p.is("public") || p.is("private") || p.is("protected") {
				p.next()
			}
			at := p.peek().Pos
			_, members, _ := p.nameAt(p.i)
			if members != nil {
				bases = append(bases, members)
			}
			s.Bases = append(s.Bases, &NamedType{At: at, Name: p.typeNameParts()})
			if p.got("...") {
				panic(diag.Errorf(at, diag.Inheritance, "a pack of bases is not supported"))
			}
			if !p.got(",") {
				break
			}
		}
	}
	name := s.Name.Last().Ident
	outer := p.scope
	inner := newScope(outer)
	inner.using = bases
	p.declare(name, typeName, inner)
	if e := outer.names[name]; e != nil {
		e.inner = inner
	}
	inner.names[name] = &entry{kind: classTemplate, inner: inner} // with arguments or without
	p.scope = inner
	p.class = append(p.class, name)
	local, greater := p.local, p.noGreater
	p.local, p.noGreater = 0, 0
	defer func() {
		p.scope, p.class, p.local, p.noGreater = outer, p.class[:len(p.class)-1], local, greater
	}()
	extra := p.extra
	p.want("{")
	for !p.is("}") {
		if p.peek().Kind == EOF {
			p.unexpected("}")
		}
		if w := p.peek().Text; (w == "public" || w == "private" || w == "protected") && p.at(1).Is(":") {
			p.i += 2
			continue
		}
		p.extra = nil
		s.Members = append(s.Members, p.declaration()...)
	}
	p.want("}")
	p.extra = extra
	s.Attrs = append(s.Attrs, p.attributes()...)
}

// enumSpecifier parses an enumeration.
func (p *parser) enumSpecifier() Type {
	t := p.next()
	e := &EnumDecl{At: t.Pos}
	if p.got("class") || p.got("struct") {
		e.Scoped = true
	}
	p.attributes()
	if p.peek().Kind == Word && !reserved[p.peek().Text] {
		e.At = p.peek().Pos
		e.Name = p.next().Text
	}
	if p.got(":") {
		e.Underlying = p.typeID()
	}
	if !p.is("{") {
		if e.Name == "" || e.Underlying != nil {
			p.unexpected("{")
		}
		return &NamedType{At: e.At, Name: simpleName(e.At, e.Name), Key: "enum"}
	}
	if e.Name == "" {
		e.Name = p.anonymousName(nil)
	}
	p.declare(e.Name, typeName, nil)
	p.want("{")
	for !p.is("}") {
		t := p.ident("an enumerator")
		item := EnumItem{At: t.Pos, Name: t.Text}
		p.attributes()
		if p.got("=") {
			item.X = p.unbracketed(p.cond)
		}
		e.Items = append(e.Items, item)
		if !e.Scoped {
			p.declare(t.Text, valueName, nil)
		}
		if !p.got(",") {
			break
		}
	}
	p.want("}")
	p.extra = append(p.extra, e)
	return &NamedType{At: e.At, Name: simpleName(e.At, e.Name)}
}

// attributes parses any [[...]], __attribute__((...)) and alignas(...).
func (p *parser) attributes() []Attr {
	var out []Attr
	for {
		switch {
		case p.is("[") && p.at(1).Is("["):
			p.i += 2
			out = p.attributeList(out)
			p.want("]")
			p.want("]")
		case p.is("__attribute__"):
			p.next()
			p.want("(")
			p.want("(")
			out = p.attributeList(out)
			p.want(")")
			p.want(")")
		case p.is("alignas"):
			out = append(out, p.attribute())
		default:
			return out
		}
	}
}

func (p *parser) attributeList(out []Attr) []Attr {
	for p.peek().Kind == Word {
		out = append(out, p.attribute())
		if !p.got(",") {
			break
		}
	}
	return out
}

func (p *parser) attribute() Attr {
	t := p.next()
	a := Attr{At: t.Pos, Name: t.Text}
	if p.got("::") {
		a.Name += "::" + p.next().Text
	}
	if t.Is("alignas") && p.is("(") && p.startsType(1) && !p.parenCallsType() { // alignas(T) is alignas(alignof(T))
		p.next()
		a.HasArgs, a.Args = true, []Expr{&SizeOf{At: t.Pos, Word: "alignof", Type: p.typeID()}}
		p.want(")")
		return a
	}
	if p.got("(") {
		a.HasArgs = true
		a.Args = p.unbracketedList(")")
	}
	return a
}
