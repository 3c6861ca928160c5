package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/oracle"
)

// oracleResult is the fixed shape of `assay oracle --json`.
type oracleResult struct {
	PromptIDs    []int     `json:"prompt_ids"`
	GeneratedIDs []int     `json:"generated_ids"`
	Margins      []float64 `json:"margins"`
}

func newOracle() *cobra.Command {
	var ids idFlags
	var maxTokens int
	var logitsOut, arithmetic, kv string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "oracle MODEL --ids 5,6,7",
		Short: "Reference logits and greedy tokens",
		Long: `Oracle runs the float64 reference over token ids and continues them greedily, ties
to the lowest id. MODEL is a folder of original weights or a packed folder; on a
packed one keys and values are rounded to float16, the engine's declared storage
format, unless --kv exact is given. Margins are those of the first logit above the
second, one for each generated token.`,
		Example: "  assay oracle fixtures/gosling-4m --ids 350,342,84 --max-tokens 8 --json\n  assay oracle MODEL --ids-file ids.txt --logits-out logits.safetensors",
		Args:    exactlyOne("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := oracleOptions(arithmetic, kv, checkpoint.IsPacked(args[0]))
			if err != nil {
				return err
			}
			if err := checkMaxTokens(maxTokens, 0); err != nil {
				return err
			}
			if logitsOut != "" {
				if err := checkWritable(logitsOut); err != nil {
					return err
				}
			}
			p := newProgress()
			defer p.clear()
			m, err := oracle.OpenContext(cmd.Context(), args[0], func(done, total int64) { p.show("checking weights", done, total) })
			if err != nil {
				return err
			}
			defer m.Close()
			list, err := ids.read(cmd, m.Config().VocabSize)
			if err != nil {
				return err
			}
			if err := checkContext(len(list), maxTokens, m.Config().MaxPositionEmbeddings); err != nil {
				return err
			}
			o.Progress = func(done, total int) { p.show("oracle", int64(done), int64(total)) }
			res, logits, err := runOracle(cmd, m, o, list, maxTokens, logitsOut != "", p)
			if err != nil {
				return err
			}
			if logitsOut != "" {
				if err := oracle.WriteLogits(logitsOut, logits); err != nil {
					return err
				}
			}
			p.clear()
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(res)
			}
			return printOracle(os.Stdout, args[0], res)
		},
	}
	ids.register(cmd)
	f := cmd.Flags()
	f.IntVar(&maxTokens, "max-tokens", 16, "greedy tokens to continue with")
	f.StringVar(&logitsOut, "logits-out", "", "safetensors file for the prompt's logits, float64 [tokens, vocab]")
	f.StringVar(&arithmetic, "arithmetic", "float64", "float64, or bf16 to round activations as a plain bf16 forward pass does")
	f.StringVar(&kv, "kv", "", "exact or float16: how keys and values are kept (default float16 on a packed folder, else exact)")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func oracleOptions(arithmetic, kv string, packed bool) (oracle.Options, error) {
	var o oracle.Options
	switch arithmetic {
	case "float64":
	case "bf16":
		o.Arithmetic = oracle.BFloat16
	default:
		return o, fmt.Errorf("--arithmetic: got %q, want float64 or bf16", arithmetic)
	}
	switch kv {
	case "":
		if packed {
			o.KV = oracle.KVFloat16
		}
	case "exact":
	case "float16":
		o.KV = oracle.KVFloat16
	default:
		return o, fmt.Errorf("--kv: got %q, want exact or float16", kv)
	}
	return o, nil
}

// runOracle returns the greedy continuation and, when wanted, the logits of every position of the prompt.
func runOracle(cmd *cobra.Command, m *oracle.Model, o oracle.Options, ids []int, maxTokens int, wantLogits bool, p *progress) (oracleResult, [][]float64, error) {
	res := oracleResult{PromptIDs: ids, GeneratedIDs: []int{}, Margins: []float64{}}
	from := len(ids) - 1
	if wantLogits {
		from = 0
	}
	seq := m.NewSequence(o)
	out, err := seq.Extend(cmd.Context(), ids, oracle.Want{LogitsFrom: from})
	if err != nil || maxTokens == 0 {
		return res, outLogits(out), err
	}
	id, margin := oracle.Choose(out.Logits[len(out.Logits)-1])
	if id < 0 {
		return res, nil, fmt.Errorf("oracle: logits after the prompt are not finite")
	}
	res.GeneratedIDs, res.Margins = append(res.GeneratedIDs, id), append(res.Margins, margin)
	seqOptions := oracle.GreedyOptions{MaxTokens: maxTokens - 1, OnToken: func(int, float64) {
		p.show("oracle, greedy tokens", int64(len(res.GeneratedIDs)), int64(maxTokens))
	}}
	g, err := oracle.Greedy(cmd.Context(), seq, []int{id}, seqOptions)
	if err != nil {
		return res, nil, err
	}
	res.GeneratedIDs, res.Margins = append(res.GeneratedIDs, g.IDs...), append(res.Margins, g.Margins...)
	return res, out.Logits, nil
}

func outLogits(out *oracle.Output) [][]float64 {
	if out == nil {
		return nil
	}
	return out.Logits
}

// printOracle writes the result for people; the text too when the folder has a tokenizer.
func printOracle(w io.Writer, dir string, res oracleResult) error {
	if _, err := fmt.Fprintf(w, "%d prompt tokens, %d greedy tokens\n", len(res.PromptIDs), len(res.GeneratedIDs)); err != nil {
		return err
	}
	for i, id := range res.GeneratedIDs {
		if _, err := fmt.Fprintf(w, "%5d  id %-7d margin %.6g\n", i, id, res.Margins[i]); err != nil {
			return err
		}
	}
	tok, err := conformance.OpenTokenizer(dir)
	if err != nil || tok == nil || len(res.GeneratedIDs) == 0 {
		return err
	}
	_, err = fmt.Fprintf(w, "text: %q\n", tok.Decode(res.GeneratedIDs))
	return err
}
