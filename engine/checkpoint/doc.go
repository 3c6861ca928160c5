// Package checkpoint reads Hugging Face checkpoint folders, writes packed-int4 folders from them, and opens
// packed folders for the engine without copying a weight.
//
// # Words
//
// A source folder holds config.json and safetensors files (one file, or shards with an index) in bf16, f16
// or f32. A packed folder holds packed.json besides; its weights are int4 codes and f16 scales in the
// layout that package int4 draws. A folder is packed if and only if packed.json exists.
//
// # Packed folder
//
//	config.json, tokenizer.json, tokenizer_config.json, generation_config.json   byte copies of the source's
//	packed.json                     format name and version, scheme, group size, scale search, source hashes
//	model.safetensors               or model-0000i-of-0000n.safetensors with model.safetensors.index.json
//
// A packed matrix NAME is two or three tensors: NAME.codes U8 [rows, rowBytes], NAME.scales F16 [rows,
// groups] and, in the affine scheme, NAME.offsets F16 of the same shape; a leading [experts] when it
// belongs to a sparse layer. The names are listed in layout.go. q, k and v are the rows of one matrix; gate
// and up rows alternate. Norms, the router, biases and embeddings keep their own bits.
//
// Within a shard tensors are ordered so that each starts at a multiple of 64 bytes, or of the largest
// power of two that divides its length if that is less, counted from the start of the file. A device can
// therefore wrap a whole mapped shard as one buffer and address tensors by offset.
//
// # What it refuses
//
// Anything it would have to guess: a missing or unsupported config key, an unknown model type, a tensor
// missing, of another dtype or shape, given twice or left over, offsets that overlap or leave the file, a
// NaN or infinity. Every refusal names file, tensor or field, what was got and what was wanted.
//
// Read next: config.go, safetensors.go, folder.go (opening), pack.go (writing).
package checkpoint
