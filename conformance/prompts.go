package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Prompt is one prompt a subject is judged on.
type Prompt struct {
	Name      string
	Text      string // "" when only ids are known
	IDs       []int
	MaxTokens int // greedy tokens to continue with
}

const (
	// defaultMaxTokens is how far a prompt is continued when neither the user nor the folder says.
	defaultMaxTokens = 96
	// idSeed seeds the token ids used when a folder has neither prompts nor a tokenizer.
	idSeed = 20260101
)

// encoder turns text into token ids.
type encoder interface {
	Encode(text string) ([]int, error)
}

// choosePrompts decides what a subject is judged on, and says where the prompts come from:
// the file named by the user; else prompts.json in the folder; else the ids of the answers from elsewhere; else
// built-in texts through the folder's tokenizer; else seeded ids. maxTokens 0 means as many as the answers hold,
// or 96.
func choosePrompts(dir, file string, e *Expected, tok encoder, vocab, context, maxTokens int) (prompts []Prompt, source string, err error) {
	switch {
	case file != "":
		prompts, err = readPrompts(file, tok)
		source = filepath.Base(file)
	default:
		prompts, err = readPrompts(filepath.Join(dir, "prompts.json"), tok)
		source = "prompts.json"
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		prompts, err = nil, nil
		switch {
		case e != nil:
			source = "expected.json"
			for _, p := range e.Prompts {
				prompts = append(prompts, Prompt{Name: p.Name, IDs: p.IDs})
			}
		case tok != nil:
			source = "built-in texts"
			for _, b := range builtinTexts {
				ids, err := tok.Encode(b.text)
				if err != nil {
					return nil, "", fmt.Errorf("prompt %q: %w", b.name, err)
				}
				prompts = append(prompts, Prompt{Name: b.name, Text: b.text, IDs: ids})
			}
		default:
			source = fmt.Sprintf("token ids from seed %d", idSeed)
			prompts = seededPrompts(vocab, context)
		}
	}
	if err != nil {
		return nil, "", err
	}
	for i := range prompts {
		p := &prompts[i]
		p.MaxTokens = maxTokens
		if p.MaxTokens == 0 {
			p.MaxTokens = defaultMaxTokens
			if x := e.Prompt(p.Name, p.IDs); x != nil {
				p.MaxTokens = len(x.Greedy)
			}
		}
		if err := p.check(vocab, context); err != nil {
			return nil, "", err
		}
	}
	return prompts, source, nil
}

func (p *Prompt) check(vocab, context int) error {
	if len(p.IDs) == 0 {
		return fmt.Errorf("prompt %q: no token ids", p.Name)
	}
	for i, id := range p.IDs {
		if id < 0 || id >= vocab {
			return fmt.Errorf("prompt %q: token %d has id %d, want 0 to %d", p.Name, i, id, vocab-1)
		}
	}
	if n := len(p.IDs) + p.MaxTokens - 1; n > context {
		return fmt.Errorf("prompt %q: %d prompt tokens and %d more do not fit the context of %d", p.Name, len(p.IDs), p.MaxTokens, context)
	}
	return nil
}

// readPrompts reads {"prompts": {NAME: {"text": .., "ids": [..]}}}; ids may be absent when there is a tokenizer.
func readPrompts(path string, tok encoder) ([]Prompt, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Prompts map[string]struct {
			Text string `json:"text"`
			IDs  []int  `json:"ids"`
		} `json:"prompts"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	var out []Prompt
	for name, p := range doc.Prompts {
		if p.IDs == nil {
			if tok == nil {
				return nil, fmt.Errorf("%s: prompt %q: ids is missing, and the folder has no tokenizer.json", filepath.Base(path), name)
			}
			if p.IDs, err = tok.Encode(p.Text); err != nil {
				return nil, fmt.Errorf("%s: prompt %q: %w", filepath.Base(path), name, err)
			}
		}
		out = append(out, Prompt{Name: name, Text: p.Text, IDs: p.IDs})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: prompts is missing or empty", filepath.Base(path))
	}
	slices.SortFunc(out, func(a, b Prompt) int {
		if d := len(a.IDs) - len(b.IDs); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// seededPrompts draws token ids for folders that have no text at all: a short prompt, and one that fills more than
// one KV block where the context allows it.
func seededPrompts(vocab, context int) []Prompt {
	rng := rand.New(rand.NewPCG(idSeed, 0))
	var out []Prompt
	for _, p := range []struct {
		name string
		n    int
	}{{"short", 9}, {"long", 300}} {
		ids := make([]int, max(1, min(p.n, context-defaultMaxTokens)))
		for i := range ids {
			ids[i] = rng.IntN(vocab)
		}
		out = append(out, Prompt{Name: p.name, IDs: ids})
	}
	return out
}

// builtinTexts are the prompts of a folder that brings a tokenizer but no prompts: code, prose, scripts and signs
// beyond ASCII, and one long enough to leave the first KV block.
var builtinTexts = []struct{ name, text string }{
	{"code", "func (r *Reader) ReadLine() (line []byte, isPrefix bool, err error) {\n"},
	{"prose", "The capital of France is Paris. The capital of Japan is"},
	{"unicode", "naïve café — 数学と音楽 ☃ 🎶 Ελλάδα:"},
	{"long", longText},
}

// longText is a plain paragraph repeated with a counter, so that it is long, cheap to read and not periodic.
var longText = func() string {
	var b strings.Builder
	for i := 1; i <= 24; i++ {
		fmt.Fprintf(&b, "Entry %d. The assayer weighed the sample at %d grains, heated it, and wrote down what was left. ", i, 37*i%101)
	}
	return b.String() + "In the end, the"
}()
