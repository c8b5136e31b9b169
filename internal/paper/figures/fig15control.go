package figures

import (
	"strings"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/internal/paper"
	"repslab/internal/paper/lineup"
	"repslab/internal/paper/netrun"
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
		{"dctcp", "DCTCP", lineup.DCTCP},
		{"eqds", "EQDS", func() fattree.Control { return new(congestion.EQDS) }},
		{"nscc", "NSCC", func() fattree.Control { return new(congestion.NSCC) }},
	}
}

// fig15Control lists and draws the runs under the congestion controls.
func fig15Control(compared []lineup.Contender, under func(control, key string) netrun.Runs, seed uint64) (paper.Table, report.Panel) {
	table := paper.Table{Name: "controls", Columns: append([]report.Column{paper.Text("cc"), paper.Text("lb"), paper.Number("evs")}, netrun.Columns()...)}
	panel := report.Panel{Title: "(c) Congestion controls", XLabel: "Congestion control", YLabel: "Mean maximum FCT (us)", Y: report.Axis{Min: new(0.0)}}
	for _, c := range compared {
		bars := report.Series{Name: c.Name, Color: c.Look, Mark: report.Bars}
		for k, control := range fig15Controls() {
			paper.AppendPoint(&bars, float64(k), under(control.key, c.Key).MaxFCT())
		}
		panel.Series = append(panel.Series, bars)
	}
	for k, control := range fig15Controls() {
		panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, control.name)
		for _, c := range compared {
			table.Rows = append(table.Rows, append([]any{control.key, c.Key, netrun.FullEVS}, under(control.key, c.Key).Cells(under(control.key, "ops"), seed)...))
		}
	}
	return table, panel
}

// fig15Helps judges whether REPS helps every congestion control.
func fig15Helps(under func(control, key string) netrun.Runs) paper.Finding {
	holds := true
	var parts []string
	var each []paper.Condition
	for _, control := range fig15Controls() {
		e := under(control.key, "ops").Over(under(control.key, "reps")).Percent()
		holds = holds && e.Value > 0 && e.Lo > 0
		each = append(each, paper.AtLeast(e, 0))
		parts = append(parts, control.name+" "+paper.Interval(e, "%.1f")+" %")
	}
	return paper.InWords("N070", holds, "OPS above REPS: "+strings.Join(parts, "; "), "").Resting(paper.All(each...))
}
