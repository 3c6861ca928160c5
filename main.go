// Command assay judges packed-int4 inference against an independent reference, and runs both sides.
//
// Exit codes: 0 all tested claims hold (or the command did its work), 1 a claim failed, 2 usage or input error,
// 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// errClaimFailed ends the program with exit code 1; the report has already said everything.
var errClaimFailed = errors.New("a claim failed")

func main() { os.Exit(run(os.Args[1:])) }

// run executes the command line and returns the exit code. Deferred clean-up runs also when the user interrupts; a
// second interrupt kills the program as usual.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errClaimFailed):
		return exitFailed
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "assay: interrupted")
		return exitInterrupted
	default:
		fmt.Fprintln(os.Stderr, "assay: "+oneLine(err))
		return exitUsage
	}
}
