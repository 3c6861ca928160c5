package conformance_test

// Purpose: claims B and C turn red when the engine computes something else than the checkpoint says. Faults are
// edits of kernel texts and of the folder the engine loads. Control case: the same fixture unharmed, and for some
// faults a claim they must leave alone. Boundaries: faults that only a second KV block, a second scale group, an exact
// tie or the last bits of a float16 show.

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/conformance/harness"
	"github.com/octoryn/assay/engine/device"
)

// editKernel runs the engine on kernels with one piece of text replaced.
func editKernel(file, old, replacement string) func(context.Context, *conformance.Subject) {
	return func(_ context.Context, s *conformance.Subject) {
		edited := func(open func() (device.Device, error)) func() (device.Device, error) {
			return func() (device.Device, error) {
				d, err := open()
				if err != nil {
					return nil, err
				}
				d = harness.EditKernels(d, harness.Edit{File: file, Old: old, New: replacement})
				DeferCleanup(func() { Expect(harness.Planted(d)).To(BeTrue(), "the kernel was not edited") })
				return d, nil
			}
		}
		s.Device = edited(func() (device.Device, error) { return backend.Open(backend.Default) })
		s.Checked = edited(backend.OpenChecked(backend.Default))
	}
}

// alterEngineFolder lets the engine load a changed copy of the packed folder; the oracle keeps reading the original.
func alterEngineFolder(change func(dir string)) func(context.Context, *conformance.Subject) {
	return func(_ context.Context, s *conformance.Subject) {
		s.EngineFolder = copyOf(s.Packed)
		change(s.EngineFolder)
	}
}

// editPacked changes the bytes of tensors of a packed folder.
func editPacked(change func(t conformance.Entry, data []byte), names ...string) func(context.Context, *conformance.Subject) {
	return alterEngineFolder(func(dir string) {
		for _, name := range names {
			Expect(conformance.EditTensor(dir, name, change)).To(Succeed())
		}
	})
}

// rotateBlocks moves every block of n bytes one place on within each run of count blocks.
func rotateBlocks(data []byte, n, count int) {
	for from := 0; from+n*count <= len(data); from += n * count {
		run := data[from : from+n*count]
		last := slices.Clone(run[n*(count-1):])
		copy(run[n:], run[:n*(count-1)])
		copy(run, last)
	}
}

// rotateExperts gives every expert the weights of another.
func rotateExperts(t conformance.Entry, data []byte) {
	rotateBlocks(data, len(data)/t.Shape[0], t.Shape[0])
}

// secondBlock is a fixture with its prompt of 300 tokens alone: it reaches the second KV block.
func secondBlock(ctx context.Context, fixture string) *conformance.Subject {
	GinkgoHelper()
	s := prepared(ctx, fixture+", second block", fixture, 4)
	s.Prompts = s.Prompts[len(s.Prompts)-1:]
	Expect(len(s.Prompts[0].IDs)).To(BeNumerically(">", 256))
	return s
}

const moe, mixed = "tiny-qwen3-moe", "tiny-qwen3-moe-mixed"

var everyB = []string{bCosine, bBound, bTypical, bKL, bRegret}

var _ = describeControls("B", brief, []control{
	{name: "a scale is that of the neighbouring group", fixture: mixed, red: []string{bCosine, bBound, bKL, cIDs},
		plant: editKernel("int4.metal", "* GROUPS + column / GROUP;", "* GROUPS + (column / GROUP + 1u) % GROUPS;")},
	{name: "the nibbles of a byte are taken in the other order", fixture: moe, red: append([]string{cIDs}, everyB...),
		plant: editKernel("int4.metal", "(4u * (i % 8u))", "(4u * ((i % 8u) ^ 1u))")},
	{name: "the residual of the attention output is dropped", fixture: moe, red: append([]string{cIDs}, everyB...),
		plant: editKernel("project.metal", "out[row] = zap(h[row] + value);", "out[row] = zap(value);")},
	{name: "queries are rotated as if one position later", fixture: moe, red: []string{bCosine, bBound, bKL},
		plant: editKernel("attention.metal", "rope + pos * (HEAD_DIM / 2u)", "rope + (is_query ? pos + 1u : pos) * (HEAD_DIM / 2u)")},
	{name: "keys are written one position late", fixture: moe, stops: "finite", red: everyB,
		plant: editKernel("attention.metal", "uint j = pos % BLOCK;", "uint j = (pos + 1u) % BLOCK;")},
	{name: "values are written one position late", fixture: moe, stops: "finite", red: everyB,
		plant: editKernel("attention.metal", "value_page[(pos % BLOCK) * HEAD_DIM + d] =", "value_page[((pos + 1u) % BLOCK) * HEAD_DIM + d] =")},
	{name: "keys are kept in bfloat16 precision", fixture: moe, red: []string{bBound}, green: []string{cTies},
		plant: editKernel("attention.metal", "= half(x[e]);", "= half(as_type<float>(as_type<uint>(x[e]) & 0xffff0000u));")},
	{name: "normalised activations are rounded to float16", fixture: moe, red: []string{bTypical}, green: []string{bCosine},
		plant: editKernel("norm.metal", "= zap(zap(value * inverse) * weight[i]);", "= zap(float(half(zap(value * inverse) * weight[i])));")},
	{name: "a coefficient of exp is two per cent off", fixture: moe, red: []string{bTypical},
		plant: editKernel("contract.metal", "4.99999940395355224609375e-1f", "4.9e-1f")},
	{name: "a logit is NaN", fixture: moe, stops: "finite", red: append([]string{cIDs}, everyB...),
		plant: editKernel("lm_head.metal", "uint row = first + lane * R / LANES;", "uint row = first + lane * R / LANES; value = row == 7u ? as_type<float>(0x7fc00000u) : value;")},
	{name: "every expert has the down projection of another", fixture: moe, red: append([]string{cIDs}, everyB...),
		plant: editPacked(rotateExperts, "model.layers.1.mlp.experts.down_proj.codes", "model.layers.1.mlp.experts.down_proj.scales")},
	{name: "one scale of one row is a quarter too large", fixture: moe, red: []string{bBound},
		plant: editPacked(func(_ conformance.Entry, data []byte) { data[2*5+1] ^= 0x01 }, "model.layers.0.self_attn.o_proj.scales")},
	{name: "rms_norm_eps is ten times the config's", fixture: mixed, red: []string{bTypical},
		plant: alterEngineFolder(setConfig(func(c map[string]any) { c["rms_norm_eps"] = 1e-4 }))},
	{name: "rope_theta is the usual one, not the config's", fixture: mixed, red: []string{bCosine, bBound, bKL},
		plant: alterEngineFolder(setConfig(func(c map[string]any) { c["rope_parameters"].(map[string]any)["rope_theta"] = 1e6 }))},
	{name: "the router's weights are renormalised against the config", fixture: mixed, red: []string{bCosine, bBound, bKL},
		plant: alterEngineFolder(setConfig(func(c map[string]any) { c["norm_topk_prob"] = true }))},
})

var _ = describeControls("B, beyond one KV block", secondBlock, []control{
	{name: "the last, partial KV block is dropped", fixture: moe, red: []string{bCosine, bBound, bKL},
		plant: editKernel("attention.metal", "uint blocks = state[0] / BLOCK + 1u;", "uint blocks = state[0] < BLOCK ? 1u : (state[0] + 1u) / BLOCK;")},
})

// equalRouters makes all rows of every router equal, for oracle and engine alike, so that all experts tie.
func equalRouters(s *conformance.Subject) {
	dir := copyOf(s.Packed)
	for _, layer := range []string{"0", "1", "2"} {
		Expect(conformance.EditTensor(dir, "model.layers."+layer+".mlp.gate.weight", conformance.CopyRow(0, []int{1, 2, 3, 4, 5, 6, 7}))).To(Succeed())
	}
	s.Judge(dir)
}

var _ = describeControls("C", brief, []control{
	{name: "a tie of logits goes to the highest id", fixture: moe, red: []string{cTies}, green: []string{bBound, cIDs},
		plant: editKernel("lm_head.metal", "(value == best && token < best_token)", "(value == best && token > best_token)")},
	{name: "a tie of experts goes to the highest", fixture: moe, red: []string{bCosine},
		plant: func(ctx context.Context, s *conformance.Subject) {
			equalRouters(s)
			editKernel("router.metal", "(other == best && other_index < index)", "(other == best && other_index > index)")(ctx, s)
		}},
	{name: "the text of one token is another's", fixture: "gosling-4m", red: []string{cBytes}, green: []string{cIDs},
		plant: func(ctx context.Context, s *conformance.Subject) { s.Decoder = &halting{Decoder: s.Decoder} }},
})

// halting decodes single tokens wrongly: the second token it is given alone comes out empty.
type halting struct {
	conformance.Decoder
	alone int
}

func (h *halting) Decode(ids []int) []byte {
	if len(ids) == 1 {
		if h.alone++; h.alone == 2 {
			return nil
		}
	}
	return h.Decoder.Decode(ids)
}

var _ = Describe("A tie of all experts", Label("purpose:execution", "claim:C", "fixture:"+moe, "backend:msl", "level:required"), func() {
	It("goes to the lowest on both sides", func(ctx SpecContext) {
		s := brief(ctx, moe).Fork()
		DeferCleanup(s.Close)
		equalRouters(s)
		for _, name := range []string{bBound, cIDs} {
			out, err := specNamed(name).Run(ctx, s)
			Expect(err).NotTo(HaveOccurred())
			Expect(out).To(harness.Hold())
		}
	})
})

var _ = describeControls("G", brief, []control{
	{name: "the program imports a BLAS", fixture: moe, red: []string{gImage},
		plant: func(_ context.Context, s *conformance.Subject) {
			s.Executable = filepath.Join(GinkgoT().TempDir(), "program")
			Expect(os.WriteFile(s.Executable, harness.ELFImporting("libopenblas.so.0", "cblas_sgemm"), 0o600)).To(Succeed())
		}},
	{name: "the module graph holds a binding to a BLAS", fixture: moe, red: []string{gModules},
		plant: func(_ context.Context, s *conformance.Subject) {
			s.Modules = func(string) ([]string, error) {
				return []string{"gonum.org/v1/gonum v0.17.0", "gonum.org/v1/netlib v0.1.0"}, nil
			}
		}},
})

const bounded, pastTail = "l[i] = e < EXPERTS ? logits[e] : LOWEST;", "l[i] = logits[e];"

var _ = describeControls("H", brief, []control{
	{name: "a kernel reads past the tail of the router's logits", fixture: moe, stops: "out of bounds", red: []string{hSound, bBound, cIDs},
		plant: editKernel("router.metal", bounded, pastTail)},
	{name: "a barrier between the scores and their maximum is missing", fixture: moe, red: []string{hChecks}, green: []string{cIDs},
		plant: editKernel("attention.metal", "m = lane_max(m, thread_index, scratch);\n                }\n                if (lane == 0u) {\n                    strip_maxima[(head + a) * STRIPS + strip] = m;\n                }\n            }\n        }\n    }\n    threadgroup_barrier(mem_flags::mem_threadgroup);", "m = lane_max(m, thread_index, scratch);\n                }\n                if (lane == 0u) {\n                    strip_maxima[(head + a) * STRIPS + strip] = m;\n                }\n            }\n        }\n    }\n    threadgroup_barrier(mem_flags::mem_none);")},
})

var _ = Describe("A read past a tail", Label("purpose:fault", "claim:H", "fixture:"+moe, "backend:msl", "level:required"), func() {
	It("is named by kernel, argument, index, thread and line", func(ctx SpecContext) {
		s := brief(ctx, moe).Fork()
		DeferCleanup(s.Close)
		editKernel("router.metal", bounded, pastTail)(ctx, s)
		p, err := s.Parity(ctx, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Problem).To(harness.FaultWith("out of bounds", `"gate_up"`, "logits", "router.metal:", "thread"))
	})
})
