package checkpoint

import "slices"

// Config is what the engine must know of a model, from config.json and generation_config.json, in one
// spelling whichever version of transformers wrote them.
type Config struct {
	ModelType string // "qwen3_moe" or "qwen3"

	VocabSize             int
	HiddenSize            int
	NumLayers             int
	NumHeads              int // query heads
	NumKVHeads            int // divides NumHeads
	HeadDim               int // values a head; NumHeads*HeadDim need not be HiddenSize
	RMSNormEps            float64
	RopeTheta             float64
	MaxPositionEmbeddings int  // positions the model was made for
	TieWordEmbeddings     bool // the output head is the embedding matrix
	// AttentionBias says that the q, k, v and o projections add a bias.
	AttentionBias bool

	IntermediateSize    int // width of a dense MLP; 0 when no layer is dense
	MoEIntermediateSize int // width of one expert; 0 when no layer is sparse
	NumExperts          int // 0 when no layer is sparse
	NumExpertsPerTok    int
	NormTopKProb        bool  // the chosen experts' weights are divided by their sum
	DecoderSparseStep   int   // layer i may be sparse when (i+1) is a multiple of it
	MLPOnlyLayers       []int // dense layers, whatever the step says

	BOSTokenID  int   // -1 when none
	EOSTokenIDs []int // every id that ends a text; empty when none
}

// IsSparse reports whether a layer has experts in place of a dense MLP.
func (c Config) IsSparse(layer int) bool {
	return c.NumExperts > 0 && c.DecoderSparseStep > 0 && (layer+1)%c.DecoderSparseStep == 0 &&
		!slices.Contains(c.MLPOnlyLayers, layer)
}

// QKVRows returns the rows of the fused q, k, v matrix.
func (c Config) QKVRows() int { return (c.NumHeads + 2*c.NumKVHeads) * c.HeadDim }
