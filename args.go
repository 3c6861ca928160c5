package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/octoryn/assay/conformance/backend"
)

// exactlyOne demands one argument and names it when it is missing.
func exactlyOne(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 1:
			return nil
		case 0:
			return fmt.Errorf("%s: %s is missing; see %s --help", cmd.Name(), name, cmd.CommandPath())
		default:
			return fmt.Errorf("%s: unexpected argument %q; see %s --help", cmd.Name(), args[1], cmd.CommandPath())
		}
	}
}

// checkDevice refuses a device that cannot be opened, before any work is done.
func checkDevice(name string) error {
	d, err := backend.Open(name)
	if err != nil {
		return err
	}
	return d.Close()
}
