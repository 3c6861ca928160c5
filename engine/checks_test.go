package engine_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl"
)

// soundness are the sanitizers that the engine's kernels must pass. Not writes: a KV cache is filled over many steps.
var soundness = []string{"integer", "numeric", "race", "simdgroup", "uninitialised"}

// Plan. Prefill, decode, truncation and another prefill on every tiny fixture, each dispatch under the sanitizers, dispatches between
// two barriers taken as running at the same time. Controls: the barriers taken away are a race between dispatches; a sum that is
// not stored is an uninitialised read.

var _ = Describe("The engine's kernels", Label("area:engine", "backend:msl"), func() {
	for _, name := range tiny {
		It("pass every sanitizer on "+name, func() {
			e := open(name, msl.New(msl.Options{Checks: soundness}), 300)
			s := newSequence(e)
			_, err := s.Prefill(context.Background(), ids(5, 1), engine.PrefillOptions{})
			Expect(err).NotTo(HaveOccurred())
			_, err = s.Decode(context.Background(), 3, engine.DecodeOptions{IgnoreEOS: true})
			Expect(err).NotTo(HaveOccurred())
			Expect(s.Truncate(6)).To(Succeed())
			_, err = s.Prefill(context.Background(), ids(2, 3), engine.PrefillOptions{})
			Expect(err).NotTo(HaveOccurred())
		})
	}

	It("race where the barriers between dispatches are missing", func() {
		dev := device.Intercept(msl.New(msl.Options{Checks: []string{"race"}}), device.Hooks{Barrier: func(int) bool { return false }})
		e := open(tiny[1], dev, 300)
		_, err := newSequence(e).Prefill(context.Background(), ids(4, 1), engine.PrefillOptions{})
		Expect(err).To(MatchError(ContainSubstring("no barrier between the dispatches")))
	})

	It("read what nobody wrote where a block's sum is not stored", func() {
		dev := device.Intercept(msl.New(msl.Options{Checks: []string{"uninitialised"}}), device.Hooks{Sources: func(all []device.Source) []device.Source {
			for i := range all {
				all[i].Text = strings.Replace(all[i].Text, "sums[(first_head + head) * capacity + block] = zap(s);", "", 1)
			}
			return all
		}})
		e := open(tiny[1], dev, 300)
		_, err := newSequence(e).Prefill(context.Background(), ids(4, 1), engine.PrefillOptions{})
		Expect(err).To(MatchError(ContainSubstring(`uninitialised read: device "sums"[0]`)))
	})
})
