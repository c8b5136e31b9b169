package main

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/fattree/topology"
	"repslab/internal/cases"
	"repslab/internal/console"
)

//go:embed help
var helpTexts embed.FS

// newCommand returns a command with the texts of help/NAME.txt: its usage, a summary, a description, and examples.
// The part of the description after "More:" is omitted by --help.
func newCommand(name string) *cobra.Command {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil { // a model of a test has no file
		text = []byte(name + "\n\n")
	}
	usage, rest, _ := strings.Cut(string(text), "\n")
	summary, rest, _ := strings.Cut(rest, "\n")
	rest, examples, _ := strings.Cut(rest, "Examples:\n")
	brief, more, _ := strings.Cut(rest, "More:\n")
	grammars := strings.NewReplacer("{failures}\n", topology.FailureGrammar(), "{options}\n", cases.MixGrammar())
	brief, more = grammars.Replace(brief), grammars.Replace(more)
	brief, more = strings.TrimSpace(brief), strings.TrimSpace(more)
	cmd := &cobra.Command{
		Use: usage, Short: summary, Long: strings.TrimSpace(brief + "\n\n" + more),
		Example:     strings.TrimRight(examples, "\n"),
		Annotations: map[string]string{briefKey: brief},
		Args:        noArguments,
	}
	cmd.Flags().SortFlags = false
	return cmd
}

// Annotations of commands and flags.
const (
	briefKey   = "brief"   // the part of a description that --help prints
	groupKey   = "group"   // the heading of a flag in the help
	rareKey    = "rare"    // flags that --help omits
	choicesKey = "choices" // names for the shell to complete
)

// annotate sets an annotation of flags.
func annotate(flags *pflag.FlagSet, key string, list []string, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, key, list); err != nil {
			panic(err) // no such flag
		}
	}
}

// seldom makes --help omit flags.
func seldom(flags *pflag.FlagSet, names ...string) { annotate(flags, rareKey, []string{}, names...) }

// byDefault sets the default of a flag in the help, in words.
func byDefault(flags *pflag.FlagSet, name, words string) { flags.Lookup(name).DefValue = words }

// summaryOf returns the first line of a flag's help.
func summaryOf(flag *pflag.Flag) string {
	line, _, _ := strings.Cut(flag.Usage, "\n")
	return line
}

// addHelp makes a command tree print its help in groups of flags that fit the terminal. --help and -h print what
// most people need; --help-all prints everything.
func addHelp(root *cobra.Command) {
	all := false
	root.PersistentFlags().BoolFunc("help-all", "the whole help, with all flags", func(string) error {
		all = true
		return pflag.ErrHelp
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		fmt.Fprint(out, helpText(cmd, all, console.HelpWidth(out)))
	})
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		ValidArgsFunction: func(
			cmd *cobra.Command, args []string, typed string,
		) ([]cobra.Completion, cobra.ShellCompDirective) {
			found, _, _ := root.Find(args)
			return completeNames(subcommands(found), "")(cmd, args, typed)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err := cmp.Or(err, noArguments(cmd, rest)); err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	})
}

// helpText returns the help of a command, in lines of at most width columns (examples may be longer). It returns
// all of it, or the part that most people need.
func helpText(cmd *cobra.Command, all bool, width int) string {
	const examples = 3 // without --help-all
	var b strings.Builder
	description := cmd.Long
	if brief := cmd.Annotations[briefKey]; brief != "" && !all {
		description = brief
	}
	fmt.Fprintf(&b, "%s\n\nUsage: %s\n", console.Wrap(cmp.Or(description, cmd.Short), width), cmd.UseLine())
	left := description != cmd.Long
	if cmd.Example != "" {
		lines := strings.Split(cmd.Example, "\n")
		if !all && len(lines) > examples {
			left, lines = true, lines[:examples]
		}
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.Join(lines, "\n"))
	}
	writeCommands(&b, cmd, width)
	rare := writeFlags(&b, cmd, all, width)
	switch {
	case len(rare) > 0:
		fmt.Fprintf(&b, "\n%s\n", console.Wrap("--help-all explains more, also "+strings.Join(rare, " ")+".", width))
	case left:
		fmt.Fprint(&b, "\n--help-all explains more.\n")
	case cmd.HasAvailableSubCommands():
		fmt.Fprintf(&b, "\n%s COMMAND --help explains a command.\n", cmd.CommandPath())
	}
	return b.String()
}

// writeCommands writes the subcommands of a command.
func writeCommands(b *strings.Builder, cmd *cobra.Command, width int) {
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
	}
	column := 12
	for _, c := range cmd.Commands() {
		column = max(column, len(c.Name())+2)
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			b.WriteString(console.Wrap(fmt.Sprintf("  %-*s%s", column, c.Name(), c.Short), width) + "\n")
		}
	}
}

// writeFlags writes the flags of a command in their groups, flags without a group last. It returns the flags that
// it omits.
func writeFlags(b *strings.Builder, cmd *cobra.Command, all bool, width int) (rare []string) {
	order := []string{"Parameters", cases.NetworkGroup, cases.TrafficGroup, cases.BalancerGroup, cases.ControlGroup, "Failures", "Estimation",
		"Running", "Cluster", "Output"}
	var titles []string
	groups := map[string]*pflag.FlagSet{}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if _, seldom := flag.Annotations[rareKey]; seldom && !all {
			rare = append(rare, "--"+flag.Name)
			return
		}
		title := order[len(order)-1]
		if group := flag.Annotations[groupKey]; len(group) > 0 {
			title = group[0]
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			groups[title].SortFlags = false
			titles = append(titles, title)
		}
		groups[title].AddFlag(shown(flag, all))
	})
	slices.SortFunc(titles, func(a, b string) int { return cmp.Compare(slices.Index(order, a), slices.Index(order, b)) })
	for _, title := range titles {
		heading := title
		if len(titles) == 1 {
			heading = "Flags"
		}
		fmt.Fprintf(b, "\n%s:\n%s", heading, usages(groups[title], width))
	}
	return rare
}

// shown returns a flag as the help shows it: with its default in a uniform form and, unless all is set, with only
// the summary of its help.
func shown(flag *pflag.Flag, all bool) *pflag.Flag {
	const longest = 68 // longest list of names
	f := *flag
	f.Usage = strings.ReplaceAll(f.Usage, "\n", "; ")
	if !all {
		f.Usage = summaryOf(flag)
		list := strings.Index(f.Usage, ": ")
		cut := strings.LastIndex(f.Usage[:min(longest, len(f.Usage))], ", ")
		if len(f.Usage) > longest && 0 < list && list < cut {
			f.Usage = f.Usage[:cut] + ", ..."
		}
	}
	if f.DefValue != "" && f.DefValue != "[]" && f.NoOptDefVal == "" {
		f.Usage, f.DefValue = fmt.Sprintf("%s (default %s)", f.Usage, f.DefValue), ""
	}
	return &f
}

// usages returns the lines of flags. They begin with only two spaces if no flag has a short form.
func usages(flags *pflag.FlagSet, width int) string {
	const room = "    " // space for a short form such as "-o, "
	letters := false
	flags.VisitAll(func(flag *pflag.Flag) { letters = letters || flag.Shorthand != "" })
	if letters {
		return flags.FlagUsagesWrapped(width)
	}
	var b strings.Builder
	for line := range strings.Lines(flags.FlagUsagesWrapped(width + len(room))) {
		b.WriteString(strings.TrimPrefix(line, room))
	}
	return b.String()
}
