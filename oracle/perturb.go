package oracle

import "math"

// Perturb asks how far a float32 computation of the same function may stray: the run stays float64, but every
// intermediate that float32 code has to round gets a random relative error of the size of that rounding. Nothing in it
// knows the order of anybody's operations. Differences between perturbed runs and the plain one are samples of the
// error of a float32 implementation.
//
// # Sizes
//
// u = 2^-24 is the largest relative error of one float32 rounding; taken as uniform in [-u, u] its standard deviation
// is u/sqrt(3). Every standard deviation below is in units of that.
//
//	one rounded operation                1
//	k rounded operations in a row        sqrt(k)
//	sum of n terms t with total S        sqrt(n/6 sum t^2 + n/3 S^2), absolute
//
// The last is for a sum in an order nobody states: a chain of n additions errs by the roundings of its partial sums
// p_i; over all orders of the terms, the mean of p_i^2 is (i/n)(1-i/n) sum t^2 + (i/n)^2 S^2 for large n, and adding
// up over i gives the formula. Trees and lanes have fewer partial sums on the way to each term and err less; a chain
// is the plainest float32 code, and no implementation worth judging errs more.
//
// For a dot product t_c = w_c x_c; sum t^2 is taken as (sum w^2)(sum x^2)/n, its mean over all pairings of the two
// vectors' elements. Affine int4 weights are sums scale*code + offset that code may multiply out: then sum w^2 counts
// both parts and n/6 becomes n/2, as the two partial dot products do not cancel until they meet.
//
// Points at which an error is added (k as in the table):
//
//	RMSNorm           the mean square: sum of n squares; root, division and scaling: 3 roundings a row, 2 an element
//	linear            the dot product; 1 for a bias
//	RoPE              tables 1 each, products and sum 1 each
//	scores            the dot product; 1 for the scaling
//	softmax           argument: 1 of its own size; exponential: 3 (a good exp errs by less than 2 u); row sum and
//	                  division: sum of n terms and 1
//	values            the dot product over positions
//	router weights    exponential, sum, division: 6
//	SiLU and product  exponential, addition, division, two products: 7
//	expert mix        1 for each product and each addition
//	residual          1
//
// Keys and values carry their error into the rounding to float16 if [KVFloat16] asks for it: a value near a boundary
// then falls on either side, as it would in float32 code.
//
// Errors are a function of seed, layer, point, position and element alone: the same for a prompt at once and token
// by token, on any number of processors.
type Perturb struct {
	Seed  uint64
	Scale float64 // multiplies every error; 0 means 1
}

// noise draws the errors of one kind of intermediate in one layer. A nil noise changes nothing.
type noise struct {
	key  uint64
	unit float64 // u/sqrt(3), scaled; the standard deviation of one rounding
}

// noise makes the source of errors for an intermediate named by layer and point.
func (p *Perturb) noise(layer int, point string) *noise {
	if p == nil {
		return nil
	}
	key := mix(p.Seed) + uint64(layer+1)
	for _, c := range []byte(point) {
		key = mix(key + uint64(c))
	}
	scale := p.Scale
	if scale == 0 {
		scale = 1
	}
	return &noise{key: mix(key), unit: scale * 0x1p-24 / math.Sqrt(3)}
}

// row narrows a noise to one position.
func (n *noise) row(pos int) noise {
	return noise{key: mix(n.key + uint64(pos) + 1), unit: n.unit}
}

// draw is the error of element i: uniform, mean 0, standard deviation one unit.
func (n noise) draw(i int) float64 {
	h := mix(n.key + uint64(i)*0x9e3779b97f4a7c15)
	return n.unit * math.Sqrt(3) * (float64(h>>11)*0x1p-52 - 1)
}

// roundings is x after k rounded operations.
func (n noise) roundings(x float64, i int, k float64) float64 {
	return x + float64(float64(x*math.Sqrt(k))*n.draw(i))
}

// dot is a dot product of k terms with total s; part is the sum of the squared terms, times the factor 1/6 or 1/2.
func (n noise) dot(s float64, i int, k int, part float64) float64 {
	return s + float64(math.Sqrt(float64(k)*(part+float64(s*s)/3))*n.draw(i))
}

// sum is the relative error of a sum of k terms of one sign and like size.
func (n noise) sum(i, k int) float64 { return math.Sqrt(float64(k)/3+1.0/6) * n.draw(i) }

// mix scrambles 64 bits (the finaliser of splitmix64, Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
