package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/octoryn/assay/engine/msl/launch"
)

func newMSL() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "msl",
		Short:   "Compile, print or run any Metal compute kernel, without a GPU",
		Example: "  assay msl check kernels/*.metal\n  assay msl run add.metal launch.json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMSLCheck(), newMSLDump(), newMSLRun())
	return cmd
}

// sourceFlags are the flags of everything that reads Metal sources.
func sourceFlags(cmd *cobra.Command, o *launch.Sources) {
	f := cmd.Flags()
	f.StringArrayVarP(&o.Include, "include", "I", nil, "folder in which #include looks; may be given again")
	f.StringArrayVarP(&o.Defines, "define", "D", nil, "macro set before the first line: NAME or NAME=VALUE")
	f.StringArrayVar(&o.Prelude, "prelude", nil, "file read before FILE, as hosts do that paste sources together")
}

func newMSLCheck() *cobra.Command {
	var o launch.Sources
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [-I DIR]... FILE...",
		Short: "Compile files and list their kernels with arguments",
		Long: `Check parses, checks and lowers every kernel and every explicit instantiation of
each FILE, and prints diagnostics with source line and caret.

Exit codes: 0 every kernel lowers, 1 something is refused, 2 a file cannot be read.`,
		Example: "  assay msl check add.metal scale.metal\n  assay msl check -I include kernel.metal --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("check: FILE is missing; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var units []*launch.Unit
			p := newProgress()
			defer p.clear()
			for i, file := range args {
				p.show("checking "+file, int64(i), int64(len(args)))
				u, err := launch.Check(file, o)
				if err != nil {
					return err
				}
				units = append(units, u)
			}
			p.clear()
			return printUnits(cmd.OutOrStdout(), units, asJSON)
		},
	}
	sourceFlags(cmd, &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printUnits(w io.Writer, units []*launch.Unit, asJSON bool) error {
	kernels, refused, ok := 0, 0, true
	var text strings.Builder
	for _, u := range units {
		ok = ok && u.OK()
		for _, k := range u.Kernels {
			kernels++
			if k.Error != "" {
				refused++
			}
		}
		text.WriteString(u.Text())
	}
	fmt.Fprintf(&text, "%s, %s, %d of them refused\n", numbered(len(units), "file"), numbered(kernels, "kernel"), refused)
	var err error
	if asJSON {
		err = printJSON(w, map[string]any{"ok": ok, "files": units})
	} else {
		_, err = io.WriteString(w, text.String())
	}
	if err == nil && !ok {
		err = errClaimFailed
	}
	return err
}

func numbered(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func newMSLDump() *cobra.Command {
	var o launch.DumpOptions
	cmd := &cobra.Command{
		Use:   "dump FILE --stage STAGE",
		Short: "Print a stage of the compiler: " + strings.Join(launch.Stages, ", "),
		Long: `Dump prints, as stable text, what FILE is at a stage: the tokens after
preprocessing, the checked tree with every conversion written out, the IR of each
kernel, or the executor's code for one. Function constants are taken as 4 and false.`,
		Example: "  assay msl dump kernel.metal --stage ir --kernel scale",
		Args:    exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return launch.Dump(cmd.OutOrStdout(), args[0], o)
		},
	}
	sourceFlags(cmd, &o.Sources)
	cmd.Flags().StringVar(&o.Stage, "stage", "", strings.Join(launch.Stages, ", ")+" (required)")
	cmd.Flags().StringVar(&o.Kernel, "kernel", "", "ir and code: this kernel only")
	return cmd
}

func newMSLRun() *cobra.Command {
	var o launch.Sources
	var out []string
	var asJSON, strict bool
	var schedule string
	var schedules int
	cmd := &cobra.Command{
		Use:   "run FILE LAUNCH.json",
		Short: "Run a kernel of a file and report what it does wrong",
		Long: `Run executes the launch that LAUNCH.json describes and prints counts of accesses,
faults with thread and source line, and expectations that do not hold.
engine/msl/launch/README.md describes every field of LAUNCH.json.

Exit codes: 0 clean (or the expected fault came), 1 a fault or a mismatch, 2 bad input.`,
		Example: "  assay msl run add.metal launch.json\n  assay msl run add.metal launch.json --out 1 --out 2=result.bin",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("run: got %d arguments, want FILE and LAUNCH.json; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			outs, err := parseOuts(out)
			if err != nil {
				return err
			}
			s, err := launch.ReadSpec(args[1])
			if err != nil {
				return err
			}
			for _, x := range outs {
				if err := s.HasBuffer(x.index); err != nil {
					return err
				}
			}
			if schedule != "" {
				if err := s.SetSchedule(schedule); err != nil {
					return err
				}
			}
			if schedules > 0 {
				s.Schedules = schedules
			}
			if strict {
				s.Checks = append(s.Checks, launch.CheckStrict)
			}
			r, err := launch.Run(args[0], o, s)
			var input *launch.InputError
			if errors.As(err, &input) && input.File == "" {
				input.File = args[1]
			}
			if err != nil {
				return err
			}
			return printRun(cmd.OutOrStdout(), r, outs, asJSON)
		},
	}
	sourceFlags(cmd, &o)
	cmd.Flags().BoolVar(&strict, "strict", false, "list each use of an operation whose bits MSL leaves open")
	cmd.Flags().StringVar(&schedule, "schedule", "", "run in this order: in-order, reversed, or the seed that a finding names")
	cmd.Flags().IntVar(&schedules, "schedules", 0, "compare the bits of so many orders, instead of LAUNCH.json's number")
	cmd.Flags().StringArrayVar(&out, "out", nil, "INDEX prints a buffer, INDEX=FILE writes its bytes to a file; may be given again")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// outBuffer is a buffer asked for: printed, or written to a file.
type outBuffer struct {
	index int
	file  string
}

func parseOuts(args []string) ([]outBuffer, error) {
	var list []outBuffer
	for _, a := range args {
		index, file, toFile := strings.Cut(a, "=")
		n, err := strconv.Atoi(index)
		if err != nil || n < 0 || toFile && file == "" {
			return nil, fmt.Errorf("--out: got %q, want INDEX or INDEX=FILE", a)
		}
		list = append(list, outBuffer{n, file})
	}
	return list, nil
}

// printRun prints the result; buffers only of a launch that ran to its end.
func printRun(w io.Writer, r *launch.Result, outs []outBuffer, asJSON bool) error {
	printed := map[string]json.RawMessage{}
	var text strings.Builder
	for _, x := range outs {
		raw, elements, ok := r.Buffer(x.index)
		switch {
		case !ok:
		case x.file != "":
			if err := writeWhole(x.file, raw); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		default:
			list := "[" + strings.Join(elements, ", ") + "]"
			printed[strconv.Itoa(x.index)] = json.RawMessage(list)
			fmt.Fprintf(&text, "buffer %d: %s\n", x.index, list)
		}
	}
	var err error
	if asJSON {
		err = printJSON(w, map[string]any{"ok": r.OK(), "faults": r.Findings, "mismatches": r.Mismatches, "counts": r.Counts, "buffers": printed})
	} else {
		_, err = io.WriteString(w, text.String()+r.Text())
	}
	if err == nil && !r.OK() {
		err = errClaimFailed
	}
	return err
}

// writeWhole writes a file such that it is complete or absent.
func writeWhole(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".assay-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
