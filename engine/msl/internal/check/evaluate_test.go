package check_test

// Plan. Purpose: globals that depend on function constants have no value until Evaluate is given those constants, and then
// have the value that the same text has with literals in their place. Control: without the constants the diagnostic says what
// is missing.

import (
	"github.com/octoryn/assay/engine/msl/internal/check"
	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/types"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("evaluation", Label("area:msl"), func() {
	const text = `#include <metal_stdlib>
using namespace metal;
constant uint K [[function_constant(0)]];
constant bool F [[function_constant(1)]];
constant float X [[function_constant(2)]];
constant uint HALF = K / 2u - 1u;
constant bool G = F && HALF > 3u;
constant float Y = G ? X * 0.1f : -X;
constant uint2 V = uint2(HALF, K) << 1;
constant bool D = is_function_constant_defined(K);
`
	var p *check.Program
	global := func(name string) *check.Var {
		for _, v := range p.Globals {
			if v.Name == name {
				return v
			}
		}
		Fail("no global " + name)
		return nil
	}
	BeforeEach(func() {
		var err error
		p, err = check.Check([]check.Source{{Name: "a.metal", Text: text}})
		Expect(err).NotTo(HaveOccurred())
		Expect(p.FunctionConstants).To(HaveLen(3))
	})

	DescribeTable("of a global with function constants known", func(k uint64, f bool, x float32, name, want string) {
		known := map[*check.Var]check.Value{
			global("K"): {Type: types.Uint, Bits: k},
			global("F"): check.BoolValue(f),
			global("X"): check.FloatValue(x),
		}
		v := global(name)
		Expect(v.Value).To(BeNil())
		got, err := check.Evaluate(v.Init, known)
		Expect(err).To(BeNil())
		Expect(got.String()).To(Equal(want))
	},
		Entry("divides", uint64(12), true, float32(3), "HALF", "5u"),
		Entry("wraps", uint64(0), true, float32(3), "HALF", "4294967295u"),
		Entry("goes through other globals", uint64(12), true, float32(3), "G", "true"),
		Entry("stops at a false operand", uint64(12), false, float32(3), "G", "false"),
		Entry("rounds to float32", uint64(12), true, float32(3), "Y", "float(0.3)"),
		Entry("takes the other branch", uint64(2), true, float32(3), "Y", "float(-3)"),
		Entry("works on vectors", uint64(12), true, float32(3), "V", "uint2(10u, 24u)"),
		Entry("knows what is defined", uint64(12), true, float32(3), "D", "true"),
	)

	It("says which function constant is missing", func() {
		_, err := check.Evaluate(global("G").Init, map[*check.Var]check.Value{global("F"): check.BoolValue(true)})
		Expect(err).NotTo(BeNil())
		Expect(err.Code).To(Equal(diag.DependsOnFunctionConstant))
		Expect(err.Msg).To(ContainSubstring(`"K"`))
	})

	It("knows what is not defined", func() {
		got, err := check.Evaluate(global("D").Init, map[*check.Var]check.Value{})
		Expect(err).To(BeNil())
		Expect(got.Bool()).To(BeFalse())
	})
})
