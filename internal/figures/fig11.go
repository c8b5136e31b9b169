package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// The failure of the figure.
const (
	testbedFailure = 1000 * microseconds // from the beginning of the run
	testbedBucket  = 20 * microseconds
	testbedThaw    = 10_000 // us, after which REPS leaves freezing mode
)

// testbedOutage is a run with a cable that goes down.
type testbedOutage struct {
	lost   []int64 // packets, in each bucket after the failure
	frozen []int   // flows in freezing mode at its end
	sent   int64   // packets, from the failure to the recovery
}

// frozenAt returns the flows in freezing mode at a time after the failure, in us.
func (o testbedOutage) frozenAt(at float64) float64 {
	return float64(o.frozen[min(len(o.frozen), int(at*microseconds/testbedBucket))-1])
}

// total returns the packets lost up to a time after the failure, in us.
func (o testbedOutage) total(until float64) int64 {
	sum := int64(0)
	for i, lost := range o.lost {
		if float64(i+1)*testbedBucket <= until*microseconds+1 {
			sum += lost
		}
	}
	return sum
}

// keepOutage keeps the effects of the failure.
func keepOutage(r fattree.Replica) (testbedOutage, error) {
	var o testbedOutage
	for _, s := range r.Samples {
		// A bucket ends up to a slot early.
		if s.Time > testbedFailure+r.Network.SlotTime() {
			o.lost, o.frozen = append(o.lost, s.Lost), append(o.frozen, s.Frozen)
			o.sent += s.Sent
		}
	}
	return o, nil
}

// outageSpec is the symmetric testbed, all endpoints sending without end, in which
// a cable of ToR 0 is down for some time, us, both ways.
func outageSpec(outage int64) fattree.Spec {
	end := testbedFailure + outage*microseconds
	spec := symmetricTestbed()
	spec.Horizon = end
	spec.Faults = []fattree.Fault{{Direction: fattree.Both, Start: testbedFailure}}
	// More than a NIC can send until then.
	return ringTraffic(spec, 64, 1, int64(testbedNIC*float64(end)/8000))
}

// fig11Runs are the experiments of the figure, by scheme: messages past a slow cable, and
// a cable that goes down.
type fig11Runs struct {
	steady, failing []scheme
	times           results[string, []netRun]
	losses          results[string, []testbedOutage]
	outage          int64   // us
	rto             float64 // us
}

// fig11 reproduces completion times and drops of the FPGA testbed in a model of it.
func fig11(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.replicas(2, 3)
	outage := choose[int64](s.Scale, 11_000, 200_000)
	f := fig11Runs{steady: lbs("ops", "reps"), failing: lbs("ops", "reps", "reps-probe"), outage: outage}
	slow := ringTraffic(asymmetricTestbed(), 8, choose(s.Scale, 50, 100), testbedMessage)
	down := outageSpec(outage)
	var steady trials[string, netRun]
	for _, c := range f.steady {
		steady.addNetwork(c.key, replicas, c.setup(fullEVS, fattree.Fixed(slow)), keepComplete)
	}
	var failing trials[string, testbedOutage]
	for _, c := range f.failing {
		setup := c.setup(fullEVS, fattree.Fixed(down))
		setup.Trace = func(*fattree.Network) fattree.TraceConfig { return fattree.TraceConfig{Every: testbedBucket} }
		failing.addNetwork(c.key, replicas, setup, keepOutage)
	}
	if err := s.inTurn(ctx, steady.into(&f.times), failing.into(&f.losses)); err != nil {
		return Output{}, err
	}
	f.rto = float64(down.WithDefaults().RTO) / microseconds
	return Output{
		Tables:   f.tables(s.Seed),
		Plot:     f.plot(),
		Notes:    append(testbedNotes(), fig11Notes(outage, replicas)...),
		Findings: []claims.Finding{f.finding()},
	}, nil
}

// tables lists losses, over time as well, and completion times.
func (f *fig11Runs) tables(seed uint64) []table.Table {
	main, over, fcts := table.Table{}, table.Table{Name: "losses"}, table.Table{Name: "fct"}
	for _, c := range f.failing {
		runs := f.losses.at(c.key)
		sent := meanOf(runs, func(o testbedOutage) float64 { return float64(o.sent) })
		addRow(&main, cells{{"lb", c.key}, {"outage_us", f.outage}},
			withError("lost", "lost", lostBy(runs, float64(f.outage))),
			cells{{"lost_first_10ms", lostBy(runs, testbedThaw).Value}, {"sent", sent.Value}},
			madeFrom(seed, len(runs)))
		for _, at := range fig11Times(f.outage) {
			addRow(&over, cells{{"lb", c.key}, {"after_us", at}, {"lost_until_then", lostBy(runs, at).Value},
				{"flows_frozen", frozenAt(runs, at).Value}},
				madeFrom(seed, len(runs)))
		}
	}
	for _, c := range f.steady {
		addRow(&fcts, cells{{"lb", c.key}, {"hosts", 16}, {"message_bytes", testbedMessage}},
			netRuns(f.times.at(c.key)).cells(f.times.at("ops"), seed))
	}
	return []table.Table{main, over, fcts}
}

// lostBy returns the mean packets lost up to a time after the failure, us.
func lostBy(runs []testbedOutage, until float64) mc.Estimate {
	return meanCount(runs, func(o testbedOutage) int64 { return o.total(until) })
}

// frozenAt returns the mean flows in freezing mode at a time after the failure, us.
func frozenAt(runs []testbedOutage, at float64) mc.Estimate {
	return meanOf(runs, func(o testbedOutage) float64 { return o.frozenAt(at) })
}

// fig11Times returns times after the failure, us, in equal steps of their
// logarithm, each the end of a bucket.
func fig11Times(outage int64) []float64 {
	var list []float64
	bucket := float64(testbedBucket) / microseconds
	for at := bucket; at < float64(outage); at = max(at+bucket, bucket*float64(int(1.08*at/bucket))) {
		list = append(list, at)
	}
	return append(list, float64(outage))
}

// plot draws the distribution of completion times, and losses over time.
func (f *fig11Runs) plot() *plot.Plot {
	fct := plot.Panel{Title: "(a) One of two cables at 200 Gb/s", XLabel: "FCT of 4 MB (us)",
		YLabel: "Share of messages", Y: from(0, 1.02)}
	lost := plot.Panel{Title: "(b) One of 16 cables down", XLabel: "Time after the failure (ms)",
		YLabel: "Packets lost until then", X: onScale(plot.Log10), Y: onScale(plot.Log10),
		References: []plot.ReferenceLine{{Vertical: true, At: f.rto / 1000, Label: "RTO"}}, Legend: plot.Above}
	for _, c := range f.steady {
		curve := shareCurve(pooled(f.times.at(c.key), netRun.fctsUs))
		curve.Name, curve.Color, curve.Dash = c.name, c.color, plot.Solid
		fct.Series = append(fct.Series, curve)
	}
	for _, c := range f.failing {
		losses := c.series(plot.Line)
		for _, at := range fig11Times(f.outage) {
			appendXY(&losses, at/1000, lostBy(f.losses.at(c.key), at).Value)
		}
		lost.Series = append(lost.Series, losses)
	}
	return &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{{fct, lost}}}
}

// fig11Notes describes the set-ups.
func fig11Notes(outage int64, replicas uint64) []string {
	notes := []string{
		"Panel (a): the asymmetric testbed of fig. 10; every endpoint sends messages of 4 MB, one after the other. A fair share of 75 Gb/s takes 442 us with the round trip, the 50 Gb/s that are OPS's bound 655 us.",
		fmt.Sprintf("Panel (b): the symmetric testbed, all 128 endpoints active; a cable of ToR 0 goes down, both ways, after 1 ms, and routing takes %d ms to recover, up to which packets are counted. The paper says \"100s of ms\". REPS leaves freezing mode 10 ms after it began, explores and freezes again; with probes it stays until one comes back.", outage/1000),
		fmt.Sprintf("The data of the paper's plot are in the authors' scripts: 1,470,000 packets under OPS and 28,142 under REPS. Means over %d runs, the paper's over five.", replicas),
	}
	if outage < 100_000 {
		notes = append(notes, "`--full` takes 200 ms.")
	}
	return notes
}

// finding judges how long packets are lost.
func (f *fig11Runs) finding() claims.Finding {
	lasting, outage, rto := true, float64(f.outage), f.rto
	spraying, recycling := f.losses.at("ops"), f.losses.at("reps")
	for _, o := range spraying {
		lasting = lasting && o.total(outage) > o.total(outage-rto)
	}
	sprayed, recycled := lostBy(spraying, outage), lostBy(recycling, outage)
	probing := lostBy(f.losses.at("reps-probe"), outage)
	early, first := lostBy(recycling, 2*rto), lostBy(recycling, testbedThaw)
	share := early.Value / first.Value
	var soon mc.PairedMoments
	for _, o := range recycling {
		soon.Add(o.total(2*rto), o.total(testbedThaw))
	}
	return claims.Judged("N058",
		claims.All(claims.Certain(lasting), claims.AtLeast(soon.Ratio(mc.DefaultConfidence), 0.95)),
		fmt.Sprintf("OPS loses %.0f packets in %.0f ms, up to the end: %t; REPS %.0f, of which %.0f in the first 10 ms, %.1f %% of these within %.0f us, when %.0f of 128 flows are frozen; with probes %.0f. OPS over REPS %.0f. In its first RTO REPS loses %.2f packets/us, in the second %.2f",
			sprayed.Value, outage/1000, lasting, recycled.Value, first.Value, 100*share, 2*rto, frozenAt(recycling,
				2*rto).Value, probing.Value, sprayed.Value/recycled.Value, lostBy(recycling, rto).Value/rto,
			(early.Value-lostBy(recycling, rto).Value)/rto), "in a model of the testbed, not on it. A flow freezes after its own first loss. Those that meet the failed cable late, since recycling avoids it already, go on losing random packets until then, at a small rate")
}
