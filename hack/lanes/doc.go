// Command lanes writes the executor's AVX2 lane kernels: amd64 assembly and its Go declarations.
//
//	go run ./hack/lanes -pkg exec -out engine/msl/internal/exec/lanes_amd64.s -stubs engine/msl/internal/exec/lanes_stub_amd64.go
//
// A register of 32 lanes is four YMM registers. The assembler is mmcloughlin/avo, which allocates registers and lays out
// arguments, so that what is written here is one instruction a line of meaning. The bits are those of the Go lanes: only
// exactly rounded instructions are used, and a spec demands equality. VZEROUPPER ends every kernel.
package main
