package weights

// family is one architecture: the configuration keys it has and the tensors its layers are made of.
type family struct {
	modelType string // as config.json spells it
	config    func(f *fields, c *Config)
	layer     func(l *loader, c Config, n int) Layer
}

// families lists the architectures that can be opened, each in a file of its name.
var families = []family{qwen3, qwen3MoE}
