package figures

import (
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/reps"
)

// The switch of openNetwork: the panel (d) set-up of τ = 25, d = 100.
const (
	networkPorts     = 32
	networkThreshold = 25
	networkDelay     = 100
)

// networkPoint is the switch under one control and initial window.
type networkPoint struct {
	control string
	window  int
	largest mc.Moments // queue of any port in the second half, packets
	busy    mc.Moments // port-slots of the second half with a packet to send, in 1e-6
}

// openNetwork repeats the window's experiment with the network model's switch and
// the real package reps, with and without congestion control.
func openNetwork(scale Scale) openExperiment {
	windows := []int{networkDelay + 1, networkDelay + 11, networkDelay + 51}
	controls := []struct {
		name    string
		control func() fattree.Control
	}{
		{"none", func() fattree.Control { return congestion.None{} }},
		{"dctcp", func() fattree.Control { return congestion.DCTCP{} }},
	}
	replicas, slots := int(scale.Choose(6, 20)), int(scale.Choose(3000, 20_000))
	return openExperiment{len(windows) * len(controls), func(r *openRuns) openPart {
		t := table.Table{Name: "network", Columns: append([]table.Column{table.Text("cc")}, table.Numbers("ports", "threshold", "delay", "window", "slots", "max_queue_mean", "max_queue_lo", "max_queue_hi", "busy_fraction", "seed", "replicas")...)}
		var points []*networkPoint
		for _, c := range controls {
			for _, window := range windows {
				p := &networkPoint{control: c.name, window: window}
				r.point(func() error { return p.run(r, c.control(), slots, replicas) })
				points = append(points, p)
				largest := p.largest.Mean(mc.DefaultConfidence)
				t.Rows = append(t.Rows, []any{p.control, networkPorts, networkThreshold, networkDelay, p.window, slots, largest.Value, largest.Lo, largest.Hi, p.utilisation(), r.settings.Seed, replicas})
			}
		}
		if r.err != nil {
			return openPart{}
		}
		return openPart{
			answer: openAnswer{
				title:      "The window and congestion control",
				question:   "Does congestion control do in the network what a small window does in the theory?",
				experiment: fmt.Sprintf("The network model's single switch with package reps in its hosts, which without congestion control equals per-flow load by load: %d ports, marking above τ = %d, d = %d, initial windows W, %d runs of %d slots; the largest queue and the share of busy port-slots in the second half (open-network.csv).", networkPorts, networkThreshold, networkDelay, replicas, slots),
				found: fmt.Sprintf("%s. It does, at a price. Without control the queues are what the window makes them. With the DCTCP variant marks cut a large window until the queues are of the order of the threshold again; the ports then idle more, as the cut of marks that come a round trip late is too deep.",
					each(points, func(p *networkPoint) string {
						e := p.largest.Mean(mc.DefaultConfidence)
						return fmt.Sprintf("%s, W = %d: largest queue %.3g [%.3g, %.3g], busy %.4g %%", p.control, p.window, e.Value, e.Lo, e.Hi, 100*p.utilisation())
					})),
			},
			rows: t,
		}
	}}
}

// utilisation is the mean share of busy port-slots.
func (p *networkPoint) utilisation() float64 { return OfMillionths(p.busy).Value }

// run makes the replicas of a point.
func (p *networkPoint) run(r *openRuns, control fattree.Control, slots, replicas int) error {
	spec := fattree.OneSwitch{Bins: networkPorts, Threshold: networkThreshold, Delay: networkDelay, Window: p.window, Rounds: slots}.Spec()
	network, err := fattree.Build(spec)
	if err != nil {
		return err
	}
	sender, err := balance.NewRecycling(balance.Paper, reps.Config{EVSSize: networkPorts})
	if err != nil {
		return err
	}
	run := network.NewRun()
	for replica := range uint64(replicas) {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		run.Begin(sender, control, fattree.NewStreams(r.settings.Seed, replica))
		largest, busy := 0, 0
		for slot := range slots {
			run.Step()
			for port := range networkPorts {
				if queue := run.QueueLength(port); 2*slot >= slots && queue > 0 {
					largest = max(largest, queue)
					busy++
				}
			}
		}
		p.largest.Add(int64(largest))
		p.busy.Add(Millionths(float64(busy) / float64((slots-slots/2)*networkPorts)))
	}
	return nil
}
