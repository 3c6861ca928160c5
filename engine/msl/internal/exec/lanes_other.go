//go:build !amd64

package exec

// fastLanes exists on amd64 only: elsewhere the Go lanes run.
var fastLanes *laneKernels
