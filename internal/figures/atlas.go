package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/ballsbins"
	"repslab/ballsbins/leafspine"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// atlasPoint is a network of the theory; hosts send Slots packets.
type atlasPoint struct {
	Ports   int
	Rule    leafspine.Rule
	Traffic leafspine.Traffic
	Spread  int
	Slots   int
}

// The longest message of the theory and the first one of its fits, in packets; and the round trip, in slots.
const (
	atlasPackets = 1 << 14
	atlasFrom    = 1 << 8
	atlasTrip    = 100
)

// atlasRuns returns the replicas of a network of the theory, by its ports.
func atlasRuns(ports int) uint64 {
	if ports <= 16 {
		return 5
	}
	return 3
}

// atlasPoints lists the networks of the theory: every rule at every number of ports; with 128 ports the rules without a
// published class, and all to all, have shorter messages, as they take longer. At 16 ports hosts also start over half a
// round trip and a whole one.
func atlasPoints() []atlasPoint {
	var list []atlasPoint
	add := func(p atlasPoint) {
		if p.config().Validate() == nil { // a rule or a number of ports may not suit a traffic
			list = append(list, p)
		}
	}
	for _, traffic := range leafspine.Traffics() {
		for _, rule := range leafspine.Rules() {
			for _, ports := range atlasPorts() {
				p := atlasPoint{ports, rule.Rule, traffic, 0, atlasPackets}
				if ports == 128 && (traffic == leafspine.AllToAll || !slices.Contains(atlasClasses(), rule.Rule)) {
					p.Slots /= 4
				}
				add(p)
			}
			for _, spread := range []int{atlasTrip / 2, atlasTrip} {
				add(atlasPoint{16, rule.Rule, traffic, spread, atlasPackets / 4})
			}
		}
	}
	return list
}

// atlasPorts lists the ports of switches.
func atlasPorts() []int { return []int{4, 8, 16, 32, 64, 128} }

// config returns the network, observed at every power of two.
func (p atlasPoint) config() leafspine.Config {
	c := leafspine.Config{Ports: p.Ports, Rule: p.Rule, Traffic: p.Traffic, Spread: p.Spread}
	for m := 1; m <= p.Slots; m *= 2 {
		c.Packets = append(c.Packets, m)
	}
	return c
}

// atlasClasses lists the rules with a published growth.
func atlasClasses() []leafspine.Rule {
	return []leafspine.Rule{leafspine.Random, leafspine.SourceRotation, leafspine.DestinationDrawn, leafspine.Shortest, leafspine.SwitchDestination}
}

// atlasSeen is what a run shows after some packets.
type atlasSeen struct {
	Packets, Longest int
	Uplink           float64 // mean queue of an uplink
}

// atlasRun is a recorded run of the theory.
type atlasRun struct {
	PacketHops int // packets: one takes about as long as a hop in package fattree, see [engine.Effort]
	Seen       []atlasSeen
}

// run runs a replica.
func (p atlasPoint) run(ctx context.Context, seed, replica uint64) (atlasRun, error) {
	c := p.config()
	process, err := leafspine.New(c)
	if err != nil {
		return atlasRun{}, err
	}
	process.Reset(mc.NewStream(seed, mc.Algorithm, replica))
	done, run := 0, atlasRun{PacketHops: p.Slots * process.Hosts()}
	for _, m := range c.Packets {
		for end := m + p.Spread; done < end; done += min(64, end-done) {
			if ctx.Err() != nil {
				return atlasRun{}, ctx.Err()
			}
			process.Advance(min(64, end-done))
		}
		run.Seen = append(run.Seen, atlasSeen{m, process.Longest(), float64(process.UplinkTotal()) / float64(process.Hosts())})
	}
	return run, nil
}

// queueGrowth is how the longest queue of some replicas grows with the packets of a message.
type queueGrowth struct {
	exponent mc.Estimate // of the packets, over replicas
	// increment is the exponent of the growth alone: Q = b + a m^γ has the exponent γ for every b. NaN if the queue of
	// some replica does not grow between two of three points, or falls.
	increment mc.Estimate
	constant  mc.Estimate // longest queue at the last point over packets to the power of the class
	class     float64     // 0, 1/2 or 1: the nearest to the exponent, and 0 where a queue has a bound for every m
	misfit    float64     // largest distance of a point's mean ln Q from the fitted line
	longest   mc.Estimate // at the last point, packets
}

// grows fits ln Q = c + γ ln m to each replica by least squares. queues has a longest queue for each replica and
// number of packets; all are at least 1. exponents says which exponents are possible.
func grows(packets []int, queues [][]int, exponents mc.Support) queueGrowth {
	x := lists.Map(packets, func(m int) float64 { return math.Log(float64(m)) })
	middle, spread := mean(x), 0.0
	for _, x := range x {
		spread += (x - middle) * (x - middle)
	}
	var g queueGrowth
	means := make([]float64, len(x))
	slope := func(q []int) (sum float64) {
		for i, x := range x {
			sum += (x - middle) * math.Log(float64(q[i])) / spread
		}
		return sum
	}
	for _, q := range queues {
		for i := range x {
			means[i] += math.Log(float64(q[i])) / float64(len(queues))
		}
	}
	g.exponent, g.increment = inSupport(queues, slope, exponents), incrementExponent(packets, queues)
	for i, x := range x {
		g.misfit = max(g.misfit, math.Abs(means[i]-mean(means)-g.exponent.Value*(x-middle)))
	}
	if g.misfit < 1e-9 {
		g.misfit = 0 // rounding
	}
	last := len(packets) - 1
	g.longest = meanCount(queues, func(q []int) int64 { return int64(q[last]) })
	return g.of(math.Round(2*min(1, max(0, g.exponent.Value)))/2, packets[last])
}

// of returns the growth with a class and its constant, at the last number of packets.
func (g queueGrowth) of(class float64, packets int) queueGrowth {
	g.class, g.constant = class, g.longest.Per(math.Pow(float64(packets), class))
	return g
}

// atlasTheory are the finished runs of the theory.
type atlasTheory engine.Results[atlasPoint, []atlasRun]

// runAtlasTheory runs the theory.
func runAtlasTheory(ctx context.Context, s engine.Settings) (atlasTheory, error) {
	var list engine.Trials[atlasPoint, atlasRun]
	for _, p := range atlasPoints() {
		list.Add(p, atlasRuns(p.Ports), func() (engine.ReplicaRunner[atlasRun], error) { return p.run, nil })
	}
	runs, err := list.Run(ctx, s)
	return atlasTheory(runs), err
}

// growth returns the growth at a point.
func (a atlasTheory) growth(p atlasPoint) queueGrowth {
	var packets []int
	runs := engine.Results[atlasPoint, []atlasRun](a).At(p)
	queues := make([][]int, len(runs))
	for i, run := range runs {
		for _, o := range run.Seen {
			if o.Packets < atlasFrom {
				continue
			}
			if i == 0 {
				packets = append(packets, o.Packets)
			}
			queues[i] = append(queues[i], o.Longest)
		}
	}
	g := grows(packets, queues, positive(0)) // the longest queue of a run never falls
	if _, bounded := leafspine.Bound(p.config()); bounded {
		return g.of(0, p.Slots)
	}
	return g
}

// incrementExponent returns [queueGrowth.increment] from the first, the middle and the last point, which must be in
// geometric progression.
func incrementExponent(packets []int, queues [][]int) mc.Estimate {
	last := len(packets) - 1
	steps := func(q []int) (first, second int) { return q[last/2] - q[0], q[last] - q[last/2] }
	if slices.ContainsFunc(queues, func(q []int) bool { first, second := steps(q); return first <= 0 || second <= 0 }) {
		return mc.Estimate{Value: math.NaN(), StdErr: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	}
	return inSupport(queues, func(q []int) float64 {
		first, second := steps(q)
		return math.Log(float64(second)/float64(first)) / math.Log(float64(packets[last/2])/float64(packets[0]))
	}, mc.Support{Least: math.Inf(-1), Most: math.Inf(1)})
}

// cells returns the fit as cells.
func (g queueGrowth) cells() cells {
	return cells{{"exponent", frame.WithEnds(g.exponent)}, {"increment_exponent", frame.WithEnds(g.increment)}, {"class", g.class}, {"constant", frame.WithEnds(g.constant)},
		{"misfit", g.misfit}, {"longest_queue", frame.WithEnds(g.longest)}}
}

// theoryRows adds a row for each point of the theory.
func (a atlasTheory) rows(t *frame.Table, seed uint64) {
	for _, p := range atlasPoints() {
		rule := leafspine.RuleOf(p.Rule)
		var bound any
		if b, bounded := leafspine.Bound(p.config()); bounded {
			bound = b
		}
		t.Add(cells{{"model", "theory"}, {"traffic", string(p.Traffic)}, {"tiers", 2}, {"ports", p.Ports},
			{"start_spread_rtt", float64(p.Spread) / atlasTrip}, {"cc", "none"}, {"rule", string(p.Rule)}, {"decides", rule.Decides},
			{"knows", rule.Knows}, {"packets_from", atlasFrom}, {"packets_to", p.Slots}}, a.growth(p).cells(),
			cells{{"bound", bound}}, madeFrom(seed, len(a[p])))
	}
}

// laws lists exact and asymptotic laws beside the runs of the theory, with two destinations in turn: there hosts load
// all uplinks fully.
func (a atlasTheory) laws(seed uint64) frame.Table {
	t := frame.Table{Name: "laws"}
	for _, p := range atlasPoints() {
		if p.Traffic != leafspine.Alternating || p.Spread > 0 || p.Ports < 8 {
			continue
		}
		uplinks, n := leafspine.MeanUplink(p.config()), float64(p.Ports)/2
		for i, m := range p.config().Packets {
			if m != 16 && m != 256 && m != 4096 {
				continue
			}
			add := func(law string, of func(atlasSeen) float64, exact float64, published, next any) {
				e := meanOf(a[p], func(r atlasRun) float64 { return of(r.Seen[i]) })
				t.Add(cells{{"law", law}, {"rule", string(p.Rule)}, {"ports", p.Ports}, {"packets", m}, {"measured", frame.WithEnds(e)}, {"exact", exact},
					{"published", published}, {"next_order", next}}, madeFrom(seed, len(a[p])))
			}
			if exact, ok := leafspine.Longest(p.config(), m); ok {
				add("longest queue", func(o atlasSeen) float64 { return float64(o.Longest) }, float64(exact), nil, nil)
			}
			if brownian, err := ballsbins.NewBrownian(p.Ports / 2); err == nil && uplinks != nil {
				add("mean uplink", func(o atlasSeen) float64 { return o.Uplink }, uplinks[i],
					math.Sqrt((1-1/n)*2*float64(m)/math.Pi), brownian.MeanLoad(m))
			}
		}
	}
	return t
}

// atlas shows how the longest queue grows with the message under every rule, in the theory and in the network.
func atlas(ctx context.Context, s engine.Settings) (engine.Output, error) {
	theory, err := runAtlasTheory(ctx, s.Part(0, 2))
	if err != nil {
		return engine.Output{}, err
	}
	net := newAtlasNetwork()
	return compared(ctx, s.Part(1, 2), func() engine.Output {
		table := frame.Table{}
		theory.rows(&table, s.Seed)
		net.atlasRows(&table)
		return engine.Output{
			Tables: []frame.Table{table, theory.laws(s.Seed)},
			Plot: &plot.Plot{Columns: plot.Double, Height: 7.5, Panels: [][]plot.Panel{{theory.exponents()}, {net.atlasExponents()},
				{theory.constants(leafspine.Permutation, "(c) Constants, permutation"), theory.constants(leafspine.Alternating, "(d) Constants, two destinations in turn")}}},
			Notes:    notes(facts{"packets": atlasPackets, "from": atlasFrom, "trip": atlasTrip, "hosts": atlasHosts, "longest": atlasSizes()[len(atlasSizes())-1]}, "atlas"),
			Findings: []claims.Finding{theory.classes()},
		}
	}, &net)
}

// at returns the growth at 16 ports without spread.
func (a atlasTheory) at(traffic leafspine.Traffic, rule leafspine.Rule) queueGrowth {
	return a.growth(atlasPoint{16, rule, traffic, 0, atlasPackets})
}

// exponents draws the exponents of the rules at 16 ports, a series for each traffic.
func (a atlasTheory) exponents() plot.Panel {
	rules := leafspine.Rules()
	panel := plot.Panel{Title: "(a) Theory, 16 ports: exponent of the longest queue in the packets of a message", YLabel: "Exponent",
		X: labelled(rules, func(r leafspine.Description) string { return atlasLabel(string(r.Rule)) }), Y: from(-0.1, 1.15), Legend: plot.Above, References: atlasLevels()}
	for i, traffic := range leafspine.Traffics() {
		series := plot.Series{Name: []string{"permutation", "two destinations in turn", "all to all"}[i], Mark: plot.Points, Color: plot.NthColor(i)}
		for x, r := range rules {
			if (atlasPoint{16, r.Rule, traffic, 0, atlasPackets}).config().Validate() == nil {
				appendPoint(&series, float64(x)+0.15*float64(i-1), a.at(traffic, r.Rule).exponent)
			}
		}
		panel.Series = append(panel.Series, series)
	}
	return wide(panel)
}

// atlasLevels are the exponents of the classes.
func atlasLevels() []plot.ReferenceLine {
	return slices.Concat(level(0, ""), level(0.5, ""), level(1, ""))
}

// constants draws the longest queue over m to the power of the class, over the ports.
func (a atlasTheory) constants(traffic leafspine.Traffic, title string) plot.Panel {
	panel := plot.Panel{Title: title, XLabel: "Ports of a switch", YLabel: "Q / m^{0, 1/2, 1}", X: ticked(onScale(plot.Log2), "%d", 8, 16, 32, 64, 128),
		Y: onScale(plot.Log2), Legend: plot.Above}
	for i, rule := range atlasClasses() {
		series := plot.Series{Name: atlasLabel(string(rule)), Mark: plot.LinePoints, Color: plot.NthColor(i)}
		for _, p := range atlasPoints() {
			if p.Traffic == traffic && p.Rule == rule && p.Spread == 0 && p.Ports >= 8 {
				appendPoint(&series, float64(p.Ports), a.growth(p).constant)
			}
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// classes grades the published growth of four rules by their exponents.
func (a atlasTheory) classes() claims.Finding {
	random, rotation := a.at(leafspine.Permutation, leafspine.Random), a.at(leafspine.Permutation, leafspine.DestinationDrawn)
	source, shortest := a.at(leafspine.Alternating, leafspine.SourceRotation), a.at(leafspine.Permutation, leafspine.Shortest)
	e := func(g queueGrowth, name string) mc.Estimate {
		if g.exponent.Identical { // no chance decides it: see leafspine.Bound and TestWorstAlignment
			exact := claims.Exact(g.exponent.Value)
			exact.Basis = g.exponent.Basis
			g.exponent = exact
		}
		return listedAs(g.exponent, "", "exponent, "+name)
	}
	return claims.InParts("R1", []claims.Part{
		claims.Met("R1", "random", e(random, "random, permutation")), claims.Met("R1", "source rotation", e(source, "source rotation, two destinations in turn")),
		claims.Met("R1", "destination rotation", e(rotation, "destination rotation, permutation")), claims.Met("R1", "shortest queue", e(shortest, "shortest queue, permutation")),
	}, fmt.Sprintf("random %s, shortest queue %s; source rotation %.3g and destination rotation %.3g in every run", withBounds(random.exponent, "%.3f"),
		withBounds(shortest.exponent, "%.4f"), source.exponent.Value, rotation.exponent.Value), "the model has no latency")
}
