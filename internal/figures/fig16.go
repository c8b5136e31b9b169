package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig16EVs names the group of the points with a number of EVs; their x is the number of hosts.
func fig16EVs(evs int) string { return fmt.Sprintf("%d EVs", evs) }

// fig16Sizes lists the numbers of hosts, fig16EVS those of EVs.
func fig16Sizes(scale Scale) []int {
	return choose(scale, []int{128, 512}, []int{128, 512, 2048, 8192})
}

func fig16EVS() []int { return []int{16, 32, 256, fullEVS} }

// fig16 reproduces completion times by the size of the network and of the EVS.
func fig16(ctx context.Context, s Settings) (Output, error) {
	const bytes = 8 * mebi
	replicas := s.Scale.replicas(3, 5)
	c := comparison{schemes: lbs("ops", "reps")}
	for _, hosts := range fig16Sizes(s.Scale) {
		spec := fattree.Spec{Topology: topology.FatTree{Hosts: hosts}}
		network := fixed(spec)(traffic.Tornado(hosts, traffic.Message{Bytes: bytes}))
		for _, evs := range fig16EVS() {
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
		Plot:     fig16Plot(&c),
		Notes:    notes(facts{"replicas": replicas}, "fig16"),
		Findings: fig16Findings(&c, fig16Sizes(s.Scale)),
	}, nil
}

// fig16Plot draws a panel for each scheme, all on one axis, and REPS once more, enlarged.
func fig16Plot(c *comparison) *plot.Plot {
	panels := []plot.Panel{{Title: "(a) OPS"}, {Title: "(b) REPS"}, {Title: "(c) REPS, enlarged"}}
	most := 0.0
	for i, key := range []string{"ops", "reps", "reps"} {
		panel := &panels[i]
		panel.XLabel, panel.YLabel = "Hosts", "Mean maximum FCT (us)"
		for e, evs := range fig16EVS() {
			curve := plot.Series{Name: strings.Replace(fig16EVs(evs), "65536", "65,536", 1),
				Mark: plot.ErrorBars, Color: plot.NthColor(e)}
			var hosts []int
			for _, p := range c.in(fig16EVs(evs)) {
				hosts = append(hosts, p.x)
				appendPoint(&curve, float64(p.x), p.of(key).maxFCT())
			}
			most = max(most, slices.Max(curve.Y))
			panel.X = ticked(onScale(plot.Log2), "%d", hosts...)
			panel.Series = append(panel.Series, curve)
		}
	}
	panels[0].Y, panels[1].Y = from(0, 1.3*most), from(0, 1.3*most)
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}}
}

// fig16Findings judges the claims.
func fig16Findings(c *comparison, sizes []int) []claims.Finding {
	const few = 16
	runs := func(key string, hosts, evs int) netRuns { return c.at(fig16EVs(evs), hosts, key) }
	var good, twice, grows rule
	for _, hosts := range sizes {
		overAll := func(key string, evs int) mc.Estimate {
			return runs(key, hosts, evs).over(runs(key, hosts, fullEVS))
		}
		worst := 0.0
		for _, evs := range []int{32, 256} {
			e := overAll("reps", evs).Percent()
			good.add(claims.AtMost(e, 10), "")
			worst = max(worst, e.Value)
		}
		fewest, oblivious := overAll("reps", few).Percent(), overAll("ops", few)
		good.add(claims.AtMost(fewest, 25), "%d hosts: 16 EVs %.1f %%, others up to %.1f %%", hosts, fewest.Value,
			worst)
		twice.add(claims.MoreThan(oblivious, 2), "%d hosts: %s", hosts, withBounds(oblivious, "%.2f"))
		grows.words = append(grows.words,
			fmt.Sprintf("%d hosts: %s", hosts, withBounds(runs("ops", hosts, fullEVS).maxFCT(), "%.1f")))
	}
	first, last := runs("ops", sizes[0], fullEVS).maxFCT(), runs("ops", sizes[len(sizes)-1], fullEVS).maxFCT()
	grows.add(claims.ClearlyBelow(first, last), "")
	grows.add(claims.AtMostTimes(last, 1.25, first), "")
	return []claims.Finding{
		good.all("N071", "maximum FCT of REPS above that with 65,536 EVs: ", "; ", ""),
		twice.all("N072", "maximum FCT of OPS with 16 EVs over that with 65,536: ", "; ", ""),
		grows.all("N073", "maximum FCT of OPS with 65,536 EVs, us: ", "; ", ""),
	}
}
