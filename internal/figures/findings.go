package figures

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/ballsbins"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// departure is a place where the authors' code differs from the paper, or from the code's own intention. Its
// quantity shows the effect.
type departure struct {
	section string    // section of docs/findings.md
	ways    [2]string // as meant and as coded; labels of an axis
	quantity
	values [2]mc.Estimate
}

// quantity is the statistic that shows the effect of a departure.
type quantity struct {
	name    string         // name in words, with the set-up
	panel   string         // title of its panel; empty for no panel
	label   string         // label of the panel's vertical axis
	authors claims.Reading // its value in the authors' simulator or scripts
	of      func(*comparedPoint) mc.Estimate
}

// networkDeparture is a departure with an experiment on networks.
type networkDeparture struct {
	section string
	ways    [2]string
	meant   comparedPoint
	code    func(*comparedPoint) // changes the point from what was meant to what is coded
	effects []quantity
}

// findings compares the intended behaviour with the coded one. It decides no claim.
func findings(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const replicas = 20
	list, err := networkDepartures(ctx, s.Part(0, 2), replicas)
	if err != nil {
		return engine.Output{}, err
	}
	theory, err := theoryDepartures(ctx, s.Part(1, 2))
	list = append(list, theory...)
	return engine.Output{
		Tables: []frame.Table{departureTable(list, s.Seed)},
		Plot:   departurePlot(list),
		Notes:  notes(facts{"replicas": replicas}, "findings"),
	}, err
}

// networkDepartures runs the experiments on networks.
func networkDepartures(ctx context.Context, s engine.Settings, replicas uint64) ([]departure, error) {
	list := slices.Concat(hostSlips(replicas), balancerSlips(), ackSlips(), failureSlips(), recyclingSlips(), frozenSlips(), idleSlips())
	var c comparison
	for _, d := range list {
		meant, coded := d.meant, d.meant
		d.code(&coded)
		for _, p := range []*comparedPoint{&meant, &coded} {
			if p.replicas = max(p.replicas, replicas); p.keep == nil {
				p.keep = keepComplete
			}
			c.points = append(c.points, p)
		}
	}
	if err := c.run(ctx, s); err != nil {
		return nil, err
	}
	var all []departure
	for i, d := range list {
		for _, q := range d.effects {
			all = append(all, departure{d.section, d.ways, q, [2]mc.Estimate{q.of(c.points[2*i]), q.of(c.points[2*i+1])}})
		}
	}
	return all, nil
}

// authorsReading returns the authors' simulator's result for a quantity of a claim. It panics if there is none.
func authorsReading(claim, quantity string) claims.Reading {
	list := claims.Find(claim).Witness
	return list[slices.IndexFunc(list, func(r claims.Reading) bool { return r.Quantity == quantity })]
}

// htsimRuns returns a reading from a column of the authors' runs with names that begin with prefix: the mean, the
// least and the largest run.
func htsimRuns(prefix, column, mean, least, top, seeds string) claims.Reading {
	return claims.Reading{Quantity: column, Value: mean, Least: least, Top: top, Seeds: seeds, Setting: prefix}
}

// altering returns a function that changes the network specification of a point.
func altering(by func(*fattree.Spec)) func(*comparedPoint) {
	return func(p *comparedPoint) { p.network = altered(p.network, by) }
}

// balancing returns a function that changes the load balancer of a point.
func balancing(of scheme) func(*comparedPoint) {
	return func(p *comparedPoint) { p.schemes = []scheme{of} }
}

// opsOverREPS returns the maximum FCT of OPS divided by the maximum FCT of REPS.
func opsOverREPS(p *comparedPoint) mc.Estimate { return p.of("ops").over(p.of("reps")) }

// longest returns a function for the maximum FCT of a scheme.
func longest(key string) func(*comparedPoint) mc.Estimate {
	return func(p *comparedPoint) mc.Estimate { return p.of(key).maxFCT() }
}

// resentByREPS returns the number of packets that REPS retransmits.
func resentByREPS(p *comparedPoint) mc.Estimate {
	return p.of("reps").count(netRun.retransmitted)
}

// oneSpineFails returns networks with the authors' 32 hosts, in which one spine fails.
func oneSpineFails(options string, asking bool) experiment.Networks {
	spec := patternSpec(topology.FatTree{Hosts: fig08Hosts})
	transport.Change(&spec, func(o *transport.Options) { o.RequestsForRetransmission = asking })
	return failing(spec, "switches=1,place=random"+options, drawPermutation(fig08Hosts, 8*mebi))
}

// hostSlips returns the departures about requests for retransmission and about turns at the NIC.
func hostSlips(replicas uint64) []networkDeparture {
	exchange := fixed(traceSpec())(traffic.AllToAll(traceHosts, 4,
		traffic.Message{Bytes: 2_000_000, Start: microseconds}, workloadSource(1, 0)))
	return []networkDeparture{{
		"Requests", [2]string{"none", "leak"},
		comparedPoint{network: oneSpineFails("", false), schemes: lbs("ops", "reps")},
		altering(changing(func(o *transport.Options) { o.RequestsForRetransmission = true })),
		[]quantity{{"maximum FCT, OPS / REPS; 32 hosts, permutation, one of 4 spines failed", "(a) Requests to resend",
			"Max. FCT, OPS / REPS", authorsReading("N053", "max FCT OPS/REPS; one switch"), opsOverREPS}},
	}, {
		"Turns", [2]string{"one", "double"}, comparedPoint{network: exchange, schemes: lbs("reps"), replicas: 2 * replicas},
		altering(changing(func(o *transport.Options) { o.DoubleTurns = true })),
		[]quantity{{"retransmissions, REPS; all-to-all of 32 hosts, 4 flows each", "(b) Turns at the NIC",
			"Retransmissions, REPS", htsimRuns("f2ai_a4_freezing", "drops_or_rtx", "14410", "", "", "1"), resentByREPS},
			{"its end, µs", "", "", htsimRuns("f2ai_a4_freezing", "end_us", "1526", "", "", "1"),
				func(p *comparedPoint) mc.Estimate { return p.of("reps").time(netRun.lastEnd) }}},
	}}
}

// balancerSlips returns the departures about BitMap's mask, PLB's threshold, and packets that adaptive switches
// hash.
func balancerSlips() []networkDeparture {
	butterfly := fixed(traceSpec())(traffic.ButterflyAllreduce(traceHosts, traffic.Message{Bytes: 20_000_000}))
	tornado := altered(fixed(besideBackground())(traffic.Tornado(128, traffic.Message{Bytes: 8 * mebi})),
		func(s *fattree.Spec) { s.Workload.BackgroundEvery = everyTenth })
	bitmap, masked, quarter, leaking := scheme{key: "bitmap"}, scheme{key: "bitmap"}, scheme{key: "plb"}, scheme{key: "adaptive-roce"}
	bitmap.open = func(int) (transport.Balancer, error) { return balance.NewBitmap(fullEVS) }
	masked.open = func(int) (transport.Balancer, error) { return balance.NewBitmapByMask(fullEVS - 1) }
	leaking.open = func(int) (transport.Balancer, error) { return balance.NewLeakingAdaptive(0.05) }
	quarter.open = func(evs int) (transport.Balancer, error) { return balance.NewPLB(evs, 0.25) }
	return []networkDeparture{{
		"Mask", [2]string{"all EVs", "half"}, comparedPoint{network: butterfly, schemes: []scheme{bitmap}},
		balancing(masked),
		[]quantity{{"end, BitMap, µs; butterfly of 32 hosts", "(c) BitMap's mask", "End, BitMap (µs)",
			htsimRuns("f2ai_b32_bitmap", "end_us", "2235", "", "", "1"),
			func(p *comparedPoint) mc.Estimate { return p.of("bitmap").time(netRun.lastEnd) }}},
	}, {
		"Threshold", [2]string{"0.25", "0"}, comparedPoint{
			network: permuted(patternSpec(topology.FatTree{Hosts: 128}), 8*mebi), schemes: []scheme{quarter}},
		balancing(lb("plb")),
		[]quantity{{"maximum FCT, PLB, µs; 128 hosts, permutation", "(d) PLB's threshold",
			"Max. FCT, PLB (µs)", htsimRuns("f2_perm_n128_8MiB_plb", "max_fct_us", "568.2", "549.1", "583.3", "3"),
			longest("plb")}},
	}, {
		"Reused memory", [2]string{"clean", "marked"}, comparedPoint{network: tornado, schemes: []scheme{withBackground(lb("adaptive-roce"))}},
		balancing(withBackground(leaking)),
		[]quantity{{"maximum FCT, adaptive RoCE, µs; 128 hosts, tornado, a tenth of the flows by ECMP", "", "",
			htsimRuns("f5bg_tornado_n128_8MiB_nvidia", "max_fct_us", "391", "", "", "1"), longest("adaptive-roce")}},
	}}
}

// ackSlips returns the departures about the number of packets per ACK.
func ackSlips() []networkDeparture {
	const theirs = `max FCT OPS/REPS; -sack_threshold 64000 ("16:1")`
	tree := topology.FatTree{Hosts: 128}.WithDefaults()
	spec := evsSpec(tree)
	transport.Change(&spec, func(o *transport.Options) { o.AckRatio = 16 })
	ways, schemes := [2]string{"16", "63"}, lbs("ops", "reps")
	wrapping := altering(changing(func(o *transport.Options) { o.AckRatio = 63 }))
	list := []networkDeparture{{
		"Packets per ACK", ways, comparedPoint{network: permuted(spec, 8*mebi), schemes: schemes}, wrapping,
		[]quantity{{"maximum FCT, REPS, µs; 128 hosts, permutation", "(e) Packets per ACK",
			"Max. FCT, REPS (µs)", htsimRuns("f11_freezing_ack64000", "max_fct_us", "254.9", "254.8", "255", "3"),
			longest("reps")},
			{"maximum FCT, OPS / REPS", "", "", authorsReading("N059", theirs), opsOverREPS}},
	}}
	spec.Faults = failedUplinks(tree, 0)
	return append(list, networkDeparture{
		"Packets per ACK", ways, comparedPoint{network: permuted(spec, 8*mebi), schemes: schemes}, wrapping,
		[]quantity{{"the same, one of 8 uplinks of every ToR failed", "(f) As (e), failed links",
			"Max. FCT, OPS / REPS", authorsReading("N060", theirs+", 8 % failed cables"), opsOverREPS}},
	})
}

// failureSlips returns the departures about bit errors and about the length of failures.
func failureSlips() []networkDeparture {
	lossy := patternSpec(topology.FatTree{Hosts: fig08Hosts})
	lossy.Errors = []fattree.Corruption{{PerSwitch: 0.01}}
	return []networkDeparture{{
		"Bit errors", [2]string{"data", "all"},
		comparedPoint{network: varied(lossy, drawPermutation(fig08Hosts, 8*mebi)), schemes: lbs("reps")},
		altering(func(s *fattree.Spec) { s.Errors = []fattree.Corruption{{PerSwitch: 0.01, CountACKs: true}} }),
		[]quantity{{"retransmissions, REPS; 32 hosts, permutation, 1 % in switches",
			"(g) Bit errors hit packets", "Retransmissions, REPS",
			htsimRuns("f7perm_ber_switch_one_percent_freezing", "drops_or_rtx", "3813", "", "", "1"), resentByREPS}},
	}, {
		"Length of failures", [2]string{"100 µs", "lasting"},
		comparedPoint{network: oneSpineFails(",for=100", true), schemes: lbs("ops", "reps")},
		func(p *comparedPoint) { p.network = oneSpineFails("", true) },
		[]quantity{{"maximum FCT, OPS / REPS; as for requests, which leak", "(h) Length of a failure",
			"Max. FCT, OPS / REPS", authorsReading("N053", "max FCT OPS/REPS; one switch"), opsOverREPS}},
	}}
}

// recyclingSlips returns the departures about REPS itself.
func recyclingSlips() []networkDeparture {
	const thawing = "reps-100us"
	half := newFig09Part(64, 8*mebi, 0, 0, lbs(thawing), 50)
	half.points[0].schemes = half.schemes
	return []networkDeparture{{
		"Leaving freezing mode", [2]string{"paper", "code"}, *half.points[0],
		balancing(lb("artifact-100us").called(thawing, "", plot.AutoColor)),
		[]quantity{{"maximum FCT / ideal, REPS; 64 hosts (authors' 1,024), permutation, half of the " +
			"uplinks failed, frozen for 100 µs at a time", "(i) Leaving freezing mode", "Max. FCT / ideal, REPS",
			authorsReading("N054", "REPS max FCT / ideal; 1,024 hosts, 8 MiB, 50 % of cables, freezing 100 us instead of 10 ms"),
			func(p *comparedPoint) mc.Estimate { return multipleOf(half.ideal(50), p.of(thawing).maxFCT()) }}},
	}, {
		"List", [2]string{"ring", "list"}, comparedPoint{evs: 32, schemes: lbs("reps"),
			network: permuted(evsSpec(topology.FatTree{Hosts: 128}), 8*mebi)},
		balancing(lb("reps-fifo").called("reps", "", plot.AutoColor)),
		[]quantity{{"maximum FCT, REPS, µs; 128 hosts, permutation, 32 EVs", "(j) Store of EVs",
			"Max. FCT, REPS (µs)", htsimRuns("f12evs_reps_32", "max_fct_us", "194.2", "192.1", "198.7", "5"),
			longest("reps")}},
	}}
}

// theoryDepartures compares the processes of the paper's text with the process of the proof and with the process
// of a script.
func theoryDepartures(ctx context.Context, s engine.Settings) ([]departure, error) {
	theorem := departure{section: "Theorem", ways: [2]string{"text's", "proof's"}, quantity: quantity{
		name:  "share of runs that converge; 16 ports, smallest parameters",
		panel: "(k) Theorem 1's process", label: "Share of runs that converge", authors: authorsReading("N076", "no reading")}}
	var proofs engine.Estimations[recycled.Clocking, recycled.Result]
	processes := []recycled.Clocking{recycled.RoundRobin, recycled.SelfClocked}
	for _, process := range processes {
		proofs.Add(process, 1000, engine.Simulating(recycled.Simulate, recycled.Config{Bins: 16, Clocking: process}))
	}
	converged, err := proofs.Run(ctx, s.Part(0, 2))
	if err != nil {
		return nil, err
	}
	for i, process := range processes {
		runs := converged.At(process)
		theorem.values[i] = proportion(runs.Converged, runs.Replicas)
	}
	balls := departure{section: "Balls", ways: [2]string{"0 or 1", "0.99"}, quantity: quantity{
		name: "mean maximum queue; 128 ports, 1,000 rounds, λ = 0.99", panel: "(l) Weight of a ball",
		label:   "Mean max. queue",
		authors: authorsReading("N075", "mean over trials of the longest queue after 1,000 rounds; n = 128")}}
	var batches engine.Estimations[ballsbins.Variant, ballsbins.Result]
	variants := []ballsbins.Variant{ballsbins.ServeThenArrive, ballsbins.Weighted}
	for _, variant := range variants {
		batches.Add(variant, 1000, engine.Simulating(ballsbins.Simulate,
			ballsbins.Config{Bins: 128, Lambda: 0.99, Variant: variant, Rounds: []int{1000}}))
	}
	longest, err := batches.Run(ctx, s.Part(1, 2))
	if err != nil {
		return nil, err
	}
	for i, variant := range variants {
		balls.values[i] = longest.At(variant).Observations[0].MaxLoad.OfFew(counted(1))
	}
	return []departure{theorem, balls}, nil
}

// departureTable lists both ways of each departure, and the authors' value.
func departureTable(list []departure, seed uint64) frame.Table {
	var rows frame.Table
	for _, d := range list {
		rows.Add(cells{{"section", d.section}, {"quantity", d.name}, {"meant", d.ways[0]},
			{"meant_value", frame.WithEnds(d.values[0])}, {"coded", d.ways[1]},
			{"coded_value", frame.WithEnds(d.values[1])}, {"authors_value", frame.WithEnds(d.authorsEstimate())},
			{"authors_seeds", d.authors.Seeds}, {"authors_setting", d.authors.Setting}},
			madeFrom(seed, d.values[1].N))
	}
	return rows
}

// authorsNumber returns the number of a reading, NaN for an empty text.
func authorsNumber(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// authorsEstimate returns the authors' value, with the least and the largest seed as its ends.
func (q quantity) authorsEstimate() mc.Estimate {
	e := mc.Estimate{Value: authorsNumber(q.authors.Value), Lo: authorsNumber(q.authors.Least),
		Hi: authorsNumber(q.authors.Top)}
	if q.authors.Least != "" {
		e.N = uint64(authorsNumber(q.authors.Seeds))
	}
	return e
}

// departurePlot draws the quantities that have a panel.
func departurePlot(list []departure) *plot.Plot {
	const columns = 4
	var panels []plot.Panel
	for _, d := range list {
		if d.panel == "" {
			continue
		}
		panel := plot.Panel{Title: d.panel, YLabel: d.label, Y: from(0)}
		if strings.Contains(d.label, " / ") {
			panel = fromOne(panel)
		}
		for i, of := range []struct {
			name  string
			value mc.Estimate
		}{{"here, as the paper says", d.values[0]}, {"here, as the authors' code or proof says", d.values[1]},
			{"authors' own run", d.authorsEstimate()}} {
			bar := plot.Series{Name: of.name, Color: plot.NthColor(i), Mark: plot.Bars}
			appendPoint(&bar, float64(i), of.value)
			if !math.IsNaN(of.value.Value) {
				panel.Series = append(panel.Series, bar)
			}
		}
		panel.X = barAxis(append(d.ways[:2:2], "authors'")[:len(panel.Series)], func(name string) string { return name })
		panels = append(panels, panel)
	}
	return &plot.Plot{Columns: plot.Double, Height: 5.6, SharedLegend: true, Panels: slices.Collect(slices.Chunk(panels, columns))}
}
