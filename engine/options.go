package engine

import "github.com/octoryn/assay/engine/device"

// DefaultMaxSeqLen caps the context when [Options.MaxSeqLen] is zero, in tokens.
const DefaultMaxSeqLen = 4096

// DefaultTokensPerCommandBuffer is the number of decode steps encoded into one command buffer when
// [DecodeOptions.TokensPerCommandBuffer] is zero. Source: the kernel plan's host loop.
const DefaultTokensPerCommandBuffer = 8

// Options says how to load an engine.
type Options struct {
	// Device runs the kernels. Required. The engine does not close it.
	Device device.Device
	// MaxSeqLen is the longest context of a sequence, in tokens. Zero means the smaller of the
	// config's max_position_embeddings and DefaultMaxSeqLen.
	MaxSeqLen int
	// Progress, when set, is told how far a stage of loading has come; done and total are bytes.
	Progress func(stage string, done, total int64)
}

// PrefillOptions says what to report while a prompt is appended.
type PrefillOptions struct {
	// LogitsFrom is the first absolute position whose logits are reported to OnLogits. Ignored
	// without OnLogits.
	LogitsFrom int
	// OnLogits receives the logits [vocabSize] of each position >= LogitsFrom, in order. The slice
	// is valid during the call only. Without it the output head runs for the last position alone.
	OnLogits func(pos int, logits []float32)
	// TokensPerCommandBuffer is the number of positions encoded into one command buffer; zero lets
	// the engine choose. It cannot change a bit.
	TokensPerCommandBuffer int
	// Progress, when set, is told how many of the tokens have completed.
	Progress func(done, total int)
}

// DecodeOptions says how to continue a sequence.
type DecodeOptions struct {
	// TokensPerCommandBuffer is the number of decode steps encoded into one command buffer; zero
	// means DefaultTokensPerCommandBuffer. It cannot change a bit.
	TokensPerCommandBuffer int
	// IgnoreEOS goes on past the checkpoint's end-of-sequence tokens.
	IgnoreEOS bool
	// Logits asks for the logits of every step; OnToken then receives them.
	Logits bool
	// OnToken, when set, receives every generated token in order, with the logits [vocabSize] it is
	// the argmax of when Logits is set, else nil. The slice is valid during the call only.
	OnToken func(id int, logits []float32)
}
