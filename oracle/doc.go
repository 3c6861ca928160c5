// Package oracle is the reference: a forward pass of Qwen3 and Qwen3-MoE written to be read beside the papers.
//
// [Open] maps a checkpoint folder, [Model.NewSequence] starts a context, [Sequence.Extend] runs new tokens through
// the model and [Greedy] continues a prompt. The arithmetic is float64 with exact weights, whole-prompt attention and
// no approximation; forward.go reads top to bottom like the description of the model, each buffer with its shape.
//
// Options change what is asked for by name only: [BFloat16] rounds activations where a plain bf16 forward pass
// rounds them; [KVFloat16] stores keys and values in float16; [Perturb] adds errors of the size of float32 rounding,
// to learn how far any float32 implementation may stray.
//
// The oracle knows nothing of the engine it judges: not its kernels, its order of additions or its packing code. It
// shares checkpoint folders with it and no Go package. What cannot be computed exactly as the configuration says is
// refused by [Open].
//
// Read next: forward.go, then attention.go and mlp.go; package weights for how a folder becomes matrices.
package oracle
