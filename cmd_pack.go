package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/int4"
)

func newPack() *cobra.Command {
	var out, scheme, search string
	var o checkpoint.PackOptions
	cmd := &cobra.Command{
		Use:   "pack MODEL -o DIR",
		Short: "Write a packed int4 folder from a folder of original weights",
		Long: `Pack quantises the linear weights of MODEL (bf16, f16 or f32) to int4, shard by
shard in bounded memory. DIR is complete or absent: it must not exist yet, or be
empty. The same input gives the same bytes.`,
		Example: "  assay pack fixtures/gosling-4m -o gosling-int4\n  assay pack MODEL -o DIR --scheme affine --group-size 32",
		Args:    exactlyOne("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if out == "" {
				return fmt.Errorf("pack: --output is missing")
			}
			if o.Scheme, err = int4.ParseScheme(scheme); err != nil {
				return fmt.Errorf("--scheme: %w", err)
			}
			if o.Search, err = int4.ParseSearch(search); err != nil {
				return fmt.Errorf("--scale-search: %w", err)
			}
			p := newProgress()
			defer p.clear()
			o.Progress = func(done, total int64) { p.show("packing "+args[0], done, total) }
			if err := checkpoint.Pack(cmd.Context(), args[0], out, o); err != nil {
				return err
			}
			p.clear()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "packed %s into %s: int4 %s, group size %d\n", args[0], out, o.Scheme, o.GroupSize)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "", "folder to write (required)")
	f.StringVar(&scheme, "scheme", int4.Symmetric.String(), "symmetric or affine")
	f.IntVar(&o.GroupSize, "group-size", int4.DefaultGroupSize, "values along K that share a scale: 32, 64 or 128")
	f.StringVar(&search, "scale-search", int4.Default.String(), "how scales are chosen: default, mse, absmax, signedmax, weighted-mse or exhaustive (see engine/int4)")
	return cmd
}
