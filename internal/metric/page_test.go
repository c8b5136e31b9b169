package metric

import (
	"fmt"
	"strings"
)

// Page returns docs/results.md.
func Page() string {
	var page strings.Builder
	page.WriteString(pageHead)
	for _, e := range endings() {
		fmt.Fprintf(&page, "| `%s` | %s |\n", e.Text, e.Meaning)
	}
	for _, g := range Groups() {
		fmt.Fprintf(&page, "\n## %s\n\n", g.Title())
		if note := notes()[strings.TrimSpace(g.Model+" "+g.File)]; note != "" {
			page.WriteString(note + "\n\n")
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
const pageHead = "# Results\n\nEvery key (column) of the models' rows, of the files beside them and of some files of `repslab reproduce`, as `internal/metric` has them. `repslab explain KEY` prints its entry, and explains flags, parameters and words of the [glossary](glossary.md) likewise. Estimates are over replicas; a result that does not exist is null. Endings modify the key before them:\n\n| ending | meaning |\n|---|---|\n"

// notes returns the notes of the groups.
func notes() map[string]string {
	return map[string]string{
		"fattree":                 "Formed per run, then averaged over runs. Completion times and slowdowns have their 95 % interval on the logarithmic scale, so its ends are positive (`_lo`, `_hi`).\n\nQuantiles over flows are nearest ranks: `p99_fct_us` is the shortest time that at least 99 % of the flows do not exceed. With fewer than 100 flows this is the slowest flow. Numpy's default interpolates linearly between ranks instead: with 54 flows its 99 % quantile is at 47 % of the way from the second slowest flow to the slowest.\n\nA flow that has not finished at the end of the run (`horizon_us`; of a schedule, at least 100 ms after the critical path of its calcs, for each step) has a completion time of which only a lower bound is known (it is right-censored): the time from its start to the end of the run. If any flow of any run did not finish, the row has no mean, since that of the runs or flows that finished would be too small. The time is null, `_hi` too, and `_lo` is the mean over all runs with the bounds in place of the unknown times, a lower bound of the sample's mean, not an end of a confidence interval. Tables print it as `> 1234`, a ratio over such a time as `< 0.5`. `finished_share` is the share of runs that finished.",
		"reproduce atlas.csv":     "A row for each rule, network and traffic; see the [atlas](atlas.md).",
		"reproduce ID-claims.csv": "Of each figure that decides claims, such as `fig02-claims.csv`: a row for each run of a number.",
		"fattree --flows-out":     "A row for each flow of each run, behind the parameters that vary.",
		"fattree --events":        "Of the first run: a row for each event of the flows of `--event-flows`, behind the parameters that vary. A plain run does not have these; [inside a connection](inside.md) shows what they are for.",
		"fattree --ev-counts":     "Of the first run: a row for each EV that a flow has used, behind the parameters that vary.",
		"fattree --trace":         "Of the first run: a row for each number of each time, behind the parameters that vary. Counts of the whole network have the keys of results: `sent`, `retransmitted`, `dropped`, `trimmed`, `lost`.",
	}
}
