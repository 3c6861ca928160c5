package conformance_test

// Purpose: claim A turns red when the oracle computes something else, or the answers say something else.

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/oracle"
)

// alterAnswers changes a private copy of the shortest prompt's answers.
func alterAnswers(change func(p *conformance.ExpectedPrompt)) func(context.Context, *conformance.Subject) {
	return func(_ context.Context, s *conformance.Subject) {
		e := *s.Expected
		e.Prompts = slices.Clone(e.Prompts)
		p := &e.Prompts[0]
		p.Greedy = slices.Clone(p.Greedy)
		p.Logits, p.Hidden = cloneRows(p.Logits), slices.Clone(p.Hidden)
		for i := range p.Hidden {
			p.Hidden[i] = cloneRows(p.Hidden[i])
		}
		change(p)
		s.Expected = &e
	}
}

func cloneRows(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i := range rows {
		out[i] = slices.Clone(rows[i])
	}
	return out
}

func largest(rows [][]float64) float64 {
	m := 0.0
	for _, r := range rows {
		for _, v := range r {
			m = max(m, math.Abs(v))
		}
	}
	return m
}

// alterSource lets the oracle read a changed copy of the original weights.
func alterSource(change func(dir string)) func(context.Context, *conformance.Subject) {
	return func(_ context.Context, s *conformance.Subject) {
		s.Source = copyOf(s.Source)
		change(s.Source)
	}
}

// setConfig changes config.json of a folder.
func setConfig(change func(c map[string]any)) func(dir string) {
	return func(dir string) {
		path := filepath.Join(dir, "config.json")
		data, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		var c map[string]any
		Expect(json.Unmarshal(data, &c)).To(Succeed())
		change(c)
		data, err = json.Marshal(c)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
	}
}

// swapTensors exchanges the bytes of two tensors of a folder.
func swapTensors(dir, a, b string) {
	var first, second []byte
	read := func(into *[]byte) func(conformance.Entry, []byte) {
		return func(_ conformance.Entry, data []byte) { *into = slices.Clone(data) }
	}
	write := func(from *[]byte) func(conformance.Entry, []byte) {
		return func(_ conformance.Entry, data []byte) {
			Expect(data).To(HaveLen(len(*from)))
			copy(data, *from)
		}
	}
	Expect(conformance.EditTensor(dir, a, read(&first))).To(Succeed())
	Expect(conformance.EditTensor(dir, b, read(&second))).To(Succeed())
	Expect(conformance.EditTensor(dir, a, write(&second))).To(Succeed())
	Expect(conformance.EditTensor(dir, b, write(&first))).To(Succeed())
}

// wrapSequences lets a decorator stand between the claims and the oracle's sequences.
func wrapSequences(wrap func(conformance.ReferenceSequence) conformance.ReferenceSequence) func(context.Context, *conformance.Subject) {
	return func(_ context.Context, s *conformance.Subject) {
		s.OpenReference = func(ctx context.Context, dir string, progress func(done, total int64)) (conformance.Reference, error) {
			m, err := conformance.OpenOracle(ctx, dir, progress)
			return wrappedReference{m, wrap}, err
		}
	}
}

type wrappedReference struct {
	conformance.Reference
	wrap func(conformance.ReferenceSequence) conformance.ReferenceSequence
}

func (w wrappedReference) NewSequence(o oracle.Options) conformance.ReferenceSequence {
	return w.wrap(w.Reference.NewSequence(o))
}

// lookAhead lets a position see the last token given with it: the first logit of every row moves with its id.
type lookAhead struct{ conformance.ReferenceSequence }

func (l lookAhead) Extend(ctx context.Context, ids []int, want oracle.Want) (*oracle.Output, error) {
	out, err := l.ReferenceSequence.Extend(ctx, ids, want)
	if err == nil {
		for _, row := range out.Logits[:len(out.Logits)-1] {
			row[0] += 1e-12 * float64(1+ids[len(ids)-1])
		}
	}
	return out, err
}

// forgetful treats the first piece after the beginning as if one token of it had not been there.
type forgetful struct {
	conformance.ReferenceSequence
	calls int
}

func (f *forgetful) Extend(ctx context.Context, ids []int, want oracle.Want) (*oracle.Output, error) {
	f.calls++
	if f.calls == 2 {
		ids = slices.Clone(ids)
		ids[0] = 0
	}
	return f.ReferenceSequence.Extend(ctx, ids, want)
}

var _ = describeControls("A", brief, []control{
	{name: "a logit of the answers is off by 2e-5 of the largest", fixture: "tiny-qwen3-moe", red: []string{aLogits}, green: []string{aGreedy, aHidden},
		plant: alterAnswers(func(p *conformance.ExpectedPrompt) { p.Logits[3][7] += 2e-5 * largest(p.Logits) })},
	{name: "a logit of the answers is NaN", fixture: "tiny-qwen3-moe", red: []string{aLogits},
		plant: alterAnswers(func(p *conformance.ExpectedPrompt) { p.Logits[8][319] = math.NaN() })},
	{name: "a row of the answers is missing", fixture: "tiny-qwen3-moe", red: []string{aHidden},
		plant: alterAnswers(func(p *conformance.ExpectedPrompt) { p.Hidden[1] = p.Hidden[1][1:] })},
	{name: "a hidden value of the answers is off by 2e-5 of the largest", fixture: "tiny-qwen3-moe-mixed", red: []string{aHidden}, green: []string{aLogits},
		plant: alterAnswers(func(p *conformance.ExpectedPrompt) { p.Hidden[2][4][5] += 2e-5 * largest(p.Hidden[2]) })},
	{name: "the last greedy id of the answers is another", fixture: "tiny-qwen3-moe", red: []string{aGreedy}, green: []string{aLogits},
		plant: alterAnswers(func(p *conformance.ExpectedPrompt) { p.Greedy[7]++ })},
	{name: "rms_norm_eps is ten times the config's", fixture: "tiny-qwen3-moe-mixed", red: []string{aLogits, aHidden},
		plant: alterSource(setConfig(func(c map[string]any) { c["rms_norm_eps"] = 1e-4 }))},
	{name: "rope_theta is the usual one, not the config's", fixture: "tiny-qwen3-moe-mixed", red: []string{aLogits, aHidden},
		plant: alterSource(setConfig(func(c map[string]any) { c["rope_parameters"].(map[string]any)["rope_theta"] = 1e6 }))},
	{name: "the router's weights are renormalised against the config", fixture: "tiny-qwen3-moe-mixed", red: []string{aLogits, aHidden},
		plant: alterSource(setConfig(func(c map[string]any) { c["norm_topk_prob"] = true }))},
	{name: "two experts are exchanged", fixture: "tiny-qwen3-moe", red: []string{aLogits, aHidden, aGreedy},
		plant: alterSource(func(dir string) {
			for _, part := range []string{"gate_proj", "up_proj", "down_proj"} {
				for _, layer := range []string{"0", "1", "2"} {
					name := "model.layers." + layer + ".mlp.experts."
					swapTensors(dir, name+"0."+part+".weight", name+"1."+part+".weight")
				}
			}
		})},
	{name: "q and k norms of a layer are exchanged", fixture: "tiny-qwen3-moe", red: []string{aLogits, aHidden},
		plant: alterSource(func(dir string) {
			swapTensors(dir, "model.layers.1.self_attn.q_norm.weight", "model.layers.1.self_attn.k_norm.weight")
		})},
	{name: "a position sees the last token of the prompt", fixture: "tiny-qwen3-moe", red: []string{aCausal},
		plant: wrapSequences(func(s conformance.ReferenceSequence) conformance.ReferenceSequence { return lookAhead{s} })},
	{name: "a token of the second piece is lost", fixture: "tiny-qwen3-moe", red: []string{aAppend}, green: []string{aCausal},
		plant: wrapSequences(func(s conformance.ReferenceSequence) conformance.ReferenceSequence {
			return &forgetful{ReferenceSequence: s}
		})},
})
