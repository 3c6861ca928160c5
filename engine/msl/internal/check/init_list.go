package check

import (
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// cursor walks the elements of a list in braces. Aggregates inside that have no braces of their own take their elements
// from the same list.
type cursor struct {
	elems []syntax.Expr
	i     int
}

func (k *cursor) done() bool { return k.i >= len(k.elems) }

// designated is the element at k if it says which it is, else nil.
func (k *cursor) designated() *syntax.Designated {
	d, _ := k.elems[k.i].(*syntax.Designated)
	return d
}

// left reports elements that nothing took.
func (c *checker) left(k *cursor, t types.Type) bool {
	if k.done() {
		return true
	}
	c.errorf(k.elems[k.i].Pos(), diag.BadInit, "%s is initialised with %d values", t, len(k.elems))
	for ; !k.done(); k.i++ {
		c.initOnly(k.elems[k.i])
	}
	return false
}

// initArray initialises the elements in order, or those that designators name.
func (c *checker) initArray(list *syntax.InitList, t *types.Array) Expr {
	k := &cursor{elems: c.expandArgs(list.Elems)}
	x := c.fillArray(list.At, k, t, true)
	if !isBad(x) && !c.left(k, t) {
		return c.bad(list.At)
	}
	return x
}

// fillArray takes elements for t. Behind the last one a designator goes back only in a list that is t's own.
func (c *checker) fillArray(at diag.Pos, k *cursor, t *types.Array, own bool) Expr {
	var elems []Expr
	for n := 0; !k.done() && (n < t.Len || own && k.designated() != nil); n++ {
		last := n
		x := Expr(nil)
		if d := k.designated(); d != nil {
			var ok bool
			if n, last, ok = c.designatedRange(d, t); !ok {
				return c.bad(at)
			}
			k.i++
			x = c.initFrom(d.X, t.Elem, false)
			if n < last && !isBad(x) && repeats(x) {
				c.errorf(d.At, diag.DesignatedInit, "the value for a range of elements has an effect, which would be repeated")
				return c.bad(at)
			}
		} else {
			x = c.fill(k, t.Elem)
		}
		if isBad(x) {
			return x
		}
		for len(elems) <= last {
			elems = append(elems, nil)
		}
		for ; n < last; n++ {
			elems[n] = x
		}
		elems[last] = x
	}
	return c.aggregate(at, t, elems, func(i int) Expr { return zero(at, t.Elem) })
}

// repeats reports whether working x out twice could differ from once: calls, assignments.
func repeats(x Expr) bool {
	switch x := x.(type) {
	case *Aggregate:
		for _, e := range x.Elems {
			if repeats(e) {
				return true
			}
		}
		return false
	case *Splat:
		return repeats(x.X)
	case *Construct:
		for _, e := range x.Args {
			if repeats(e) {
				return true
			}
		}
		return false
	case *Null:
		return false
	}
	return effects(x)
}

// designatedRange works out [n] or [n ... last].
func (c *checker) designatedRange(d *syntax.Designated, t *types.Array) (n, last int, ok bool) {
	if d.Index == nil {
		c.errorf(d.At, diag.DesignatedInit, "%s has no field %q", t, d.Name)
		c.initOnly(d.X)
		return 0, 0, false
	}
	from, ok := c.constInt(d.Index, "a designated element")
	to := from
	if ok && d.Last != nil {
		to, ok = c.constInt(d.Last, "a designated element")
	}
	if ok && (from < 0 || to < from || to >= int64(t.Len)) {
		c.errorf(d.At, diag.DesignatedInit, "elements %d to %d are outside of %s", from, to, t)
		ok = false
	}
	if !ok {
		c.initOnly(d.X)
		return 0, 0, false
	}
	return int(from), int(to), true
}

// aggregate makes the value of elems, those that are nil by missing; trailing ones that are zero stay away.
func (c *checker) aggregate(at diag.Pos, t types.Type, elems []Expr, missing func(i int) Expr) Expr {
	for i, x := range elems {
		if x != nil {
			continue
		}
		if elems[i] = missing(i); isBad(elems[i]) {
			return elems[i]
		}
	}
	return &Aggregate{node{at: at, typ: t}, elems}
}

// fill takes what one element of type t needs: one value, or as many as an aggregate without braces has.
func (c *checker) fill(k *cursor, t types.Type) Expr {
	e := k.elems[k.i]
	if _, braces := e.(*syntax.InitList); braces {
		k.i++
		return c.initFrom(e, t, false)
	}
	switch t := t.(type) {
	case *types.Array:
		return c.fillArray(e.Pos(), k, t, false)
	case *types.Struct:
		if !t.IsComplete() || !c.classOf(t).ctors.none() || len(t.Fields) == 0 {
			break
		}
		x := c.expr(e)
		if isBad(x) {
			k.i++
			return x
		}
		if c.rankOf(x, t) != rankNone {
			k.i++
			return c.convert(x, t)
		}
		return c.fillStruct(e.Pos(), k, t)
	}
	k.i++
	return c.initFrom(e, t, false)
}

// initStruct initialises field by field, or with a constructor if the struct has one.
func (c *checker) initStruct(list *syntax.InitList, t *types.Struct) Expr {
	if !c.complete(list.At, t) {
		return c.bad(list.At)
	}
	cl := c.classOf(t)
	if !cl.ctors.none() {
		return c.constructArgs(list.At, t, list.Elems, true)
	}
	if len(list.Elems) == 1 {
		switch list.Elems[0].(type) {
		case *syntax.InitList, *syntax.Designated:
		default:
			if x := c.expr(list.Elems[0]); types.Identical(x.Type(), t) {
				return c.rvalue(x)
			}
		}
	}
	k := &cursor{elems: c.expandArgs(list.Elems)}
	x := c.fillStruct(list.At, k, t)
	if !isBad(x) && !c.left(k, t) {
		return c.bad(list.At)
	}
	return x
}

func (c *checker) fillStruct(at diag.Pos, k *cursor, t *types.Struct) Expr {
	cl := c.classOf(t)
	limit := len(t.Fields)
	if t.Union {
		limit = min(limit, 1)
	}
	elems := make([]Expr, 0, limit)
	for n := 0; n < limit && !k.done(); n++ {
		var x Expr
		if d := k.designated(); d != nil {
			n = t.Field(d.Name)
			if d.Name == "" || n < 0 || n >= limit {
				c.errorf(d.At, diag.DesignatedInit, "%s has no field %q that a list can initialise", t, d.Name)
				c.initOnly(d.X)
				return c.bad(at)
			}
			k.i++
			x = c.initFrom(d.X, t.Fields[n].Type, false)
		} else {
			x = c.fill(k, t.Fields[n].Type)
		}
		if isBad(x) {
			return x
		}
		for len(elems) <= n {
			elems = append(elems, nil)
		}
		elems[n] = x
	}
	missing := func(i int) Expr {
		if x := c.fieldDefault(at, t, i); x != nil {
			return x
		}
		return zero(at, t.Fields[i].Type)
	}
	for i := len(elems); i < limit; i++ { // trailing fields are zero unless they have a default
		if cl.hasDefaults() || c.fieldDefault(at, t, i) != nil {
			for len(elems) <= i {
				elems = append(elems, nil)
			}
		}
	}
	return c.aggregate(at, t, elems, missing)
}
