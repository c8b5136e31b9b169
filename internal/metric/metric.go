// Package metric holds the table of all result keys, metrics.csv: the meaning of each key, its unit, its
// kind, and the function that computes it. docs/results.md is generated from the table, and the explain
// command reads it. Axis labels and column heads derive from the keys, and the rows of the fattree
// command have the statistics of the table in its order. The table affects no number, so the digest of
// the source leaves it out; resuming a sweep compares the columns.
package metric

import (
	_ "embed" // for the table
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Metric explains the keys of rows that share a meaning. All texts except Keys, Meaning, Kind and By may
// be empty.
type Metric struct {
	Keys    string // with spaces between them, without endings such as _mean
	Unit    string
	Meaning string
	Formula string
	Kind    string // given, measured, count, exact, asymptotic or estimate, with remarks
	Source  string // source of the definition, as keys of docs/references.md
	By      string // the function, method or field that computes it, with the name of its package
}

// ending is the end of a key, such as _mean, with its meaning. One that divides does not keep the unit.
type ending struct {
	Text, Meaning string
	divides       bool
}

// Figures is the command that writes figures. Their files have groups: File names one, with ID for any figure.
const Figures = "reproduce"

// Group holds the metrics of a model's rows or of a file.
type Group struct {
	Model   string // empty for the keys of all models, and Figures for a figure's file
	File    string // the flag that writes the file, or the name of a figure's file; empty for rows
	Metrics []Metric
}

// table is the table of metrics. Its first column names the rows: the model and, for a file next to the
// rows, the flag that writes it; or reproduce and a figure's file.
//
//go:embed metrics.csv
var table string

// Groups returns all metrics, first the keys that all models have. The caller must not change them.
func Groups() []Group { return parsed() }

// parsed reads the table once: a command asks for it several times before it starts.
var parsed = sync.OnceValue(func() (groups []Group) {
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic("metric: " + err.Error()) // the table is part of the program
	}
	for i, l := range lines[1:] {
		if i == 0 || l[0] != lines[i][0] {
			model, file, _ := strings.Cut(l[0], " ")
			groups = append(groups, Group{Model: model, File: file})
		}
		g := &groups[len(groups)-1]
		g.Metrics = append(g.Metrics, Metric{l[1], l[2], l[3], l[4], l[5], l[6], l[7]})
	}
	return groups
})

// Keys returns the keys of a model's rows, in the order of their columns.
func Keys(model string) (keys []string) {
	for _, g := range Groups() {
		for _, m := range g.Metrics {
			if g.Model == model && g.File == "" {
				keys = append(keys, strings.Fields(m.Keys)...)
			}
		}
	}
	return keys
}

// Find returns the metric of a key and the meaning of the key's last ending, which is empty if the key has none.
func (g Group) Find(key string) (m Metric, meaning string, known bool) {
	m, e, known := g.find(key)
	return m, e.Meaning, known
}

// find returns the metric of a key and the key's last ending, empty if it has none.
func (g Group) find(key string) (m Metric, last ending, known bool) {
	for _, m := range g.Metrics {
		if slices.Contains(strings.Fields(m.Keys), key) {
			return m, ending{}, true
		}
	}
	for _, e := range endings() {
		if stem, has := strings.CutSuffix(key, e.Text); has {
			if m, _, known := g.find(stem); known {
				return m, e, true
			}
		}
	}
	return Metric{}, ending{}, false
}

// Title names the rows or the file of the group.
func (g Group) Title() string {
	switch {
	case g.Model == "":
		return "All models"
	case g.Model == Figures:
		return fmt.Sprintf("`repslab %s`: `%s`", g.Model, g.File)
	case g.File != "":
		return fmt.Sprintf("`repslab %s`: the file of `%s`", g.Model, g.File)
	}
	return fmt.Sprintf("`repslab %s`", g.Model)
}

// endings returns the endings of keys with their meanings.
func endings() []ending {
	return []ending{
		{"_mean", "mean over replicas", false},
		{"_se", "standard error of the mean over replicas; null for one replica and for exact results, 0 if all runs are alike", false},
		{"_lo", "lower end of the 95 % interval, null if there are too few runs or all are alike; of runs that did not finish a lower bound", false},
		{"_hi", "upper end of the 95 % interval, null likewise", false},
		{"_spread", "largest over smallest replica; null for fewer than two, and if runs did not finish", true},
		{"_p025", "2.5 % quantile over replicas", false},
		{"_p05", "5 % quantile over replicas", false},
		{"_p50", "median over replicas", false},
		{"_p95", "95 % quantile over replicas", false},
		{"_p975", "97.5 % quantile over replicas", false},
		{"_max", "largest of all replicas", false},
		{"_per_lnn", "the mean divided by ln n", true},
		{"_per_n", "the mean divided by n", true},
		{"_per_nlnn", "the mean divided by n ln n", true},
	}
}
