package figures

import (
	"strings"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// fig15Scheme is a congestion control of the figure.
type fig15Scheme struct {
	key, name string
	open      func() fattree.Control
}

// fig15Controls returns the congestion controls, the paper's own first.
func fig15Controls() []fig15Scheme {
	return []fig15Scheme{
		{"dctcp", "DCTCP", DCTCP},
		{"eqds", "EQDS", func() fattree.Control { return new(congestion.EQDS) }},
		{"nscc", "NSCC", func() fattree.Control { return new(congestion.NSCC) }},
	}
}

// fig15Control lists and draws the runs under the congestion controls.
func fig15Control(compared []Scheme, under func(control, key string) Runs, seed uint64) (table.Table, plot.Panel) {
	rows := table.Table{Name: "controls", Columns: append([]table.Column{table.Text("cc"), table.Text("lb"), table.Number("evs")}, RunColumns()...)}
	panel := plot.Panel{Title: "(c) Congestion controls", XLabel: "Congestion control", YLabel: "Mean maximum FCT (us)", Y: plot.Axis{Min: new(0.0)}}
	for _, c := range compared {
		bars := plot.Series{Name: c.Name, Color: c.Look, Mark: plot.Bars}
		for k, control := range fig15Controls() {
			AppendPoint(&bars, float64(k), under(control.key, c.Key).MaxFCT())
		}
		panel.Series = append(panel.Series, bars)
	}
	for k, control := range fig15Controls() {
		panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, control.name)
		for _, c := range compared {
			rows.Rows = append(rows.Rows, append([]any{control.key, c.Key, FullEVS}, under(control.key, c.Key).Cells(under(control.key, "ops"), seed)...))
		}
	}
	return rows, panel
}

// fig15Helps judges whether REPS helps every congestion control.
func fig15Helps(under func(control, key string) Runs) claims.Finding {
	holds := true
	var parts []string
	var each []claims.Condition
	for _, control := range fig15Controls() {
		e := under(control.key, "ops").Over(under(control.key, "reps")).Percent()
		holds = holds && e.Value > 0 && e.Lo > 0
		each = append(each, claims.AtLeast(e, 0))
		parts = append(parts, control.name+" "+Interval(e, "%.1f")+" %")
	}
	return claims.InWords("N070", holds, "OPS above REPS: "+strings.Join(parts, "; "), "").Resting(claims.All(each...))
}
