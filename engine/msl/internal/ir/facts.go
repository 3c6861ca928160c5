package ir

// facts are the values that variables are known to have: what a region has learnt, over what was known before it. A
// variable mapped to nil is unknown, whatever lies below.
type facts struct {
	up   *facts
	vals map[*Var]*Value
}

func newFacts(up *facts) *facts { return &facts{up: up, vals: map[*Var]*Value{}} }

// get is the value of v, nil if it is not known.
func (f *facts) get(v *Var) *Value {
	for ; f != nil; f = f.up {
		if x, ok := f.vals[v]; ok {
			return x
		}
	}
	return nil
}

// since collects what was learnt in the regions inside of base.
func (f *facts) since(base *facts) map[*Var]*Value {
	out := map[*Var]*Value{}
	for ; f != base && f != nil; f = f.up {
		for v, x := range f.vals {
			if _, newer := out[v]; !newer {
				out[v] = x
			}
		}
	}
	return out
}

// join keeps what all exits of a region, each given by what it learnt, agree on: values from before the region, and
// constants.
func (f *facts) join(exits ...map[*Var]*Value) {
	at := func(e map[*Var]*Value, v *Var) *Value {
		if x, ok := e[v]; ok {
			return x
		}
		return f.get(v)
	}
	changed := map[*Var]*Value{}
	for _, e := range exits {
		for v := range e {
			if _, done := changed[v]; done {
				continue
			}
			x := at(exits[0], v)
			for _, other := range exits[1:] {
				if at(other, v) != x {
					x = nil
					break
				}
			}
			if x != nil && f.get(v) != x && x.Op != OpConst && x.Op != OpBuiltin {
				x = nil
			}
			changed[v] = x
		}
	}
	for v, x := range changed {
		f.vals[v] = x
	}
}
