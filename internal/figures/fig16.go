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

// fig16 re-makes completion times by the size of the network and of the EVS.
func fig16() Figure {
	return Figure{
		ID:    "fig16",
		Title: "OPS and REPS by network size and number of entropy values, 8 MiB tornado",
		Rules: []claims.Rule{
			{Claim: "N071", Text: "at every network size the mean maximum FCT of REPS is at most 10 % longer with 32 or more EVs than with 65,536, and at most 25 % longer with 16"},
			{Claim: "N072", Text: "at every network size the mean maximum FCT of OPS with 16 EVs is more than twice that with 65,536, replicas paired"},
			{Claim: "N073", Text: "with 65,536 EVs the mean maximum FCT of OPS grows from the smallest network to the largest, with 95 % intervals that do not touch, and by at most 25 %"},
		},
		Build: buildFig16,
	}
}

// fig16Grid is what the figure runs.
type fig16Grid struct {
	compared []Scheme
	hosts    []int
	evs      []int
	runs     Batch[Run] // by contender, hosts and EVs
}

// at returns the runs of a point.
func (g *fig16Grid) at(key string, hosts, evs int) Runs { return g.runs.Of(key, hosts, evs) }

func buildFig16(ctx context.Context, s Settings) (Output, error) {
	const bytes = 8 * MiB
	g := fig16Grid{compared: []Scheme{OPS(), REPS()}, hosts: []int{128, 512}, evs: []int{16, 32, 256, FullEVS}}
	replicas := s.Scale.Choose(3, 5)
	if s.Scale == Full {
		g.hosts = []int{128, 512, 2048, 8192}
	}
	for _, hosts := range g.hosts {
		network := Fixed(fattree.Spec{Topology: fattree.Topology{Hosts: hosts}})(traffic.Tornado(hosts, traffic.Message{Bytes: bytes}))
		for _, c := range g.compared {
			for _, evs := range g.evs {
				g.runs.Add(c.Setup(evs, network), c.Key, hosts, evs)
			}
		}
	}
	if err := g.runs.Run(ctx, s, replicas, KeepWithIdeal); err != nil {
		return Output{}, err
	}
	rows := table.Table{Columns: append(append([]table.Column{table.Text("lb")}, table.Numbers("hosts", "switch_ports", "message_bytes", "evs")...), RunColumns()...)}
	for _, hosts := range g.hosts {
		for _, c := range g.compared {
			for _, evs := range g.evs {
				rows.Rows = append(rows.Rows, append([]any{c.Key, hosts, 2 * fattree.DefaultRadix(hosts, 2), bytes, evs}, g.at(c.Key, hosts, evs).Cells(g.at("ops", hosts, evs), s.Seed)...))
			}
		}
	}
	return Output{
		Tables:  []table.Table{rows},
		Formats: []table.Format{table.CSV},
		Plot:    g.plot(),
		Notes: []string{
			"Tornado, host i to i + N/2, as the paper's text says; its caption says permutation. 2 tiers of switches with 16 to 128 ports, queue 100, ECN 25/76, trimming, DCTCP variant. No script of the authors' is for this figure.",
			fmt.Sprintf("Means over %d seeds of salts and random choices, 95 %% intervals as bands.", replicas),
		},
		Findings: g.findings(),
	}, nil
}

// plot draws a panel for each contender, all on one axis, and the last contender
// once more, larger.
func (g *fig16Grid) plot() *plot.Plot {
	most := 0.0
	for _, hosts := range g.hosts {
		for _, c := range g.compared {
			for _, evs := range g.evs {
				most = max(most, g.at(c.Key, hosts, evs).MaxFCT().Value)
			}
		}
	}
	var panels []plot.Panel
	for i, c := range g.compared {
		panel := g.panel(c.Key)
		panel.Title = fmt.Sprintf("(%c) %s", 'a'+i, c.Name)
		panel.Y = plot.Axis{Min: new(0.0), Max: new(1.3 * most)}
		panels = append(panels, panel)
	}
	last := len(g.compared) - 1
	closer := g.panel(g.compared[last].Key)
	closer.Title = fmt.Sprintf("(%c) %s, enlarged", 'b'+last, g.compared[last].Name)
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{append(panels, closer)}}
}

// panel returns the completion times of a contender.
func (g *fig16Grid) panel(key string) plot.Panel {
	var ticks []float64
	var labels []string
	for _, hosts := range g.hosts {
		ticks, labels = append(ticks, float64(hosts)), append(labels, fmt.Sprint(hosts))
	}
	panel := plot.Panel{XLabel: "Hosts", YLabel: "Mean maximum FCT (us)", X: plot.Axis{Scale: plot.Log2, Ticks: ticks, TickLabels: labels}}
	for e, evs := range g.evs {
		series := plot.Series{Name: strings.Replace(fmt.Sprintf("%d EVs", evs), "65536", "65,536", 1), Mark: plot.ErrorBars, Color: e + 1}
		for _, hosts := range g.hosts {
			AppendPoint(&series, float64(hosts), g.at(key, hosts, evs).MaxFCT())
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// findings judges the claims.
func (g *fig16Grid) findings() []claims.Finding {
	const few, all = 16, FullEVS
	good, twice := true, true
	var recycled, sprayed, growth []string
	var near, double []claims.Condition
	for _, hosts := range g.hosts {
		worst := mc.Estimate{}
		for _, evs := range g.evs {
			if evs == few || evs == all {
				continue
			}
			slower := g.at("reps", hosts, evs).Over(g.at("reps", hosts, all)).Percent()
			near = append(near, claims.AtMost(slower, 10))
			if slower.Value > worst.Value {
				worst = slower
			}
		}
		fewest, oblivious := g.at("reps", hosts, few).Over(g.at("reps", hosts, all)).Percent(), g.at("ops", hosts, few).Over(g.at("ops", hosts, all))
		good = good && worst.Value <= 10 && fewest.Value <= 25
		twice = twice && oblivious.Value > 2
		near, double = append(near, claims.AtMost(fewest, 25)), append(double, claims.AtLeast(oblivious, 2))
		recycled = append(recycled, fmt.Sprintf("%d hosts: 16 EVs %.1f %%, others up to %.1f %%", hosts, fewest.Value, worst.Value))
		sprayed = append(sprayed, fmt.Sprintf("%d hosts: %s", hosts, Interval(oblivious, "%.2f")))
		growth = append(growth, fmt.Sprintf("%d hosts: %s", hosts, Interval(g.at("ops", hosts, all).MaxFCT(), "%.1f")))
	}
	first, last := g.at("ops", g.hosts[0], all).MaxFCT(), g.at("ops", g.hosts[len(g.hosts)-1], all).MaxFCT()
	return []claims.Finding{
		claims.InWords("N071", good, "maximum FCT of REPS above that with 65,536 EVs: "+strings.Join(recycled, "; "), "").Resting(claims.All(near...)),
		claims.InWords("N072", twice, "maximum FCT of OPS with 16 EVs over that with 65,536: "+strings.Join(sprayed, "; "), "").Resting(claims.All(double...)),
		claims.InWords("N073", last.Lo > first.Hi && last.Value <= 1.25*first.Value, "maximum FCT of OPS with 65,536 EVs, us: "+strings.Join(growth, "; "), "").Resting(claims.All(claims.Below(first, last), claims.Below(last, first.Per(1/1.25)))),
	}
}
