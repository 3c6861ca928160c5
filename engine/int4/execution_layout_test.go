package int4_test

// Plan. Purpose: every code at every column of every row length lies where the package comment draws it, and comes back;
// padding is zero and ignored. The expected place is worked out from the drawing, not from Locate. Controls: a row in plain
// order, nibbles exchanged, and units of another width are each told from the layout. Boundaries: odd spans (K = 32, 96, 160),
// units of 1, 2, 4 and 8 bytes, one lane's last column. Source: doc.go; testdata/layout.golden is the drawing as bytes.

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/octoryn/assay/engine/int4"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// update rewrites the golden dump. Read the diff before committing it: every checkpoint packed so far has the old bytes.
var update = flag.Bool("update", false, "rewrite testdata; understand the diff first")

// lengths are all small row lengths and the ones of real models.
func lengths() []int {
	var ks []int
	for k := 32; k <= 1056; k += 32 {
		ks = append(ks, k)
	}
	return append(ks, 1408, 2048, 2560, 4096, 5120, 12288)
}

// place is the byte and shift of a column, from the drawing alone.
func place(k, column int) (int, uint) {
	span := k / 32
	laneBytes := (span + 1) / 2
	unit := 8
	for laneBytes%unit != 0 {
		unit /= 2
	}
	lane, within := column/span, column%span
	inLane := within / 2
	return (inLane/unit)*(32*unit) + lane*unit + inLane%unit, uint(4 * (within % 2))
}

func randomNibbles(k int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	out := make([]byte, k)
	for i := range out {
		out[i] = byte(r.IntN(16))
	}
	return out
}

func pack(nibbles []byte) []byte {
	row := make([]byte, int4.RowBytes(len(nibbles)))
	for i := range row {
		row[i] = 0xa5 // what was there before must not matter
	}
	int4.PackRow(row, nibbles)
	return row
}

func unpack(row []byte, k int) []byte {
	nibbles := bytes.Repeat([]byte{0xee}, k)
	int4.UnpackRow(nibbles, row)
	return nibbles
}

var _ = Describe("the layout of a packed row", Label("area:int4"), func() {
	It("puts each of the 16 codes at each column where the drawing says", func() {
		for _, k := range lengths() {
			for code := range byte(16) {
				nibbles := randomNibbles(k, uint64(code))
				for column := range nibbles {
					nibbles[column] = (nibbles[column] + code) % 16
				}
				row := pack(nibbles)
				for column, want := range nibbles {
					at, shift := place(k, column)
					if got := row[at] >> shift & 15; got != want {
						Fail(fmt.Sprintf("K %d column %d: got %d at byte %d shift %d, want %d", k, column, got, at, shift, want))
					}
				}
			}
		}
	})

	It("keeps one code alone, at any column, in one nibble", func() {
		for _, k := range []int{32, 64, 96, 128, 160, 192, 256, 768} {
			for column := range k {
				for code := byte(1); code < 16; code++ {
					nibbles := make([]byte, k)
					nibbles[column] = code
					row := pack(nibbles)
					at, shift := place(k, column)
					for i, b := range row {
						want := byte(0)
						if i == at {
							want = code << shift
						}
						if b != want {
							Fail(fmt.Sprintf("K %d column %d code %d: byte %d is %#x, want %#x", k, column, code, i, b, want))
						}
					}
				}
			}
		}
	})

	It("gives the codes back at every length", func() {
		for _, k := range lengths() {
			nibbles := randomNibbles(k, 7)
			Expect(unpack(pack(nibbles), k)).To(Equal(nibbles), "K %d", k)
		}
	})

	It("agrees with Locate at every column", func() {
		for _, k := range lengths() {
			for column := range k {
				at, shift := int4.Locate(k, column)
				wantAt, wantShift := place(k, column)
				if at != wantAt || shift != wantShift {
					Fail(fmt.Sprintf("K %d column %d: got byte %d shift %d, want %d, %d", k, column, at, shift, wantAt, wantShift))
				}
			}
		}
	})

	It("has the sizes of the table in the package comment", func() {
		for _, t := range []struct{ k, s, b, u, row int }{
			{64, 2, 1, 1, 32}, {160, 5, 3, 1, 96}, {768, 24, 12, 4, 384}, {2048, 64, 32, 8, 1024}, {4096, 128, 64, 8, 2048},
		} {
			Expect([]int{int4.LaneValues(t.k), int4.LaneBytes(t.k), int4.UnitBytes(t.k), int4.RowBytes(t.k)}).To(Equal([]int{t.s, t.b, t.u, t.row}))
		}
	})

	It("zeroes the padding of odd spans when packing and ignores it when unpacking", func() {
		for _, k := range []int{32, 96, 160, 224} {
			nibbles := bytes.Repeat([]byte{15}, k)
			row := pack(nibbles)
			ones := 0
			for i, b := range row {
				if b == 0x0f {
					ones++
					row[i] = 0xff
				}
			}
			Expect(ones).To(Equal(32), "K %d: one padding nibble a lane", k)
			Expect(unpack(row, k)).To(Equal(nibbles))
		}
	})

	It("is told from a row in plain order, with nibbles exchanged, or in other units", func() {
		const k = 768
		nibbles := randomNibbles(k, 3)
		row := pack(nibbles)
		plain, exchanged, bytewise := make([]byte, len(row)), make([]byte, len(row)), make([]byte, len(row))
		for column, n := range nibbles {
			plain[column/2] |= n << (4 * (column % 2))
			lane, within := column/24, column%24
			bytewise[within/2*32+lane] |= n << (4 * (within % 2))
		}
		for i, b := range row {
			exchanged[i] = b<<4 | b>>4
		}
		for name, other := range map[string][]byte{"plain": plain, "exchanged": exchanged, "bytewise": bytewise} {
			Expect(other).NotTo(Equal(row), name)
			Expect(unpack(other, k)).NotTo(Equal(nibbles), name)
		}
	})

	It("is the dump in testdata, byte for byte", func() {
		got := dump()
		if *update {
			Expect(os.WriteFile("testdata/layout.golden", []byte(got), 0o644)).To(Succeed())
		}
		want, err := os.ReadFile("testdata/layout.golden")
		Expect(err).NotTo(HaveOccurred())
		Expect(got).To(Equal(string(want)), "rerun with `go tool ginkgo ./engine/int4 -- -update` only if the format is meant to change")
	})

	DescribeTable("refuses", func(f func(), want string) {
		Expect(f).To(PanicWith(ContainSubstring(want)))
	},
		Entry("a length that is no multiple of 32", func() { int4.RowBytes(100) }, "multiple of 32"),
		Entry("an empty row", func() { int4.RowBytes(0) }, "multiple of 32"),
		Entry("a packed row of another length", func() { int4.PackRow(make([]byte, 31), make([]byte, 64)) }, "RowBytes"),
		Entry("a low nibble above 15", func() { int4.PackRow(make([]byte, 32), append([]byte{16}, make([]byte, 63)...)) }, "above 15"),
		Entry("a high nibble above 15", func() { int4.PackRow(make([]byte, 32), append([]byte{0, 16}, make([]byte, 62)...)) }, "above 15"),
		Entry("unpacking another length", func() { int4.UnpackRow(make([]byte, 64), make([]byte, 33)) }, "RowBytes"),
		Entry("a column outside", func() { int4.Locate(64, 64) }, "out of range"),
	)
})

// dump draws small rows as labelled bytes: column i of the row holds the nibble i%16 (for K = 160, i%15 + 1, so that the padding
// nibble, 0, stands out).
func dump() string {
	var b strings.Builder
	fmt.Fprintln(&b, "# Packed rows, byte by byte. Written by engine/int4/execution_layout_test.go -update; see the package comment.")
	for _, k := range []int{64, 128, 160, 256, 768} {
		nibbles := make([]byte, k)
		for i := range nibbles {
			nibbles[i] = byte(i % 16)
			if k == 160 {
				nibbles[i] = byte(i%15 + 1)
			}
		}
		row := pack(nibbles)
		s, u := int4.LaneValues(k), int4.UnitBytes(k)
		fmt.Fprintf(&b, "\nK %d: %d columns a lane, %d bytes a lane in units of %d, %d bytes\n", k, s, int4.LaneBytes(k), u, len(row))
		for at := 0; at < len(row); at += u {
			unit, lane := at/(32*u), at/u%32
			if lane == 2 {
				fmt.Fprintf(&b, "  ... lanes 2 to 30\n")
			}
			if lane >= 2 && lane < 31 {
				continue
			}
			first := lane*s + unit*2*u
			last := min(first+2*u, (lane+1)*s) - 1
			fmt.Fprintf(&b, "%04x  % x  unit %d of lane %d: columns %d to %d", at, row[at:at+u], unit, lane, first, last)
			if last-first+1 < 2*u {
				fmt.Fprintf(&b, ", high nibble of the last byte is padding")
			}
			fmt.Fprintln(&b)
		}
	}
	return b.String()
}
