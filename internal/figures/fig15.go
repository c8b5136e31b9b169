package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig15EVS are the sizes of the EVS, the largest last.
func fig15EVS() []int { return []int{32, 256, fullEVS} }

// fig15Control is a congestion control of the figure.
type fig15Control struct {
	key, name string
	open      func() fattree.Control
}

// fig15Controls returns the congestion controls, the paper's own first.
func fig15Controls() []fig15Control {
	return []fig15Control{
		{"dctcp", "DCTCP", dctcp},
		{"eqds", "EQDS", func() fattree.Control { return new(congestion.EQDS) }},
		{"nscc", "NSCC", func() fattree.Control { return new(congestion.NSCC) }},
	}
}

// fig15 reproduces the figure on EVS sizes and congestion controls: an 8 MiB
// permutation with few and with many entropy values, and under three congestion
// controls.
func fig15(ctx context.Context, s Settings) (Output, error) {
	const hosts, bytes = 128, 8 * mebi
	replicas := s.Scale.replicas(3, 40)
	compared := lbs("ops", "reps", "reps-fifo")
	network := permuted(s.Seed, fattree.Spec{Topology: fattree.Topology{Hosts: hosts}}, bytes)
	var g netGrid // by control, scheme and EVs
	for _, c := range compared {
		for _, evs := range fig15EVS() {
			g.add("dctcp", c.key, evs, c.setup(evs, network))
		}
	}
	for _, control := range fig15Controls()[1:] {
		for _, c := range compared {
			setup := c.setup(fullEVS, network)
			setup.Control = control.open
			g.add(control.key, c.key, fullEVS, setup)
		}
	}
	if err := g.run(ctx, s, replicas, keepWithIdeal); err != nil {
		return Output{}, err
	}
	sizes, controls := table.Table{}, table.Table{Name: "controls"}
	for _, c := range compared {
		for _, evs := range fig15EVS() {
			r := g.of("dctcp", c.key, evs)
			addRow(&sizes, cells{{"lb", c.key}, {"hosts", hosts}, {"message_bytes", bytes}, {"evs", evs}},
				withEnds("slowdown_over_65536", "slowdown",
					fig15Slowdown(&g, c.key, evs)), r.cells(g.of("dctcp", "ops", evs), s.Seed))
		}
	}
	for _, control := range fig15Controls() {
		for _, c := range compared {
			addRow(&controls, cells{{"cc", control.key}, {"lb", c.key}, {"evs", fullEVS}},
				g.of(control.key, c.key, fullEVS).cells(g.of(control.key, "ops", fullEVS), s.Seed))
		}
	}
	return Output{
		Tables: []table.Table{sizes, controls},
		Plot:   fig15Plot(compared, &g),
		Notes: []string{
			"128 hosts, 2 tiers, 8 uplinks to a ToR, queue 100, ECN 25/76, trimming, DCTCP variant: the authors' set-up. They ran one permutation; here it differs from replica to replica.",
			"REPS is the ring of 8 by the paper's rules. The third bar is the unbounded list without freezing that the authors ran in this figure.",
			fmt.Sprintf("Means over %d replicas with 95 %% intervals; slowdowns from paired replicas. The authors' simulator, 5 seeds of one permutation: OPS 309.8, 232.1 and 195.0 us, the list 194.2, 185.2 and 184.9 us, the ring 195.3, 186.8 and 184.8 us with 32, 256 and 65,535 EVs.", replicas),
			"Panel (c), 65,536 EVs: EQDS and NSCC as in the authors' simulator; NSCC stands for the paper's proprietary control. The authors' simulator, 3 seeds: OPS 194.3, 194.0 and 191.7 us, the ring 184.9, 187.6 and 184.9 us under DCTCP, EQDS and NSCC.",
		},
		Findings: fig15Findings(&g),
	}, nil
}

// fig15Slowdown returns the mean maximum FCT over that with all EVs.
func fig15Slowdown(g *netGrid, key string, evs int) mc.Estimate {
	return g.of("dctcp", key, evs).over(g.of("dctcp", key, fullEVS))
}

// fig15Plot draws a group of bars for each EVS size and each control.
func fig15Plot(compared []scheme, g *netGrid) *plot.Plot {
	sizes := plot.Axis{Ticks: []float64{0, 1, 2}, TickLabels: []string{"32", "256", "65,536"}}
	times := plot.Panel{Title: "(a) Completion time", XLabel: "EVS size", YLabel: "Mean maximum FCT (us)", X: sizes,
		Y: from(0)}
	slower := plot.Panel{Title: "(b) Against 65,536 EVs", XLabel: "EVS size", YLabel: "Slowdown", X: sizes, Y: from(0),
		References: level(1, "")}
	controls := plot.Panel{Title: "(c) Congestion controls", XLabel: "Congestion control",
		YLabel: "Mean maximum FCT (us)", Y: from(0),
		X: labelled(fig15Controls(), func(c fig15Control) string { return c.name })}
	for _, c := range compared {
		bars := c.series(plot.Bars)
		times.Series = append(times.Series,
			barsOf(bars, fig15EVS(), func(evs int) mc.Estimate { return g.of("dctcp", c.key, evs).maxFCT() }))
		slower.Series = append(slower.Series,
			barsOf(bars, fig15EVS()[:2], func(evs int) mc.Estimate { return fig15Slowdown(g, c.key, evs) }))
		controls.Series = append(controls.Series, barsOf(bars, fig15Controls(), func(control fig15Control) mc.Estimate {
			return g.of(control.key, c.key, fullEVS).maxFCT()
		}))
	}
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{times, slower, controls}}}
}

// fig15Findings judges the cost of a small EVS, and whether REPS helps every control.
func fig15Findings(g *netGrid) []claims.Finding {
	slower := func(key string, evs int) mc.Estimate { return fig15Slowdown(g, key, evs).Percent() }
	equal, ring, list := slower("reps", 256), slower("reps", 32), slower("reps-fifo", 32)
	some, many := slower("ops", 256), slower("ops", 32)
	var helps rule
	for _, control := range fig15Controls() {
		e := g.of(control.key, "ops", fullEVS).over(g.of(control.key, "reps", fullEVS)).Percent()
		helps.add(claims.ClearlyAbove(e, 0), "%s %s %%", control.name, withBounds(e, "%.1f"))
	}
	return []claims.Finding{
		claims.Estimated("N066", equal, claims.Between(equal, -2, 2), withBounds(equal, "%.2f")+" % longer", ""),
		claims.Estimated("N067", ring, claims.Any(claims.Near(ring, 8), claims.Near(list, 8)),
			"ring of 8 "+withBounds(ring, "%.1f")+" % longer, authors' list "+withBounds(list, "%.1f")+" %",
			"the authors' simulator on one permutation, 5 seeds: 5.7 % with the ring, 5.0 % with the list"),
		claims.Estimated("N068", some, claims.Near(some, 21), withBounds(some, "%.1f")+" % longer",
			"the authors' simulator on one permutation, 5 seeds: 19.0 %"),
		claims.Estimated("N069", many, claims.Near(many, 64), withBounds(many, "%.1f")+" % longer",
			"the authors' simulator on one permutation, 5 seeds: 58.9 %"),
		helps.all("N070", "OPS above REPS: ", "; ", ""),
	}
}
