package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// newRoot builds the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "assay",
		Short: "Judge packed-int4 LLM inference against an independent reference",
		Long: `Assay holds a packed-int4 inference engine to an independent float64 reference,
token by token, and runs both sides.

Exit codes: 0 all tested claims hold, 1 a claim failed, 2 usage or input error,
130 interrupted.`,
		Example:       "  assay certify fixtures/gosling-4m\n  assay generate fixtures/gosling-4m -p 'func main() {' --max-tokens 64",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newCertify(), newGenerate(), newOracle(), newPack(), newDevices(), newMSL())
	return root
}

// oneLine joins the lines of an error, so that it stays one line on standard error.
func oneLine(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}
