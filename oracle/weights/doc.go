// Package weights opens a checkpoint folder for the oracle and hands out its matrices row by row, widened exactly to
// float64.
//
// Two kinds of folder are read. A Hugging Face folder holds config.json (as transformers 4 or 5 writes it) and
// safetensors in bf16, f16 or f32, in one file or in shards with an index. A packed folder also holds packed.json,
// and its linear weights are int4 codes with float16 scales for every 64 inputs; the layout is read from its
// description in int4.go and nothing is shared with the code that writes it.
//
// Files are mapped, not read: a checkpoint larger than memory works. [Open] checks everything before any arithmetic:
// each configuration key, each tensor's name, type, shape and place in its file, and that all weights are finite.
// What is wrong comes back as one [InputError]. Nothing is guessed: a key that is missing, or one that is unknown and
// switched on, is refused.
//
// A new architecture is one file like qwen3.go and one line in family.go.
package weights
