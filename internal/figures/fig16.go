package figures

import (
	"context"
	"fmt"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig16Grid is the figure's experiments.
type fig16Grid struct {
	schemes []scheme
	hosts   []int
	evs     []int
	netGrid // x is the number of EVs
}

// at returns the runs of a scheme.
func (g *fig16Grid) at(key string, hosts, evs int) netRuns {
	return g.of(fig16Network(hosts), key, evs)
}

// fig16Network names the network of a number of hosts.
func fig16Network(hosts int) string { return fmt.Sprintf("%d hosts", hosts) }

// fig16 reproduces completion times by the size of the network and of the EVS.
func fig16(ctx context.Context, s Settings) (Output, error) {
	const bytes = 8 * mebi
	g := fig16Grid{schemes: lbs("ops", "reps"), hosts: choose(s.Scale, []int{128, 512}, []int{128, 512, 2048, 8192}), evs: []int{16, 32, 256, fullEVS}}
	replicas := s.Scale.replicas(3, 5)
	for _, hosts := range g.hosts {
		network := fixed(fattree.Spec{Topology: fattree.Topology{Hosts: hosts}})(traffic.Tornado(hosts,
			traffic.Message{Bytes: bytes}))
		for _, c := range g.schemes {
			for _, evs := range g.evs {
				g.add(fig16Network(hosts), c.key, evs, c.setup(evs, network))
			}
		}
	}
	if err := g.run(ctx, s, replicas, keepWithIdeal); err != nil {
		return Output{}, err
	}
	var rows table.Table
	for _, hosts := range g.hosts {
		for _, c := range g.schemes {
			for _, evs := range g.evs {
				addRow(&rows, cells{{"lb", c.key}, {"hosts", hosts},
					{"switch_ports", 2 * fattree.DefaultRadix(hosts, 2)}, {"message_bytes", bytes}, {"evs", evs}},
					g.at(c.key, hosts, evs).cells(g.at("ops", hosts, evs), s.Seed))
			}
		}
	}
	return Output{
		Tables: []table.Table{rows},
		Plot:   g.plot(),
		Notes: []string{
			"Tornado, host i to i + N/2, as the paper's text says; its caption says permutation. 2 tiers of switches with 16 to 128 ports, queue 100, ECN 25/76, trimming, DCTCP variant. The authors published no script for this figure.",
			fmt.Sprintf("Means over %d seeds of salts and random choices, 95 %% intervals as bands.", replicas),
		},
		Findings: g.findings(),
	}, nil
}

// plot draws a panel for each scheme, all on one axis, and REPS once more, enlarged.
func (g *fig16Grid) plot() *plot.Plot {
	most := 0.0
	for _, r := range g.runs {
		most = max(most, netRuns(r).maxFCT().Value)
	}
	var panels []plot.Panel
	for i, c := range g.schemes {
		panel := g.panel(c.key)
		panel.Title = fmt.Sprintf("(%c) %s", 'a'+i, c.name)
		panel.Y = from(0, 1.3*most)
		panels = append(panels, panel)
	}
	closer := g.panel("reps")
	closer.Title = "(c) REPS, enlarged"
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{append(panels, closer)}}
}

// panel returns the completion times of a scheme.
func (g *fig16Grid) panel(key string) plot.Panel {
	panel := plot.Panel{XLabel: "Hosts", YLabel: "Mean maximum FCT (us)", X: ticked(onScale(plot.Log2), "%d", g.hosts...)}
	for e, evs := range g.evs {
		curve := plot.Series{Name: strings.Replace(fmt.Sprintf("%d EVs", evs), "65536", "65,536", 1),
			Mark: plot.ErrorBars, Color: plot.NthColor(e)}
		panel.Series = append(panel.Series,
			over(curve, g.hosts, func(hosts int) mc.Estimate { return g.at(key, hosts, evs).maxFCT() }))
	}
	return panel
}

// findings judges the claims.
func (g *fig16Grid) findings() []claims.Finding {
	const few, all = 16, fullEVS
	var good, twice, grows rule
	for _, hosts := range g.hosts {
		slower := func(evs int) mc.Estimate { return g.at("reps", hosts, evs).over(g.at("reps", hosts, all)).Percent() }
		worst := 0.0
		for _, evs := range g.evs[1 : len(g.evs)-1] {
			e := slower(evs)
			good.add(claims.AtMost(e, 10), "")
			worst = max(worst, e.Value)
		}
		fewest, oblivious := slower(few), g.at("ops", hosts, few).over(g.at("ops", hosts, all))
		good.add(claims.AtMost(fewest, 25), "%d hosts: 16 EVs %.1f %%, others up to %.1f %%", hosts, fewest.Value,
			worst)
		twice.add(claims.MoreThan(oblivious, 2), "%d hosts: %s", hosts, withBounds(oblivious, "%.2f"))
		grows.words = append(grows.words,
			fmt.Sprintf("%d hosts: %s", hosts, withBounds(g.at("ops", hosts, all).maxFCT(), "%.1f")))
	}
	first, last := g.at("ops", g.hosts[0], all).maxFCT(), g.at("ops", g.hosts[len(g.hosts)-1], all).maxFCT()
	grows.add(claims.ClearlyBelow(first, last), "")
	grows.add(claims.AtMostTimes(last, 1.25, first), "")
	return []claims.Finding{
		good.all("N071", "maximum FCT of REPS above that with 65,536 EVs: ", "; ", ""),
		twice.all("N072", "maximum FCT of OPS with 16 EVs over that with 65,536: ", "; ", ""),
		grows.all("N073", "maximum FCT of OPS with 65,536 EVs, us: ", "; ", ""),
	}
}
