package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

// errOutOfDate is the failure of a check, as against input that cannot be read.
var errOutOfDate = errors.New("golden: some files are not what the oracle writes; run `go run ./hack/golden`, read the diff and say in the commit why it moved")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command, with its exit code.
func run(ctx context.Context, args []string, out, progress io.Writer) int {
	j := job{progress: progress}
	check := false
	cmd := &cobra.Command{
		Use:   "golden",
		Short: "Write the golden files from the oracle, or check them",
		Long: `Write the golden files from the oracle, or check them.

Every prompt of every checkpoint in fixtures is continued by the oracle, bf16 and packed int4. A file is rewritten
when its checkpoint, the oracle's sources or this generator changed, or when its contents are not what the oracle
computes. Writing and checking take about half a minute on two cores.`,
		Example: `  go run ./hack/golden
  go run ./hack/golden --check
  go run ./hack/golden --check --only 'tiny-qwen3-moe/*'`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, found, err := j.run(cmd.Context(), !check)
			if err != nil {
				return err
			}
			for _, line := range found {
				fmt.Fprintln(out, line)
			}
			if check && len(found) > 0 {
				return errOutOfDate
			}
			verb := "written"
			if check {
				verb = "wrong"
			}
			fmt.Fprintf(out, "golden: %d files, %d %s\n", n, len(found), verb)
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "name what is out of date or wrong instead of writing it")
	cmd.Flags().StringVar(&j.root, "root", ".", "root of the repository")
	cmd.Flags().StringVar(&j.only, "only", "*/*", "pattern of FIXTURE/PROMPT; others are left alone")
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(progress)
	switch err := cmd.ExecuteContext(ctx); {
	case err == nil:
		return 0
	case errors.Is(err, errOutOfDate):
		fmt.Fprintln(progress, err)
		return 1
	default:
		fmt.Fprintln(progress, err)
		return 2
	}
}
