package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/metric"
	"repslab/internal/param"
	"repslab/internal/rows"
)

// cutFormat takes "--format NAME" at the end of the terms of explain; without it there is no format.
func cutFormat(terms []string) (rest []string, format rows.Format, given bool) {
	last := len(terms) - 1
	if last < 0 {
		return terms, "", false
	}
	if name, inOne := strings.CutPrefix(terms[last], "--format="); inOne {
		return terms[:last], rows.Format(name), true
	}
	if last > 0 && terms[last-1] == "--format" {
		return terms[:last-1], rows.Format(terms[last]), true
	}
	return terms, "", false
}

// writeKeys writes what is known about the columns of all models, a row for each, or about those with given keys.
func writeKeys(w io.Writer, format rows.Format, available []param.Model, keys []string) error {
	if !slices.Contains(rows.Formats(), format) {
		return console.Usagef("--format: %q must be one of %s", format, strings.Trim(fmt.Sprint(rows.Formats()), "[]"))
	}
	keys = lists.Map(keys, func(key string) string { return param.KeyOf(strings.TrimLeft(strings.ToLower(key), "-")) })
	var list [][]any
	var found []string
	for _, m := range available {
		for _, key := range append(frame.Keys(m.Columns()), "wall_s", m.TimingKey()) {
			if len(keys) == 0 || slices.Contains(keys, key) {
				list, found = append(list, keyCells(m, key)), append(found, key)
			}
		}
	}
	for _, key := range keys {
		if !slices.Contains(found, key) {
			return console.Usagef("%.60q must be a key of a row; repslab explain lists the keys", key)
		}
	}
	table, err := rows.NewWriter(w, format, lists.Map([]string{"model", "key", "unit", "kind", "meaning", "formula"}, frame.Text))
	if err != nil {
		return err
	}
	for _, cells := range list {
		if err := table.Write(cells); err != nil {
			return err
		}
	}
	return table.Close()
}

// keyCells returns what is known about a column of a model; what is not known is null.
func keyCells(m param.Model, key string) []any {
	_, unit := metric.QuantityOf(key)
	texts := []string{unit, "given", "", ""}
	if q, is := m.Parameter(param.FlagOf(key)); is {
		texts[2], _, _ = strings.Cut(q.Help, "\n")
	}
	for _, g := range metric.Groups() {
		if e, ending, known := g.Find(key); known && g.File == "" && (g.Model == "" || g.Model == m.Name) {
			texts = []string{cmp.Or(e.Unit, unit), e.Kind, e.Meaning + strings.TrimSuffix("; "+ending, "; "), e.Formula}
		}
	}
	cells := []any{m.Name, key}
	for _, text := range texts {
		if text = strings.ReplaceAll(text, "`", ""); text == "" {
			cells = append(cells, nil)
		} else {
			cells = append(cells, text)
		}
	}
	return cells
}
