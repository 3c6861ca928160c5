package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/engine/device"
)

// deviceLine is what devices says of one device.
type deviceLine struct {
	Name      string       `json:"name"`
	Available bool         `json:"available"`
	Reason    string       `json:"reason,omitempty"`
	Default   bool         `json:"default"`
	Info      *device.Info `json:"info,omitempty"`
}

func newDevices() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "devices",
		Short:   "List devices, their limits, and why others are absent",
		Example: "  assay devices\n  assay devices --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			lines, err := listDevices()
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(os.Stdout)
				e.SetIndent("", "  ")
				return e.Encode(map[string]any{"devices": lines})
			}
			return printDevices(os.Stdout, lines)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listDevices() ([]deviceLine, error) {
	var out []deviceLine
	for _, b := range backend.List() {
		l := deviceLine{Name: b.Name, Available: b.Absent == "", Reason: b.Absent, Default: b.Name == backend.Default}
		if l.Available {
			d, err := backend.Open(b.Name)
			if err != nil {
				return nil, err
			}
			info := d.Info()
			l.Info = &info
			if err := d.Close(); err != nil {
				return nil, err
			}
		}
		out = append(out, l)
	}
	return out, nil
}

func printDevices(w io.Writer, lines []deviceLine) error {
	for _, l := range lines {
		if !l.Available {
			if _, err := fmt.Fprintf(w, "%-6s absent: %s\n", l.Name, l.Reason); err != nil {
				return err
			}
			continue
		}
		mark := ""
		if l.Default {
			mark = " (default)"
		}
		i := l.Info
		_, err := fmt.Fprintf(w, `%-6s %s%s
       threads per simdgroup         %d
       threads per threadgroup       at most %d
       threadgroup memory            %d bytes
       buffer                        at most %d bytes
       arguments per dispatch        at most %d, inline ones of %d bytes
       simdgroup shuffles            %t
`, l.Name, i.Hardware, mark, i.ThreadExecutionWidth, i.MaxThreadsPerThreadgroup, i.MaxThreadgroupMemoryBytes, i.MaxBufferBytes,
			i.MaxBuffersPerDispatch, i.MaxInlineBytes, i.SupportsSimdShuffle)
		if err != nil {
			return err
		}
	}
	return nil
}
