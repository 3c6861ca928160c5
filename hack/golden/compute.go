package main

import (
	"context"
	"fmt"

	"github.com/octoryn/assay/golden"
	"github.com/octoryn/assay/oracle"
)

// compute continues a prompt and makes its file.
func compute(ctx context.Context, m *oracle.Model, s subject, p prompt, hashes sourceHashes, perturb *oracle.Perturb) (*golden.File, error) {
	f := &golden.File{
		Provenance: golden.Provenance{
			Command:         "go run ./hack/golden",
			Fixture:         fixturesFolder + "/" + s.folder,
			FixtureSHA256:   s.sha256,
			OracleSHA256:    hashes.oracle,
			GeneratorSHA256: hashes.generator,
			Weights:         "as stored",
			Arithmetic:      "float64",
			KV:              "exact",
		},
		Prompt: golden.Prompt{From: fixturesFolder + "/" + s.source + "/" + promptsFile, Name: p.name, Tokens: len(p.ids), SHA256: p.sha256()},
	}
	options := oracle.Options{Perturb: perturb}
	if s.packed {
		f.Provenance.Weights, f.Provenance.KV, options.KV = "int4", "float16", oracle.KVFloat16
	}
	g, err := oracle.Greedy(ctx, m.NewSequence(options), p.ids, oracle.GreedyOptions{MaxTokens: p.tokens, KeepLogits: true})
	if err != nil {
		return nil, err
	}
	for i, id := range g.IDs {
		step := golden.Step{ID: id, Margin: g.Margins[i]}
		step.LogSumExp, step.Projection = golden.Digest(g.Logits[i])
		f.Steps = append(f.Steps, step)
	}
	if d := golden.Difference(f.Steps, f.Steps); d != "" { // nothing that could not be found again, such as NaN
		return nil, fmt.Errorf("not finite: %s", d)
	}
	return f, nil
}
