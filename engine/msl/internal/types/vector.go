package types

import "fmt"

// Vector is a vector of 2, 3 or 4 scalars. Each combination is a single shared value: see VectorOf.
type Vector struct {
	elem   *Scalar
	n      int
	packed bool
}

var vectors = func() map[Vector]*Vector {
	m := map[Vector]*Vector{}
	for _, e := range Numeric {
		for n := 2; n <= 4; n++ {
			for _, packed := range []bool{false, true} {
				v := Vector{e, n, packed}
				m[v] = &v
			}
		}
	}
	return m
}()

// VectorOf returns the vector of n numeric scalars, n from 2 to 4; packed is the form aligned like its element.
func VectorOf(elem *Scalar, n int, packed bool) *Vector {
	v := vectors[Vector{elem, n, packed}]
	if v == nil {
		panic("types: no such vector")
	}
	return v
}

// Elem is the type of a component.
func (v *Vector) Elem() *Scalar { return v.elem }

// Len is the number of components.
func (v *Vector) Len() int { return v.n }

// Packed reports a packed_ type. Values of packed types are computed with after conversion to the plain type.
func (v *Vector) Packed() bool { return v.packed }

// Plain returns the type that is not packed.
func (v *Vector) Plain() *Vector { return VectorOf(v.elem, v.n, false) }

func (v *Vector) String() string {
	s := fmt.Sprintf("%s%d", v.elem, v.n)
	if v.packed {
		return "packed_" + s
	}
	return s
}

// Size counts four components for a plain 3-vector.
func (v *Vector) Size() int {
	if v.n == 3 && !v.packed {
		return 4 * v.elem.size
	}
	return v.n * v.elem.size
}

// Align is the element's for a packed vector, the vector's size otherwise.
func (v *Vector) Align() int {
	if v.packed {
		return v.elem.Align()
	}
	return v.Size()
}
