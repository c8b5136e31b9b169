package paper

import (
	"strings"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/internal/report"
)

// fig15Scheme is a congestion control of the figure.
type fig15Scheme struct {
	key, name string
	open      func() fattree.Control
}

// fig15Controls returns the congestion controls, the paper's own first.
func fig15Controls() []fig15Scheme {
	return []fig15Scheme{
		{"dctcp", "DCTCP", dctcp},
		{"eqds", "EQDS", func() fattree.Control { return new(congestion.EQDS) }},
		{"nscc", "NSCC", func() fattree.Control { return new(congestion.NSCC) }},
	}
}

// fig15Control lists and draws the runs under the congestion controls.
func fig15Control(compared []contender, under func(control, contender int) networkRuns, seed uint64) (Table, report.Panel) {
	table := Table{Name: "controls", Columns: append([]report.Column{text("cc"), text("lb"), number("evs")}, networkColumns()...)}
	panel := report.Panel{Title: "(c) Congestion controls", XLabel: "Congestion control", YLabel: "Mean maximum FCT (us)", Y: report.Axis{Min: new(0.0)}}
	for i, c := range compared {
		bars := report.Series{Name: c.name, Color: c.look, Mark: report.Bars}
		for k := range fig15Controls() {
			appendPoint(&bars, float64(k), under(k, i).maxFCT())
		}
		panel.Series = append(panel.Series, bars)
	}
	for k, control := range fig15Controls() {
		panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, control.name)
		for i, c := range compared {
			table.Rows = append(table.Rows, append([]any{control.key, c.key, fullEVS}, under(k, i).cells(under(k, 0), seed)...))
		}
	}
	return table, panel
}

// fig15Helps judges whether REPS helps every congestion control. OPS is
// contender 0, REPS by the paper's rules contender 1.
func fig15Helps(under func(control, contender int) networkRuns) Finding {
	holds := true
	var parts []string
	for k, control := range fig15Controls() {
		e := percent(under(k, 0).over(under(k, 1)))
		holds = holds && e.Value > 0 && e.Lo > 0
		parts = append(parts, control.name+" "+interval(e, "%.1f")+" %")
	}
	return inWords("N070", holds, "OPS above REPS: "+strings.Join(parts, "; "), "")
}
