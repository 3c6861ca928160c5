package exec

// Lanes says which lane kernels run. All give the same bits.
type Lanes int

const (
	Fastest  Lanes = iota // those in assembly where the processor has what they need, else Go's
	Portable              // those written in Go
)

// String names what runs.
func (l Lanes) String() string {
	if l == Fastest && fastLanes != nil {
		return "AVX2 lanes"
	}
	return "Go lanes"
}

func (l Lanes) kernels() *laneKernels {
	if l == Fastest && fastLanes != nil {
		return fastLanes
	}
	return goLanes
}
