package conformance

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/tolerance"
	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/oracle"
)

// tieFolderLimit is the largest packed folder that is copied to engineer a tie in it, in bytes.
const tieFolderLimit = 1 << 30

var greedyTies = Spec{
	Claim: "C",
	Name:  "an exact tie goes to the lowest id",
	Doc: "In a copy of the packed folder, rows of the output head are made equal to the row of the token chosen first: three logits " +
		"tie exactly, far apart in the vocabulary. Oracle and engine must both choose the lowest id.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		size, err := folderBytes(s.Packed)
		if err != nil {
			return Outcome{}, err
		}
		if size > tieFolderLimit {
			return notTested("the folder of %d MB is not copied to engineer a tie", size>>20), nil
		}
		first, err := s.packedTrace(ctx, 0)
		if err != nil {
			return Outcome{}, err
		}
		dir, err := os.MkdirTemp("", "assay-tie-*")
		if err != nil {
			return Outcome{}, err
		}
		defer os.RemoveAll(dir)
		vocab := len(first.Logits[0])
		chosen := first.Generated[0]
		tied := []int{chosen, (chosen + vocab/2) % vocab, vocab - 1}
		from := s.EngineFolder
		if from == "" {
			from = s.Packed
		}
		if err := copyFolder(from, dir); err != nil {
			return Outcome{}, err
		}
		if err := tieLogits(dir, chosen, tied); err != nil {
			return Outcome{}, err
		}
		return s.judgeTie(ctx, dir, s.Prompts[0].IDs, tied)
	},
}

// judgeTie runs oracle and engine over ids on a folder where the tied tokens share the largest logit.
func (s *Subject) judgeTie(ctx context.Context, dir string, ids, tied []int) (Outcome, error) {
	lowest := slices.Min(tied)
	m, err := s.openReference(ctx, dir)
	if err != nil {
		return Outcome{}, err
	}
	defer m.Close()
	out, err := m.NewSequence(oracle.Options{KV: oracle.KVFloat16}).Extend(ctx, ids, oracle.Want{LogitsFrom: len(ids) - 1})
	if err != nil {
		return Outcome{}, err
	}
	var findings []string
	id, _, margin := tolerance.Margin(out.Logits[0])
	if margin != 0 {
		findings = append(findings, fmt.Sprintf("the oracle sees no tie: margin %.3g", margin))
	}
	if id != lowest {
		findings = append(findings, fmt.Sprintf("oracle: got id %d, want %d of the tied %v", id, lowest, tied))
	}
	got, err := s.firstToken(ctx, dir, ids)
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	switch {
	case err != nil:
		findings = append(findings, err.Error())
	case got != lowest:
		findings = append(findings, fmt.Sprintf("engine: got id %d, want %d of the tied %v", got, lowest, tied))
	}
	return outcome("an exact tie goes to the lowest id", report.Figures{"tied_ids": tied}, findings), nil
}

// firstToken loads a folder on a fresh device and returns the greedy token after ids.
func (s *Subject) firstToken(ctx context.Context, dir string, ids []int) (id int, err error) {
	dev, err := s.Device()
	if err != nil {
		return 0, err
	}
	defer dev.Close()
	e, err := engine.Load(ctx, dir, engine.Options{Device: dev, MaxSeqLen: len(ids) + 1})
	if err != nil {
		return 0, fmt.Errorf("engine: load: %w", err)
	}
	defer e.Close()
	seq, err := e.NewSequence()
	if err != nil {
		return 0, err
	}
	defer seq.Close()
	return seq.Prefill(ctx, ids, engine.PrefillOptions{})
}
