package exec

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Plan: random kernels, run by the machine and thread by thread by the interpreter of reference_test.go. NaN compare equal to
// NaN: which of two is propagated is not defined.

// compareRandom reports the first difference for the kernel made from seed, or "".
func compareRandom(seed uint64) string {
	f := makeKernel(seed)
	if err := ir.Verify(f); err != nil {
		return err.Error()
	}
	text := f.String()
	r := rand.New(rand.NewPCG(seed, 2))
	in := make([]byte, 256)
	for i := range 64 {
		x := r.Uint32()
		if i%3 == 0 {
			x = r.Uint32N(50)
		}
		binary.LittleEndian.PutUint32(in[4*i:], x)
	}
	per := []int{1, 20, 32, 75, 64}[seed%5]
	const groups = 2
	want := make([]byte, 32*per*groups)
	for g := range groups {
		for i := range per {
			t := &thread{values: map[*ir.Value]uint64{}, vectors: map[*ir.Value][]uint64{}, vars: map[*ir.Var]uint64{},
				mem: map[*ir.Root][]byte{f.Roots[0]: in, f.Roots[1]: want, f.Roots[2]: make([]byte, 64)}}
			t.builtins = map[ir.Builtin]uint64{ir.Lane: uint64(i % 32), ir.ThreadIndex: uint64(i), ir.SimdgroupIndex: uint64(i / 32),
				ir.GroupX: uint64(g), ir.ThreadX: uint64(i), ir.GridX: uint64(g*per + i)}
			t.list(f.Body.Body)
		}
	}
	o := ir.Optimize(f)
	if err := ir.Verify(o); err != nil {
		return err.Error() + "\n" + o.String()
	}
	k, err := NewKernel(o)
	if err != nil {
		return err.Error()
	}
	for _, run := range []struct {
		workers int
		lanes   Lanes
		order   Schedule
	}{{1, Portable, Schedule{}}, {2, Portable, Schedule{}}, {1, Fastest, Schedule{}}, {1, Fastest, Schedule{Kind: Reversed}}, {1, Portable, Schedule{Kind: Shuffled, Seed: seed}}} {
		got := make([]byte, len(want))
		fault := k.Launch(Launch{Threadgroups: [3]int{groups, 1, 1}, ThreadsPerThreadgroup: [3]int{per, 1, 1}, Bindings: []Binding{{Data: in}, {Data: got}}, Workers: run.workers, Lanes: run.lanes, Schedule: run.order})
		if fault != nil {
			return fmt.Sprintf("%+v\n%s", fault, text)
		}
		for i := 0; i < len(want); i += 4 {
			g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
			field := i / 4 % 8
			nan := (field == 2 || field == 3) && fv(g) != fv(g) && fv(w) != fv(w)
			nan = nan || field == 6 && g&0x7fff > 0x7c00 && w&0x7fff > 0x7c00
			if g != w && !nan {
				return fmt.Sprintf("seed %d, %+v, thread %d, output %d: got %#x, want %#x\n%s\n%s", seed, run, i/32, field, g, w, text, o)
			}
		}
	}
	return ""
}

var _ = Describe("Random kernels", func() {
	It("give what each thread computes alone", func() {
		for seed := range uint64(400) {
			Expect(compareRandom(seed)).To(BeEmpty())
		}
	})
})

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if d := compareRandom(seed); d != "" {
			t.Fatal(d)
		}
	})
}
