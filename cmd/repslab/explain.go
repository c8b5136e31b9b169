package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	laboratory "repslab"
	"repslab/ballsbins"
	"repslab/ballsbins/allocation"
	"repslab/coalescing"
	"repslab/evsimbalance"
	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/lists"
	"repslab/internal/values"
	"repslab/recycled"
	"repslab/reps"
)

// entry explains keys of results: a row of docs/results.md, and the section's model, which is empty
// for keys of all models.
type entry struct {
	model                                            string
	keys                                             []string
	unit, meaning, formula, kind, source, computedBy string
}

// dictionary holds the texts of docs/results.md and docs/glossary.md.
type dictionary struct {
	entries []entry
	endings map[string]string // of keys, such as _se
	words   [][2]string       // word, meaning
	choices map[string]string // by flag: what it has with MRC, by docs/mrc.md
}

// newDictionary reads the documents.
func newDictionary() dictionary {
	d := dictionary{endings: map[string]string{}, choices: map[string]string{}}
	for line := range strings.Lines(laboratory.MRC()) {
		if cells := tableCells(line); len(cells) == 5 && strings.HasPrefix(cells[3], "`--") {
			d.choices[strings.Trim(cells[3], "`-")] = fmt.Sprintf("%s: %s; source: %s; it changes: %s", cells[0], cells[1], cells[2], cells[4])
		}
	}
	results, words := laboratory.Reference()
	model := ""
	for line := range strings.Lines(results) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			_, model, _ = strings.Cut(strings.Trim(title, "`\n"), "repslab ")
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := tableCells(strings.ReplaceAll(line, "`", ""))
		keys := strings.Split(cells[0], ", ")
		if len(cells) == 2 {
			d.endings[keys[0]] = cells[1]
			continue
		}
		d.entries = append(d.entries, entry{model, keys, cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]})
	}
	for line := range strings.Lines(words) {
		if cells := tableCells(line); len(cells) == 2 {
			d.words = append(d.words, [2]string{cells[0], cells[1]})
		}
	}
	d.words = d.words[1:] // without the head
	return d
}

// tableCells returns the cells of a row of a Markdown table, nil for other lines.
func tableCells(line string) (cells []string) {
	line, row := strings.CutPrefix(strings.TrimSpace(line), "| ")
	if !row {
		return nil
	}
	for cell := range strings.SplitSeq(strings.TrimSuffix(line, "|"), "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}

// result returns the entry of a model's key, and the meaning of the key's ending if it has one.
func (d dictionary) result(model, key string) (e entry, ending string, known bool) {
	for _, e := range d.entries {
		if e.model != "" && e.model != model {
			continue
		}
		for _, stem := range e.keys {
			rest, is := strings.CutPrefix(key, stem)
			text, suffixed := d.endings[rest]
			if is && (rest == "" || suffixed) {
				return e, text, true
			}
		}
	}
	return entry{}, "", false
}

// newExplain returns the command that explains keys, flags and words.
func newExplain(root *cobra.Command, available []model) *cobra.Command {
	cmd := newCommand("explain")
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagParsing = true // a flag to explain is an argument here
	cmd.ValidArgsFunction = func(
		cmd *cobra.Command, args []string, typed string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		names := explainer{dictionary: newDictionary(), root: root, available: available}.names()
		return completeNames(names, false)(cmd, args, typed)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
			return cmd.Help()
		}
		var page strings.Builder
		x := explainer{newDictionary(), root, available, &page, helpWidth(cmd.OutOrStdout())}
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
				return usagef("%.60q must be a key of a row, a flag, one of its names or a word of the glossary%s", term, hint)
			}
		}
		_, err := io.WriteString(cmd.OutOrStdout(), page.String())
		return err
	}
	return cmd
}

// explainer writes explanations to a page.
type explainer struct {
	dictionary
	root      *cobra.Command
	available []model
	page      *strings.Builder
	width     int // of the page, in characters
}

// item writes a label and a text that is wrapped beside it; nothing if the text is empty.
func (x explainer) item(label, text string) {
	if text != "" {
		x.page.WriteString(wrap(fmt.Sprintf("  %-13s%s", label, text), x.width) + "\n")
	}
}

// list writes the keys of every model.
func (x explainer) list() {
	for _, m := range x.available {
		fmt.Fprintf(x.page, "repslab %s\n", m.name)
		x.item("parameters", strings.Join(keys(m.keys), " "))
		x.item("results", strings.Join(keys(m.results), " "))
	}
	fmt.Fprintf(x.page, "all models\n")
	x.item("results", "seed replicas wall_s ns_per_ball ns_per_packet_hop")
}

// explain writes what is known of a term.
func (x explainer) explain(term string) {
	term = strings.ToLower(term)
	name := strings.TrimLeft(term, "-")
	if name == term {
		x.results(keyOf(name))
	}
	x.flags(flagOf(name))
	for _, c := range systems() {
		if c.name == term {
			fmt.Fprintf(x.page, "%s: a value of --%s\n", c.name, c.flag)
			x.item("meaning", c.summary)
			x.item("source", c.source)
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

// results explains a key of results: once where models share an entry.
func (x explainer) results(key string) {
	var shared []string
	for _, m := range x.available {
		e, ending, known := x.result(m.name, key)
		switch {
		case !known || !slices.Contains(append(keys(m.columns()), "wall_s", m.timingKey()), key):
		case e.model == "":
			shared = append(shared, m.name)
		default:
			x.entry(key, m.name, e, ending)
		}
	}
	if shared != nil {
		e, ending, _ := x.result("", key)
		x.entry(key, strings.Join(shared, ", "), e, ending)
	}
}

// entry writes the explanation of a key.
func (x explainer) entry(key, models string, e entry, ending string) {
	if ending != "" {
		e.meaning += "; " + ending
	}
	fmt.Fprintf(x.page, "%s\n", wrap(key+": in rows of repslab "+models, x.width))
	x.item("meaning", e.meaning)
	x.item("unit", e.unit)
	x.item("formula", e.formula)
	x.item("kind", e.kind)
	x.item("source", e.source)
	x.item("computed by", e.computedBy)
}

// use is a flag with the commands that have it.
type use struct {
	flag     *pflag.Flag
	commands []string
}

// flags explains a flag, or a parameter by the name of its flag or one of its keys.
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
		if m, err := modelNamed(x.available, cmd.Name()); err == nil {
			if q, ok := m.parameter(name); ok {
				f = cmd.Flags().Lookup(q.flag)
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
		if !slices.Contains(uses[i].commands, cmd.Name()) { // else a sweep of that model
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
	x.page.WriteString(wrap(head, x.width) + "\n")
	x.item("meaning", strings.ReplaceAll(usage, "\n", "; "))
	_, unit := quantityOf(keyOf(u.flag.Name))
	x.item("unit", unit)
	x.item("default", u.flag.DefValue)
	x.item("with MRC", x.choices[u.flag.Name])
	for _, name := range u.commands {
		m, err := modelNamed(x.available, name)
		if err != nil {
			continue
		}
		q, ok := m.parameter(u.flag.Name)
		if !ok {
			continue
		}
		x.item("used only", q.only)
		x.item("in rows", strings.Join(lists.Map(q.columns, func(c column) string { return c.Key }), ", "))
		x.item("sets", strings.Join(q.libraryFields(name), ", "))
		x.item("source", "docs/models.md, repslab "+name)
	}
}

// parameter returns the parameter that has a flag, or a column whose key is that of the flag.
func (m model) parameter(flag string) (parameter, bool) {
	i := slices.IndexFunc(m.parameters, func(q parameter) bool {
		return q.flag == flag || slices.ContainsFunc(q.columns, func(c column) bool { return c.Key == keyOf(flag) })
	})
	if i < 0 {
		return parameter{}, false
	}
	return m.parameters[i], true
}

// libraryFields returns the fields of a model's configurations that the parameter sets.
func (q *parameter) libraryFields(model string) (fields []string) {
	configs := map[string][]any{
		"ballsbins": {ballsbins.Config{}}, "recycled": {recycled.Config{}}, "coalescing": {coalescing.Config{}},
		"evs": {evsimbalance.Config{}}, "allocate": {allocation.Config{}},
		"fattree": {fattree.Spec{}, topology.FatTree{}, fattree.Link{}, topology.Planes{}, reps.Config{}, traffic.Arrivals{},
			traffic.Message{}},
	}
	for _, config := range configs[model] {
		t := reflect.TypeOf(config)
		for i := range t.NumField() {
			if name := t.Field(i).Name; q.sets(name) {
				fields = append(fields, t.String()+"."+name)
			}
		}
	}
	return fields
}

// names lists what can be explained: keys of rows, flags, words.
func (x explainer) names() (list []string) {
	for _, m := range x.available {
		list = append(list, keys(m.columns())...)
	}
	for _, cmd := range x.root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
	}
	for _, c := range systems() {
		list = append(list, c.name)
	}
	for _, w := range x.words {
		list = append(list, w[0])
	}
	slices.Sort(list)
	return slices.Compact(list)
}
