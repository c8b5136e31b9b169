package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

// The step and the ramps of the network, in packets. tripKMin is where marks begin; a step ends a packet later.
const (
	tripKMin = 25
	tripStep = 1
	tripRamp = 25
)

// tripRuns is the number of replicas of the comparisons.
const tripRuns = 4

// tripWidths lists the widths Kmax - Kmin, in packets.
func tripWidths() []int { return []int{tripStep, 5, 10, tripRamp, 51} }

// tripControls lists the congestion controls.
func tripControls() []string { return []string{"dctcp", "nscc", "eqds", "none"} }

// controlled returns the function of a congestion control. It panics if the name is wrong.
func controlled(name string) func() transport.Control {
	if _, err := congestion.New(name); err != nil {
		panic("figures: " + err.Error())
	}
	return func() transport.Control {
		control, _ := congestion.New(name)
		return control
	}
}

// newTripControls returns REPS and OPS under congestion controls with steps and ramps, not yet run. Groups are
// controls; x is the width.
func newTripControls() comparison {
	const hosts, bytes = 512, 8 * mebi
	c := comparison{schemes: lbs("ops", "reps")}
	for _, control := range tripControls() {
		for _, width := range tripWidths() {
			spec := fattree.Spec{Topology: tripTree(hosts, 400, 1000), KMin: tripKMin, KMax: tripKMin + width}
			c.points = append(c.points, &comparedPoint{group: control, x: width, place: fmt.Sprintf("%s, Kmax %d", control, spec.KMax),
				hosts: hosts, cells: cells{{"cc", control}, {"kmin", spec.KMin}, {"kmax", spec.KMax}, {"hosts", hosts},
					{"message_bytes", bytes}},
				network: fixed(spec)(traffic.Tornado(hosts, traffic.Message{Bytes: bytes})), control: controlled(control),
				metrics: []metric{byMeanFCT()}, replicas: tripRuns})
		}
	}
	return c
}

// tripScale is a rate, in Gb/s, and a latency of each link, in ns, with the round trip that follows, in packets.
type tripScale struct{ gbps, ns float64 }

func (s tripScale) delay() int {
	return int(math.Round(roundTripOf(tripTree(tripHosts, s.gbps, s.ns))))
}

// tripScales lists networks by their round trips.
func tripScales() []tripScale {
	return []tripScale{{100, 1000}, {200, 1000}, {400, 1000}, {800, 1000}, {1600, 1000}}
}

// tripParts lists the widths of ramps as fractions of the round trip; 0 is a step.
func tripParts() []float64 { return []float64{0, 1. / 16, 1. / 8, 1. / 4, 1. / 2} }

// caseHosts is the number of hosts of the comparisons over round trips and of the cases.
const caseHosts = 128

// newTripScales returns REPS and OPS over round trips and widths, not yet run. Marks begin at a quarter of a
// round trip. Groups are scales; x is the index of the width.
func newTripScales() comparison {
	c := comparison{schemes: lbs("ops", "reps")}
	for _, scale := range tripScales() {
		tree, d := tripTree(caseHosts, scale.gbps, scale.ns), scale.delay()
		for i, part := range tripParts() {
			kmin, width := d/4, max(tripStep, int(math.Round(part*float64(d))))
			spec := fattree.Spec{Topology: tree, KMin: kmin, KMax: kmin + width}
			bytes := int64(boundaryCircuits * d * planOf(spec).Spec().PayloadBytes())
			c.points = append(c.points, &comparedPoint{group: scale.name(), x: i, place: fmt.Sprintf("d = %d, Kmax %d", d, spec.KMax),
				hosts: caseHosts, cells: cells{{"link_gbps", scale.gbps}, {"latency_ns", scale.ns}, {"delay", d}, {"kmin", kmin},
					{"kmax", spec.KMax}, {"message_bytes", bytes}},
				network: fixed(spec)(traffic.Tornado(caseHosts, traffic.Message{Bytes: bytes})), metrics: []metric{byMeanFCT()},
				replicas: tripRuns})
		}
	}
	return c
}

// name is the group of a scale.
func (s tripScale) name() string { return fmt.Sprintf("d = %d", s.delay()) }

// tripCase is a network, a workload or a sender under which a step may hurt. The base is the tornado of caseHosts
// hosts, where nothing but uplinks has queues.
type tripCase struct {
	name    string
	tree    topology.FatTree // zero: the base
	change  func(*fattree.Spec)
	draw    drawWorkload // nil: the tornado
	schemes []scheme     // nil: OPS and REPS
}

// tripCases lists the cases.
func tripCases() []tripCase {
	base := tripTree(caseHosts, 400, 1000)
	thinner, taller := base, base
	thinner.UplinksPerToR /= 2
	taller.Tiers, taller.HostsPerToR, taller.UplinksPerToR, taller.ToRsPerPod, taller.UplinksPerAgg = 3, 16, 16, 4, 4
	taller.Core = base.Fabric
	window := transport.LongestWindow(planOf(fattree.Spec{Topology: base})) * 2 / 3 // of 1.5 products
	keeping := repsAs("reps-ring", "REPS, ring of 128", plot.AutoColor, balance.RecyclingConfig{REPS: reps.Config{BufferSize: 128}})
	return []tripCase{
		{name: "tornado", schemes: lbs("ops", "reps", "mixed", "bitmap")},
		{name: "permutation", draw: drawPermutation(caseHosts, tripBytes)},
		{name: "incast beside", draw: tripIncast},
		{name: "half of the hosts", draw: tripHalf},
		{name: "3 tiers", tree: taller},
		{name: "2:1", tree: thinner},
		{name: "a slow uplink", change: func(s *fattree.Spec) {
			for tor := range treeOf(*s).ToRs() {
				s.Faults = append(s.Faults, slowUplink(treeOf(*s), tor, 0))
			}
		}},
		{name: "8 packets per ACK", change: changing(func(o *transport.Options) { o.AckRatio = 8 })},
		{name: "8 planes", change: func(s *fattree.Spec) {
			tree := base
			tree.Access.Gbps, tree.Fabric.Gbps = base.Access.Gbps/8, base.Fabric.Gbps/8
			s.Topology = topology.Planes{Tree: tree, Planes: 8}
		}},
		{name: "Pmax 10 %", change: func(s *fattree.Spec) { s.PMax = 0.1 }},
		{name: "Pmax 1 %", change: func(s *fattree.Spec) { s.PMax = 0.01 }},
		{name: "window of 1 BDP", change: changing(func(o *transport.Options) { o.InitialWindow = window })},
		{name: "ring of 128", schemes: append(lbs("ops"), keeping.called("reps", "REPS", plot.AutoColor))},
	}
}

// tripBytes is the size of the messages of the cases.
const tripBytes = 8 * mebi

// tripTornado is the workload of the base.
func tripTornado(rand.Source) (fattree.Workload, error) {
	return traffic.Tornado(caseHosts, traffic.Message{Bytes: tripBytes})
}

// tripIncast is the tornado beside an incast of 16 hosts of one ToR to host 0.
func tripIncast(source rand.Source) (fattree.Workload, error) {
	w, err := tripTornado(source)
	if err != nil {
		return w, err
	}
	incast, err := traffic.Incast(caseHosts, 16, traffic.Message{Bytes: tripBytes})
	w.Flows = append(w.Flows, incast.Flows...)
	return w, err
}

// tripHalf is the tornado of every other host.
func tripHalf(source rand.Source) (fattree.Workload, error) {
	w, err := tripTornado(source)
	w.Flows = lists.Where(w.Flows, func(f fattree.Flow) bool { return f.Source%2 == 0 })
	return w, err
}

// newTripCases returns the comparison of the cases with a step and a ramp, not yet run. Groups are cases; x is the
// width.
func newTripCases() comparison {
	c := comparison{schemes: lbs("ops", "reps")}
	for _, of := range tripCases() {
		for _, width := range []int{tripStep, tripRamp} {
			spec := fattree.Spec{Topology: of.tree, KMin: tripKMin, KMax: tripKMin + width}
			if of.tree.Hosts == 0 {
				spec.Topology = tripTree(caseHosts, 400, 1000)
			}
			if of.change != nil {
				of.change(&spec)
			}
			draw := of.draw
			if draw == nil {
				draw = tripTornado
			}
			c.points = append(c.points, &comparedPoint{group: of.name, x: width, label: of.name, place: fmt.Sprintf("%s, Kmax %d", of.name, spec.KMax),
				hosts: caseHosts, cells: cells{{"case", of.name}, {"kmin", spec.KMin}, {"kmax", spec.KMax}, {"hosts", caseHosts},
					{"message_bytes", tripBytes}},
				network: varied(spec, draw), schemes: of.schemes, metrics: []metric{byMeanFCT()}, replicas: tripRuns})
		}
	}
	return c
}

// tripTime is a run of the model with a window that exceeds the round trip by Excess.
type tripTime struct {
	tripPoint
	Excess int
}

// The runs over time: their length in circuits, and their replicas.
const (
	tripCircuits = 60
	tripTimeRuns = 12
)

// tripTimes lists the runs: below the law, near it, and above.
func tripTimes() []tripTime {
	p := tripPoint{28, 100}
	return lists.Map([]int{9, 11, 13, 17, 25}, func(excess int) tripTime { return tripTime{p, excess} })
}

// shares returns the share of random throws in each circuit of a replica.
func (t tripTime) shares(_ context.Context, seed, replica uint64) ([]float64, error) {
	c := t.model()
	c.circuits = tripCircuits
	process, err := recycled.New(c.at(t.Excess))
	if err != nil {
		return nil, err
	}
	process.Reset(mc.NewStream(seed, mc.Algorithm, replica))
	list, before, randomBefore := make([]float64, tripCircuits), int64(0), int64(0)
	for i := range list {
		process.Advance(t.Delay + t.Threshold)
		all, random := process.Throws()
		list[i] = float64(random-randomBefore) / float64(all-before)
		before, randomBefore = all, random
	}
	return list, nil
}

// tripTimesOf runs the model over time.
func tripTimesOf(ctx context.Context, s engine.Settings) (engine.Results[tripTime, [][]float64], error) {
	var list engine.Trials[tripTime, []float64]
	for _, t := range tripTimes() {
		list.Add(t, tripTimeRuns, func() (engine.ReplicaRunner[[]float64], error) { return t.shares, nil })
	}
	return list.Run(ctx, s)
}

// tripRatio returns a time of REPS over OPS's at a point.
func tripRatio(c *comparison, group string, x int, m metric) mc.Estimate {
	return c.at(group, x, "reps").ratio(c.at(group, x, "ops"), m.of)
}

// tripAxis is the axis of these ratios.
func tripAxis(panel plot.Panel, m metric) plot.Panel {
	panel.YLabel, panel.References = strings.ToUpper(m.name[:1])+m.name[1:]+" of REPS / OPS", level(1, "")
	return panel
}

// tripControlPanel draws the ratio over the width of the ramp.
func tripControlPanel(c *comparison, title string, m metric) plot.Panel {
	panel := tripAxis(plot.Panel{Title: title, XLabel: "Kmax − Kmin (packets)",
		X: ticked(onScale(plot.Log2), "%d", tripWidths()...), Legend: plot.TopRight}, m)
	for i, control := range tripControls() {
		series := plot.Series{Name: strings.ToUpper(control), Mark: plot.LinePoints, Color: plot.NthColor(i)}
		if control == "none" {
			series.Name = "fixed window"
		}
		panel.Series = append(panel.Series, over(series, tripWidths(), func(x int) mc.Estimate { return tripRatio(c, control, x, m) }))
	}
	return panel
}

// tripScalePanel draws the ratio over the width of the ramp as a part of the round trip.
func tripScalePanel(c *comparison) plot.Panel {
	panel := tripAxis(plot.Panel{Title: "(d) DCTCP, Kmin d/4", XLabel: "(Kmax − Kmin) / d", X: from(0), Legend: plot.TopRight}, byMeanFCT())
	for i, scale := range tripScales() {
		series := plot.Series{Name: scale.name(), Mark: plot.LinePoints, Color: plot.NthColor(i)}
		for x, part := range tripParts() {
			appendPoint(&series, part, tripRatio(c, scale.name(), x, byMeanFCT()))
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// tripTimePanel draws the share of random throws over time.
func tripTimePanel(of engine.Results[tripTime, [][]float64]) plot.Panel {
	panel := plot.Panel{Title: "(f) Model over time", XLabel: "Circuits of d + τ rounds", YLabel: "Random throws (%)",
		X: onScale(plot.Log2, 1), Y: from(0), Legend: plot.TopLeft}
	for i, t := range tripTimes() {
		series := plot.Series{Name: fmt.Sprintf("W − d = %d", t.Excess), Mark: plot.Line, Color: plot.NthColor(i)}
		for circuit := range tripCircuits {
			e := inSupport(of.At(t), func(shares []float64) float64 { return 100 * shares[circuit] }, shareOf(100, 0))
			appendXY(&series, float64(circuit+1), e.Value)
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// tripCasePanel draws the ratio at a step and a ramp, case by case.
func tripCasePanel(c *comparison) plot.Panel {
	cases := tripCases()
	panel := tripAxis(wide(plot.Panel{Title: "(g) DCTCP, Kmin 25, where a step hurts", Origin: 1, Legend: plot.TopRight,
		X: labelled(cases, func(of tripCase) string { return of.name })}), byMeanFCT())
	for i, width := range []int{tripStep, tripRamp} {
		series := plot.Series{Name: fmt.Sprintf("Kmax %d", tripKMin+width), Mark: plot.Bars, Color: plot.NthColor(i)}
		panel.Series = append(panel.Series, barsOf(series, cases, func(of tripCase) mc.Estimate { return tripRatio(c, of.name, width, byMeanFCT()) }))
	}
	return panel
}

// tripTable lists a comparison, with each scheme's mean FCT over OPS's.
func tripTable(name string, c *comparison) frame.Table {
	t := c.table(func(p *comparedPoint, of scheme, runs netRuns) cells {
		return cells{{"mean_over_ops", frame.WithEnds(runs.shown(p.of("ops"), netRun.meanFCT))}}
	})
	t.Name = name
	return t
}

// roundTripOutput returns the figure from finished runs.
func roundTripOutput(s engine.Settings, found tripsFound, times engine.Results[tripTime, [][]float64], controls, scales, cases *comparison) engine.Output {
	over := rowsOfTimes(times, s.Seed)
	return engine.Output{
		Tables: []frame.Table{found.table(s.Seed), found.rampTable(s.Seed), tripTable("controls", controls), tripTable("scales", scales), over, tripTable("cases", cases)},
		Plot: &plot.Plot{Columns: plot.Double, Height: 7, Panels: [][]plot.Panel{
			{found.panel(), tripControlPanel(controls, "(b) Mean FCT, Kmin 25", byMeanFCT()), tripControlPanel(controls, "(c) Maximum FCT", byMaxFCT())},
			{tripScalePanel(scales), found.rampPanel(), tripTimePanel(times)}, {tripCasePanel(cases)}}},
		Notes: notes(found.facts(), "roundtrip"),
	}
}

// rowsOfTimes lists the shares of random throws over time.
func rowsOfTimes(of engine.Results[tripTime, [][]float64], seed uint64) frame.Table {
	rows := frame.Table{Name: "time"}
	for _, t := range tripTimes() {
		for circuit := range tripCircuits {
			e := inSupport(of.At(t), func(shares []float64) float64 { return shares[circuit] }, shareOf(1, 0))
			rows.Add(cells{{"threshold", t.Threshold}, {"delay", t.Delay}, {"window_excess", t.Excess},
				{"circuit", circuit + 1}, {"random_throw_fraction", frame.WithEnds(e)}}, madeFrom(seed, e.N))
		}
	}
	return rows
}
