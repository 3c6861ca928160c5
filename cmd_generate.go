package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/tokenizer"
)

// generateResult is the fixed shape of `assay generate --json`.
type generateResult struct {
	PromptIDs       []int  `json:"prompt_ids"`
	GeneratedIDs    []int  `json:"generated_ids"`
	Text            string `json:"text"`
	Device          string `json:"device"`
	TokensPerSecond struct {
		Prefill float64 `json:"prefill"`
		Decode  float64 `json:"decode"`
	} `json:"tokens_per_second"`
}

type generateFlags struct {
	ids       idFlags
	prompt    string
	device    string
	maxTokens int
	ignoreEOS bool
	asJSON    bool
}

func newGenerate() *cobra.Command {
	var f generateFlags
	cmd := &cobra.Command{
		Use:   "generate MODEL -p TEXT",
		Short: "Greedy text from the int4 engine",
		Long: `Generate runs the packed-int4 engine greedily and streams the text. MODEL is a packed
folder, or a folder of original weights that is packed into a temporary folder first.

With -p it stops after an end-of-text token; with --ids it goes on to --max-tokens,
as assay oracle does, so that the two can be compared.`,
		Example: "  assay generate fixtures/gosling-4m -p 'func main() {' --max-tokens 64\n  assay generate MODEL --ids 350,342,84 --max-tokens 8 --json",
		Args:    exactlyOne("MODEL"),
		RunE:    func(cmd *cobra.Command, args []string) error { return generate(cmd, args[0], &f) },
	}
	f.ids.register(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&f.prompt, "prompt", "p", "", "text to continue")
	fl.StringVar(&f.device, "device", backend.Default, "device the engine runs on (see assay devices)")
	fl.IntVar(&f.maxTokens, "max-tokens", 64, "tokens to generate at most")
	fl.BoolVar(&f.ignoreEOS, "ignore-eos", false, "with -p, go on past an end-of-text token")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON at the end instead of streaming text")
	return cmd
}

func generate(cmd *cobra.Command, model string, f *generateFlags) (err error) {
	if err := checkMaxTokens(f.maxTokens, 1); err != nil {
		return err
	}
	if cmd.Flags().Changed("prompt") == f.ids.given(cmd) {
		return fmt.Errorf("generate: give either -p TEXT or --ids; see assay generate --help")
	}
	if err := checkDevice(f.device); err != nil {
		return err
	}
	config, err := checkpoint.ReadConfig(model)
	if err != nil {
		return err
	}
	tok, err := conformance.OpenTokenizer(model)
	if err != nil {
		return err
	}
	ids, err := f.promptIDs(cmd, tok, config.VocabSize)
	if err != nil {
		return err
	}
	if err := checkContext(len(ids), f.maxTokens, config.MaxPositionEmbeddings); err != nil {
		return err
	}
	p := newProgress()
	defer p.clear()
	packed := model
	if !checkpoint.IsPacked(model) {
		var temporary string
		packed, temporary, err = conformance.PackTemporary(cmd.Context(), model, func(done, total int64) { p.show("packing to int4", done, total) })
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
	}
	dev, err := backend.Open(f.device)
	if err != nil {
		return err
	}
	defer dev.Close()
	e, err := engine.Load(cmd.Context(), packed, engine.Options{Device: dev, MaxSeqLen: len(ids) + f.maxTokens, Progress: p.show})
	if err != nil {
		return err
	}
	defer e.Close()
	seq, err := e.NewSequence()
	if err != nil {
		return err
	}
	defer seq.Close()

	out := &stream{w: os.Stdout, tok: tok, progress: p}
	if f.asJSON {
		out.w = io.Discard
	}
	res := generateResult{PromptIDs: ids, Device: dev.Info().Name}
	if err := f.run(cmd.Context(), seq, ids, config.EOSTokenIDs, out, &res, p); err != nil {
		return err
	}
	p.clear()
	if !f.asJSON {
		_, err := fmt.Fprintln(os.Stdout)
		return err
	}
	if tok != nil {
		res.Text = strings.ToValidUTF8(string(tok.Decode(res.GeneratedIDs)), "\ufffd")
	}
	return json.NewEncoder(os.Stdout).Encode(res)
}

func (f *generateFlags) promptIDs(cmd *cobra.Command, tok *tokenizer.Tokenizer, vocab int) ([]int, error) {
	if f.ids.given(cmd) {
		return f.ids.read(cmd, vocab)
	}
	if tok == nil {
		return nil, fmt.Errorf("-p: the folder has no tokenizer.json; give --ids")
	}
	ids, err := tok.Encode(f.prompt)
	if err != nil {
		return nil, fmt.Errorf("-p: %w", err)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("-p: the text is empty")
	}
	return ids, nil
}

// run prefills and decodes, and fills res.
func (f *generateFlags) run(ctx context.Context, seq *engine.Sequence, ids, eos []int, out *stream, res *generateResult, p *progress) error {
	start := time.Now()
	next, err := seq.Prefill(ctx, ids, engine.PrefillOptions{Progress: func(done, total int) { p.show("prefill", int64(done), int64(total)) }})
	if err != nil {
		return err
	}
	res.TokensPerSecond.Prefill = float64(len(ids)) / time.Since(start).Seconds()
	res.GeneratedIDs = []int{next}
	out.token(next)
	onward := f.ids.list != "" || f.ids.file != "" || f.ignoreEOS
	if f.maxTokens == 1 || !onward && slices.Contains(eos, next) {
		return nil
	}
	start = time.Now()
	more, err := seq.Decode(ctx, f.maxTokens-1, engine.DecodeOptions{IgnoreEOS: onward, OnToken: func(id int, _ []float32) { out.token(id) }})
	if err != nil {
		return err
	}
	res.TokensPerSecond.Decode = float64(len(more)) / time.Since(start).Seconds()
	res.GeneratedIDs = append(res.GeneratedIDs, more...)
	return nil
}

// stream prints tokens as they come: their bytes, or their ids when there is no tokenizer.
type stream struct {
	w        io.Writer
	tok      *tokenizer.Tokenizer
	progress *progress
	n        int
}

func (s *stream) token(id int) {
	if s.w != io.Discard {
		s.progress.clear()
	}
	s.n++
	if s.tok != nil {
		s.w.Write(s.tok.Decode([]int{id}))
		return
	}
	if s.n > 1 {
		io.WriteString(s.w, " ")
	}
	fmt.Fprint(s.w, id)
}
