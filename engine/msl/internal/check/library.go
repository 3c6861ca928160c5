package check

import (
	"math"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

// libraryTypeNames are templates of the library that stand for types or hold constants.
var libraryTypeNames = []string{
	"vec", "atomic", "numeric_limits", "is_same", "is_integral", "is_floating_point", "is_arithmetic", "is_signed",
	"is_unsigned", "is_pointer", "is_same_v", "is_integral_v", "is_floating_point_v", "is_arithmetic_v", "is_signed_v",
	"is_unsigned_v", "is_pointer_v", "is_convertible", "is_convertible_v", "conditional", "conditional_t", "enable_if", "enable_if_t", "remove_cv",
	"remove_cv_t", "remove_const_t", "remove_volatile_t", "remove_reference_t", "remove_cvref_t", "remove_addrspace_t", "decay_t",
	"remove_const", "remove_volatile", "remove_reference", "remove_addrspace", "decay", "make_signed", "underlying_type",
	"make_unsigned_t", "make_signed_t",
	"make_unsigned", "uniform", "make_uniform", "underlying_type_t", "disjunction",
	"_disjunction", "conjunction", "_conjunction", "negation", "true_type", "false_type", "matrix",
	"simdgroup_matrix", "make_filled_simdgroup_matrix", "make_diagonal_simdgroup_matrix",
}

// floatConstants are the macros of metal_math that are floats.
var floatConstants = map[string]float32{
	"INFINITY": float32(math.Inf(1)), "HUGE_VALF": float32(math.Inf(1)), "NAN": float32(math.NaN()),
	"MAXFLOAT": math.MaxFloat32, "FLT_MAX": math.MaxFloat32, "FLT_MIN": 0x1p-126, "FLT_EPSILON": 0x1p-23,
	"M_E_F": math.E, "M_LOG2E_F": math.Log2E, "M_LOG10E_F": math.Log10E, "M_LN2_F": math.Ln2, "M_LN10_F": math.Ln10,
	"M_PI_F": math.Pi, "M_PI_2_F": math.Pi / 2, "M_PI_4_F": math.Pi / 4, "M_1_PI_F": 1 / math.Pi, "M_2_PI_F": 2 / math.Pi,
	"M_2_SQRTPI_F": 2 / 1.77245385090551602729816748334114518, "M_SQRT2_F": math.Sqrt2, "M_SQRT1_2_F": 1 / math.Sqrt2,
}

// shortFloatConstants are the macros of metal_math and metal_limits that are half or bfloat.
var shortFloatConstants = map[string]Value{
	"MAXHALF": {Type: types.Half, Bits: 0x7bff}, "HALF_MAX": {Type: types.Half, Bits: 0x7bff}, "HALF_MIN": {Type: types.Half, Bits: 0x0400},
	"HALF_EPSILON": {Type: types.Half, Bits: 0x1400}, "MAXBFLOAT": {Type: types.Bfloat, Bits: 0x7f7f}, "BFLT_MAX": {Type: types.Bfloat, Bits: 0x7f7f},
	"BFLT_MIN": {Type: types.Bfloat, Bits: 0x0080}, "BFLT_EPSILON": {Type: types.Bfloat, Bits: 0x3c00},
}

// intConstants are the macros of metal_limits.
var intConstants = map[string]Value{
	"CHAR_BIT": {Type: types.Int, Bits: 8}, "CHAR_MAX": IntValue(types.Int, math.MaxInt8), "CHAR_MIN": IntValue(types.Int, math.MinInt8),
	"SCHAR_MAX": IntValue(types.Int, math.MaxInt8), "SCHAR_MIN": IntValue(types.Int, math.MinInt8), "UCHAR_MAX": IntValue(types.Int, math.MaxUint8),
	"SHRT_MAX": IntValue(types.Int, math.MaxInt16), "SHRT_MIN": IntValue(types.Int, math.MinInt16), "USHRT_MAX": IntValue(types.Int, math.MaxUint16),
	"INT_MAX": IntValue(types.Int, math.MaxInt32), "INT_MIN": IntValue(types.Int, math.MinInt32), "UINT_MAX": IntValue(types.Uint, math.MaxUint32),
	"LONG_MAX": IntValue(types.Long, math.MaxInt64), "LONG_MIN": IntValue(types.Long, math.MinInt64), "ULONG_MAX": {Type: types.Ulong, Bits: math.MaxUint64},
	// C leaves these two open, and MSL with it.
	"FP_ILOGB0": IntValue(types.Int, math.MinInt32), "FP_ILOGBNAN": IntValue(types.Int, math.MinInt32),
	"INT8_MAX": IntValue(types.Int, math.MaxInt8), "UINT8_MAX": IntValue(types.Int, math.MaxUint8), "INT16_MAX": IntValue(types.Int, math.MaxInt16),
	"UINT16_MAX": IntValue(types.Int, math.MaxUint16), "INT32_MAX": IntValue(types.Int, math.MaxInt32), "UINT32_MAX": IntValue(types.Uint, math.MaxUint32),
}

// library fills the global scope and namespace metal.
func (c *checker) library() {
	g, m := c.global.names, c.metal.names
	g["metal"] = &namespace{"metal", c.metal}
	c.metal.path = "metal::"
	scalar := func(name string, t types.Type) {
		g[name] = &typeName{qual{typ: t}}
		m[name] = g[name]
	}
	scalar("void", types.Void)
	for _, s := range types.Numeric {
		scalar(s.String(), s)
		for n := 2; n <= 4; n++ {
			for _, packed := range []bool{false, true} {
				v := types.VectorOf(s, n, packed)
				scalar(v.String(), v)
			}
		}
	}
	for _, s := range []*types.Scalar{types.Int, types.Uint, types.Bool, types.Float, types.Ulong} {
		m["atomic_"+s.String()] = &typeName{qual{typ: &types.Atomic{Elem: s}}}
	}
	for _, name := range libraryTypeNames {
		m[name] = &libraryType{name}
	}
	fast := &namespace{"fast", newScope(c.metal)}
	precise := &namespace{"precise", newScope(c.metal)}
	m["fast"], m["precise"] = fast, precise
	m["raytracing"] = &namespace{"raytracing", newScope(c.metal)} // empty: what is named in it is refused
	for _, s := range []*types.Scalar{types.Half, types.Bfloat, types.Float} {
		for cols := 2; cols <= 4; cols++ {
			for rows := 2; rows <= 4; rows++ {
				t := types.MatrixOf(s, cols, rows)
				if scalar(t.String(), t); s == types.Bfloat { // MSL gives bfloat matrices no names of their own
					delete(g, t.String())
					delete(m, t.String())
				}
			}
		}
		t := types.SimdMatrixOf(s)
		m[t.String()] = &typeName{qual{typ: t}}
	}
	for id, row := range builtinTable {
		f := BuiltinFunc(id)
		if row.sig == sigInternal || row.sig == sigBallot64 || row.sig == sigBallot32 {
			continue
		}
		m[row.name] = &librarySet{id: f}
		if row.sig <= sigN3 || row.sig >= sigFB1 && row.sig <= sigFB2 || row.sig >= sigDot && row.sig <= sigCross {
			fast.scope.names[row.name] = &librarySet{id: f, variant: VariantFast}
			precise.scope.names[row.name] = &librarySet{id: f, variant: VariantPrecise}
		}
	}
	for name, f := range floatConstants {
		g[name] = &constName{FloatValue(f)}
		if base, ok := strings.CutSuffix(name, "_F"); ok { // M_PI_H, M_PI_BF
			g[base+"_H"] = &constName{Value{Type: types.Half, Bits: floatBits(types.Half, f)}}
			g[base+"_BF"] = &constName{Value{Type: types.Bfloat, Bits: floatBits(types.Bfloat, f)}}
		}
	}
	for name, v := range shortFloatConstants {
		g[name] = &constName{v}
	}
	for name, v := range intConstants {
		g[name] = &constName{v}
	}
	c.memFlags = c.libraryEnum("mem_flags", types.Uint, true, map[string]int64{"mem_none": 0, "mem_device": 1, "mem_threadgroup": 2, "mem_texture": 4, "mem_threadgroup_imageblock": 8, "mem_object_data": 16})
	c.libraryEnum("memory_order", types.Int, false, map[string]int64{"memory_order_relaxed": 0, "memory_order_acquire": 2, "memory_order_release": 3, "memory_order_acq_rel": 4, "memory_order_seq_cst": 5})
	c.libraryEnum("thread_scope", types.Int, false, map[string]int64{"thread_scope_thread": 0, "thread_scope_simdgroup": 4, "thread_scope_threadgroup": 1, "thread_scope_device": 2})
}

// libraryEnum declares an enumeration in namespace metal.
func (c *checker) libraryEnum(name string, u *types.Scalar, scoped bool, items map[string]int64) *types.Enum {
	t := &types.Enum{Name: name, Underlying: u, Scoped: scoped}
	inner := newScope(c.metal)
	c.enums[t] = inner
	c.metal.names[name] = &typeName{qual{typ: t}}
	for item, n := range items {
		inner.names[item] = &constName{IntValue(t, n)}
		if !scoped {
			c.metal.names[item] = inner.names[item]
		}
	}
	return t
}

// libraryArgs checks the arguments of a library template: types, and integers where want says 'n', bools where 'b'.
func (c *checker) libraryArgs(part *syntax.NamePart, want string) ([]templateArg, bool) {
	args := c.templateArgs(part.Args)
	if args == nil && len(part.Args) > 0 {
		return nil, false
	}
	if len(args) == len(want)-1 && want[len(want)-1] == 'd' { // a default: void
		args = append(args, templateArg{typ: &qual{typ: types.Void}})
	}
	if !part.HasArgs || len(args) != len(want) {
		c.errorf(part.At, diag.BadTemplateArgs, "%q got %d template arguments, want %d", part.Ident, len(args), len(want))
		return nil, false
	}
	for i := range want {
		isType := args[i].typ != nil
		if isType != (want[i] == 't' || want[i] == 'd') {
			c.errorf(part.At, diag.BadTemplateArgs, "template argument %d of %q is of the wrong kind", i+1, part.Ident)
			return nil, false
		}
	}
	return args, true
}

// libraryTypeOf is the type that a library template stands for.
func (c *checker) libraryTypeOf(e *libraryType, part *syntax.NamePart) (qual, bool) {
	fail := func(format string, args ...any) (qual, bool) {
		c.errorf(part.At, diag.BadTemplateArgs, format, args...)
		return invalid, false
	}
	switch e.name {
	case "vec":
		a, ok := c.libraryArgs(part, "tn")
		if !ok {
			return invalid, false
		}
		s, isScalar := a[0].typ.typ.(*types.Scalar)
		if n := a[1].value.Int(); isScalar && s.IsNumeric() && n >= 1 && n <= 4 {
			if n == 1 { // generic code names it; what tells it from the scalar, such as .x, is refused
				return qual{typ: s}, true
			}
			return qual{typ: types.VectorOf(s, int(n), false)}, true
		}
		return fail("vec wants a scalar type and 2, 3 or 4")
	case "atomic":
		a, ok := c.libraryArgs(part, "t")
		if !ok {
			return invalid, false
		}
		switch s := a[0].typ.typ; s {
		case types.Int, types.Uint, types.Bool, types.Float, types.Ulong:
			return qual{typ: &types.Atomic{Elem: s.(*types.Scalar)}}, true
		default:
			return fail("there is no atomic %s", s)
		}
	case "matrix":
		a, ok := c.libraryArgs(part, "tnn")
		if !ok {
			return invalid, false
		}
		s, _ := a[0].typ.typ.(*types.Scalar)
		if m := types.MatrixOf(s, int(a[1].value.Int()), int(a[2].value.Int())); m != nil {
			return qual{typ: m}, true
		}
		return fail("matrix wants half, bfloat or float, and 2, 3 or 4 twice")
	case "simdgroup_matrix":
		a, ok := c.libraryArgs(part, "tnn")
		if !ok {
			return invalid, false
		}
		s, _ := a[0].typ.typ.(*types.Scalar)
		if m := types.SimdMatrixOf(s); m != nil && a[1].value.Int() == 8 && a[2].value.Int() == 8 {
			return qual{typ: m}, true
		}
		return qual{typ: c.noSimdMatrix(a)}, true
	case "conditional_t":
		a, ok := c.libraryArgs(part, "ntt")
		if !ok {
			return invalid, false
		}
		if a[0].value.Bool() {
			return *a[1].typ, true
		}
		return *a[2].typ, true
	case "enable_if_t":
		a, ok := c.libraryArgs(part, "nd")
		if !ok {
			return invalid, false
		}
		if !a[0].value.Bool() {
			return fail("enable_if does not hold")
		}
		return *a[1].typ, true
	case "uniform", "remove_cv_t", "remove_const_t", "remove_volatile_t", "remove_reference_t", "remove_cvref_t", "remove_addrspace_t", "decay_t":
		a, ok := c.libraryArgs(part, "t")
		if !ok {
			return invalid, false
		}
		return qual{typ: a[0].typ.typ}, true
	case "make_unsigned_t", "make_signed_t":
		a, ok := c.libraryArgs(part, "t")
		if !ok {
			return invalid, false
		}
		s, isScalar := a[0].typ.typ.(*types.Scalar)
		if !isScalar || !s.IsInteger() {
			return fail("%q wants an integer type", e.name)
		}
		if e.name == "make_signed_t" {
			return qual{typ: s.Signed()}, true
		}
		return qual{typ: s.Unsigned()}, true
	case "underlying_type_t":
		a, ok := c.libraryArgs(part, "t")
		if !ok {
			return invalid, false
		}
		if en, isEnum := a[0].typ.typ.(*types.Enum); isEnum {
			return qual{typ: en.Underlying}, true
		}
		return fail("%q wants an enumeration", e.name)
	}
	if b, ok := c.boolTemplate(e.name, part); ok {
		if b == nil {
			return invalid, false
		}
		return qual{typ: c.boolType(*b)}, true
	}
	c.errorf(part.At, diag.UnsupportedType, "type %s is not supported", part.Ident)
	return invalid, false
}

// noSimdMatrix is a simdgroup_matrix that does not exist: generic code may name it, but not declare one.
func (c *checker) noSimdMatrix(args []templateArg) types.Type {
	key := argsKey(args)
	if c.noMatrices[key] == nil {
		c.noMatrices[key] = &types.Struct{Name: "simdgroup_matrix" + argsString(args)}
	}
	return c.noMatrices[key]
}

// boolTemplate is the truth of a library template that stands for true_type or false_type; nil after a mistake. ok is false
// for any other name.
func (c *checker) boolTemplate(name string, part *syntax.NamePart) (b *bool, ok bool) {
	yes, no := true, false
	answer := func(v bool) (*bool, bool) {
		if v {
			return &yes, true
		}
		return &no, true
	}
	switch name {
	case "true_type", "false_type":
		return answer(name == "true_type")
	case "disjunction", "_disjunction", "conjunction", "_conjunction", "negation":
		args := c.templateArgs(part.Args)
		or := strings.Contains(name, "disjunction")
		result := !or
		if args == nil || name == "negation" && len(args) != 1 {
			return nil, true
		}
		for _, a := range args {
			v, isBool := c.boolMember(a)
			if !isBool {
				c.errorf(part.At, diag.BadTemplateArgs, "%q wants types with a member value", name)
				return nil, true
			}
			if v == or {
				result = or
			}
		}
		if name == "negation" {
			result = !result
		}
		return answer(result)
	}
	if traits[name] {
		k, isConst := c.trait(name, part).(*Const)
		if !isConst {
			return nil, true
		}
		return answer(k.Value.Bool())
	}
	return nil, false
}

// boolMember returns the member value of a type.
func (c *checker) boolMember(a templateArg) (v, ok bool) {
	if a.typ == nil {
		return false, false
	}
	s, isStruct := a.typ.typ.(*types.Struct)
	if !isStruct {
		return false, false
	}
	switch m := c.classOf(s).scope.local("value").(type) {
	case *constName:
		return m.value.Bool(), true
	case *Var:
		return m.Value != nil && m.Value.Bool(), m.Value != nil
	}
	return false, false
}

// traits are the templates that ask one question about types.
var traits = map[string]bool{
	"is_same": true, "is_integral": true, "is_floating_point": true, "is_arithmetic": true, "is_signed": true,
	"is_unsigned": true, "is_pointer": true, "is_convertible": true,
}

// libraryMember is the type NAME<...>::type of a library template; ok is false for any other name.
func (c *checker) libraryMember(n *syntax.Name) (qual, bool) {
	if len(n.Parts) < 2 || n.Last().Ident != "type" {
		return invalid, false
	}
	owner, part := c.libraryOwner(n)
	if owner == nil {
		return invalid, false
	}
	q, _ := c.libraryTypeOf(&libraryType{owner.name + "_t"}, part)
	return q, true
}

// libraryOwner returns the library template that the part before the last names.
func (c *checker) libraryOwner(n *syntax.Name) (*libraryType, *syntax.NamePart) {
	if len(n.Parts) < 2 {
		return nil, nil
	}
	owner := &syntax.Name{At: n.At, Global: n.Global, Parts: n.Parts[:len(n.Parts)-1]}
	var e entity
	if len(owner.Parts) == 1 {
		e = c.scope.lookup(owner.Parts[0].Ident)
	} else if owner.Parts[0].Ident == "metal" && len(owner.Parts) == 2 {
		e = c.metal.names[owner.Parts[1].Ident]
	}
	t, _ := e.(*libraryType)
	return t, owner.Last()
}

// libraryConstant is a constant of a library template: numeric_limits<T>::max, is_same<T, U>::value, is_same_v<T, U>.
func (c *checker) libraryConstant(n *syntax.Name) (Expr, bool) {
	last := n.Last()
	if owner, part := c.libraryOwner(n); owner != nil {
		if owner.name == "numeric_limits" {
			return c.numericLimits(part, last), true
		}
		if last.Ident == "value" {
			b, ok := c.boolTemplate(owner.name, part)
			switch {
			case !ok:
				return nil, false
			case b == nil:
				return c.bad(n.At), true
			}
			return constant(n.At, BoolValue(*b)), true
		}
		return nil, false
	}
	if !last.HasArgs || len(last.Ident) < 3 || last.Ident[len(last.Ident)-2:] != "_v" {
		return nil, false
	}
	e, ok := c.find(n)
	if !ok {
		return c.bad(n.At), true
	}
	if t, isLib := e.(*libraryType); isLib {
		return c.trait(t.name[:len(t.name)-2], last), true
	}
	return nil, false
}

// trait answers a question about types.
func (c *checker) trait(name string, part *syntax.NamePart) Expr {
	want := "t"
	if name == "is_same" || name == "is_convertible" {
		want = "tt"
	}
	a, ok := c.libraryArgs(part, want)
	if !ok {
		return c.bad(part.At)
	}
	t := a[0].typ.typ
	s, isScalar := t.(*types.Scalar)
	_, isPointer := t.(*types.Pointer)
	answers := map[string]bool{
		"is_integral":       isScalar && (s.IsInteger() || s == types.Bool),
		"is_floating_point": isScalar && s.IsFloat(),
		"is_arithmetic":     isScalar && s.IsNumeric(),
		"is_signed":         isScalar && (s.IsSigned() || s.IsFloat()),
		"is_unsigned":       isScalar && (s == types.Bool || s.IsInteger() && !s.IsSigned()),
		"is_pointer":        isPointer,
	}
	if name == "is_same" {
		return constant(part.At, BoolValue(types.Identical(t, a[1].typ.typ) && a[0].typ.isConst == a[1].typ.isConst))
	}
	if name == "is_convertible" {
		from := &bad{node{at: part.At, typ: t}}
		return constant(part.At, BoolValue(c.rankOf(from, a[1].typ.typ) != rankNone))
	}
	answer, known := answers[name]
	if !known {
		c.errorf(part.At, diag.UnsupportedType, "%s is not supported", name)
		return c.bad(part.At)
	}
	return constant(part.At, BoolValue(answer))
}

// numericLimits is a member of numeric_limits<T>.
func (c *checker) numericLimits(part, member *syntax.NamePart) Expr {
	a, ok := c.libraryArgs(part, "t")
	if !ok {
		return c.bad(part.At)
	}
	s, isScalar := a[0].typ.typ.(*types.Scalar)
	if !isScalar || !s.IsNumeric() {
		c.errorf(part.At, diag.BadTemplateArgs, "numeric_limits wants a scalar type, not %s", a[0].typ.typ)
		return c.bad(part.At)
	}
	v, ok := limit(s, member.Ident)
	if !ok {
		c.errorf(member.At, diag.NoSuchMember, "numeric_limits<%s> has no member %q", s, member.Ident)
		return c.bad(part.At)
	}
	return constant(part.At, v)
}

// limit is numeric_limits<s>::name.
func limit(s *types.Scalar, name string) (Value, bool) {
	switch name {
	case "is_signed":
		return BoolValue(s.IsSigned() || s.IsFloat()), true
	case "is_integer":
		return BoolValue(!s.IsFloat()), true
	}
	if !s.IsFloat() {
		bits := s.Bits()
		high := ^uint64(0) >> (64 - bits)
		low := uint64(0)
		if s.IsSigned() {
			high >>= 1
			low = ^high
		}
		switch name {
		case "infinity", "quiet_NaN", "epsilon", "denorm_min":
			return Value{Type: s}, true
		case "max":
			return Value{Type: s, Bits: wrap(s, high)}, true
		case "min", "lowest":
			return Value{Type: s, Bits: wrap(s, low)}, true
		case "digits":
			n := bits
			if s.IsSigned() {
				n--
			}
			return IntValue(types.Int, int64(n)), true
		}
		return Value{}, false
	}
	table := map[string][3]uint64{ // half, bfloat, float
		"max": {0x7bff, 0x7f7f, 0x7f7fffff}, "lowest": {0xfbff, 0xff7f, 0xff7fffff}, "min": {0x0400, 0x0080, 0x00800000},
		"epsilon": {0x1400, 0x3c00, 0x34000000}, "infinity": {0x7c00, 0x7f80, 0x7f800000}, "quiet_NaN": {0x7e00, 0x7fc0, 0x7fc00000},
		"denorm_min": {1, 1, 1},
	}
	row, ok := table[name]
	if !ok {
		digits := map[string][3]int64{"digits": {11, 8, 24}, "max_exponent": {16, 128, 128}, "min_exponent": {-13, -125, -125}}
		d, ok := digits[name]
		if !ok {
			return Value{}, false
		}
		return IntValue(types.Int, d[s.Kind()-types.KindHalf]), true
	}
	return Value{Type: s, Bits: row[s.Kind()-types.KindHalf]}, true
}
