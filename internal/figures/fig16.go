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
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig16EVs names the group of the points with a number of EVs; their x is the number of hosts.
func fig16EVs(evs int) string { return fmt.Sprintf("%d EVs", evs) }

// fig16Sizes lists the numbers of hosts, fig16EVS those of EVs.
func fig16Sizes(scale Scale) []int {
	return choose(scale, []int{32, 72, 128}, []int{128, 512, 2048, 8192})
}

func fig16EVS(scale Scale) []int {
	return choose(scale, []int{16, 32, fullEVS}, []int{16, 32, 256, fullEVS})
}

// fig16 reproduces completion times by the size of the network and of the EVS.
func fig16(ctx context.Context, s Settings) (Output, error) {
	const bytes = 8 * mebi
	const replicas = 5
	c := comparison{schemes: lbs("ops", "reps")}
	for _, hosts := range fig16Sizes(s.Scale) {
		network := fixed(patternSpec(topology.FatTree{Hosts: hosts}))(traffic.Tornado(hosts, traffic.Message{Bytes: bytes}))
		for _, evs := range fig16EVS(s.Scale) {
			c.points = append(c.points, &comparedPoint{group: fig16EVs(evs), x: hosts, evs: evs, network: network,
				cells: cells{{"hosts", hosts}, {"switch_ports", 2 * topology.DefaultRadix(hosts, 2)},
					{"message_bytes", bytes}},
				keep: keepWithIdeal, replicas: replicas})
		}
	}
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   []table.Table{c.table()},
		Plot:     fig16Plot(&c, fig16EVS(s.Scale)),
		Notes:    notes(facts{"replicas": replicas}, "fig16"),
		Findings: fig16Findings(&c, s.Scale),
	}, nil
}

// fig16Plot draws a panel for each scheme, both on one axis, and REPS once more, enlarged.
func fig16Plot(c *comparison, sizes []int) *plot.Plot {
	panels := []plot.Panel{{Title: "(a) OPS"}, {Title: "(b) REPS, on the axis of (a)"}, {Title: "(c) REPS, enlarged"}}
	most := 0.0
	for i, key := range []string{"ops", "reps", "reps"} {
		panel := &panels[i]
		panel.XLabel, panel.YLabel = "Hosts", "Mean maximum FCT (µs)"
		for e, evs := range sizes {
			curve := plot.Series{Name: strings.Replace(fig16EVs(evs), "65536", "65,536", 1),
				Mark: plot.ErrorBars, Color: plot.NthColor(e)}
			hosts := lists.Map(c.in(fig16EVs(evs)), func(p *comparedPoint) int { return p.x })
			curve = over(curve, hosts, func(n int) mc.Estimate { return c.at(fig16EVs(evs), n, key).maxFCT() })
			most = max(most, slices.Max(curve.Y))
			panel.X = ticked(onScale(plot.Log2), "%d", hosts...)
			panel.Series = append(panel.Series, curve)
		}
	}
	panels[0].Y, panels[1].Y = from(0, 1.3*most), from(0, 1.3*most)
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}}
}

// fig16Findings judges the claims.
func fig16Findings(c *comparison, scale Scale) []claims.Finding {
	const few = 16
	sizes, last := fig16Sizes(scale), len(fig16Sizes(scale))-1
	runs := func(key string, hosts, evs int) netRuns { return c.at(fig16EVs(evs), hosts, key) }
	var good, grows rule
	var twice []claims.Part
	var ratios []string
	least, most := math.Inf(1), 0.0 // percent that REPS takes longer: with 16 EVs, with more
	for _, hosts := range sizes {
		overAll := func(key string, evs int) mc.Estimate {
			return runs(key, hosts, evs).over(runs(key, hosts, fullEVS))
		}
		for _, evs := range fig16EVS(scale)[1:] {
			e := overAll("reps", evs).Percent()
			good.add(claims.AtMost(e, 10), "")
			most = max(most, e.Value)
		}
		fewest, oblivious := overAll("reps", few).Percent(), overAll("ops", few)
		good.add(claims.AtMost(fewest, 25), "%d hosts: %s %%", hosts, withBounds(fewest, "%.1f"))
		least = min(least, fewest.Value)
		twice = append(twice, claims.Part{Name: fmt.Sprintf("%d hosts", hosts), Condition: claims.MoreThan(oblivious, 2)})
		ratios = append(ratios, fmt.Sprintf("%d hosts: %s", hosts, withBounds(oblivious, "%.2f")))
	}
	var times []mc.Estimate
	for _, hosts := range sizes {
		e := runs("ops", hosts, fullEVS).maxFCT()
		grows.words = append(grows.words, fmt.Sprintf("%d hosts: %s", hosts, withBounds(e, "%.1f")))
		times = append(times, e)
	}
	smallest, largest := times[0], times[last]
	grows.add(claims.Below(smallest, largest), "")
	grows.add(claims.AtMostTimes(largest, 1.25, smallest), "")
	findings := []claims.Finding{
		good.all("N071", "maximum FCT of REPS with 16 EVs above that with 65,536: ", "; ",
			fmt.Sprintf("with 16 EVs at least %.1f %% longer, with more at most %.1f %%", least, most)),
		claims.InParts("N072", twice, "maximum FCT of OPS with 16 EVs over that with 65,536: "+strings.Join(ratios, "; "),
			"16 EVs load the uplinks unevenly"),
		grows.all("N073", "maximum FCT of OPS with 65,536 EVs, µs: ", "; ", fmt.Sprintf(
			"%.1f %% longer from %d to %d hosts", 100*(largest.Value/smallest.Value-1), sizes[0], sizes[last])).With(times...),
	}
	if scale == Full {
		return findings
	}
	return lists.Map(findings, func(f claims.Finding) claims.Finding {
		return f.Undecided(fmt.Sprintf("quick runs have at most %d hosts, the paper 8,192", sizes[last]))
	})
}
