package syntax

import (
	"fmt"
	"strings"
)

// nameKind is what the parser knows of a name.
type nameKind uint8

const (
	valueName nameKind = iota
	typeName
	classTemplate // a type once it has arguments
	funcTemplate
	namespaceName
)

// entry is a declared name. inner holds the members of a namespace or class, if they are known.
type entry struct {
	kind    nameKind
	inner   *scope
	builtin bool // a scalar type under one of its names
}

// scope is one level of names; using lists the namespaces that using directives opened in it.
type scope struct {
	names map[string]*entry
	using []*scope
	outer *scope
}

func newScope(outer *scope) *scope { return &scope{names: map[string]*entry{}, outer: outer} }

// local finds a name in s itself or a namespace opened in it.
func (s *scope) local(name string) *entry {
	if e := s.names[name]; e != nil {
		return e
	}
	for _, u := range s.using {
		if u == s {
			continue
		}
		if e := u.names[name]; e != nil {
			return e
		}
	}
	return nil
}

// lookup finds a name in s or outside.
func (s *scope) lookup(name string) *entry {
	for ; s != nil; s = s.outer {
		if e := s.local(name); e != nil {
			return e
		}
	}
	return nil
}

// builtinTypes are the scalar types by their one-word spellings; a spelling of several words is put together by the
// parser.
var builtinTypes = map[string]string{
	"void": "void", "bool": "bool", "char": "char", "uchar": "uchar", "short": "short", "ushort": "ushort",
	"int": "int", "uint": "uint", "long": "long", "ulong": "ulong", "half": "half", "bfloat": "bfloat",
	"float": "float", "double": "double", "size_t": "ulong", "ptrdiff_t": "long", "int8_t": "char",
	"uint8_t": "uchar", "int16_t": "short", "uint16_t": "ushort", "int32_t": "int", "uint32_t": "uint",
	"int64_t": "long", "uint64_t": "ulong", "bfloat16": "bfloat", "__fp16": "half", "__bf16": "bfloat",
	"intptr_t": "long", "uintptr_t": "ulong",
}

// libraryTypes are further names that start a type, and whether they take template arguments. Package check knows which
// it implements.
var libraryTypes = map[string]bool{
	"atomic_int": false, "atomic_uint": false, "atomic_bool": false, "atomic_float": false, "atomic_ulong": false,
	"mem_flags": false, "memory_order": false, "thread_scope": false, "memory_scope": false,
	"atomic": true, "vec": true, "array": true, "numeric_limits": true, "is_same": true, "enable_if": true,
	"enable_if_t": true, "conditional": true, "conditional_t": true, "integral_constant": true, "true_type": false,
	"false_type": false, "remove_cv": true, "remove_cv_t": true, "remove_const_t": true, "remove_reference_t": true,
	"remove_cvref_t": true, "remove_const": true, "remove_volatile": true, "remove_volatile_t": true,
	"remove_reference": true, "remove_addrspace": true, "remove_addrspace_t": true, "decay": true, "decay_t": true,
	"make_signed": true, "underlying_type": true, "is_integral": true, "is_floating_point": true, "is_arithmetic": true, "is_signed": true,
	"is_unsigned": true, "is_pointer": true, "make_unsigned": true, "make_unsigned_t": true, "make_signed_t": true,
	"is_convertible": true, "underlying_type_t": true, "bool_constant": true, "disjunction": true,
	"_disjunction": true, "conjunction": true, "_conjunction": true, "negation": true, "pair": true, "tuple": true, "simdgroup_matrix": true, "matrix": true, "uniform": true,
}

// votes are the library's structs of ballots, which name the integer inside of them.
var votes = []string{"simd_vote", "quad_vote"}

// libraryTemplates are function or variable templates, which take arguments in an expression.
var libraryTemplates = []string{
	"is_same_v", "is_integral_v", "is_floating_point_v", "is_arithmetic_v", "is_signed_v", "is_unsigned_v",
	"is_pointer_v", "is_convertible_v", "make_filled_simdgroup_matrix", "make_diagonal_simdgroup_matrix", "make_uniform",
	"declval",
}

// metalScope makes the scope of namespace metal.
func metalScope() *scope {
	s := newScope(nil)
	for name := range builtinTypes {
		s.names[name] = &entry{kind: typeName, builtin: true}
	}
	scalars := []string{"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "bfloat", "float"}
	for _, e := range scalars {
		for n := 2; n <= 4; n++ {
			s.names[fmt.Sprint(e, n)] = &entry{kind: typeName}
			s.names[fmt.Sprint("packed_", e, n)] = &entry{kind: typeName}
		}
	}
	for _, e := range []string{"half", "bfloat", "float"} {
		for n := 2; n <= 4; n++ {
			for m := 2; m <= 4; m++ {
				s.names[fmt.Sprintf("%s%dx%d", e, n, m)] = &entry{kind: typeName}
			}
		}
		s.names["simdgroup_"+e+"8x8"] = &entry{kind: typeName}
	}
	for name, template := range libraryTypes {
		kind := typeName
		if template {
			kind = classTemplate
		}
		s.names[name] = &entry{kind: kind}
	}
	for _, name := range libraryTemplates {
		s.names[name] = &entry{kind: funcTemplate}
	}
	for _, name := range votes {
		inner := newScope(nil)
		inner.names["vote_t"] = &entry{kind: typeName}
		s.names[name] = &entry{kind: typeName, inner: inner}
	}
	for name, template := range Resources {
		s.names[name] = &entry{kind: resourceKind(template)}
	}
	tracing := newScope(nil)
	for name, template := range Raytracing {
		tracing.names[name] = &entry{kind: resourceKind(template)}
	}
	s.names["raytracing"] = &entry{kind: namespaceName, inner: tracing}
	for _, name := range []string{"precise", "fast"} {
		s.names[name] = &entry{kind: namespaceName, inner: newScope(nil)}
	}
	return s
}

// globalScope makes the outermost scope of a translation unit. The builtin types are visible in it without a using
// directive.
func globalScope() *scope {
	s := newScope(nil)
	metal := metalScope()
	s.names["metal"] = &entry{kind: namespaceName, inner: metal}
	for name, e := range metal.names {
		if builtinTypes[name] != "" || strings.ContainsAny(name[len(name)-1:], "234") {
			s.names[name] = e
		}
	}
	return s
}

// reserved are words that no declaration may take as a name.
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`alignof auto break case class const constexpr const_cast continue
		decltype default delete do else enum explicit extern false for friend goto if inline kernel mutable namespace
		new noexcept nullptr operator private protected public reinterpret_cast return signed sizeof static static_assert
		static_cast struct switch template this throw true try typedef typename union unsigned using virtual volatile
		while device constant threadgroup thread as_type bool char short int long float half void double catch
		dynamic_cast`) {
		m[w] = true
	}
	return m
}()
