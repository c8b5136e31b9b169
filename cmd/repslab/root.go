package main

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"repslab/internal/table"
	"repslab/internal/vectors"
)

//go:embed help
var helpTexts embed.FS

// newCommand returns a command with the texts of help/NAME.txt: its usage, a summary, a
// description and examples.
func newCommand(name string) *cobra.Command {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil { // a model of a test
		text = []byte(name + "\n\n")
	}
	usage, rest, _ := strings.Cut(string(text), "\n")
	summary, rest, _ := strings.Cut(rest, "\n")
	description, examples, _ := strings.Cut(rest, "Examples:\n")
	cmd := &cobra.Command{
		Use: usage, Short: summary, Long: strings.TrimSpace(description), Example: strings.TrimRight(examples, "\n"),
		Args: noArguments,
	}
	cmd.Flags().SortFlags = false
	return cmd
}

// newRoot returns the command tree for the models that are available.
func newRoot(available []model, stdout, stderr io.Writer) *cobra.Command {
	root := newCommand("repslab")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(newReproduce())
	for _, m := range available {
		root.AddCommand(newEstimate(m))
	}
	root.AddCommand(newSweep(available), newMerge(available),
		newPrint(available, "show", table.Aligned), newPrint(available, "export", table.CSV),
		newPlot(available), newCompare(available), newProve(), newServe(), newVectors(), newMan(root), newVersion(), newExplain(root, available), newAdvise())
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	return root
}

// newHelp returns the command that explains another one.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err := cmp.Or(err, noArguments(cmd, rest)); err != nil {
				return err
			}
			return cmd.Help()
		},
	}
}

// noArguments refuses positional arguments; where a command has subcommands they are
// misspelt ones.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasAvailableSubCommands() {
		return usagef("%s takes no argument, but %.60q was given", cmd.Name(), args[0])
	}
	return usagef("unknown command %.60q: must be one of %s", args[0], strings.Join(subcommands(cmd), ", "))
}

// exactly refuses any other number of positional arguments.
func exactly(number int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != number {
			return usagef("%s takes %s, but %d were given", cmd.Name(), words, len(args))
		}
		return nil
	}
}

// subcommands lists the names of the subcommands of a command.
func subcommands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// checkCompletion adds the completion command of the library and makes it refuse a
// missing shell, an unknown one and further arguments.
func checkCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args = noArguments
	completion.RunE = func(cmd *cobra.Command, _ []string) error {
		return usagef("completion needs a shell: %s", strings.Join(subcommands(cmd), ", "))
	}
	for _, shell := range completion.Commands() {
		shell.Args = noArguments
	}
}

// flagError turns an error of the flag parser into a usage error that names the allowed
// values or flags.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	switch {
	case !errors.As(err, &invalid):
	case invalid.GetFlag().Value.Type() == "bool":
		return usagef("--%s: %q must be true or false", invalid.GetFlag().Name, invalid.GetValue())
	default:
		return usagef("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		return usagef("--%s needs a value: %s", missing.GetSpecifiedName(), missing.GetFlag().Usage)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return usagef("%w: %s takes %s", err, cmd.Name(), strings.Join(names, ", "))
}

// newMan returns the command that writes the manual.
func newMan(root *cobra.Command) *cobra.Command {
	cmd := newCommand("man")
	cmd.Args = exactly(1, "one folder DIR")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir := args[0]
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return usagef("DIR: %q must be a folder: %w", dir, err)
		}
		root.DisableAutoGenTag = true                                        // the same program writes the same bytes
		released := time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC) // of CITATION.cff
		header := doc.GenManHeader{Section: "1", Source: "repslab " + version, Manual: "repslab", Date: &released}
		return doc.GenManTree(root, &header, dir)
	}
	return cmd
}

// newVectors returns the command that writes the test vectors.
func newVectors() *cobra.Command {
	var output string
	var force bool
	cmd := newCommand("vectors")
	addOutput(cmd.Flags(), &output, &force)
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
