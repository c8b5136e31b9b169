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

// The failure of the figure.
const (
	testbedFailure = 1000 * microseconds // from the beginning of the run
	testbedBucket  = 20 * microseconds
	testbedThaw    = 10_000  // us after which REPS leaves freezing mode
	fig11Outage    = 200_000 // us until routing recovers
)

// lossTrace holds the losses of a run at some times after the failure.
type lossTrace struct {
	Lost   []int64 // packets lost up to each of the times
	Frozen []int64 // flows in freezing mode at each of the times
	Sent   int64   // packets sent from the failure to the recovery
}

// newLossTrace returns the trace at some times, in us, from the samples of a run.
func newLossTrace(samples []fattree.Sample, times []float64) *lossTrace {
	after := slices.IndexFunc(samples, func(s fattree.Sample) bool {
		return s.Time > testbedFailure+testbedBucket/2 // a bucket ends up to a slot early
	})
	samples = samples[after:]
	var t lossTrace
	for _, s := range samples {
		t.Sent += s.Sent
	}
	for _, at := range times {
		lost := int64(0)
		for i, s := range samples {
			if float64(i+1)*testbedBucket <= at*microseconds+1 {
				lost += s.Lost
			}
		}
		last := samples[min(len(samples), int(at*microseconds/testbedBucket))-1]
		t.Lost, t.Frozen = append(t.Lost, lost), append(t.Frozen, int64(last.Frozen))
	}
	return &t
}

// outageSpec returns the symmetric testbed with all endpoints sending without end. A link of ToR 0 fails in both
// directions for outage us.
func outageSpec(outage int64) fattree.Spec {
	end := testbedFailure + fattree.Picoseconds(outage)*fattree.Microsecond
	spec := symmetricTestbed()
	spec.Horizon = end
	spec.Faults = []fattree.Fault{{Ports: bothWays(spec), Start: testbedFailure}}
	// More than a NIC can send in this time.
	return ringTraffic(spec, 64, 1, int64(testbedNIC*float64(end)/8000))
}

// The groups of the figure: messages past a slow link, and a link that fails.
const (
	fig11Slow = "slow"
	fig11Down = "down"
)

// fig11Runs are the experiments of the figure.
type fig11Runs struct {
	comparison
	outage, rto float64   // us
	times       []float64 // times after the failure, us, at which losses are kept
}

// fig11 reproduces completion times and drops of the FPGA testbed in a model of it.
func fig11(ctx context.Context, s engine.Settings) (engine.Output, error) {
	f := newFig11()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   f.tables(),
			Plot:     f.plot(),
			Notes:    notes(facts{"ms": fig11Outage / 1000, "replicas": fewLong, "rto": f.rto}, "testbed", "fig11"),
			Findings: []claims.Finding{f.lasts(), f.drops()},
		}
	}, &f.comparison)
}

// newFig11 returns the experiments, not yet run.
func newFig11() fig11Runs {
	down, slow := outageSpec(fig11Outage), ringTraffic(asymmetricTestbed(), 8, 100, testbedMessage)
	f := fig11Runs{outage: fig11Outage, rto: rtoOf(down)}
	f.times = append(fig11Times(f.outage), f.rto, 2*f.rto, f.outage-f.rto, testbedThaw)
	f.points = []*comparedPoint{
		{group: fig11Slow, network: experiment.Fixed(slow), schemes: lbs("ops", "reps"), keep: keepFlows,
			replicas: fewLong},
		{group: fig11Down, place: "one of 16 links failed for 200 ms", network: experiment.Fixed(down), replicas: fewLong,
			schemes: lbs("ops", "reps", "reps-probe"), keep: f.keepLosses,
			trace: func(*fattree.Network) fattree.TraceConfig { return fattree.TraceConfig{Every: testbedBucket} }},
	}
	return f
}

// keepLosses keeps a run with its losses.
func (f *fig11Runs) keepLosses(r experiment.Replica) (netRun, error) {
	k, err := keepTimes(r)
	k.Losses = newLossTrace(r.Samples, f.times)
	return k, err
}

// tables lists losses, over time as well, and completion times.
func (f *fig11Runs) tables() []frame.Table {
	return []frame.Table{
		f.rows("", fig11Down, func(_ *comparedPoint, _ scheme, runs netRuns) cells {
			return cells{{"outage_us", f.outage}, {"lost", frame.WithErrorAndEnds(f.lostBy(runs, f.outage))},
				{"lost_first_10ms", f.lostBy(runs, testbedThaw).Value},
				{"sent", runs.count(func(r netRun) int64 { return r.Losses.Sent }).Value}}
		}),
		f.rowsOf("losses", fig11Down, func(_ *comparedPoint, _ scheme, runs netRuns) []cells {
			return lists.Map(fig11Times(f.outage), func(at float64) cells {
				return cells{{"after_us", at}, {"lost_until_then", f.lostBy(runs, at).Value},
					{"flows_frozen", f.frozenAt(runs, at).Value}}
			})
		}),
		f.rows("fct", fig11Slow, func(p *comparedPoint, _ scheme, runs netRuns) cells {
			return append(cells{{"hosts", 16}, {"message_bytes", testbedMessage}}, runs.cells(p.of("ops"))...)
		}),
	}
}

// down returns the point of the failed link.
func (f *fig11Runs) down() *comparedPoint { return f.points[1] }

// lostBy returns the mean number of packets lost up to a time after the failure, us.
func (f *fig11Runs) lostBy(runs netRuns, until float64) mc.Estimate {
	return runs.count(f.lostUntil(until))
}

// lostUntil returns a function for the packets that a run has lost up to one of the times.
func (f *fig11Runs) lostUntil(until float64) func(netRun) int64 {
	at := slices.Index(f.times, until)
	return func(r netRun) int64 { return r.Losses.Lost[at] }
}

// frozenAt returns the mean number of flows in freezing mode at a time after the failure, us.
func (f *fig11Runs) frozenAt(runs netRuns, at float64) mc.Estimate {
	i := slices.Index(f.times, at)
	return runs.count(func(r netRun) int64 { return r.Losses.Frozen[i] })
}

// fig11Times returns times after the failure, us, evenly spaced on a logarithmic scale. Each is the end of a
// bucket.
func fig11Times(outage float64) []float64 {
	var list []float64
	bucket := float64(testbedBucket) / microseconds
	for at := bucket; at < outage; at = max(at+bucket, bucket*float64(int(1.08*at/bucket))) {
		list = append(list, at)
	}
	return append(list, outage)
}

// plot draws the distribution of completion times, and losses over time.
func (f *fig11Runs) plot() *plot.Plot {
	fct := plot.Panel{Title: "(a) One of two links at 200 Gb/s", XLabel: "FCT of 4 MB (us)",
		YLabel: "Share of messages", Y: from(0, 1.02)}
	lost := plot.Panel{Title: "(b) One of 16 links failed", XLabel: "Time after the failure (ms)",
		YLabel: "Cumulative packets lost", X: onScale(plot.Log10), Y: onScale(plot.Log10),
		References: []plot.ReferenceLine{{Vertical: true, At: f.rto / 1000, Label: "RTO"}}, Legend: plot.Above}
	slow, down := f.points[0], f.down()
	fct.Series = lists.Map(slow.schemes, func(c scheme) plot.Series { return c.distribution(pooled(slow.of(c.key), netRun.fcts)) })
	for _, c := range down.schemes {
		losses := c.series(plot.Line)
		for _, at := range fig11Times(f.outage) {
			appendXY(&losses, at/1000, f.lostBy(down.of(c.key), at).Value)
		}
		lost.Series = append(lost.Series, losses)
	}
	return &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{{fct, lost}}}
}

// all returns the packets that a run loses until routing recovers, later the packets it loses from one RTO on.
func (f *fig11Runs) all(r netRun) int64   { return f.lostUntil(f.outage)(r) }
func (f *fig11Runs) later(r netRun) int64 { return f.all(r) - f.lostUntil(f.rto)(r) }

// lasts grades how long packets are lost.
func (f *fig11Runs) lasts() claims.Finding {
	spraying, recycling := f.down().of("ops"), f.down().of("reps")
	lasting := true
	for _, r := range spraying {
		lasting = lasting && f.all(r) > f.lostUntil(f.outage-f.rto)(r)
	}
	share := recycling.packetsOver(spraying, f.later, "lost from one RTO on")
	frozen := listedAs(f.frozenAt(recycling, 2*f.rto), "flows", "frozen two RTOs after the failure, "+recycling.by())
	return claims.InParts("N058", []claims.Part{
		{Name: "OPS losing packets until routing recovers", Condition: claims.Certain(lasting)},
		claims.Met("N058", "REPS avoiding the link", share),
	}, fmt.Sprintf("from an RTO (%.0f us) after the failure to the recovery (%.0f ms) REPS loses %s %% of the packets "+
		"that OPS loses", f.rto, f.outage/1000, withBounds(share.Per(0.01), "%.2f")),
		fmt.Sprintf("two RTOs after the failure %.0f of 128 flows are in freezing mode",
			frozen.Value)).With(frozen)
}

// drops grades how many packets are lost.
func (f *fig11Runs) drops() claims.Finding {
	spraying, recycling := f.down().of("ops"), f.down().of("reps")
	fewer, probing := spraying.packetsOver(recycling, f.all, "lost"), spraying.packetsOver(f.down().of("reps-probe"), f.all, "lost")
	return claims.Sized("N080", fewer, "OPS loses "+withBounds(fewer, "%.1f")+" times the packets of REPS", fmt.Sprintf(
		"in the model of the testbed, where REPS leaves freezing mode every %d ms; with probes, which keep it in, OPS loses %s times as many; "+
			"the paper's own plot has %s", testbedThaw/1000, withBounds(probing, "%.1f"), claims.Find("N080").AuthorsValue())).With(probing)
}
