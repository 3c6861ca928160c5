package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/tokenizer"
)

// Options says what to judge.
type Options struct {
	Model       string   // folder, original or packed
	Reference   string   // folder of the original weights, for a packed Model; "" when unknown
	PromptsFile string   // "" to choose by what the folder holds
	Claims      []string // the claims to be judged; none means all. Original weights are packed only when one needs it
	MaxTokens   int      // greedy tokens a prompt; 0 means as many as the answers hold, or 96
	DeviceName  string
	Device      func() (device.Device, error)
	Checked     func() (device.Device, error) // with sanitizers; nil if the device has none
	Rerun       string                        // command line that repeats the run, without --claims
	Progress    Progress
}

// Prepare makes a subject of a model folder. A folder of original weights is packed into a temporary folder first,
// which Close removes; so does Prepare itself when it fails or ctx ends.
func Prepare(ctx context.Context, o Options) (_ *Subject, err error) {
	s := &Subject{Name: o.Model, DeviceName: o.DeviceName, Device: o.Device, Checked: o.Checked, Rerun: o.Rerun, Progress: o.Progress}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	config, err := checkpoint.ReadConfig(o.Model)
	if err != nil {
		return nil, err
	}
	if checkpoint.IsPacked(o.Model) {
		s.Packed, s.Source = o.Model, o.Reference
		if s.Source != "" && checkpoint.IsPacked(s.Source) {
			return nil, fmt.Errorf("reference %s: holds packed weights, want the original ones", s.Source)
		}
	} else {
		if o.Reference != "" && o.Reference != o.Model {
			return nil, fmt.Errorf("reference %s: %s holds original weights itself", o.Reference, o.Model)
		}
		s.Source = o.Model
	}
	if s.Source != "" {
		if s.Expected, err = ReadExpected(s.Source); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Source, err)
		}
	}
	var tok *tokenizer.Tokenizer
	if tok, err = OpenTokenizer(o.Model); err != nil {
		return nil, err
	}
	var enc encoder
	if tok != nil {
		enc, s.Decoder = tok, tok
	}
	s.Prompts, s.PromptSource, err = choosePrompts(o.Model, o.PromptsFile, s.Expected, enc, config.VocabSize, config.MaxPositionEmbeddings, o.MaxTokens)
	if err != nil {
		return nil, err
	}
	if s.Packed == "" && needPacked(o.Claims) {
		s.report("packing to int4", 0, 0)
		if s.Packed, s.temporary, err = PackTemporary(ctx, o.Model, func(done, total int64) { s.report("packing to int4", done, total) }); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// needPacked reports whether a claim among these is judged on packed weights: all but those about the oracle on the original weights
// and about the program.
func needPacked(claims []string) bool {
	return len(claims) == 0 || slices.ContainsFunc(claims, func(id string) bool { return id != "A" && id != "G" && id != "K" && id != "L" })
}

// PackTemporary packs a folder of original weights into a temporary folder with the default format. The caller
// removes temporary, which holds the packed folder; it is "" when an error is returned.
func PackTemporary(ctx context.Context, model string, progress func(done, total int64)) (packed, temporary string, err error) {
	temporary, err = os.MkdirTemp("", "assay-pack-*")
	if err != nil {
		return "", "", err
	}
	packed = filepath.Join(temporary, "packed")
	if err := checkpoint.Pack(ctx, model, packed, checkpoint.PackOptions{Progress: progress}); err != nil {
		os.RemoveAll(temporary)
		return "", "", err
	}
	return packed, temporary, nil
}

// OpenTokenizer opens a folder's tokenizer; nil when the folder has none.
func OpenTokenizer(dir string) (*tokenizer.Tokenizer, error) {
	tok, err := tokenizer.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return tok, err
}
