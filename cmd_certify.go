package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/engine/device"
)

func newCertify() *cobra.Command {
	var o conformance.Options
	var claims []string
	var asJSON bool
	var reportDir string
	cmd := &cobra.Command{
		Use:   "certify MODEL",
		Short: "Judge a model folder: every claim, with verdict and figures",
		Long: `Certify runs the engine and the reference over the same prompts and judges every
claim. MODEL is a folder of original weights (packed to int4 into a temporary
folder first) or a packed folder. Answers from elsewhere are used when the folder
holds expected.json and expected.safetensors.

Prompts come from --prompts, else prompts.json or expected.json in the folder, else
built-in texts through its tokenizer, else seeded token ids.`,
		Example: "  assay certify fixtures/gosling-4m\n  assay certify ./Qwen3-30B-A3B-int4 --reference ./Qwen3-30B-A3B --report out --max-tokens 32",
		Args:    exactlyOne("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Model = args[0]
			if err := checkMaxTokens(o.MaxTokens, 0); err != nil {
				return err
			}
			if err := checkDevice(o.DeviceName); err != nil {
				return err
			}
			if reportDir != "" {
				if err := os.MkdirAll(reportDir, 0o755); err != nil {
					return err
				}
				if err := checkWritable(filepath.Join(reportDir, "report.json")); err != nil {
					return err
				}
			}
			p := newProgress()
			defer p.clear()
			o.Progress = p.show
			o.Device = func() (device.Device, error) { return backend.Open(o.DeviceName) }
			o.Checked = backend.OpenChecked(o.DeviceName)
			o.Rerun = rerun(&o)
			for i, c := range claims {
				claims[i] = strings.ToUpper(strings.TrimSpace(c))
			}
			if err := conformance.CheckClaims(claims); err != nil {
				return err
			}
			o.Claims = claims
			s, err := conformance.Prepare(cmd.Context(), o)
			if err != nil {
				return err
			}
			defer s.Close()
			r, err := conformance.Certify(cmd.Context(), s, claims)
			if err != nil {
				return err
			}
			p.clear()
			if reportDir != "" {
				for name, write := range map[string]func(io.Writer) error{"report.json": r.WriteJSON, "junit.xml": r.WriteJUnit} {
					if err := writeAtomically(filepath.Join(reportDir, name), write); err != nil {
						return err
					}
				}
			}
			if asJSON {
				err = r.WriteJSON(os.Stdout)
			} else {
				err = r.WriteTable(os.Stdout, terminalWidth())
			}
			if err == nil && r.Verdict() != "pass" {
				err = errClaimFailed
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.DeviceName, "device", backend.Default, "device the engine runs on (see assay devices)")
	f.StringVar(&o.PromptsFile, "prompts", "", `file {"prompts": {NAME: {"text": .., "ids": [..]}}}`)
	f.IntVar(&o.MaxTokens, "max-tokens", 0, "greedy tokens a prompt (default: as many as the folder's answers hold, or 96)")
	f.StringVar(&o.Reference, "reference", "", "folder of the original weights, when MODEL is packed")
	f.StringSliceVar(&claims, "claims", nil, "judge these claims only, such as A,B (default all)")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	f.StringVar(&reportDir, "report", "", "folder to write report.json and junit.xml to")
	return cmd
}

// rerun is the command line that repeats a run, but for the claims.
func rerun(o *conformance.Options) string {
	words := []string{"assay certify", quote(o.Model)}
	add := func(flag, value, usual string) {
		if value != usual {
			words = append(words, flag, quote(value))
		}
	}
	add("--device", o.DeviceName, backend.Default)
	add("--prompts", o.PromptsFile, "")
	add("--reference", o.Reference, "")
	add("--max-tokens", strconv.Itoa(o.MaxTokens), "0")
	return strings.Join(words, " ")
}

// quote makes a word safe for a POSIX shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+:,@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
