package int4

import "fmt"

// NumLanes is the number of lanes a row is dealt to: the width of a simdgroup.
const NumLanes = 32

// DefaultGroupSize is the number of values along K that share a scale unless asked otherwise.
const DefaultGroupSize = 64

// Scheme says how a nibble becomes a value.
type Scheme uint8

const (
	// Symmetric is value = scale * (nibble - 8).
	Symmetric Scheme = iota
	// Affine is value = scale * nibble + offset.
	Affine
)

// String returns the name used in packed.json.
func (s Scheme) String() string {
	switch s {
	case Symmetric:
		return "symmetric"
	case Affine:
		return "affine"
	}
	return fmt.Sprintf("Scheme(%d)", uint8(s))
}

// ParseScheme is the inverse of String.
func ParseScheme(name string) (Scheme, error) {
	for _, s := range []Scheme{Symmetric, Affine} {
		if name == s.String() {
			return s, nil
		}
	}
	return 0, fmt.Errorf("int4: scheme %q, want \"symmetric\" or \"affine\"", name)
}

// Format is what a reader must know besides K to read a matrix. The zero value is not valid.
type Format struct {
	Scheme    Scheme
	GroupSize int // values along K that share a scale: 32, 64 or 128
}

// Validate refuses a scheme or group size the format does not have.
func (f Format) Validate() error {
	if f.Scheme != Symmetric && f.Scheme != Affine {
		return fmt.Errorf("int4: unknown scheme %d", uint8(f.Scheme))
	}
	switch f.GroupSize {
	case 32, 64, 128:
		return nil
	}
	return fmt.Errorf("int4: group size %d, want 32, 64 or 128", f.GroupSize)
}

// NumGroups returns the number of scales of a row of k values: k / GroupSize rounded up.
func (f Format) NumGroups(k int) int {
	if f.GroupSize <= 0 {
		panic("int4: group size must be positive")
	}
	return (k + f.GroupSize - 1) / f.GroupSize
}

// Group returns the columns [from, to) of group g of a row of k values.
func (f Format) Group(k, g int) (from, to int) {
	return g * f.GroupSize, min(k, (g+1)*f.GroupSize)
}

// CheckK refuses a row length that cannot be dealt to 32 lanes.
func CheckK(k int) error {
	if k <= 0 || k%NumLanes != 0 {
		return fmt.Errorf("int4: row length %d values, want a positive multiple of %d", k, NumLanes)
	}
	return nil
}

// LaneValues returns S, the columns a lane owns. k must be a positive multiple of 32.
func LaneValues(k int) int {
	if k <= 0 || k%NumLanes != 0 {
		panic("int4: row length must be a positive multiple of 32")
	}
	return k / NumLanes
}

// LaneBytes returns B, the bytes a lane owns: LaneValues/2 rounded up.
func LaneBytes(k int) int { return (LaneValues(k) + 1) / 2 }

// UnitBytes returns U, the largest of 8, 4, 2 and 1 that divides LaneBytes: the bytes of one load of a lane.
func UnitBytes(k int) int {
	b := LaneBytes(k)
	for _, u := range []int{8, 4, 2} {
		if b%u == 0 {
			return u
		}
	}
	return 1
}

// RowBytes returns the stored length of a row of k values: 32 * LaneBytes.
func RowBytes(k int) int { return NumLanes * LaneBytes(k) }

// Locate returns the byte of a row of k values that holds column col, and the shift of its nibble there: 0 or 4.
func Locate(k, col int) (byteOffset int, shift uint) {
	if col < 0 || col >= k {
		panic("int4: column out of range")
	}
	s, u := LaneValues(k), UnitBytes(k)
	lane, i := col/s, col%s
	unit, b := i/2/u, i/2%u
	return unit*NumLanes*u + lane*u + b, uint(i%2) * 4
}
