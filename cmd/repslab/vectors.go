package main

import (
	"bytes"
	"io"

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
		Long: `Writes test vectors with which an implementation of REPS in another language or
in hardware can be checked: one JSON object a line, each with a configuration, the
encoded state of a connection, an event with its time and random word, the encoded
state after it, and the entropy value of the packet sent. They reach every branch of
Algorithms 1 and 2, and list encodings that must be refused. The same program writes
the same bytes. docs/vectors.md describes the format.`,
		Example: "  repslab vectors -o vectors.jsonl",
		Args:    noArguments,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "", "write to this `FILE` instead of the standard output")
	addForce(flags, &force)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := promptly(cmd.Context(), func() (struct{}, error) {
			return struct{}{}, writeVectors(cmd.OutOrStdout(), output, force)
		})
		return err
	}
	return cmd
}

// writeVectors writes the test vectors to a file, or to stdout if output is empty.
func writeVectors(stdout io.Writer, output string, force bool) error {
	if output == "" {
		return vectors.Write(stdout)
	}
	var data bytes.Buffer
	if err := vectors.Write(&data); err != nil {
		return err
	}
	return writeOutput("-o", output, force, data.Bytes())
}
