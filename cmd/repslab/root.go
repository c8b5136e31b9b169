package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	laboratory "repslab"
	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/values"
	"repslab/internal/vectors"
)

// newRoot returns the command tree for the given models.
func newRoot(available []param.Model, stdout, stderr io.Writer) *cobra.Command {
	root := newCommand("repslab")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return cmp.Or(noEmptyFlags(cmd.Flags()), formatByName(cmd.Flags()))
	}
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(newReproduce(laboratory.Recorded()))
	for _, m := range available {
		root.AddCommand(newEstimate(m))
	}
	root.AddCommand(newSweep(available), newMerge(available),
		newPrint(available, "show", rows.Aligned), newPrint(available, "export", rows.CSV),
		newPlot(available), newPlayer(), newCompare(available), newProve(), newServe(), newVectors(), newSchedule(), newMan(root), newVersion(), newExplain(root, available), newAdvise(), newCommand("workload"))
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "tie" {
			name = "zip"
		}
		return pflag.NormalizedName(name)
	})
	addHelp(root)
	eachCommand(root, refuseTwice)
	return root
}

// onceValue is the value of a flag that may be given only once.
type onceValue struct {
	pflag.Value
	given bool
}

// Set sets the value the first time, unless the text looks like the next flag.
func (v *onceValue) Set(text string) error {
	switch {
	case v.given:
		return fmt.Errorf("%.60q must not follow %.60q: the flag must be given once", text, v.String())
	case strings.HasPrefix(text, "--"):
		return fmt.Errorf("%.60q must not follow: the flag needs a value first", text)
	}
	v.given = true
	return v.Value.Set(text)
}

// refuseTwice makes it an error to give a flag of a command twice. Flags that collect values are exempt.
func refuseTwice(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if _, collects := flag.Value.(pflag.SliceValue); !collects {
			flag.Value = &onceValue{Value: flag.Value}
		}
	})
}

// noEmptyFlags returns an error for flags that are given but empty, most likely because of an unset variable.
func noEmptyFlags(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Value.String() == "" {
			err = cmp.Or(err, console.Usagef("--%s: %q must have a value", flag.Name, ""))
		}
	})
	return err
}

// formatByName lets the extension of the output's name decide the format, unless --format is given: x.csv holds
// CSV.
func formatByName(flags *pflag.FlagSet) error {
	format, output := flags.Lookup("format"), flags.Lookup("output")
	if format == nil || output == nil || format.Changed {
		return nil
	}
	name := formatOf(output.Value.String())
	if name == "" {
		return nil
	}
	if err := format.Value.Set(string(name)); err != nil {
		return console.Usagef("-o: %q must not end in %s unless --format is given: %w", output.Value, filepath.Ext(output.Value.String()), err)
	}
	return nil
}

// formatOf returns the format of a file name's extension, empty if it has none.
func formatOf(path string) rows.Format {
	return map[string]rows.Format{".csv": rows.CSV, ".json": rows.JSON, ".jsonl": rows.JSON, ".ndjson": rows.JSON,
		".md": rows.Markdown, ".tex": rows.LaTeX}[strings.ToLower(filepath.Ext(path))]
}

// noArguments returns an error for positional arguments. In a command with subcommands they are misspelt
// subcommands.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasAvailableSubCommands() {
		return console.Usagef("%s takes no argument, but %.60q was given; lists and sizes have no spaces: 16,32 and 8MB",
			cmd.Name(), args[0])
	}
	names := slices.DeleteFunc(subcommands(cmd), func(name string) bool { return name == "completion" || name == "man" }) // for installers
	return console.Usagef("command %.60q %s", args[0], values.MustBeOneOf(args[0], names))
}

// exactly returns a check that requires an exact number of positional arguments.
func exactly(number int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != number {
			return console.Usagef("%s takes %s, not %d", cmd.Name(), words, len(args))
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

// checkCompletion adds the library's completion command. The command then refuses a missing shell, an unknown
// shell, and further arguments.
func checkCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args = noArguments
	completion.RunE = func(cmd *cobra.Command, _ []string) error {
		return console.Usagef("completion needs a shell: %s", strings.Join(subcommands(cmd), ", "))
	}
	for _, shell := range completion.Commands() {
		shell.Args = noArguments
	}
}

// flagError turns an error of the flag parser into a usage error that names the allowed values or flags.
func flagError(cmd *cobra.Command, err error) error {
	switch invalid, is := errors.AsType[*pflag.InvalidValueError](err); {
	case !is:
	case invalid.GetFlag().Value.Type() == "bool" && !invalid.GetFlag().Changed:
		return console.Usagef("--%s: %q must be true or false", invalid.GetFlag().Name, invalid.GetValue())
	default:
		return console.Usagef("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	}
	if missing, is := errors.AsType[*pflag.ValueRequiredError](err); is {
		return console.Usagef("--%s needs a value: %s", missing.GetSpecifiedName(), strings.ReplaceAll(summaryOf(missing.GetFlag()), "`", ""))
	}
	unknown, is := errors.AsType[*pflag.NotExistError](err)
	if !is {
		return console.Usagef("%w", err)
	}
	if cmd.HasAvailableSubCommands() { // the subcommand may be the mistake; it is known to come before this flag
		if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
			return err
		}
	}
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		return unknownFlag(cmd, "-"+letters)
	}
	return unknownFlag(cmd, "--"+unknown.GetSpecifiedName())
}

// unknownFlag returns the error about a flag that a command does not have. It suggests flags by their names or a
// word of their help, or names the commands that have the flag.
func unknownFlag(cmd *cobra.Command, typed string) error {
	const longList = 120 // characters in the list of the command's flags
	name := strings.TrimLeft(typed, "-")
	var own, about, others []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		own = append(own, flag.Name)
		words := strings.FieldsFunc(summaryOf(flag), func(r rune) bool { return !unicode.IsLetter(r) })
		if slices.Contains(words, name) {
			about = append(about, flag.Name)
		}
	})
	for _, c := range cmd.Root().Commands() {
		if c.Flags().Lookup(name) != nil {
			others = append(others, c.Name())
		}
	}
	near := values.Near(name, own)
	if len(near) == 0 {
		near = about
	}
	hint := ""
	if len(near) > 0 {
		hint = "did you mean --" + strings.Join(near, " or --") + "? "
	} else if len(others) > 0 {
		hint = "it is a flag of " + strings.Join(others, ", ") + "; "
	}
	list := "--" + strings.Join(own, ", --")
	if len(list) > longList {
		list = list[:strings.LastIndex(list[:longList], ", ")] + ", ..."
	}
	return console.Usagef("unknown flag %.60s: %s%s takes %s", typed, hint, cmd.Name(), list)
}

// newMan returns the command that writes the manual.
func newMan(root *cobra.Command) *cobra.Command {
	cmd := newCommand("man")
	cmd.Args = exactly(1, "one folder DIR")
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir := args[0]
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return console.Usagef("DIR: %q must be a folder: %w", dir, err)
		}
		eachCommand(root, func(cmd *cobra.Command) {
			cmd.Flags().VisitAll(func(flag *pflag.Flag) { *flag = *shown(flag, true) })
		})
		root.DisableAutoGenTag = true                                        // so that the same program writes the same bytes
		released := time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC) // the date in CITATION.cff
		header := doc.GenManHeader{Section: "1", Source: "repslab " + param.Version, Manual: "repslab", Date: &released}
		return doc.GenManTree(root, &header, dir)
	}
	return cmd
}

// eachCommand calls visit for a command and all commands below it.
func eachCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, visit)
	}
}

// newVectors returns the command that writes the test vectors.
func newVectors() *cobra.Command {
	var output string
	var force bool
	cmd := newCommand("vectors")
	addOutput(cmd.Flags(), &output, &force)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cmp.Or(console.MustBeOpen(cmd.OutOrStdout(), output), console.CheckOutput("-o", output, force)); err != nil {
			return err
		}
		_, err := console.Promptly(cmd.Context(), func() (struct{}, error) {
			var data bytes.Buffer
			if err := vectors.Write(&data); err != nil {
				return struct{}{}, err
			}
			return struct{}{}, console.WriteOutput(cmd.OutOrStdout(), output, force, data.Bytes())
		})
		return err
	}
	return cmd
}
