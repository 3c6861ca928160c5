package engine_test

import (
	"context"
	"testing"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/msl"
)

func gosling(b *testing.B) *engine.Engine {
	b.Helper()
	e, err := engine.Load(context.Background(), fixture("gosling-4m-int4"), engine.Options{Device: msl.New(msl.Options{})})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	return e
}

// BenchmarkDecodeGosling decodes 64 tokens after a prompt of 16.
func BenchmarkDecodeGosling(b *testing.B) {
	e := gosling(b)
	tokens := 0
	for b.Loop() {
		b.StopTimer()
		s, err := e.NewSequence()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Prefill(context.Background(), ids(16, 1), engine.PrefillOptions{}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		out, err := s.Decode(context.Background(), 64, engine.DecodeOptions{IgnoreEOS: true})
		if err != nil {
			b.Fatal(err)
		}
		tokens += len(out)
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkPrefillGosling appends a prompt of 256 tokens, and one of 2000.
func BenchmarkPrefillGosling(b *testing.B) {
	for _, n := range []struct {
		name   string
		tokens int
	}{{"256", 256}, {"2000", 2000}} {
		b.Run(n.name, func(b *testing.B) {
			e := gosling(b)
			tokens := 0
			for b.Loop() {
				s, err := e.NewSequence()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Prefill(context.Background(), ids(n.tokens, 1), engine.PrefillOptions{}); err != nil {
					b.Fatal(err)
				}
				tokens += n.tokens
				s.Close()
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
