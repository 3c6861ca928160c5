package oracle

// rows is a matrix of activations, one row a token: [n, width], row after row.
type rows struct {
	n, width int
	v        []float64
}

func newRows(n, width int) rows { return rows{n, width, make([]float64, n*width)} }

// at is row i.
func (r rows) at(i int) []float64 { return r.v[i*r.width : (i+1)*r.width] }

// from is rows i and above.
func (r rows) from(i int) rows { return rows{r.n - i, r.width, r.v[i*r.width:]} }

// split gives the rows as slices, which share memory with r.
func (r rows) split() [][]float64 {
	l := make([][]float64, r.n)
	for i := range l {
		l[i] = r.v[i*r.width : (i+1)*r.width : (i+1)*r.width]
	}
	return l
}
