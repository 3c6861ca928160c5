package weights

// Config is the configuration of a decoder as config.json gives it.
type Config struct {
	ModelType             string
	VocabSize             int
	HiddenSize            int
	NumLayers             int
	NumHeads              int // query heads
	NumKVHeads            int // key and value heads; a divisor of NumHeads
	HeadDim               int // even; need not be HiddenSize/NumHeads
	IntermediateSize      int // width of a dense MLP
	MaxPositionEmbeddings int
	RMSNormEps            float64
	RopeTheta             float64
	AttentionBias         bool // q, k, v and o projections have a bias
	TieWordEmbeddings     bool // the output head is the embedding matrix

	// Mixture of experts; zero for dense models.
	NumExperts        int
	TopK              int // experts per token
	ExpertWidth       int // moe_intermediate_size
	NormTopKProb      bool
	DecoderSparseStep int
	MLPOnlyLayers     []int
}

// Sparse reports whether the MLP of a layer is a mixture of experts.
func (c Config) Sparse(layer int) bool {
	if c.NumExperts == 0 {
		return false
	}
	for _, l := range c.MLPOnlyLayers {
		if l == layer {
			return false
		}
	}
	return (layer+1)%c.DecoderSparseStep == 0
}
