package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	laboratory "repslab"
	"repslab/fattree/topology"
	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/metric"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/values"
)

// glossary returns the words of docs/glossary.md and their meanings.
func glossary() (words [][2]string) {
	for line := range strings.Lines(laboratory.Glossary()) {
		if line, entry := strings.CutPrefix(line, "- **"); entry {
			word, meaning, _ := strings.Cut(line, "**: ")
			words = append(words, [2]string{word, strings.TrimSpace(meaning)})
		}
	}
	return words
}

// mrcChoice returns what a flag stands for with MRC, from the table of choices in docs/mrc.md; empty if the table
// does not have the flag.
func mrcChoice(flag string) string {
	for line := range strings.Lines(laboratory.MRC()) {
		cells := lists.Map(strings.Split(strings.Trim(line, "| \n"), "|"), strings.TrimSpace)
		if len(cells) == 5 && cells[3] == "`--"+flag+"`" {
			return fmt.Sprintf("%s: %s; source: %s; it changes: %s", cells[0], cells[1], cells[2], cells[4])
		}
	}
	return ""
}

// newExplain returns the command that explains keys, flags and words.
func newExplain(root *cobra.Command, available []param.Model) *cobra.Command {
	cmd := newCommand("explain")
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagParsing = true // a flag to explain is an argument here
	var format rows.Format        // read by cutFormat
	addFormat(cmd.Flags(), &format, "")
	cmd.ValidArgsFunction = func(
		cmd *cobra.Command, args []string, typed string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		names := explainer{glossary(), root, available, nil, 0}.names()
		return completeNames(names, "")(cmd, args, typed)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
			return cmd.Help()
		}
		if keys, format, given := cutFormat(args); given {
			return writeKeys(cmd.OutOrStdout(), format, available, keys)
		}
		var page strings.Builder
		x := explainer{glossary(), root, available, &page, console.HelpWidth(cmd.OutOrStdout())}
		if len(args) == 0 {
			x.list()
		}
		for _, term := range args {
			before := page.Len()
			x.explain(term)
			if page.Len() == before {
				hint := "; repslab explain lists the keys"
				if near := values.Near(term, x.names()); len(near) > 0 {
					hint = "; did you mean " + strings.Join(near, " or ") + "?"
				}
				return console.Usagef("%.60q must be a key of a row, a flag, one of its names or a word of the glossary%s", term, hint)
			}
		}
		_, err := io.WriteString(cmd.OutOrStdout(), page.String())
		return err
	}
	return cmd
}

// explainer writes explanations to a page.
type explainer struct {
	words     [][2]string // words of the glossary and their meanings
	root      *cobra.Command
	available []param.Model
	page      *strings.Builder
	width     int // width of the page, in characters
}

// item writes a label with a wrapped text next to it. It writes nothing if the text is empty.
func (x explainer) item(label, text string) {
	if text != "" {
		x.page.WriteString(console.Wrap(fmt.Sprintf("  %-13s%s", label, text), x.width) + "\n")
	}
}

// list writes the keys of every model.
func (x explainer) list() {
	for _, m := range x.available {
		fmt.Fprintf(x.page, "repslab %s\n", m.Name)
		x.item("parameters", strings.Join(frame.Keys(m.Keys), " "))
		x.item("results", strings.Join(frame.Keys(m.Results), " "))
	}
	fmt.Fprintf(x.page, "all models\n")
	x.item("results", "seed replicas wall_s ns_per_ball ns_per_packet_hop")
}

// explain writes everything known about a term.
func (x explainer) explain(term string) {
	term = strings.ToLower(term)
	name := strings.TrimLeft(term, "-")
	if name == term {
		x.results(param.KeyOf(name))
	}
	x.flags(param.FlagOf(name))
	for _, c := range cases.Systems() {
		if c.Name == term {
			fmt.Fprintf(x.page, "%s: a value of --%s\n", c.Name, c.Flag)
			x.item("meaning", c.Summary)
			x.item("source", c.Source)
		}
	}
	for _, w := range x.words {
		parts := strings.FieldsFunc(w[0], func(r rune) bool { return strings.ContainsRune(",()", r) })
		if slices.ContainsFunc(parts, func(part string) bool { return strings.EqualFold(strings.TrimSpace(part), term) }) {
			fmt.Fprintf(x.page, "%s: in the glossary\n", w[0])
			x.item("meaning", w[1])
		}
	}
}

// results explains a key of results once, with all models that have it.
func (x explainer) results(key string) {
	for _, g := range metric.Groups() {
		var models []string
		ofFigure := g.Model == metric.Figures
		if ofFigure {
			models = []string{g.Model}
		}
		for _, m := range x.available {
			inRows := slices.Contains(append(frame.Keys(m.Columns()), "wall_s", m.TimingKey()), key)
			if (g.Model == "" || g.Model == m.Name) && (inRows || g.File != "") {
				models = append(models, m.Name)
			}
		}
		if found, ending, known := g.Find(key); known && models != nil && (g.File == "" || ofFigure || ending == "") {
			x.metric(strings.TrimSpace(fmt.Sprintf("%s: in rows of repslab %s %s", key, strings.Join(models, ", "), g.File)), found, ending)
		}
	}
}

// metric writes the explanation of a key.
func (x explainer) metric(head string, m metric.Metric, ending string) {
	if ending != "" {
		m.Meaning += "; " + ending
	}
	fmt.Fprintf(x.page, "%s\n", console.Wrap(head, x.width))
	for _, item := range [][2]string{{"meaning", m.Meaning}, {"unit", m.Unit}, {"formula", m.Formula}, {"kind", m.Kind},
		{"source", m.Source}, {"computed by", m.By}} {
		x.item(item[0], strings.ReplaceAll(item[1], "`", ""))
	}
}

// use is a flag and the commands that have it.
type use struct {
	flag     *pflag.Flag
	commands []string
}

// flags explains a flag, or the parameter with this flag or key.
func (x explainer) flags(name string) {
	var uses []use
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		f := cmd.LocalFlags().Lookup(name)
		if f == nil && len(name) == 1 {
			f = cmd.LocalFlags().ShorthandLookup(name)
		}
		if m, err := param.Named(x.available, cmd.Name()); err == nil {
			if q, ok := m.Parameter(name); ok {
				f = cmd.Flags().Lookup(q.Flag)
			}
		}
		if f == nil || f.Hidden {
			return
		}
		same := func(u use) bool { return u.flag.Usage == f.Usage && u.flag.DefValue == f.DefValue }
		i := slices.IndexFunc(uses, same)
		if i < 0 {
			i = len(uses)
			uses = append(uses, use{flag: f})
		}
		if !slices.Contains(uses[i].commands, cmd.Name()) { // skips the sweep of the same model
			uses[i].commands = append(uses[i].commands, strings.TrimPrefix(cmd.CommandPath(), "repslab "))
		}
	}
	visit(x.root)
	for _, u := range uses {
		x.flag(u)
	}
}

// flag writes the explanation of a flag.
func (x explainer) flag(u use) {
	_, usage := pflag.UnquoteUsage(u.flag)
	head := fmt.Sprintf("--%s: a flag of repslab %s", u.flag.Name, strings.Join(u.commands, ", "))
	x.page.WriteString(console.Wrap(head, x.width) + "\n")
	x.item("meaning", strings.ReplaceAll(usage, "\n", "; "))
	_, unit := metric.QuantityOf(param.KeyOf(u.flag.Name))
	x.item("unit", unit)
	x.item("default", strings.TrimPrefix(u.flag.DefValue, "[]")) // a list without values
	x.item("with MRC", mrcChoice(u.flag.Name))
	for _, name := range u.commands {
		m, err := param.Named(x.available, name)
		if err != nil {
			continue
		}
		q, ok := m.Parameter(u.flag.Name)
		if !ok {
			continue
		}
		x.item("used only", q.Only)
		x.item("in rows", strings.Join(lists.Map(q.Columns, func(c param.Column) string { return c.Key }), ", "))
		x.item("sets", strings.Join(cases.LibraryFields(&q, name), ", "))
		x.item("source", "docs/models.md, repslab "+name)
	}
	if u.flag.Name == "failure" {
		x.page.WriteString(console.Wrap(topology.FailureGrammar(), x.width))
	}
}

// names lists all terms that can be explained: keys of rows, flags, words.
func (x explainer) names() (list []string) {
	for _, m := range x.available {
		list = append(list, frame.Keys(m.Columns())...)
	}
	for _, g := range metric.Groups() {
		for _, m := range g.Metrics {
			if g.File != "" {
				list = append(list, strings.Fields(m.Keys)...)
			}
		}
	}
	for _, cmd := range x.root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
	}
	for _, c := range cases.Systems() {
		list = append(list, c.Name)
	}
	for _, w := range x.words {
		list = append(list, w[0])
	}
	slices.Sort(list)
	return slices.Compact(list)
}
