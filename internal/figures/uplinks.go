package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// traced returns what runs a contender on a network and looks at the uplinks of
// its ToR 0.
func traced(c Scheme, network fattree.Networks) fattree.Setup {
	setup := c.Setup(FullEVS, network)
	setup.Trace = func(n *fattree.Network) fattree.TraceConfig {
		return fattree.TraceConfig{Every: uplinkSample, Ports: n.Uplinks(0)}
	}
	return setup
}

// Scene is contenders on one network whose ToR 0 is looked at.
type UplinkScene struct {
	Compared []Scheme
	Runs     []UplinkRuns // by contender; OPS is the first
}

// Simulate runs contenders on a network and looks at the uplinks of its
// ToR 0.
func SimulateUplinks(ctx context.Context, s Settings, network fattree.Networks, replicas uint64, keep func(fattree.Replica) (UplinkRun, error), compared ...Scheme) (UplinkScene, error) {
	var setups []fattree.Setup
	for _, c := range compared {
		setups = append(setups, traced(c, network))
	}
	all, err := Simulate(ctx, s, setups, replicas, keep)
	scene := UplinkScene{Compared: compared}
	for _, runs := range all {
		scene.Runs = append(scene.Runs, runs)
	}
	return scene, err
}

// Of returns the runs of the contender with the given key. It panics if there is
// none.
func (u UplinkScene) Of(key string) UplinkRuns {
	for i, c := range u.Compared {
		if c.Key == key {
			return u.Runs[i]
		}
	}
	panic(fmt.Sprintf("uplinks: %s is not in the scene", key))
}

// Tables lists the runs, and what replica 0 of each did at every uplink.
func (u UplinkScene) Tables(seed uint64) []table.Table {
	main := table.Table{Columns: append([]table.Column{table.Text("lb")}, RunColumns()...)}
	rates := table.Table{Name: "rates", Columns: append([]table.Column{table.Text("lb")}, table.Numbers("uplink", "from_us", "to_us", "arrivals_gbps", "throughput_gbps", "seed")...)}
	queues := table.Table{Name: "queues", Columns: append([]table.Column{table.Text("lb")}, table.Numbers("uplink", "time_us", "queue_packets", "seed")...)}
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
	return []table.Table{main, rates, queues}
}

// View says how a scene is drawn.
type UplinkView struct {
	Rates  plot.Axis
	Queues []plot.ReferenceLine // levels
	Times  []plot.ReferenceLine // vertical lines in all panels
	Slow   int                  // uplink that runs at half its rate, or -1
}

// Plot draws replica 0 of every contender, one below the other: left what arrives
// at each uplink, right its queue.
func (u UplinkScene) Plot(view UplinkView) *plot.Plot {
	longest, highest := 0.0, 0.0
	for _, runs := range u.Runs {
		longest = max(longest, runs[0].end())
		highest = max(highest, runs[0].LongestQueue(0))
	}
	figure := &plot.Plot{Columns: plot.Double, Height: 1.8 * float64(len(u.Runs)), SharedLegend: true}
	time := plot.Axis{Min: new(0.0), Max: new(1.02 * longest)}
	for i, runs := range u.Runs {
		r := runs[0]
		name := u.Compared[i].Name
		rates := plot.Panel{Title: fmt.Sprintf("(%c) %s: packets arriving, 20 us buckets", 'a'+2*i, name), XLabel: "Time (us)", YLabel: "Rate (Gb/s)", X: time,
			Y: view.Rates, Rules: append([]plot.ReferenceLine{{At: r.gbps}}, view.Times...)}
		queues := plot.Panel{Title: fmt.Sprintf("(%c) %s: queues", 'b'+2*i, name), XLabel: "Time (us)", YLabel: "Queue (packets)", X: time,
			Y: plot.Axis{Min: new(0.0), Max: new(1.08 * highest)}, Rules: append(slices.Clone(view.Queues), view.Times...)}
		for port := range r.ports() {
			rate, queue := r.curves(port)
			for _, series := range []*plot.Series{&rate, &queue} {
				series.Color, series.Dash = port%8+1, plot.Solid
				series.Name = fmt.Sprintf("uplink %d", port)
				if port == view.Slow {
					series.Name += ", half rate"
				}
			}
			rates.Series, queues.Series = append(rates.Series, rate), append(queues.Series, queue)
		}
		figure.Panels = append(figure.Panels, []plot.Panel{rates, queues})
	}
	return figure
}

// curves returns what arrives at an uplink, as a staircase, and its queue.
func (r UplinkRun) curves(port int) (rate, queue plot.Series) {
	rate.Mark = plot.Steps
	for _, b := range r.buckets(port) {
		rate.X, rate.Y = append(rate.X, b.from, b.to), append(rate.Y, b.arrivals, b.arrivals)
	}
	for _, s := range r.samples {
		queue.X, queue.Y = append(queue.X, microsecondsOf(s)), append(queue.Y, float64(s.Queue[port]))
	}
	return rate, queue
}
