package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"repslab/internal/vectors"
)

// newVectors returns the command that writes the test vectors.
func newVectors() *cobra.Command {
	var output string
	var force bool
	cmd := &cobra.Command{
		Use:   "vectors",
		Short: "Write test vectors for other implementations of REPS",
		Long: `Writes test vectors that check implementations of REPS in other languages or in
hardware: one JSON object per line, each with a configuration, the encoded state of a
connection, an event with its time and random word, the encoded state after it, and
the entropy value of the packet sent. They reach every branch of Algorithms 1 and 2,
and list encodings that must be refused. The same program writes the same bytes.
docs/vectors.md describes the format.`,
		Example: "  repslab vectors -o vectors.jsonl",
		Args:    noArguments,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	addOutput(flags, &output, &force)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := promptly(cmd.Context(), func() (struct{}, error) {
			var data bytes.Buffer
			if err := vectors.Write(&data); err != nil {
				return struct{}{}, err
			}
			return struct{}{}, writeOutput(cmd.OutOrStdout(), output, force, data.Bytes())
		})
		return err
	}
	return cmd
}
