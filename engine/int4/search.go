package int4

import "fmt"

// Search says how the scale of a group is chosen. Codes are always the nearest the scale allows.
//
// engine/RATIONALE.md has the measured error of each choice.
type Search uint8

const (
	// Default is SignedMax for the symmetric scheme and MSE for the affine one.
	Default Search = iota
	// MSE tries a grid of scales of both signs, improves the best one by least squares on its own codes,
	// and keeps the scale with the least sum of squared errors.
	MSE
	// AbsMax takes max|w|/7 and never uses code -8; in the affine scheme (max-min)/15.
	AbsMax
	// SignedMax takes w/-8 with w the value of largest magnitude, so that w gets code -8. Symmetric only.
	SignedMax
	// WeightedMSE is MSE with every squared error weighted by w*w, in favour of large weights.
	WeightedMSE
	// Exhaustive tries every f16 scale that could be best. Symmetric only; some hundred times slower than
	// MSE. It bounds what a better search could gain.
	Exhaustive
)

var searchNames = [...]string{"default", "mse", "absmax", "signedmax", "weighted-mse", "exhaustive"}

// String returns the name used in packed.json.
func (s Search) String() string {
	if int(s) < len(searchNames) {
		return searchNames[s]
	}
	return fmt.Sprintf("Search(%d)", uint8(s))
}

// For resolves Default for a scheme; every other search is itself.
func (s Search) For(scheme Scheme) Search {
	switch {
	case s != Default:
		return s
	case scheme == Affine:
		return MSE
	}
	return SignedMax
}

// ParseSearch is the inverse of String.
func ParseSearch(name string) (Search, error) {
	for i, n := range searchNames {
		if n == name {
			return Search(i), nil
		}
	}
	return 0, fmt.Errorf("int4: scale search %q, want one of %q", name, searchNames)
}
