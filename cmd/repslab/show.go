package main

import (
	"github.com/spf13/cobra"

	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/view"
)

// newPrint returns a command that prints the rows of a result file: show and export.
func newPrint(available []param.Model, name string, format rows.Format) *cobra.Command {
	cmd := newCommand(name)
	cmd.Args = exactly(1, "one FILE")
	var f view.Flags
	var long bool
	addView(cmd.Flags(), &f, format)
	if name == "export" {
		cmd.Flags().BoolVar(&long, "long", false, "print a row for each result instead of each point")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := rows.Read(cmd.Context(), available, args[0], cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if f.Interval != "" && t.Config.Replicas == 1 {
			console.WarnTo(cmd.ErrOrStderr())(oneRun)
		}
		if long {
			t = t.Long()
		}
		return f.Print(cmd.Context(), cmd.OutOrStdout(), t)
	}
	return cmd
}
