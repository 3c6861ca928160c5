package oracle_test

import (
	"context"
	"testing"

	"github.com/octoryn/assay/oracle"
)

// bookPrompt is the longest prompt of gosling-4m.
func bookPrompt() []int { return outsidePrompts("gosling-4m")["book"].IDs }

func benchModel(b *testing.B) *oracle.Model {
	m, err := oracle.Open(fixture("gosling-4m"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := m.Close(); err != nil {
			b.Error(err)
		}
	})
	return m
}

// BenchmarkPrefill2000 runs a prompt of 2000 tokens through gosling-4m and keeps the last logits.
func BenchmarkPrefill2000(b *testing.B) {
	m, ids := benchModel(b), bookPrompt()
	for b.Loop() {
		if _, err := m.NewSequence(oracle.Options{}).Extend(context.Background(), ids, oracle.Want{LogitsFrom: len(ids) - 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(ids)*b.N)/b.Elapsed().Seconds(), "tok/s")
}

// BenchmarkDecode adds 64 greedy tokens to a prompt of 15; the prompt is not timed.
func BenchmarkDecode(b *testing.B) {
	const tokens = 64
	m, ids := benchModel(b), outsidePrompts("gosling-4m")["short"].IDs
	for b.Loop() {
		b.StopTimer()
		s := m.NewSequence(oracle.Options{})
		first, err := oracle.Greedy(context.Background(), s, ids, oracle.GreedyOptions{MaxTokens: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := oracle.Greedy(context.Background(), s, first.IDs, oracle.GreedyOptions{MaxTokens: tokens}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tok/s")
}
