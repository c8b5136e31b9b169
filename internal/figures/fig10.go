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

// fig10 re-makes the goodput of the FPGA testbed in a model of it.
func fig10() Figure {
	return Figure{
		ID:    "fig10",
		Title: "FPGA testbed as a model: goodput, symmetric and with a slow cable",
		Rules: []claims.Rule{
			{Claim: "N025", Text: "the model's unloaded RTTs are within 10 % of 10 us within a ToR and of 15 us across"},
			{Claim: "N055", Text: "not modelled: the paper ascribes the degradation in setup-1 to the inside of its switches"},
			{Claim: "N056", Text: "in the model, under OPS, ToR 0's cable of 400 Gb/s is used to 45 to 55 % while the other has 200"},
			{Claim: "N057", Text: "in the model the mean goodput of a flow under REPS is within 5 % of 75 Gb/s"},
		},
		Build: buildFig10,
	}
}

// fig10Scene is a testbed of the figure.
type fig10Scene struct {
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

// fig10Scenes returns the two symmetric set-ups and the asymmetric one. Every
// endpoint streams so many messages without a pause.
func fig10Scenes(messages int64) []fig10Scene {
	bytes := messages * testbedMessage
	const slowShare = (testbedFabric + testbedSlow) / 8
	return []fig10Scene{
		{fig10All, 64, testbedNIC, ringTraffic(symmetricTestbed(), 64, 1, bytes)},
		{fig10Partial, 40, testbedNIC, ringTraffic(symmetricTestbed(), 40, 1, bytes)},
		{fig10Slow, 8, slowShare, ringTraffic(asymmetricTestbed(), 8, 1, 2*bytes)},
	}
}

// testbedRun is what is kept of a run on a testbed.
type testbedRun struct {
	Run
	goodput []float64 // Gb/s, of each flow, ascending
	used    []float64 // of each uplink of ToR 0, part of 400 Gb/s, in the middle half of the run
}

func goodputOf(r testbedRun) []float64 { return r.goodput }

// keepTestbed keeps a run for [netrun.Batch]; the run must be traced at ToR 0's uplinks.
func keepTestbed(r fattree.Replica) (testbedRun, error) {
	var k testbedRun
	end, complete := r.Result.LastEnd()
	if !complete {
		return k, Unfinished(r)
	}
	k.Run = Run{Result: r.Result, Complete: true, FCTs: r.Result.FCTs()}
	for i, f := range r.Result.Flows {
		k.goodput = append(k.goodput, float64(r.Network.Spec().Workload.Flows[i].Bytes)*8000/float64(f.FCT()))
	}
	slices.Sort(k.goodput)
	middle := func(s fattree.Sample) bool { return s.Time > end/4 && s.Time <= 3*end/4 }
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

func buildFig10(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.Choose(3, 10)
	scenes := fig10Scenes(int64(s.Scale.Choose(10, 40)))
	compared := []Scheme{OPS(), REPS()}
	var runs Batch[testbedRun] // by testbed and contender
	for _, scene := range scenes {
		for _, c := range compared {
			setup := c.Setup(FullEVS, fattree.Fixed(scene.spec))
			setup.Trace = func(n *fattree.Network) fattree.TraceConfig {
				return fattree.TraceConfig{Every: testbedBucket, Ports: n.Uplinks(0)}
			}
			runs.Add(setup, scene.key, c.Key)
		}
	}
	if err := runs.Run(ctx, s, replicas, keepTestbed); err != nil {
		return Output{}, err
	}
	rtts, err := testbedRTTs()
	if err != nil {
		return Output{}, err
	}
	rows := table.Table{Columns: append([]table.Column{table.Text("testbed"), table.Text("lb")}, table.Numbers("endpoints", "fair_share_gbps", "goodput_gbps", "goodput_gbps_se", "goodput_p05_gbps", "goodput_p50_gbps", "goodput_p95_gbps",
		"mean_fct_us", "p99_fct_us", "uplink_least_used", "uplink_most_used", "ecn_marked_fraction", "dropped", "flows", "seed", "replicas")...)}
	for _, scene := range scenes {
		for _, c := range compared {
			rows.Rows = append(rows.Rows, fig10Row(scene, c, runs.Of(scene.key, c.Key), s.Seed))
		}
	}
	return Output{
		Tables:   []table.Table{rows},
		Formats:  []table.Format{table.CSV},
		Plot:     fig10Plot(scenes, compared, &runs),
		Notes:    append(testbedNotes(), fig10Notes(replicas)...),
		Findings: fig10Findings(scenes, &runs, rtts),
	}, nil
}

// fig10Row lists a contender on a testbed.
func fig10Row(scene fig10Scene, c Scheme, runs []testbedRun, seed uint64) []any {
	e, all := MeanOf(runs, testbedRun.meanGoodput), pooled(runs, goodputOf)
	var times Runs
	for _, r := range runs {
		times = append(times, r.Run)
	}
	least := MeanOf(runs, func(r testbedRun) float64 { return slices.Min(r.used) })
	most := MeanOf(runs, func(r testbedRun) float64 { return slices.Max(r.used) })
	marked := times.Count(func(r *fattree.Result) int64 { return r.Marked }).Value / times.Count(func(r *fattree.Result) int64 { return r.PacketHops }).Value
	return []any{scene.key, c.Key, 2 * scene.active, scene.fair, e.Value, e.StdErr, rank(all, 0.05), rank(all, 0.5), rank(all, 0.95),
		times.Time(Run.MeanFCT).Value, times.Time(Run.P99FCT).Value, least.Value, most.Value, marked,
		times.Count(func(r *fattree.Result) int64 { return r.Dropped }).Value, len(runs[0].FCTs), seed, len(runs)}
}

// meanGoodput returns the mean over the run's flows, in Gb/s.
func (r testbedRun) meanGoodput() float64 { return meanValue(r.goodput) }

// testbedRTTs returns the model's unloaded RTTs within a ToR and across, in us.
func testbedRTTs() ([2]float64, error) {
	spec := testbed(128, 8, 2)
	for _, to := range []fattree.Host{1, 64} {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.Flow{Destination: to, Bytes: 1, StartedBy: fattree.NoTrigger, Fires: fattree.NoTrigger})
	}
	n, err := fattree.Build(spec)
	if err != nil {
		return [2]float64{}, err
	}
	return [2]float64{float64(n.BaseRTT(0)) / Microseconds, float64(n.BaseRTT(1)) / Microseconds}, nil
}

// fig10Plot draws the distribution of goodput.
func fig10Plot(scenes []fig10Scene, compared []Scheme, runs *Batch[testbedRun]) *plot.Plot {
	axis := plot.Axis{Min: new(0.0), Max: new(1.02)}
	symmetric := plot.Panel{Title: "(a) Symmetric", XLabel: "Goodput of a flow (Gb/s)", YLabel: "Share of flows", Y: axis, X: plot.Axis{Min: new(85.0), Max: new(100.0)}}
	slow := plot.Panel{Title: "(b) One of two cables at 200 Gb/s", XLabel: "Goodput of a flow (Gb/s)", YLabel: "Share of flows", Y: axis, X: plot.Axis{Min: new(40.0), Max: new(90.0)},
		Rules: []plot.ReferenceLine{{Vertical: true, At: 75, Label: "fair share"}, {Vertical: true, At: 50, Label: "OPS bound"}}}
	for _, scene := range scenes {
		for _, c := range compared {
			curve := shareCurve(pooled(runs.Of(scene.key, c.Key), goodputOf))
			curve.Name, curve.Color, curve.Dash = c.Name+", "+scene.key, c.Look, plot.Solid
			if scene.key == fig10Partial {
				curve.Dash = plot.Dashed
			}
			if scene.key == fig10Slow {
				curve.Name = c.Name
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

// fig10Findings judges the claims.
func fig10Findings(scenes []fig10Scene, runs *Batch[testbedRun], rtts [2]float64) []claims.Finding {
	goodput := func(scene, key string) mc.Estimate {
		return MeanOf(runs.Of(scene, key), testbedRun.meanGoodput)
	}
	used := MeanOf(runs.Of(fig10Slow, "ops"), func(r testbedRun) float64 { return 100 * slices.Max(r.used) })
	fair, reached := scenes[len(scenes)-1].fair, goodput(fig10Slow, "reps")
	const model = "in a model of the testbed, not on it"
	return []claims.Finding{
		claims.Exactly("N025", claims.Within10Percent(rtts[0], testbedNear) && claims.Within10Percent(rtts[1], testbedFar), rtts[1], fmt.Sprintf("%.2f us within a ToR, %.2f us across, packets of 8 KiB, NICs of 100 Gb/s", rtts[0], rtts[1]), "settings of the model"),
		claims.LeftOut("N055", fmt.Sprintf("the inside of switches is not in the model. In it, without that, OPS and REPS have %.1f and %.1f Gb/s in setup-1, %.1f and %.1f in setup-2", goodput(fig10All, "ops").Value, goodput(fig10All, "reps").Value, goodput(fig10Partial, "ops").Value, goodput(fig10Partial, "reps").Value), ""),
		claims.Estimated("N056", used.Value >= 45 && used.Value <= 55, used, "the cable of 400 Gb/s is used to "+Interval(used, "%.1f")+" % under OPS", model).Resting(claims.Between(used, 45, 55)),
		claims.Estimated("N057", reached.Value >= 0.95*fair && reached.Value <= 1.05*fair, reached, Interval(reached, "%.1f")+" Gb/s under REPS, OPS "+Interval(goodput(fig10Slow, "ops"), "%.1f"), model).Resting(claims.Between(reached, 0.95*fair, 1.05*fair)),
	}
}
