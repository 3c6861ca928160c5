// Package engine loads a packed int4 checkpoint and decodes with it on a [device.Device].
//
// [Load] maps the folder, compiles the kernels and binds the weights without copying them. A
// [Sequence] owns a KV cache. [Sequence.Prefill] appends known tokens to it and returns the greedy
// continuation; [Sequence.Decode] continues token by token, with argmax, token feedback, embedding
// row, position and KV write on the device: the host only encodes command buffers and reads the
// token ids back when a buffer has completed.
//
// The engine takes a device and does not choose one; it never asks which one it drives. It samples
// nothing: decoding is greedy, ties go to the lowest token id. A logit that is not finite is an error.
//
// Read next: model (one decoder block as dispatches), kernels (the Metal sources and the numeric
// contract), kvcache, device.
package engine
