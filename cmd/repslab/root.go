package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot returns the command tree for the models that are available.
func newRoot(available []model, stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "repslab",
		Short: "A laboratory for the theory and simulation of packet spraying (REPS)",
		Long: `Repslab re-makes the theory and the figures of the REPS paper ("REPS:
Recycled Entropy Packet Spraying", EuroSys '26) and explores them further.

A numeric parameter takes a value, a list, a range, or a mix of them, ends
included: 16   16,32   16..4096:x2   1..9:+2   1..4. One row is printed for each
combination. Names take lists.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(newReproduce())
	for _, m := range available {
		root.AddCommand(newEstimate(m))
	}
	root.AddCommand(newSweep(available), newMerge(available), newShow(available), newExport(available),
		newPlot(available), newCompare(available), newProve(), newServe(), newVectors(), newMan(root), newVersion())
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
			if err := firstError(err, noArguments(cmd, rest)); err != nil {
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

// subcommands lists the names of the subcommands of a command.
func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// checkCompletion makes the completion command, which the library adds, refuse a
// missing shell, an unknown one and further arguments.
func checkCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = noArguments
		c.RunE = func(cmd *cobra.Command, _ []string) error {
			return usagef("completion needs a shell: %s", strings.Join(subcommands(cmd), ", "))
		}
		for _, shell := range c.Commands() {
			shell.Args = noArguments
		}
	}
}

// flagError makes an error of the flag parser a usage error that says what is
// allowed.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool" {
		return usagef("--%s: %q must be true or false", invalid.GetFlag().Name, invalid.GetValue())
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		return usagef("--%s needs a value: %s", missing.GetSpecifiedName(), missing.GetFlag().Usage)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return usagef("%w: %s takes %s", err, cmd.Name(), strings.Join(names, ", "))
}
