package types_test

// Plan. Purpose: sizes, alignments, offsets, spellings and identity of types. Source: Metal Shading Language
// Specification, sections 2.1 to 2.3 and 2.13. Boundaries: 3-vectors plain and packed, empty structs, unions, padding at the end.
// Control: types that differ in one part only are not identical.

import (
	"github.com/octoryn/assay/engine/msl/internal/types"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("layout", Label("area:msl"), func() {
	DescribeTable("of", func(t types.Type, spelling string, size, align int) {
		Expect(t.String()).To(Equal(spelling))
		Expect(t.Size()).To(Equal(size))
		Expect(t.Align()).To(Equal(align))
	},
		Entry("bool", types.Bool, "bool", 1, 1),
		Entry("half", types.Half, "half", 2, 2),
		Entry("long", types.Long, "long", 8, 8),
		Entry("a 2-vector", types.VectorOf(types.Uchar, 2, false), "uchar2", 2, 2),
		Entry("a 3-vector", types.VectorOf(types.Float, 3, false), "float3", 16, 16),
		Entry("a packed 3-vector", types.VectorOf(types.Float, 3, true), "packed_float3", 12, 4),
		Entry("a packed 4-vector", types.VectorOf(types.Char, 4, true), "packed_char4", 4, 1),
		Entry("an array of arrays", &types.Array{Elem: &types.Array{Elem: types.Half, Len: 3}, Len: 2}, "half[2][3]", 12, 2),
		Entry("a pointer", &types.Pointer{Elem: types.Float, Space: types.Device, Const: true}, "device const float *", 8, 8),
		Entry("a pointer to an array", &types.Pointer{Elem: &types.Array{Elem: types.Int, Len: 4}, Space: types.Threadgroup}, "threadgroup int (*)[4]", 8, 8),
		Entry("a pointer to a pointer", &types.Pointer{Elem: &types.Pointer{Elem: types.Int, Space: types.Device}, Space: types.Thread}, "thread device int **", 8, 8),
		Entry("an atomic", &types.Atomic{Elem: types.Uint}, "atomic_uint", 4, 4),
		Entry("an enumeration", &types.Enum{Name: "E", Underlying: types.Ushort}, "E", 2, 2),
		Entry("void", types.Void, "void", 0, 1),
		Entry("a function", &types.Func{Params: []types.Param{{Type: types.Int}, {Type: types.Half}}, Ret: types.Void}, "void(int, half)", 0, 1),
	)

	It("pads fields and the end of a struct", func() {
		s := &types.Struct{Name: "S"}
		Expect(s.IsComplete()).To(BeFalse())
		s.Complete([]types.Field{{Name: "a", Type: types.Char}, {Name: "b", Type: types.VectorOf(types.Float, 3, false)}, {Name: "c", Type: types.Half}})
		Expect([]int{s.Fields[0].Offset, s.Fields[1].Offset, s.Fields[2].Offset}).To(Equal([]int{0, 16, 32}))
		Expect(s.Size()).To(Equal(48))
		Expect(s.Align()).To(Equal(16))
		Expect(s.Field("c")).To(Equal(2))
		Expect(s.Field("d")).To(Equal(-1))
	})

	It("overlays the fields of a union", func() {
		u := &types.Struct{Name: "U", Union: true}
		u.Complete([]types.Field{{Name: "a", Type: types.Int}, {Name: "b", Type: &types.Array{Elem: types.Uchar, Len: 6}}})
		Expect(u.Fields[1].Offset).To(BeZero())
		Expect(u.Size()).To(Equal(8))
	})

	It("gives an empty struct one byte", func() {
		s := &types.Struct{Name: "Empty"}
		s.Complete(nil)
		Expect(s.Size()).To(Equal(1))
	})
})

var _ = Describe("identity", Label("area:msl"), func() {
	p := func(e types.Type, s types.Space, c bool) types.Type {
		return &types.Pointer{Elem: e, Space: s, Const: c}
	}
	DescribeTable("holds", func(a, b types.Type, want bool) {
		Expect(types.Identical(a, b)).To(Equal(want))
		Expect(types.Identical(b, a)).To(Equal(want))
	},
		Entry("for one scalar", types.Int, types.Int, true),
		Entry("not for two scalars", types.Int, types.Uint, false),
		Entry("for pointers built alike", p(types.Int, types.Device, true), p(types.Int, types.Device, true), true),
		Entry("not across address spaces", p(types.Int, types.Device, true), p(types.Int, types.Constant, true), false),
		Entry("not when const differs", p(types.Int, types.Device, true), p(types.Int, types.Device, false), false),
		Entry("for arrays built alike", &types.Array{Elem: types.Int, Len: 2}, &types.Array{Elem: types.Int, Len: 2}, true),
		Entry("not for arrays of other lengths", &types.Array{Elem: types.Int, Len: 2}, &types.Array{Elem: types.Int, Len: 3}, false),
		Entry("not for packed and plain vectors", types.VectorOf(types.Float, 4, true), types.VectorOf(types.Float, 4, false), false),
		Entry("not for two structs alike", &types.Struct{Name: "S"}, &types.Struct{Name: "S"}, false),
		Entry("not for functions that return another type", &types.Func{Ret: types.Int}, &types.Func{Ret: types.Void}, false),
	)

	It("makes vectors shared values", func() {
		Expect(types.VectorOf(types.Half, 2, false)).To(BeIdenticalTo(types.VectorOf(types.Half, 2, false)))
		Expect(types.VectorOf(types.Half, 2, true).Plain()).To(BeIdenticalTo(types.VectorOf(types.Half, 2, false)))
		Expect(func() { types.VectorOf(types.Void, 2, false) }).To(Panic())
	})

	It("pairs signed and unsigned integers of one width", func() {
		for _, s := range types.Numeric {
			if s.IsInteger() {
				Expect(s.Signed().Unsigned().Size()).To(Equal(s.Size()))
				Expect(s.Signed().IsSigned()).To(BeTrue())
				Expect(s.Unsigned().IsSigned()).To(BeFalse())
			}
		}
	})
})
