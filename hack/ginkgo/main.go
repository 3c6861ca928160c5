package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	os.Exit(run())
}

func run() int {
	name := flag.String("profile", "local", "profile of ginkgo.yaml")
	file := flag.String("file", "ginkgo.yaml", "file of profiles")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "Runs Ginkgo with a profile of ginkgo.yaml.\n\nExample:\n  go run ./hack/ginkgo --profile ci -- --label-filter='area: int4'\n\nFlags:\n")
		flag.PrintDefaults()
	}
	flag.Parse()

	p, err := readProfile(*file, *name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	dir, err := os.MkdirTemp("", "assay-ginkgo-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	report := filepath.Join(dir, "report.json")

	args := append([]string{"tool", "ginkgo"}, p.args()...)
	args = append(args, "--json-report=report.json", "--output-dir="+dir)
	args = append(args, flag.Args()...)
	fmt.Println("go", strings.Join(args, " "))
	cmd := exec.Command("go", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	code := 0
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		code = exit.ExitCode()
	}
	c, err := readCounts(report)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	fmt.Printf("\n%d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped+c.pending)
	if why := c.breach(); p.required && why != "" {
		fmt.Fprintf(os.Stderr, "profile %q is required: %s\n", *name, why)
		return max(code, 1)
	}
	return code
}
