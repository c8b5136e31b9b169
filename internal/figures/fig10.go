package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// The testbeds: with all endpoints active, with some active, and with a slow link.
const (
	fig10All     = "setup-1"
	fig10Partial = "setup-2"
	fig10Slow    = "slow-cable"

	fig10SlowShare = (testbedFabric + testbedSlow) / 8 // fair share of a flow with a slow link, Gb/s
)

// newFig10 returns the two symmetric testbeds and the asymmetric one, not yet run. Every endpoint sends the given
// number of messages without a pause.
func newFig10(messages int64, replicas uint64) comparison {
	c := comparison{schemes: lbs("ops", "reps")}
	add := func(key string, spec fattree.Spec, active int, fair float64, messages int64) {
		c.points = append(c.points, &comparedPoint{group: key, keep: keepTestbed, replicas: replicas,
			cells:   cells{{"testbed", key}, {"endpoints", 2 * active}, {"fair_share_gbps", fair}},
			network: experiment.Fixed(ringTraffic(spec, active, 1, messages*testbedMessage)),
			trace: func(n *fattree.Network) fattree.TraceConfig {
				return fattree.TraceConfig{Every: testbedBucket, Ports: n.Uplinks(0)}
			}})
	}
	add(fig10All, symmetricTestbed(), 64, testbedNIC, messages)
	add(fig10Partial, symmetricTestbed(), 40, testbedNIC, messages)
	add(fig10Slow, asymmetricTestbed(), 8, fig10SlowShare, 2*messages)
	return c
}

// keepTestbed keeps a run with traces of ToR 0's uplinks. Their use is measured in the middle half of the run.
func keepTestbed(r experiment.Replica) (netRun, error) {
	k, err := keepComplete(r)
	if err != nil {
		return k, err
	}
	spec := r.Network.Spec()
	var goodput []float64 // by flow, Gb/s
	for i, f := range r.Result.Flows {
		goodput = append(goodput, float64(spec.Workload.Flows[i].Bytes)*8000/float64(f.FCT()))
	}
	slices.Sort(goodput)
	k.Shares = newDigest(goodput)
	var packets []int64
	var first, last fattree.Picoseconds
	for i, s := range r.Samples {
		if s.Time <= k.End/4 || s.Time > 3*k.End/4 {
			continue
		}
		if packets == nil {
			packets, first = make([]int64, len(s.Packets)), r.Samples[i-1].Time
		}
		for port, n := range s.Packets {
			packets[port] += n
		}
		last = s.Time
	}
	bits := float64(spec.MTU) * 8000 // bits of a packet, times the picoseconds of a nanosecond
	used := lists.Map(packets, func(n int64) float64 { return float64(n) * bits / float64(last-first) / testbedFabric })
	k.Numbers = map[string]float64{leastUsed: slices.Min(used), mostUsed: slices.Max(used)}
	return k, nil
}

// fig10 reproduces the goodput of the FPGA testbed in a model of it.
func fig10(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const replicas = 10
	c := newFig10(int64(40), replicas)
	rtts, err := testbedRTTs()
	if err != nil {
		return engine.Output{}, err
	}
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   []frame.Table{c.rows("", "", fig10Row)},
			Plot:     fig10Plot(&c),
			Notes:    notes(facts{"replicas": replicas, "rto": rtoOf(symmetricTestbed())}, "testbed", "fig10"),
			Findings: fig10Findings(&c, rtts),
		}
	}, &c)
}

// The least and the largest use of an uplink of ToR 0, as a fraction of its rate.
const (
	leastUsed = "least used uplink"
	mostUsed  = "most used uplink"
)

// meanGoodput returns the mean over the run's flows, in Gb/s.
func (r netRun) meanGoodput() float64 { return r.Shares.Mean }

// fig10Row returns the cells of a scheme on a testbed.
func fig10Row(_ *comparedPoint, _ scheme, runs netRuns) cells {
	count := func(of func(netRun) int64) float64 { return runs.count(of).Value }
	e, all := meanOf(runs, netRun.meanGoodput), pooled(runs, netRun.shares)
	return cells{{"goodput_gbps", frame.WithError(e)},
		{"goodput_p05_gbps", all.rank(0.05)}, {"goodput_p50_gbps", all.rank(0.5)},
		{"goodput_p95_gbps", all.rank(0.95)},
		{"mean_fct_us", runs.time(netRun.meanFCT).Value}, {"p99_fct_us", runs.time(netRun.p99FCT).Value},
		{"uplink_least_used", meanOf(runs, kept(leastUsed)).Value},
		{"uplink_most_used", meanOf(runs, kept(mostUsed)).Value},
		{"ecn_marked_fraction", count(netRun.marked) / count(netRun.hops)}, {"dropped", count(netRun.dropped)},
		{"flows", runs[0].Flows}}
}

// testbedRTTs returns the model's unloaded RTTs within a ToR and across, in us.
func testbedRTTs() ([2]float64, error) {
	spec := testbed(128, 8, 2)
	for _, to := range []fattree.Host{1, 64} {
		spec.Workload.Flows = append(spec.Workload.Flows,
			fattree.Flow{Destination: to, Bytes: 1})
	}
	n, err := fattree.Build(spec)
	if err != nil {
		return [2]float64{}, err
	}
	return [2]float64{float64(n.BaseRTT(0)) / microseconds, float64(n.BaseRTT(1)) / microseconds}, nil
}

// fig10Plot draws the distribution of goodput, a panel for each testbed.
func fig10Plot(c *comparison) *plot.Plot {
	panel := plot.Panel{XLabel: "Goodput of a flow (Gb/s)", YLabel: "Share of flows", Y: from(0, 1.02)}
	all, partial, slow := panel, panel, panel
	all.Title, all.X = "(a) Symmetric, all 128 send", from(85, 100)
	partial.Title, partial.X = "(b) Symmetric, 80 of 128 send", all.X
	slow.Title, slow.X = "(c) One of two links at 200 Gb/s", from(40, 90)
	slow.References = []plot.ReferenceLine{{Vertical: true, At: 75, Label: "fair share"},
		{Vertical: true, At: 50, Label: "OPS bound"}}
	of := map[string]*plot.Panel{fig10All: &all, fig10Partial: &partial, fig10Slow: &slow}
	for _, p := range c.points {
		panel := of[p.group]
		for _, s := range c.schemes {
			panel.Series = append(panel.Series, s.distribution(pooled(p.of(s.key), netRun.shares)))
		}
		if panel == &partial { // both lines are in one place: the dashed one is drawn last, on top
			slices.Reverse(panel.Series)
		}
	}
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{all, partial, slow}}}
}

// fig10Findings grades the claims.
func fig10Findings(c *comparison, rtts [2]float64) []claims.Finding {
	goodput := func(testbed, key string) mc.Estimate {
		return c.at(testbed, 0, key).mean(netRun.meanGoodput, "Gb/s", "mean goodput")
	}
	slow := c.at(fig10Slow, 0, "ops")
	used := listedAs(inSupport(slow, func(r netRun) float64 { return 100 * min(1, r.Numbers[mostUsed]) }, shareOf(100, 0)), "%",
		"use of the link of 400 Gb/s, "+slow.by())
	reached := goodput(fig10Slow, "reps")
	const model = "in a model of the testbed, not on it"
	return []claims.Finding{
		claims.InWords("N025", claims.Within("N025", "within a ToR", rtts[0]) && claims.Within("N025", "across", rtts[1]),
			fmt.Sprintf("%.2f us within a ToR, %.2f us across, packets of 8 KiB, NICs of 100 Gb/s", rtts[0],
				rtts[1]), "settings of the model"),
		claims.LeftOut("N055",
			fmt.Sprintf("the inside of switches is not in the model. In it, without that, "+
				"OPS and REPS have %.1f and %.1f Gb/s in setup-1, %.1f and %.1f in setup-2",
				goodput(fig10All, "ops").Value, goodput(fig10All, "reps").Value, goodput(fig10Partial, "ops").Value,
				goodput(fig10Partial, "reps").Value),
			fmt.Sprintf("the authors' own data of setup-1: REPS %s Gb/s, OPS %s",
				claims.Find("N055").Witness[0].Value, claims.Find("N055").Witness[1].Value)).
			With(goodput(fig10All, "ops"), goodput(fig10All, "reps"), goodput(fig10Partial, "ops"), goodput(fig10Partial, "reps")),
		claims.Sized("N056", used, "the link of 400 Gb/s is used to "+withBounds(used, "%.1f")+" % under OPS", model),
		claims.Estimated("N057", "goodput", reached,
			withBounds(reached, "%.1f")+" Gb/s under REPS, OPS "+withBounds(goodput(fig10Slow, "ops"), "%.1f"), model).
			With(goodput(fig10Slow, "ops")),
	}
}
