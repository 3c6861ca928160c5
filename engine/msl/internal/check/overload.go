package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// candidate is a function that a call could mean.
type candidate struct {
	f      *function
	lib    *libraryFunc
	tmpl   *funcTemplate
	ranks  []rank // of this, if there is one, and each argument
	member bool
}

// candidates returns the functions that the arguments fit.
func (c *checker) candidates(set *overloads, part *syntax.NamePart, this Expr, args []Expr) []*candidate {
	var out []*candidate
	if part == nil {
		for _, f := range set.funcs {
			if r, ok := c.fits(f, this, args); ok {
				out = append(out, &candidate{f: f, ranks: r})
			}
		}
	}
	for _, t := range set.templates {
		f := c.deduceCall(t, part, args)
		if f == nil {
			continue
		}
		if r, ok := c.fits(f, this, args); ok {
			out = append(out, &candidate{f: f, tmpl: t, ranks: r})
		}
	}
	return out
}

// fits ranks the arguments of a call of f.
func (c *checker) fits(f *function, this Expr, args []Expr) ([]rank, bool) {
	params := f.params()
	if len(args) > len(params) || len(args) < f.least() {
		return nil, false
	}
	ranks := []rank{rankExact}
	if f.hasThis {
		if this == nil {
			return nil, false
		}
		if ranks[0] = c.thisRank(this, f.f.Params[0]); ranks[0] == rankNone {
			return nil, false
		}
	}
	for i, a := range args {
		r := c.argRank(a, params[i])
		if r == rankNone {
			return nil, false
		}
		ranks = append(ranks, r)
	}
	return ranks, true
}

// thisRank says how an object fits a member function: it must be in the function's address space. A value is put in thread
// memory, where also functions that change it may be called.
func (c *checker) thisRank(x Expr, p *Var) rank {
	place, ok := x.Place()
	switch {
	case !ok && p.Space == types.Thread:
		return rankExact
	case !ok || place.Space != p.Space || place.Const && !p.Const:
		return rankNone
	case place.Const != p.Const:
		return rankQualified
	}
	return rankExact
}

// argRank says how the argument x fits the parameter p. A value bound to a const reference is as good as one passed.
func (c *checker) argRank(x Expr, p *Var) rank {
	if b, ok := x.(*braced); ok {
		switch p.Type.(type) {
		case *types.Struct, *types.Vector:
			return rankConversion
		}
		if len(b.list.Elems) <= 1 && types.IsNumeric(p.Type) {
			return rankConversion
		}
		return rankNone
	}
	if !p.Ref {
		return c.rankOf(x, p.Type)
	}
	place, ok := x.Place()
	if ok && types.Identical(x.Type(), p.Type) && place.Space == p.Space && (!place.Const || p.Const) {
		if place.Const != p.Const {
			return rankQualified
		}
		return rankExact
	}
	if ok && derives(x.Type(), p.Type) && place.Space == p.Space && (!place.Const || p.Const) {
		return rankConversion
	}
	if p.Const && p.Space == types.Thread {
		if r := c.rankOf(x, p.Type); r != rankExact {
			return r
		}
		if p.Type == x.Type() || types.Identical(p.Type, x.Type()) {
			return rankQualified
		}
	}
	return rankNone
}

// best picks the candidate that is better than every other; nil after reporting that there is none. set is for the
// message.
func (c *checker) best(at diag.Pos, name string, cands []*candidate, set *overloads, args []Expr) *candidate {
	for _, k := range cands {
		best := true
		for _, o := range cands {
			if o != k && !c.better(k, o) {
				best = false
				break
			}
		}
		if best {
			if k.f != nil && k.f.deleted {
				c.errorf(at, diag.NoMatch, "%q is deleted", name)
				return nil
			}
			return k
		}
	}
	if len(cands) > 0 {
		c.errorf(at, diag.Ambiguous, "call of %q with %s is ambiguous: %d functions fit equally well", name, argTypes(args), len(cands))
		return nil
	}
	if set != nil && len(set.funcs) == 1 && len(set.templates) == 0 {
		c.explain(at, name, set.funcs[0], args)
		return nil
	}
	c.errorf(at, diag.NoMatch, "no function %q takes %s", name, argTypes(args))
	return nil
}

// explain says why the only function of a name does not fit.
func (c *checker) explain(at diag.Pos, name string, f *function, args []Expr) {
	params := f.params()
	if len(args) > len(params) || len(args) < f.least() {
		want := "want " + itoa(len(params))
		if f.least() != len(params) {
			want = "want " + itoa(f.least()) + " to " + itoa(len(params))
		}
		c.errorf(at, diag.NoMatch, "%q got %d arguments, %s", name, len(args), want)
		return
	}
	for i, a := range args {
		p := params[i]
		if c.argRank(a, p) != rankNone {
			continue
		}
		if p.Ref {
			c.bindRef(a, p)
			return
		}
		if _, ok := a.(*braced); !ok {
			if v := c.rvalue(a); !isBad(v) {
				c.noConversion(a.Pos(), v.Type(), p.Type)
			}
			return
		}
	}
	c.errorf(at, diag.NoMatch, "no function %q takes %s", name, argTypes(args))
}

func argTypes(args []Expr) string {
	if len(args) == 0 {
		return "no arguments"
	}
	s := "("
	for i, a := range args {
		if i > 0 {
			s += ", "
		}
		switch a.(type) {
		case *braced:
			s += "{...}"
		default:
			if isBad(a) {
				s += "?"
				continue
			}
			s += a.Type().String()
		}
	}
	return s + ")"
}

// better reports whether a is a better match than b: no argument worse, and one better, or else no template where b is
// one, or the more specialised template.
func (c *checker) better(a, b *candidate) bool {
	if len(a.ranks) != len(b.ranks) { // a member against a function: skip the object of neither
		a, b = alignRanks(a), alignRanks(b)
	}
	some := false
	for i := range a.ranks {
		if a.ranks[i] > b.ranks[i] {
			return false
		}
		some = some || a.ranks[i] < b.ranks[i]
	}
	if some {
		return true
	}
	if (a.tmpl == nil) != (b.tmpl == nil) {
		return a.tmpl == nil
	}
	if a.tmpl != nil && b.tmpl != nil {
		return a.tmpl.weight() > b.tmpl.weight()
	}
	return false
}

// alignRanks drops the unused place of this from a function that is no member.
func alignRanks(k *candidate) *candidate {
	if k.member {
		return k
	}
	u := *k
	u.ranks = k.ranks[1:]
	return &u
}

// pick is the best of the constructors of a struct.
func (c *checker) pick(at diag.Pos, name string, set *overloads, args []Expr) *function {
	if k := c.best(at, name, c.candidates(set, nil, nil, args), set, args); k != nil {
		return k.f
	}
	return nil
}
