package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig16EVs names the group of points with a number of EVs. Their x is the number of hosts.
func fig16EVs(evs int) string { return fmt.Sprintf("%d EVs", evs) }

// fig16Sizes lists the numbers of hosts, fig16EVS the numbers of EVs.
func fig16Sizes() []int { return []int{128, 512, 2048, 8192} }
func fig16EVS() []int   { return []int{16, 32, 256, fullEVS} }

// newFig16 returns the comparison, not yet run.
func newFig16() comparison {
	const bytes = 8 * mebi
	c := comparison{schemes: lbs("ops", "reps")}
	for _, hosts := range fig16Sizes() {
		network := fixed(patternSpec(topology.FatTree{Hosts: hosts}))(traffic.Tornado(hosts, traffic.Message{Bytes: bytes}))
		for _, evs := range fig16EVS() {
			c.points = append(c.points, &comparedPoint{group: fig16EVs(evs), x: hosts, evs: evs, network: network,
				place: fmt.Sprintf("%d hosts, %d EVs", hosts, evs),
				cells: cells{{"hosts", hosts}, {"switch_ports", 2 * topology.DefaultRadix(hosts, 2)},
					{"message_bytes", bytes}},
				keep: keepWithIdeal, replicas: fewest})
		}
	}
	return c
}

// fig16 reproduces completion times by the size of the network and of the EVS.
func fig16(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newFig16()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   []frame.Table{c.table()},
			Plot:     fig16Plot(&c),
			Notes:    notes(facts{"replicas": fewest}, "fig16"),
			Findings: []claims.Finding{fig16Good(&c), fig16Twice(&c), fig16Grows(&c)},
		}
	}, &c)
}

// fig16Plot draws a panel for each scheme, both with one axis, and REPS again, enlarged.
func fig16Plot(c *comparison) *plot.Plot {
	panels := []plot.Panel{{Title: "(a) OPS"}, {Title: "(b) REPS, on the axis of (a)"}, {Title: "(c) REPS, enlarged"}}
	most := 0.0
	for i, key := range []string{"ops", "reps", "reps"} {
		panel := &panels[i]
		panel.XLabel, panel.YLabel = "Hosts", "Mean maximum FCT (µs)"
		for e, evs := range fig16EVS() {
			curve := plot.Series{Name: strings.Replace(fig16EVs(evs), "65536", "65,536", 1),
				Mark: plot.ErrorBars, Color: plot.NthColor(e)}
			curve = over(curve, fig16Sizes(), func(n int) mc.Estimate { return c.at(fig16EVs(evs), n, key).maxFCT() })
			most = max(most, slices.Max(curve.Y))
			panel.X = ticked(onScale(plot.Log2), "%d", fig16Sizes()...)
			panel.Series = append(panel.Series, curve)
		}
	}
	panels[0].Y, panels[1].Y = from(0, 1.3*most), from(0, 1.3*most)
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}}
}

// fig16Over returns a scheme's time with some EVs divided by its time with all EVs, at a number of hosts.
func fig16Over(c *comparison, key string, hosts, evs int) mc.Estimate {
	return c.at(fig16EVs(evs), hosts, key).over(c.at(fig16EVs(fullEVS), hosts, key))
}

// fig16Fewest is the least number of EVs.
const fig16Fewest = 16

// fig16Good grades that REPS is as fast with few EVs.
func fig16Good(c *comparison) claims.Finding {
	var good rule
	least, most := math.Inf(1), 0.0 // percent that REPS takes longer: with the fewest EVs, and with more
	for _, hosts := range fig16Sizes() {
		for _, evs := range fig16EVS()[1 : len(fig16EVS())-1] { // neither the fewest nor all
			e := fig16Over(c, "reps", hosts, evs).Percent()
			good.add(claims.Met("N071", "more than 16 EVs", e).Condition, "")
			most = max(most, e.Value)
		}
		few := fig16Over(c, "reps", hosts, fig16Fewest).Percent()
		good.add(claims.Met("N071", "16 EVs", few).Condition, "%d hosts: %s %%", hosts, withBounds(few, "%.1f"))
		least = min(least, few.Value)
	}
	return good.all("N071", "maximum FCT of REPS with 16 EVs above that with 65,536: ", "; ",
		fmt.Sprintf("with 16 EVs at least %.1f %% longer, with more at most %.1f %%", least, most))
}

// fig16Twice grades that OPS takes more than twice as long with the fewest EVs.
func fig16Twice(c *comparison) claims.Finding {
	var twice rule
	for _, hosts := range fig16Sizes() {
		oblivious := fig16Over(c, "ops", hosts, fig16Fewest)
		twice.part(fmt.Sprintf("%d hosts", hosts), claims.Met("N072", "each size", oblivious).Condition, "%d hosts: %s",
			hosts, withBounds(oblivious, "%.2f"))
	}
	return twice.inParts("N072", "maximum FCT of OPS with 16 EVs over that with 65,536: ", "; ", "16 EVs load the uplinks unevenly")
}

// fig16Grows grades that OPS takes slightly longer in the largest network than in the smallest.
func fig16Grows(c *comparison) claims.Finding {
	var grows rule
	var times []mc.Estimate
	for _, p := range c.having(fig16EVs(fullEVS), "ops") {
		e := p.of("ops").maxFCT()
		grows.words = append(grows.words, fmt.Sprintf("%d hosts: %s", p.x, withBounds(e, "%.1f")))
		times = append(times, e)
	}
	sizes, last := fig16Sizes(), len(fig16Sizes())-1
	smallest, largest := times[0], times[len(times)-1]
	grows.add(claims.Below(smallest, largest), "")
	grows.add(claims.MetTimes("N073", "growth", largest, smallest).Condition, "")
	return grows.all("N073", "maximum FCT of OPS with 65,536 EVs, µs: ", "; ", fmt.Sprintf(
		"%.1f %% longer from %d to %d hosts", 100*(largest.Value/smallest.Value-1), sizes[0], sizes[last])).With(times...)
}
