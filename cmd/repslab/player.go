package main

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"repslab/internal/console"
	"repslab/internal/rows"
	"repslab/internal/web/player"
)

// newPlayer returns the command that writes the player of a file of events.
func newPlayer() *cobra.Command {
	cmd := newCommand("view")
	cmd.Args = exactly(1, "one FILE")
	var output string
	var force bool
	cmd.Flags().StringVarP(&output, "output", "o", "", "the `FILE`; its name ends in .html")
	addForce(cmd.Flags(), &force)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains([]string{".html", ".htm"}, filepath.Ext(output)) {
			return console.Usagef("-o: %q must be given and end in .html", output)
		}
		page, err := console.Promptly(cmd.Context(), func() ([]byte, error) {
			events, err := player.Read(args[0], formatOf(args[0]) == rows.JSON)
			if err != nil {
				return nil, err
			}
			return events.Page()
		})
		if err != nil {
			return console.OfInput(err)
		}
		return console.WriteOutput(nil, output, force, page)
	}
	return cmd
}
