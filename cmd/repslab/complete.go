package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/internal/rows"
)

// addCompletions makes the shell complete the values of all flags: the names that a flag takes, the keys of a
// result file for KEY and KEYS, folders for DIR, files for FILE and FILES, and nothing for other kinds.
func addCompletions(root *cobra.Command, available []param.Model) {
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
			complete := completionOf(flag, available)
			if complete == nil {
				return
			}
			if err := cmd.RegisterFlagCompletionFunc(flag.Name, complete); err != nil {
				panic(err) // the flag exists and has no completion
			}
		})
	})
}

// completionOf returns the completion of a flag, or nil to complete files.
func completionOf(flag *pflag.Flag, available []param.Model) cobra.CompletionFunc {
	kind, _ := pflag.UnquoteUsage(flag)
	choices := flag.Annotations[choicesKey]
	switch {
	case choices != nil:
		return completeNames(choices, separatorsOf(kind))
	case kind == "FILE" || kind == "FILES":
		return nil
	case kind == "DIR":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case kind == "KEY" || kind == "KEYS":
		return completeKeys(available, separatorsOf(kind))
	}
	return cobra.NoFileCompletions
}

// separatorsOf returns the characters between values of a kind of flag, or none if the flag takes one value.
func separatorsOf(kind string) string {
	switch {
	case kind == "failures":
		return "|;"
	case strings.HasSuffix(strings.ToLower(kind), "s"):
		return ","
	}
	return ""
}

// completeNames completes one of some names, or a list of them. Descriptions follow tabs. Names after a separator
// have no descriptions, because bash does not match commas in completions with descriptions.
func completeNames(choices []string, separators string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		before := typed[:strings.LastIndexAny(typed, separators)+1]
		if separators != "" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		var found []cobra.Completion
		for _, choice := range choices {
			name, _, _ := strings.Cut(choice, "\t")
			if before != "" {
				choice = before + name
			}
			if !slices.Contains(strings.Split(before, separators), name) && strings.HasPrefix(before+name, typed) {
				found = append(found, choice)
			}
		}
		return found, directive
	}
}

// completeKeys completes the keys of rows: keys of the result file that the command names, or keys that the
// command's model prints.
func completeKeys(available []param.Model, separators string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []string
		if m, err := param.Named(available, cmd.Name()); err == nil {
			found = frame.Keys(m.Columns())
		} else if len(args) > 0 {
			if t, err := rows.ReadAny(cmd.Context(), available, args[0], io.Discard); err == nil {
				found = frame.Keys(t.Columns)
			}
		}
		return completeNames(found, separators)(cmd, args, typed)
	}
}
