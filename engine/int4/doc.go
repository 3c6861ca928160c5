// Package int4 is the packed-int4 weight format: where each code of a row lies, how a row of floats is
// turned into codes and scales, and how it is turned back.
//
// # Words
//
// A matrix has rows (outputs) of K values (inputs). A group is a run of GroupSize values of one row that
// share a scale; the last group of a row may be shorter. A nibble is the four stored bits, 0..15. The
// value of a nibble is
//
//	symmetric   scale * (nibble - 8)         codes -8..7
//	affine      scale * nibble + offset      nibbles 0..15
//
// scale and offset are IEEE binary16 (f16), one per group, kept in arrays apart from the nibbles, in
// group order. A symmetric scale may be negative: it puts the sixteenth code on the side where the
// group's largest weight lies.
//
// # Layout of a row
//
// K is a multiple of 32. A row is dealt to 32 lanes, one per lane of a simdgroup; lane l owns the S = K/32
// contiguous columns l*S .. l*S+S-1. Two columns make a byte, the lower column in the low nibble. A lane
// has B = ceil(S/2) bytes; when S is odd the high nibble of its last byte is padding and is 0.
//
// The row is stored lane-interleaved, so that load j of the 32 lanes is one contiguous piece of memory: a
// lane's bytes are cut into units of U bytes, U the largest of 8, 4, 2, 1 that divides B, and unit j of
// all lanes comes before unit j+1 of any.
//
//	row (32*B bytes)
//	+----------------------------------+----------------------------------+--  B/U pieces
//	| unit 0 of lanes 0..31            | unit 1 of lanes 0..31            |
//	+--------+--------+-----+----------+--------+--------+-----+----------+--
//	| lane 0 | lane 1 | ... | lane 31  | lane 0 | lane 1 | ... | lane 31  |
//	| U bytes| U bytes|     | U bytes  | U bytes|        |     |          |
//	+--------+--------+-----+----------+--------+--------+-----+----------+--
//
//	unit j of lane l, U = 4 (i = l*S + 8*j is the unit's first column)
//	     byte 0        byte 1        byte 2        byte 3
//	+------+------+------+------+------+------+------+------+
//	| i+1  | i    | i+3  | i+2  | i+5  | i+4  | i+7  | i+6  |
//	+------+------+------+------+------+------+------+------+
//	 bits 7..4 3..0
//
//	K      S    B   U   units  row bytes   example
//	64     2    1   1   1      32
//	160    5    3   1   3      96          odd S: one padding nibble a lane
//	768    24   12  4   3      384         expert width: 3 loads of 4 bytes
//	2048   64   32  8   4      1024        hidden size: 4 loads of 8 bytes
//	4096   128  64  8   8      2048
//
// testdata/layout.golden is a dump of small rows with each byte range labelled.
//
// The oracle unpacks the same bytes with its own code, independent on purpose; a conformance spec
// compares the two over every code, position and kind of scale.
//
// # What it refuses
//
// A row with a NaN or an infinity, a row whose magnitude no f16 scale can carry, a K that is not a multiple
// of 32, a group size other than 32, 64 or 128. It does not read or write files: see package checkpoint.
package int4
