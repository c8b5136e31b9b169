package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/view"
)

// newCompare returns the command that compares two result files.
func newCompare(available []param.Model) *cobra.Command {
	cmd := newCommand("compare")
	cmd.Args = exactly(2, "two files")
	var f view.Flags
	var y, except string
	var where []string
	flags := cmd.Flags()
	// The shell completes a flag of one letter only if the letter is also its short form.
	flags.StringVarP(&y, "y", "y", "", "`KEYS` of columns, such as rounds_mean,max_load_mean")
	byDefault(flags, "y", "all with a standard error")
	flags.StringVar(&except, "except", "", "`KEYS` of parameters by which points are not matched")
	flags.StringArrayVar(&where, "where", nil, "only rows with this `KEY=VALUE`\nmay be repeated; values of one key are alternatives")
	addView(flags, &f, rows.Aligned)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		warn := console.WarnTo(cmd.ErrOrStderr())
		var tables [2]*rows.Table
		for i, path := range args {
			var err error
			if tables[i], err = rows.Read(cmd.Context(), available, path, cmd.ErrOrStderr()); err != nil {
				return err
			}
		}
		sameSeed := tables[0].Config.Seed == tables[1].Config.Seed
		if sameSeed {
			if err := view.Pair(cmd.Context(), available, tables[:], warn); err != nil {
				return err
			}
		}
		if err := view.Select(tables[:], where); err != nil {
			return err
		}
		for _, path := range tables[0].Config.ChangedInputs(tables[1].Config) {
			warn(fmt.Sprintf("the input file %s has other contents in %s than in %s", path, args[1], args[0]))
		}
		c, err := view.Compare(tables[0], tables[1], y, except)
		if err != nil {
			return err
		}
		if c.Without > 0 {
			warn(fmt.Sprintf("%d differences are left out: a mean of one run, an exact result or a bound of "+
				"unfinished runs has no standard error", c.Without))
		}
		if sameSeed && c.Unpaired > 0 {
			warn(fmt.Sprintf("%d differences are not paired, so their intervals may be too wide: "+
				"pairs need the same --replicas and --block, and three blocks", c.Unpaired))
		}
		hidden := []string{view.PairsKey, "relative_difference", "p", "p_adjusted", "significant"}
		if f.Format.ForPrograms() {
			hidden = []string{view.MarkKey}
		}
		return f.Print(cmd.Context(), cmd.OutOrStdout(), c.Table(), hidden...)
	}
	return cmd
}
