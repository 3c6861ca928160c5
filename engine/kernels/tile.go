package kernels

// Tile is how the rows of a matrix are shared out. It decides speed and never a bit.
type Tile struct {
	Simdgroups int // in a threadgroup
	Rows       int // a simdgroup holds at once: 1, 2, 4, 8 or 16
	Blocks     int // blocks of Rows rows that a simdgroup takes in turn
}

// RowsInFlight is one line of the tuning table: how many rows a simdgroup holds at once while each lane owns up to
// MaxLaneValues values of a row. More rows share one load of the activations and one butterfly; longer rows leave fewer
// registers. Source: the kernel plan's 4 rows; more on short rows was measured on the msl device, where 16 rows of K = 128 took
// three quarters of the time of 8.
type RowsInFlight struct {
	MaxLaneValues int
	Rows          int
}

// Tuning is the table that [Shapes.Tile] reads, in rising order of MaxLaneValues; the last line covers every row.
var Tuning = []RowsInFlight{
	{MaxLaneValues: 8, Rows: 16},
	{MaxLaneValues: 32, Rows: 8},
	{MaxLaneValues: 1 << 30, Rows: 4},
}

// SimdgroupsPerThreadgroup is the number of simdgroups of a threadgroup unless the kernel's shape dictates it.
const SimdgroupsPerThreadgroup = 8

// ThreadgroupsPerCore is how many threadgroups of one dispatch a device should get for each it runs at once; beyond that
// a simdgroup takes several blocks of rows, so that the work done once a threadgroup is shared by more rows.
const ThreadgroupsPerCore = 2

// Tile chooses the tile for copies matrices of rows x k in one dispatch (copies is 1, or the number of experts a token
// uses).
func (s Shapes) Tile(rows, k, copies int) Tile {
	t := Tile{Simdgroups: SimdgroupsPerThreadgroup, Rows: Tuning[len(Tuning)-1].Rows, Blocks: 1}
	for _, line := range Tuning {
		if k/32 <= line.MaxLaneValues {
			t.Rows = line.Rows
			break
		}
	}
	want := max(1, s.Concurrency*ThreadgroupsPerCore/max(1, copies))
	for t.Simdgroups > 1 && ceilDiv(rows, t.Rows*t.Simdgroups) < want {
		t.Simdgroups /= 2
	}
	t.Blocks = max(1, ceilDiv(rows, t.Rows*t.Simdgroups)/want)
	return t
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
