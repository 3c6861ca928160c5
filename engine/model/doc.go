// Package model turns a packed checkpoint into dispatches.
//
// [New] checks that the kernels can do the configuration, compiles them and binds the weights: packed matrices, router
// and embeddings as views of the mapped files, without a copy; norm weights, biases and the RoPE table as small float32
// buffers. A [State] is what one sequence needs besides its KV cache: activations, token ids, position.
//
// [Model.EncodeStep] appends one token's pass to a command buffer, seven dispatches a layer, one level each:
//
//	qkv               RMSNorm, q, k and v rows; in layer 0 the embedding row of the token at the current position
//	attention_block   head norms, RoPE, KV write, scores and weighted values of one block of 256 positions
//	attention_merge   the blocks of each head
//	o_proj            output projection, added to the residual
//	router            RMSNorm and router logits; sparse layers only
//	gate_up           RMSNorm, choice of experts, silu(gate) * up
//	down              down projection, mixed over the experts, added to the residual
//
// and after the layers lm_head and argmax, or advance when the next token is known. A [device.Tag]'s role is one of
// these words. A buffer barrier stands after each dispatch and nowhere else. Two residual buffers alternate, so that no
// kernel reads and writes the same one.
package model
