package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// tripPoint is a threshold τ and an unloaded round trip d, both in packets.
type tripPoint struct{ Threshold, Delay int }

// tripPoints lists the points at which the law was to predict the boundary, chosen before their runs.
func tripPoints() []tripPoint {
	return []tripPoint{{10, 20}, {12, 28}, {16, 36}, {18, 45}, {20, 55}, {22, 64}, {24, 80}, {30, 90}, {26, 110},
		{33, 130},
		{36, 160}, {32, 180}, {44, 220}, {48, 280}, {52, 350}, {60, 450}}
}

// law returns the predicted W - d, and critical the boundary of the toppling model. They hold at all points.
func (p tripPoint) law() float64 {
	return room(recycled.BoundaryLaw(float64(p.Threshold), float64(p.Delay)))
}
func (p tripPoint) critical() float64 { return room(recycled.CriticalWindow(p.Threshold, p.Delay)) }

// room returns W - d. It panics if a law does not hold at a point, which is chosen in this file.
func room(packets float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return packets
}

// packets returns the size of a message that lasts as long as the model's runs.
func (p tripPoint) packets() int { return boundaryCircuits * (p.Delay + p.Threshold) }

// model returns the case of the per-flow process. Its rings hold the spread of the ACKs and of the queues.
func (p tripPoint) model() boundaryCase {
	ring := 8
	for float64(ring) < 1.3*math.Sqrt(float64(p.Delay)) {
		ring *= 2
	}
	return withWindow(p.Threshold, p.Delay, ring, boundaryCircuits).simulated(512)
}

// The network in which REPS breaks down: ToRs with as many hosts and uplinks, whose hosts send to another ToR. So only
// uplinks have queues, as many as the theory has ports.
const (
	tripHosts = 256
	tripPorts = 32
)

// tripTree returns the tree with links of a rate, in Gb/s, and a latency, in ns.
func tripTree(hosts int, gbps, ns float64) topology.FatTree {
	link := fattree.Link{Gbps: gbps, LatencyNs: ns}
	return topology.FatTree{Hosts: hosts, HostsPerToR: tripPorts, UplinksPerToR: tripPorts, Access: link, Fabric: link}
}

// roundTripOf returns the unloaded round trip less one packet, in packets.
func roundTripOf(tree topology.FatTree) float64 {
	p := planOf(fattree.Spec{Topology: tree})
	return float64(p.LongestRTT())/float64(p.SlotTime()) - 1
}

// spec returns the network of the point, with a step at τ, for a window.
func (p tripPoint) spec(window int) (fattree.Spec, error) {
	const gbps, ns, crossed = 400, 1000, 8 // links of a round trip
	usual := tripTree(tripHosts, gbps, ns)
	slot := float64(planOf(fattree.Spec{Topology: usual}).SlotTime()) / 1000
	tree := tripTree(tripHosts, gbps, ns+(float64(p.Delay)-roundTripOf(usual))*slot/crossed)
	spec := fattree.Spec{Topology: tree, KMin: p.Threshold, KMax: p.Threshold + 1, Queue: 4 * (p.Delay + p.Threshold),
		Options: transport.Options{InitialWindow: window}}
	bytes := int64(p.packets() * planOf(spec).Spec().PayloadBytes())
	workload, err := traffic.Tornado(tripHosts, traffic.Message{Bytes: bytes})
	spec.Workload = workload
	return spec, err
}

// tripSearch finds the boundary in the network, with the real REPS.
type tripSearch struct{ tripPoint }

// stays reports whether recycling survives in a replica: of the packets after a flow's first window, which nothing can
// recycle, less than unstableFrom have random EVs.
func (c tripSearch) stays(ctx context.Context, window int, seed, replica uint64) (bool, error) {
	spec, err := c.spec(window)
	if err != nil {
		return false, err
	}
	setup := lb("reps").setup(fullEVS, experiment.Fixed(spec))
	setup.Control = fixedWindow
	runner, err := setup.NewRunner()
	if err != nil {
		return false, err
	}
	r, err := runner.Run(ctx, seed, replica)
	if err != nil {
		return false, err
	}
	run := r.Keep()
	after := float64(run.Sent) - float64(run.Flows*window)
	return after-float64(run.Recycled) < unstableFrom*after, nil
}

// search bisects W - d with the random numbers of one replica.
func (c tripSearch) search(ctx context.Context, seed, replica uint64) (float64, error) {
	return bisect(2*c.Threshold, func(x int) (bool, error) { return c.stays(ctx, c.Delay+x, seed, replica) })
}

// enoughRamp is a search for the narrowest ramp from τ on with which recycling survives in the model, with windows
// of one and a half round trips.
type enoughRamp struct{ tripPoint }

// enoughDelays lists the round trips of these searches, and enoughRooms their thresholds, in roots of the round trip.
func enoughDelays() []int { return []int{25, 50, 100, 200, 400} }
func enoughRooms() []int  { return []int{1, 2, 3} }

// enoughAt returns the search of a round trip and a threshold.
func enoughAt(delay, room int) enoughRamp {
	return enoughRamp{tripPoint{int(math.Round(float64(room) * math.Sqrt(float64(delay)))), delay}}
}

// search bisects the width with the random numbers of one replica. It is NaN if no ramp up to the round trip is enough.
func (r enoughRamp) search(ctx context.Context, seed, replica uint64) (float64, error) {
	c, stream := r.model(), mc.NewStream(seed, mc.Algorithm, replica)
	narrower, err := bisect(r.Delay, func(x int) (bool, error) {
		c.Ramp = r.Delay - x
		return c.stays(ctx, r.Delay/2, stream)
	})
	return float64(r.Delay) - narrower, err
}

// tripNear is how near the law must be, in packets.
const tripNear = 2

// tripsFound are the boundaries of the points, in the model and in the network, and the ramps that are enough.
type tripsFound struct{ found }

// searchTrips finds all boundaries.
func searchTrips(ctx context.Context, s engine.Settings) (tripsFound, error) {
	const replicas, networks, enough = 12, 4, 3
	var list searches
	for _, room := range enoughRooms() {
		for _, delay := range enoughDelays() {
			list.add(enoughAt(delay, room), enough)
		}
	}
	for _, p := range tripPoints() {
		list.add(p.model(), replicas)
		list.add(tripSearch{p}, networks)
	}
	found, err := list.run(ctx, s)
	return tripsFound{found}, err
}

// ofModel and ofNetwork return the mean boundary W - d of a point.
func (t tripsFound) ofModel(p tripPoint) mc.Estimate   { return t.of(p.model()) }
func (t tripsFound) ofNetwork(p tripPoint) mc.Estimate { return t.of(tripSearch{p}) }

// near returns how many of the predictions are near a kind of boundary.
func near(of func(tripPoint) mc.Estimate) int {
	return len(lists.Where(tripPoints(), func(p tripPoint) bool { return math.Abs(of(p).Value-p.law()) <= tripNear }))
}

// rms returns the root of the mean square of the differences from the law, in packets.
func rms(of func(tripPoint) mc.Estimate) float64 {
	return math.Sqrt(mean(lists.Map(tripPoints(), func(p tripPoint) float64 { return math.Pow(of(p).Value-p.law(), 2) })))
}

// table lists predictions and boundaries.
func (t tripsFound) table(seed uint64) frame.Table {
	var rows frame.Table
	for _, p := range tripPoints() {
		model, network := t.ofModel(p), t.ofNetwork(p)
		rows.Add(cells{{"threshold", p.Threshold}, {"delay", p.Delay}, {"boundary_law", p.law()},
			{"critical_window", p.critical()}, {"ring", p.model().Ring}, {"model_boundary", frame.WithEnds(model)},
			{"network_boundary", frame.WithEnds(network)}, {"network_replicas", network.N}}, madeFrom(seed, model.N))
	}
	return rows
}

// enough returns the width of a ramp that is enough, over the round trip.
func (t tripsFound) enough(r enoughRamp) mc.Estimate {
	return t.of(r).Per(float64(r.Delay))
}

// rampTable lists the ramps that are enough.
func (t tripsFound) rampTable(seed uint64) frame.Table {
	rows := frame.Table{Name: "ramps"}
	for _, room := range enoughRooms() {
		for _, delay := range enoughDelays() {
			r := enoughAt(delay, room)
			e := t.enough(r)
			rows.Add(cells{{"threshold", r.Threshold}, {"delay", delay}, {"window", delay + delay/2},
				{"enough_ramp_over_delay", frame.WithEnds(e)}}, madeFrom(seed, e.N))
		}
	}
	return rows
}

// rampPanel draws the ramps that are enough.
func (t tripsFound) rampPanel() plot.Panel {
	panel := plot.Panel{Title: "(e) Ramp that is enough, model", XLabel: "Round trip d (packets)", YLabel: "Width / d",
		X: ticked(onScale(plot.Log2), "%d", enoughDelays()...), Y: from(0), Legend: plot.TopRight,
		References: level(1/math.E, "1/e")}
	for i, room := range enoughRooms() {
		series := plot.Series{Name: fmt.Sprintf("τ = %d √d", room), Mark: plot.LinePoints, Color: plot.NthColor(i)}
		panel.Series = append(panel.Series, over(series, enoughDelays(), func(delay int) mc.Estimate { return t.enough(enoughAt(delay, room)) }))
	}
	return panel
}

// panel draws boundaries against predictions.
func (t tripsFound) panel() plot.Panel {
	axis := from(0, 24)
	panel := plot.Panel{Title: "(a) Where recycling breaks down", XLabel: "W − d by the law (packets)",
		YLabel: "W − d of the boundary", X: axis, Y: axis, Legend: plot.TopLeft}
	equal := plot.Series{Name: "law", Mark: plot.Line, Color: plot.Black, X: []float64{0, 24}, Y: []float64{0, 24}}
	model := plot.Series{Name: "model, 512 ports", Mark: plot.Points, Color: plot.Rose}
	network := plot.Series{Name: "REPS, 32 uplinks", Mark: plot.Points, Color: lb("reps").color}
	for _, p := range tripPoints() {
		appendPoint(&model, p.law(), t.ofModel(p))
		appendPoint(&network, p.law(), t.ofNetwork(p))
	}
	panel.Series = []plot.Series{equal, model, network}
	return panel
}

// facts returns the numbers in the notes.
func (t tripsFound) facts() facts {
	return facts{"points": len(tripPoints()), "near": tripNear, "model": near(t.ofModel), "network": near(t.ofNetwork),
		"modelRMS": fmt.Sprintf("%.2f", rms(t.ofModel)), "networkRMS": fmt.Sprintf("%.2f", rms(t.ofNetwork))}
}

// roundtrip shows where recycling with a round trip breaks down, and what steps and ramps of marking do.
func roundtrip(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const parts = 5
	found, err := searchTrips(ctx, s.Part(0, parts))
	if err != nil {
		return engine.Output{}, err
	}
	times, err := tripTimesOf(ctx, s.Part(1, parts))
	if err != nil {
		return engine.Output{}, err
	}
	controls, scales, cases := newTripControls(), newTripScales(), newTripCases()
	for i, c := range []*comparison{&controls, &scales, &cases} {
		if err := c.run(ctx, s.Part(2+i, parts)); err != nil {
			return engine.Output{}, err
		}
	}
	return roundTripOutput(s, found, times, &controls, &scales, &cases), nil
}
