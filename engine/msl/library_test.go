package msl_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// Plan. Purpose: each function of the library compiles and becomes executor code for each scalar type it is defined for, and for
// vectors of two, three and four. Boundaries: the types at either end of each family. Controls: types next to the family, which must
// be refused. What the functions compute is the business of testdata/language.

// libraryCalls are calls by family: T is the type, I and B an int and a bool as wide, E T's scalar; a, b and c are Ts.
var libraryCalls = []struct {
	name    string
	scalars string // what T is made of
	vectors bool
	calls   string
	refused string // scalars for which each of the calls is refused
}{
	{"mathematics of one", "half float", true, `acos(a) acosh(a) asin(a) asinh(a) atan(a) atanh(a) ceil(a) cos(a) cosh(a) cospi(a) exp(a) exp2(a)
		exp10(a) fabs(a) floor(a) fract(a) log(a) log2(a) log10(a) rint(a) round(a) rsqrt(a) saturate(a) sign(a) sin(a) sinh(a) sinpi(a)
		sqrt(a) tan(a) tanh(a) tanpi(a) trunc(a) fast::exp(a) precise::exp(a) fast::sin(a) precise::tanh(a)`, ""},
	{"mathematics of several", "half float", true, `atan2(a,b) copysign(a,b) divide(a,b) fdim(a,b) fmax(a,b) fmin(a,b) fmod(a,b) nextafter(a,b)
		pow(a,b) powr(a,b) step(a,b) fma(a,b,c) fmax3(a,b,c) fmedian3(a,b,c) fmin3(a,b,c) mix(a,b,c) smoothstep(a,b,c) ldexp(a,i)
		modf(a,b) sincos(a,b) frexp(a,i) fast::pow(a,b) precise::fma(a,b,c)`, ""},
	{"numbers", "char uchar short ushort int uint long ulong half float", true, `abs(a) min(a,b) max(a,b) clamp(a,b,c) min3(a,b,c) max3(a,b,c)
		median3(a,b,c) select(a,b,m)`, ""},
	{"integers", "char uchar short ushort int uint long ulong", true, `popcount(a) clz(a) ctz(a) reverse_bits(a) addsat(a,b) subsat(a,b) hadd(a,b)
		rhadd(a,b) mulhi(a,b) rotate(a,b) madhi(a,b,c) madsat(a,b,c) extract_bits(a,1,2) insert_bits(a,b,1,2) T(absdiff(a,b))`, "half float"},
	{"24-bit integers", "int uint", true, `mul24(a,b) mad24(a,b,c)`, "long float"},
	{"relations", "half float", true, `T(isnan(a)) T(isinf(a)) T(isfinite(a)) T(isnormal(a)) T(signbit(a)) T(isordered(a,b)) T(isunordered(a,b))
		T(ilogb(a))`, ""},
	{"simdgroup", "char uchar short ushort int uint half float", true, `simd_broadcast(a,1) simd_broadcast_first(a) simd_shuffle(a,1)
		simd_shuffle_xor(a,1) simd_shuffle_up(a,1) simd_shuffle_down(a,1) simd_shuffle_rotate_up(a,1) simd_shuffle_rotate_down(a,1)
		simd_shuffle_and_fill_up(a,b,1) simd_shuffle_and_fill_down(a,b,1,8) simd_sum(a) simd_product(a) simd_min(a) simd_max(a)
		simd_prefix_inclusive_sum(a) simd_prefix_exclusive_sum(a) simd_prefix_inclusive_product(a) simd_prefix_exclusive_product(a)`, "long ulong"},
	{"quadgroup", "char uchar short ushort int uint half float", true, `quad_broadcast(a,1) quad_broadcast_first(a) quad_shuffle(a,1)
		quad_shuffle_xor(a,1) quad_shuffle_up(a,1) quad_shuffle_down(a,1) quad_shuffle_rotate_up(a,1) quad_shuffle_rotate_down(a,1)
		quad_shuffle_and_fill_up(a,b,1) quad_shuffle_and_fill_down(a,b,1,2) quad_sum(a) quad_product(a) quad_min(a) quad_max(a)
		quad_prefix_inclusive_sum(a) quad_prefix_exclusive_sum(a) quad_prefix_inclusive_product(a) quad_prefix_exclusive_product(a)`, "long ulong"},
	{"bits of groups", "char uchar short ushort int uint", true, `simd_and(a) simd_or(a) simd_xor(a) quad_and(a) quad_or(a) quad_xor(a)`, "float half"},
	{"geometry", "half2 half3 half4 float2 float3 float4", false, `T(dot(a,b)) T(length(a)) T(length_squared(a)) T(distance(a,b))
		T(distance_squared(a,b)) normalize(a) faceforward(a,b,c) reflect(a,b) refract(a,b,c.x) fast::normalize(a) T(precise::length(a))`, "int2 float"},
	{"cross products", "half3 float3", false, `cross(a,b)`, "float2 float4"},
}

// libraryProgram is a kernel that stores the sum of all calls.
func libraryProgram(t string, calls []string) string {
	width := t[len(t)-1:]
	if !strings.Contains("234", width) {
		width = ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#include <metal_stdlib>\nusing namespace metal;\nusing T = %s; using I = int%s; using B = bool%s;\n", t, width, width)
	b.WriteString("kernel void k(device T *o [[buffer(0)]]) {\n    T a = o[1], b = o[2], c = o[3]; I i = I(3); B m = B(true);\n")
	for _, call := range calls {
		fmt.Fprintf(&b, "    o[0] += %s;\n", call)
	}
	b.WriteString("}\n")
	return b.String()
}

// becomesCode compiles a program and makes its kernel.
func becomesCode(text string) error {
	library, err := msl.New(msl.Options{Workers: 1}).Compile([]device.Source{{Name: "k.metal", Text: text}})
	if err == nil {
		_, err = library.Pipeline("k", nil)
	}
	return err
}

var _ = Describe("The library", Label("area:msl", "backend:msl"), func() {
	for _, f := range libraryCalls {
		It("has "+f.name+" for each of their types", func() {
			widths := []string{""}
			if f.vectors {
				widths = append(widths, "2", "3", "4")
			}
			for _, s := range strings.Fields(f.scalars) {
				for _, w := range widths {
					Expect(becomesCode(libraryProgram(s+w, strings.Fields(f.calls)))).To(Succeed(), s+w)
				}
			}
			for _, s := range strings.Fields(f.refused) {
				for _, call := range strings.Fields(f.calls) {
					Expect(becomesCode(libraryProgram(s, []string{call}))).To(MatchError(MatchRegexp("MSL(3005|4005|4006)")), "%s of %s", call, s)
				}
			}
		})
	}
})
