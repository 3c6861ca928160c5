package oracle

// Arithmetic is how activations are held between operations.
type Arithmetic int

const (
	// Float64 rounds nothing beyond float64: the reference.
	Float64 Arithmetic = iota
	// BFloat16 rounds activations to bfloat16 where a plain bf16 forward pass of Hugging Face transformers (eager
	// attention and experts) stores them. Sums within one operation stay float64.
	BFloat16
)

// KVFormat is how keys (after norm and RoPE) and values are held in the context.
type KVFormat int

const (
	// KVExact keeps keys and values as computed.
	KVExact KVFormat = iota
	// KVFloat16 rounds keys and values to IEEE float16, nearest even, before any use.
	KVFloat16
)

// Options select how a sequence computes. The zero value is the reference.
type Options struct {
	Arithmetic Arithmetic
	KV         KVFormat
	Perturb    *Perturb              // nil: no errors added
	Progress   func(done, total int) // called between parts of a layer, from the goroutine that called Extend
}

// Want selects what [Sequence.Extend] returns. The zero value asks for the logits of every new token.
type Want struct {
	LogitsFrom int  // logits of the new tokens with this index and above; -1 for none
	Hidden     bool // hidden states of every new token
	Router     bool // expert choices of every new token
}

// Output is what the model makes of the new tokens.
type Output struct {
	Logits [][]float64   // [new tokens - LogitsFrom][vocab]
	Hidden [][][]float64 // [layers+1][new tokens][hidden]; 0 is the embedding, the last is after the final norm
	Router []Routing     // one for each mixture-of-experts layer, rising
}

// Routing is what the router of one layer chose.
type Routing struct {
	Layer   int
	Experts [][]int     // [new tokens][topK], highest logit first, ties to the lowest id
	Weights [][]float64 // [new tokens][topK], as they multiply the experts
	Margins []float64   // [new tokens] logit of the last expert chosen minus that of the best not chosen; +Inf if all are chosen
}
