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

// ending is the end of a key, such as _mean, with its meaning.
type ending struct{ Text, Meaning string }

// Group holds the metrics of a model's rows or of a file.
type Group struct {
	Model   string // empty for the keys of all models
	File    string // the flag that writes the file, empty for rows
	Note    string // note that applies to all metrics of the group
	Metrics []Metric
}

// table is the table of metrics. Its first column names the rows: the model or, for a file next to the
// rows, the flag that writes it.
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
			groups = append(groups, Group{Model: model, File: file, Note: notes()[l[0]]})
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
	for _, m := range g.Metrics {
		if slices.Contains(strings.Fields(m.Keys), key) {
			return m, "", true
		}
	}
	for _, e := range endings() {
		if stem, has := strings.CutSuffix(key, e.Text); has {
			if m, _, known := g.Find(stem); known {
				return m, e.Meaning, true
			}
		}
	}
	return Metric{}, "", false
}

// Title names the rows or the file of the group.
func (g Group) Title() string {
	switch {
	case g.Model == "":
		return "All models"
	case g.File != "":
		return fmt.Sprintf("`repslab %s`: the file of `%s`", g.Model, g.File)
	}
	return fmt.Sprintf("`repslab %s`", g.Model)
}

// Page returns docs/results.md.
func Page() string {
	var page strings.Builder
	page.WriteString(pageHead)
	for _, e := range endings() {
		fmt.Fprintf(&page, "| `%s` | %s |\n", e.Text, e.Meaning)
	}
	for _, g := range Groups() {
		fmt.Fprintf(&page, "\n## %s\n\n", g.Title())
		if g.Note != "" {
			page.WriteString(g.Note + "\n\n")
		}
		page.WriteString("| key | unit | meaning | formula | kind | source | computed by |\n|---|---|---|---|---|---|---|\n")
		for _, m := range g.Metrics {
			page.WriteString("|")
			for _, cell := range []string{"`" + strings.Join(strings.Fields(m.Keys), "`, `") + "`", m.Unit, m.Meaning, m.Formula, m.Kind,
				m.Source, "`" + m.By + "`"} {
				page.WriteString(strings.TrimRight(" "+cell, " ") + " |")
			}
			page.WriteString("\n")
		}
	}
	return page.String()
}

// pageHead begins docs/results.md.
const pageHead = "# Results\n\nEvery key (column) of the models' rows and of the files beside them, as `internal/metric` has them. `repslab explain KEY` prints its entry, and explains flags, parameters and words of the [glossary](glossary.md) likewise. Estimates are over replicas; a result that does not exist is null. Endings modify the key before them:\n\n| ending | meaning |\n|---|---|\n"

// notes returns the notes of the groups.
func notes() map[string]string {
	return map[string]string{
		"fattree":             "Formed per run, then averaged over runs. Completion times and slowdowns have their 95 % interval on the logarithmic scale, so its ends are positive (`_lo`, `_hi`).\n\nQuantiles over flows are nearest ranks: `p99_fct_us` is the shortest time that at least 99 % of the flows do not exceed. With fewer than 100 flows this is the slowest flow. Numpy's default interpolates linearly between ranks instead: with 54 flows its 99 % quantile is at 47 % of the way from the second slowest flow to the slowest.\n\nA flow that has not finished at the end of the run (`horizon_us`; of a schedule, at least 100 ms after the critical path of its calcs, for each step) has a completion time of which only a lower bound is known (it is right-censored): the time from its start to the end of the run. If any flow of any run did not finish, the row has no mean, since that of the runs or flows that finished would be too small. The time is null, `_hi` too, and `_lo` is the mean over all runs with the bounds in place of the unknown times, a lower bound of the sample's mean, not an end of a confidence interval. Tables print it as `> 1234`, a ratio over such a time as `< 0.5`. `finished_runs` is the share of runs that finished.",
		"fattree --flows-out": "A row for each flow of each run, behind the parameters that vary.",
		"fattree --events":    "Of the first run: a row for each event of the flows of `--event-flows`, behind the parameters that vary. A plain run does not have these; [inside a connection](inside.md) shows what they are for.",
		"fattree --ev-counts": "Of the first run: a row for each EV that a flow has used, behind the parameters that vary.",
		"fattree --trace":     "Of the first run: a row for each number of each time, behind the parameters that vary. Counts of the whole network have the keys of results: `sent`, `retransmitted`, `dropped`, `trimmed`, `lost`.",
	}
}

// endings returns the endings of keys with their meanings.
func endings() []ending {
	return []ending{
		{"_mean", "mean over replicas"},
		{"_se", "standard error of the mean over replicas; null for one replica and for exact results, 0 if all runs are alike"},
		{"_lo", "lower end of the 95 % interval, null if there are too few runs or all are alike; of runs that did not finish a lower bound"},
		{"_hi", "upper end of the 95 % interval, null likewise"},
		{"_p025", "2.5 % quantile over replicas"},
		{"_p05", "5 % quantile over replicas"},
		{"_p50", "median over replicas"},
		{"_p95", "95 % quantile over replicas"},
		{"_p975", "97.5 % quantile over replicas"},
		{"_max", "largest of all replicas"},
		{"_per_lnn", "the mean divided by ln n"},
		{"_per_n", "the mean divided by n"},
		{"_per_nlnn", "the mean divided by n ln n"},
	}
}
