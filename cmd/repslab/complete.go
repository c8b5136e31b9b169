package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addCompletions makes the shell complete the values of all flags: the names that a flag takes,
// the keys of a result file for KEY and KEYS, folders for DIR, files for FILE and FILES, and
// nothing for others.
func addCompletions(cmd *cobra.Command, available []model) {
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		kind, _ := pflag.UnquoteUsage(flag)
		choices := flag.Annotations[choicesKey]
		complete := cobra.CompletionFunc(cobra.NoFileCompletions)
		switch {
		case choices != nil:
			complete = completeNames(choices, strings.HasSuffix(kind, "s"))
		case kind == "FILE" || kind == "FILES" || kind == "":
			return
		case kind == "DIR":
			complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		case kind == "KEY" || kind == "KEYS":
			complete = completeKeys(available, kind == "KEYS")
		}
		if err := cmd.RegisterFlagCompletionFunc(flag.Name, complete); err != nil {
			panic(err) // the flag is there, and has none
		}
	})
	for _, c := range cmd.Commands() {
		addCompletions(c, available)
	}
}

// completeNames completes one of some names or a list of them. Descriptions follow tabs.
func completeNames(choices []string, list bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		before := typed[:strings.LastIndex(typed, ",")+1]
		if list {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		var found []cobra.Completion
		for _, choice := range choices {
			name, _, _ := strings.Cut(choice, "\t")
			if !slices.Contains(strings.Split(before, ","), name) && strings.HasPrefix(before+name, typed) {
				found = append(found, before+choice)
			}
		}
		return found, directive
	}
}

// completeKeys completes the keys of rows: those of the result file that the command names, or
// those that the model of the command prints.
func completeKeys(available []model, list bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []string
		if m, err := modelNamed(available, cmd.Name()); err == nil {
			found = keys(m.columns())
		} else if len(args) > 0 {
			if t, err := readTable(cmd.Context(), available, args[0], io.Discard); err == nil {
				found = keys(t.columns)
			}
		}
		return completeNames(found, list)(cmd, args, typed)
	}
}
