package weights

import (
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/octoryn/assay/oracle/f16"
)

// A packed folder stores each linear weight NAME as NAME.codes (U8), NAME.scales (F16) and, when affine, NAME.offsets
// (F16). With rows = outputs and K = inputs, a multiple of 32:
//
//	scales, offsets  [rows, G], G = ceil(K/64): one for each group of 64 columns, the last group may be short
//	codes            [rows, 32*B]
//
// A row of codes is cut among 32 lanes. Lane l owns the columns l*S to l*S+S-1, S = K/32. Its codes fill B = ceil(S/2)
// bytes in rising column order, low nibble first; for odd S the last high nibble is unused. The bytes of the lanes are
// interleaved in units of U bytes, U the largest of 8, 4, 2, 1 that divides B: unit j of lane 0, unit j of lane 1, ...
// unit j of lane 31, then unit j+1.
//
//	K = 128: S = 4, B = 2, U = 2          K = 192: S = 6, B = 3, U = 1
//
//	byte    0  1   2  3  ...  62 63       byte    0   1 ... 31   32 ... 63   64 ... 95
//	lane    0  0   1  1  ...  31 31       lane    0   1 ... 31    0 ... 31    0 ... 31
//	columns 0  2   4  6  ... 124 126      columns 0   6 ... 186   2 ... 188   4 ... 190
//	and     1  3   5  7  ... 125 127      and     1   7 ... 187   3 ... 189   5 ... 191
//
// A symmetric weight is scale*(nibble-8); an affine one is scale*nibble + offset.
const (
	lanes     = 32
	groupSize = 64
)

// packing is the head of a packed folder.
type packing struct {
	affine bool
}

// readPacking reads packed.json; nil means the folder is not packed.
func readPacking(dir string) (*packing, error) {
	file := filepath.Join(dir, packedFile)
	if !exists(file) {
		return nil, nil
	}
	f, err := readFields(file)
	if err != nil {
		return nil, err
	}
	if s := f.text("format"); f.err == nil && s != "assay-int4" {
		f.fail("format", `"assay-int4"`, "%q", s)
	}
	f.only("version", "1", "1")
	if n := f.count("version", 0); f.err == nil && n != 1 {
		f.fail("version", "1", "%d", n)
	}
	if n := f.count("group_size", 1); f.err == nil && n != groupSize {
		f.fail("group_size", fmt.Sprint(groupSize), "%d", n)
	}
	scheme := f.text("scheme")
	if f.err == nil && scheme != "symmetric" && scheme != "affine" {
		f.fail("scheme", `"symmetric" or "affine"`, "%q", scheme)
	}
	f.ignore("scale_search", "source") // how the codes were found
	f.rest()
	return &packing{affine: scheme == "affine"}, f.err
}

// packedRows is a matrix of int4 codes.
type packedRows struct {
	codes, scales, offsets []byte // offsets nil when symmetric
	cols, groups, rowBytes int
	place                  []nibble // [cols]
}

// nibble is where the code of a column stands in a row.
type nibble struct {
	offset int32
	shift  uint8
}

// rowLayout gives the bytes of a row of codes and the place of each column.
func rowLayout(cols int) (rowBytes int, place []nibble) {
	perLane := cols / lanes
	bytesPerLane := (perLane + 1) / 2
	unit := 8
	for bytesPerLane%unit != 0 {
		unit /= 2
	}
	place = make([]nibble, cols)
	for c := range place {
		lane, within := c/perLane, c%perLane
		b := within / 2 // byte of the lane
		place[c] = nibble{offset: int32(b/unit*lanes*unit + lane*unit + b%unit), shift: uint8(within % 2 * 4)}
	}
	return lanes * bytesPerLane, place
}

func (p *packedRows) row(dst []float64, i int) {
	codes := p.codes[i*p.rowBytes : (i+1)*p.rowBytes]
	for lo := 0; lo < p.cols; lo += groupSize {
		scale, offset := p.group(i, lo/groupSize)
		hi := min(lo+groupSize, p.cols)
		group, place := dst[lo:hi], p.place[lo:hi]
		for c, at := range place {
			q := float64(codes[at.offset] >> at.shift & 15)
			group[c] = float64(scale*q) + offset // exact: 11 bits times 4; the sum of two float16-sized terms fits too
		}
	}
}

// group returns scale and offset of a group; a symmetric code is offset by -8 scales.
func (p *packedRows) group(i, g int) (scale, offset float64) {
	at := 2 * (i*p.groups + g)
	scale = f16.ToFloat64(binary.LittleEndian.Uint16(p.scales[at:]))
	if p.offsets == nil {
		return scale, -8 * scale
	}
	return scale, f16.ToFloat64(binary.LittleEndian.Uint16(p.offsets[at:]))
}

func (p *packedRows) partSquares(row []float64, i int) float64 {
	sum := 0.0
	for c, w := range row {
		if p.offsets == nil {
			sum += float64(w * w)
			continue
		}
		_, offset := p.group(i, c/groupSize)
		sum += float64((w-offset)*(w-offset)) + float64(offset*offset)
	}
	return sum
}
