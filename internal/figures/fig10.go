package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig10Testbed is a testbed of the figure.
type fig10Testbed struct {
	key    string
	active int     // endpoints of each ToR
	fair   float64 // share of a flow, Gb/s
	spec   fattree.Spec
}

// The testbeds: all endpoints active, some, and a slow cable.
const (
	fig10All     = "setup-1"
	fig10Partial = "setup-2"
	fig10Slow    = "slow-cable"
)

// fig10Testbeds returns the two symmetric testbeds and the asymmetric one. Every
// endpoint streams so many messages without a pause.
func fig10Testbeds(messages int64) []fig10Testbed {
	bytes := messages * testbedMessage
	const slowShare = (testbedFabric + testbedSlow) / 8
	return []fig10Testbed{
		{fig10All, 64, testbedNIC, ringTraffic(symmetricTestbed(), 64, 1, bytes)},
		{fig10Partial, 40, testbedNIC, ringTraffic(symmetricTestbed(), 40, 1, bytes)},
		{fig10Slow, 8, slowShare, ringTraffic(asymmetricTestbed(), 8, 1, 2*bytes)},
	}
}

// testbedRun is a run on a testbed.
type testbedRun struct {
	netRun
	goodput []float64 // Gb/s, of each flow, ascending
	used    []float64 // of each uplink of ToR 0, part of 400 Gb/s, in the middle half of the run
}

// keepTestbed keeps a run that is traced at ToR 0's uplinks.
func keepTestbed(r fattree.Replica) (testbedRun, error) {
	complete, err := keepComplete(r)
	k := testbedRun{netRun: complete}
	if err != nil {
		return k, err
	}
	for i, f := range r.Result.Flows {
		k.goodput = append(k.goodput, float64(r.Network.Spec().Workload.Flows[i].Bytes)*8000/float64(f.FCT()))
	}
	slices.Sort(k.goodput)
	middle := func(s fattree.Sample) bool { return s.Time > k.end/4 && s.Time <= 3*k.end/4 }
	var packets []int64
	var first, last fattree.Picoseconds
	for i, s := range r.Samples {
		if !middle(s) {
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
	bits := float64(r.Network.Spec().MTU) * 8000 // and ps to ns
	for _, n := range packets {
		k.used = append(k.used, float64(n)*bits/float64(last-first)/testbedFabric)
	}
	return k, nil
}

// fig10 reproduces the goodput of the FPGA testbed in a model of it.
func fig10(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.replicas(3, 10)
	f := fig10Runs{testbeds: fig10Testbeds(choose[int64](s.Scale, 10, 40)), schemes: lbs("ops", "reps")}
	var list trials[fig10Key, testbedRun]
	for _, bed := range f.testbeds {
		for _, c := range f.schemes {
			setup := c.setup(fullEVS, fattree.Fixed(bed.spec))
			setup.Trace = func(n *fattree.Network) fattree.TraceConfig {
				return fattree.TraceConfig{Every: testbedBucket, Ports: n.Uplinks(0)}
			}
			list.addNetwork(fig10Key{bed.key, c.key}, replicas, setup, keepTestbed)
		}
	}
	var err error
	if f.results, err = list.run(ctx, s); err != nil {
		return Output{}, err
	}
	rtts, err := testbedRTTs()
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   []table.Table{f.table(s.Seed)},
		Plot:     f.plot(),
		Notes:    append(testbedNotes(), fig10Notes(replicas)...),
		Findings: f.findings(rtts),
	}, nil
}

// fig10Key is the key of an experiment of the figure.
type fig10Key struct{ testbed, scheme string }

// fig10Runs are the experiments of the figure.
type fig10Runs struct {
	testbeds []fig10Testbed
	schemes  []scheme
	results[fig10Key, []testbedRun]
}

// table lists every scheme on every testbed.
func (f *fig10Runs) table(seed uint64) table.Table {
	var t table.Table
	for _, bed := range f.testbeds {
		for _, c := range f.schemes {
			runs := f.at(fig10Key{bed.key, c.key})
			times := netRunsOf(runs)
			count := func(of func(netRun) int64) float64 { return times.count(of).Value }
			e := meanOf(runs, testbedRun.meanGoodput)
			all := pooled(runs, func(r testbedRun) []float64 { return r.goodput })
			addRow(&t, cells{{"testbed", bed.key}, {"lb", c.key}, {"endpoints", 2 * bed.active},
				{"fair_share_gbps", bed.fair},
				{"goodput_gbps", e.Value}, {"goodput_gbps_se", e.StdErr},
				{"goodput_p05_gbps", rank(all, 0.05)}, {"goodput_p50_gbps", rank(all, 0.5)},
				{"goodput_p95_gbps", rank(all, 0.95)},
				{"mean_fct_us", times.time(netRun.meanFCT).Value}, {"p99_fct_us", times.time(netRun.p99FCT).Value},
				{"uplink_least_used", meanOf(runs, func(r testbedRun) float64 { return slices.Min(r.used) }).Value},
				{"uplink_most_used", meanOf(runs, func(r testbedRun) float64 { return slices.Max(r.used) }).Value},
				{"ecn_marked_fraction", count(netRun.marked) / count(netRun.hops)}, {"dropped", count(netRun.dropped)},
				{"flows", len(runs[0].fcts)}}, madeFrom(seed, len(runs)))
		}
	}
	return t
}

// meanGoodput returns the mean over the run's flows, in Gb/s.
func (r testbedRun) meanGoodput() float64 { return mean(r.goodput) }

// testbedRTTs returns the model's unloaded RTTs within a ToR and across, in us.
func testbedRTTs() ([2]float64, error) {
	spec := testbed(128, 8, 2)
	for _, to := range []fattree.Host{1, 64} {
		spec.Workload.Flows = append(spec.Workload.Flows,
			fattree.Flow{Destination: to, Bytes: 1, StartedBy: fattree.NoTrigger, Fires: fattree.NoTrigger})
	}
	n, err := fattree.Build(spec)
	if err != nil {
		return [2]float64{}, err
	}
	return [2]float64{float64(n.BaseRTT(0)) / microseconds, float64(n.BaseRTT(1)) / microseconds}, nil
}

// plot draws the distribution of goodput.
func (f *fig10Runs) plot() *plot.Plot {
	axis := from(0, 1.02)
	symmetric := plot.Panel{Title: "(a) Symmetric", XLabel: "Goodput of a flow (Gb/s)", YLabel: "Share of flows",
		Y: axis, X: from(85, 100)}
	slow := plot.Panel{Title: "(b) One of two cables at 200 Gb/s", XLabel: "Goodput of a flow (Gb/s)",
		YLabel: "Share of flows", Y: axis, X: from(40, 90),
		References: []plot.ReferenceLine{{Vertical: true, At: 75, Label: "fair share"},
			{Vertical: true, At: 50, Label: "OPS bound"}}}
	for _, bed := range f.testbeds {
		for _, c := range f.schemes {
			curve := shareCurve(pooled(f.at(fig10Key{bed.key, c.key}),
				func(r testbedRun) []float64 { return r.goodput }))
			curve.Name, curve.Color, curve.Dash = c.name+", "+bed.key, c.color, plot.Solid
			if bed.key == fig10Partial {
				curve.Dash = plot.Dashed
			}
			if bed.key == fig10Slow {
				curve.Name = c.name
				slow.Series = append(slow.Series, curve)
			} else {
				symmetric.Series = append(symmetric.Series, curve)
			}
		}
	}
	return &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{{symmetric, slow}}}
}

// fig10Notes describes the set-ups.
func fig10Notes(replicas uint64) []string {
	return []string{
		"Panel (a): 2 ToRs of 64 endpoints, 8 spines, two cables of 400 Gb/s from each ToR to each spine. All endpoints are active in setup-1, 40 of each ToR's in setup-2. Panel (b): 2 ToRs of 8 endpoints, 2 spines, one cable to each, of which that between ToR 0 and spine 0 has 200 Gb/s both ways.",
		"Goodput is the bytes of a flow over its completion time. A flow is a stream of 4 MB messages without a pause between them: a message at a time, with 15 us of round trip after each, reaches no more than 94.7 Gb/s, less than the testbed did. Use of an uplink is that of ToR 0's in the middle half of a run.",
		"The paper's plot data are in the authors' scripts, per-flow goodput: setup-1 OPS 96.8, REPS 86.5 Gb/s; setup-2 93.3 and 96.75; slow cable 51.8 and 71.5.",
		fmt.Sprintf("Flows of %d runs.", replicas),
	}
}

// findings judges the claims.
func (f *fig10Runs) findings(rtts [2]float64) []claims.Finding {
	goodput := func(testbed, key string) mc.Estimate {
		return meanOf(f.at(fig10Key{testbed, key}), testbedRun.meanGoodput)
	}
	used := meanOf(f.at(fig10Key{fig10Slow, "ops"}), func(r testbedRun) float64 { return 100 * slices.Max(r.used) })
	fair, reached := f.testbeds[len(f.testbeds)-1].fair, goodput(fig10Slow, "reps")
	const model = "in a model of the testbed, not on it"
	return []claims.Finding{
		claims.Exactly("N025",
			claims.Within10Percent(rtts[0], testbedNear) && claims.Within10Percent(rtts[1], testbedFar), rtts[1],
			fmt.Sprintf("%.2f us within a ToR, %.2f us across, packets of 8 KiB, NICs of 100 Gb/s", rtts[0],
				rtts[1]), "settings of the model"),
		claims.LeftOut("N055",
			fmt.Sprintf("the inside of switches is not in the model. In it, without that, OPS and REPS have %.1f and %.1f Gb/s in setup-1, %.1f and %.1f in setup-2",
				goodput(fig10All, "ops").Value, goodput(fig10All, "reps").Value, goodput(fig10Partial, "ops").Value,
				goodput(fig10Partial, "reps").Value), ""),
		claims.Estimated("N056", used, claims.Between(used, 45, 55),
			"the cable of 400 Gb/s is used to "+withBounds(used, "%.1f")+" % under OPS", model),
		claims.Estimated("N057", reached, claims.Between(reached, 0.95*fair, 1.05*fair),
			withBounds(reached, "%.1f")+" Gb/s under REPS, OPS "+withBounds(goodput(fig10Slow, "ops"), "%.1f"), model),
	}
}
