// Package tolerance decides whether a number is close enough to the one wanted, and says how far off it is.
//
// It holds distances (units in the last place, cosine, Kullback-Leibler divergence, top-1 regret), the rule for
// ties of argmax, acceptance intervals, and the error bound that claims B and C use ([Spread]). Everything takes
// plain float64 slices; the standard library is all it imports.
//
// Every comparison accepts with <=, so a NaN never passes, and infinities are refused by name: a distance between
// vectors that are not finite is NaN, and [AtMost], [AtLeast], [Interval.Contains] and [Elements] refuse NaN. No
// tolerance has a default: each caller states its own and where it comes from.
package tolerance
