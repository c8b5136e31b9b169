package uplinks

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/internal/paper"
	"repslab/internal/paper/lineup"
	"repslab/internal/paper/netrun"
	"repslab/internal/report"
)

// traced returns what runs a contender on a network and looks at the uplinks of
// its ToR 0.
func traced(c lineup.Contender, network fattree.Networks) fattree.Setup {
	setup := c.Setup(netrun.FullEVS, network)
	setup.Trace = func(n *fattree.Network) fattree.TraceConfig {
		return fattree.TraceConfig{Every: uplinkSample, Ports: n.Uplinks(0)}
	}
	return setup
}

// Scene is contenders on one network whose ToR 0 is looked at.
type Scene struct {
	Compared []lineup.Contender
	Runs     []Runs // by contender; OPS is the first
}

// Simulate runs contenders on a network and looks at the uplinks of its
// ToR 0.
func Simulate(ctx context.Context, s paper.Settings, network fattree.Networks, replicas uint64, keep func(fattree.Replica) (Run, error), compared ...lineup.Contender) (Scene, error) {
	var setups []fattree.Setup
	for _, c := range compared {
		setups = append(setups, traced(c, network))
	}
	all, err := netrun.Simulate(ctx, s, setups, replicas, keep)
	scene := Scene{Compared: compared}
	for _, runs := range all {
		scene.Runs = append(scene.Runs, runs)
	}
	return scene, err
}

// Of returns the runs of the contender with the given key. It panics if there is
// none.
func (u Scene) Of(key string) Runs {
	for i, c := range u.Compared {
		if c.Key == key {
			return u.Runs[i]
		}
	}
	panic(fmt.Sprintf("uplinks: %s is not in the scene", key))
}

// Tables lists the runs, and what replica 0 of each did at every uplink.
func (u Scene) Tables(seed uint64) []paper.Table {
	main := paper.Table{Columns: append([]report.Column{paper.Text("lb")}, netrun.Columns()...)}
	rates := paper.Table{Name: "rates", Columns: append([]report.Column{paper.Text("lb")}, paper.Numbers("uplink", "from_us", "to_us", "arrivals_gbps", "throughput_gbps", "seed")...)}
	queues := paper.Table{Name: "queues", Columns: append([]report.Column{paper.Text("lb")}, paper.Numbers("uplink", "time_us", "queue_packets", "seed")...)}
	for i, runs := range u.Runs {
		key := u.Compared[i].Key
		main.Rows = append(main.Rows, append([]any{key}, runs.NetworkRuns().Cells(u.Of("ops").NetworkRuns(), seed)...))
		for port := range runs[0].ports() {
			for _, b := range runs[0].buckets(port) {
				rates.Rows = append(rates.Rows, []any{key, port, b.from, b.to, b.arrivals, b.sent, seed})
			}
			for _, s := range runs[0].samples {
				queues.Rows = append(queues.Rows, []any{key, port, microsecondsOf(s), int(s.Queue[port]), seed})
			}
		}
	}
	return []paper.Table{main, rates, queues}
}

// View says how a scene is drawn.
type View struct {
	Rates  report.Axis
	Queues []report.Rule // levels
	Times  []report.Rule // vertical lines in all panels
	Slow   int           // uplink that runs at half its rate, or -1
}

// Plot draws replica 0 of every contender, one below the other: left what arrives
// at each uplink, right its queue.
func (u Scene) Plot(view View) *report.Figure {
	longest, highest := 0.0, 0.0
	for _, runs := range u.Runs {
		longest = max(longest, runs[0].end())
		highest = max(highest, runs[0].LongestQueue(0))
	}
	figure := &report.Figure{Columns: report.Double, Height: 1.8 * float64(len(u.Runs)), SharedLegend: true}
	time := report.Axis{Min: new(0.0), Max: new(1.02 * longest)}
	for i, runs := range u.Runs {
		r := runs[0]
		name := u.Compared[i].Name
		rates := report.Panel{Title: fmt.Sprintf("(%c) %s: packets arriving, 20 us buckets", 'a'+2*i, name), XLabel: "Time (us)", YLabel: "Rate (Gb/s)", X: time,
			Y: view.Rates, Rules: append([]report.Rule{{At: r.gbps}}, view.Times...)}
		queues := report.Panel{Title: fmt.Sprintf("(%c) %s: queues", 'b'+2*i, name), XLabel: "Time (us)", YLabel: "Queue (packets)", X: time,
			Y: report.Axis{Min: new(0.0), Max: new(1.08 * highest)}, Rules: append(slices.Clone(view.Queues), view.Times...)}
		for port := range r.ports() {
			rate, queue := r.curves(port)
			for _, series := range []*report.Series{&rate, &queue} {
				series.Color, series.Dash = port%8+1, report.Solid
				series.Name = fmt.Sprintf("uplink %d", port)
				if port == view.Slow {
					series.Name += ", half rate"
				}
			}
			rates.Series, queues.Series = append(rates.Series, rate), append(queues.Series, queue)
		}
		figure.Panels = append(figure.Panels, []report.Panel{rates, queues})
	}
	return figure
}

// curves returns what arrives at an uplink, as a staircase, and its queue.
func (r Run) curves(port int) (rate, queue report.Series) {
	rate.Mark = report.Steps
	for _, b := range r.buckets(port) {
		rate.X, rate.Y = append(rate.X, b.from, b.to), append(rate.Y, b.arrivals, b.arrivals)
	}
	for _, s := range r.samples {
		queue.X, queue.Y = append(queue.X, microsecondsOf(s)), append(queue.Y, float64(s.Queue[port]))
	}
	return rate, queue
}
