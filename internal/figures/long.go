package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/reps"
)

// Runs of a scheme at a point of the figure of long messages.
const (
	longRingRuns = 6
	longMRCRuns  = 5
)

// neverFrozen is the key of REPS without freezing mode, which the others are compared with.
const neverFrozen = "reps-unfrozen"

// longRingMiB lists the sizes of the all-reduces, and longFailures their failures: the time until the cable is back,
// in us; 0 is never.
func longRingMiB() []int  { return []int{16, 64, 256} }
func longFailures() []int { return []int{200, 1000, 10_000, 0} }

// longFreezing returns REPS by the length of freezing mode, and with mends of a frozen ring.
func longFreezing() []scheme {
	as := func(key, name string, color plot.Color, cfg reps.Config) scheme {
		return repsAs(key, name, color, balance.RecyclingConfig{REPS: cfg})
	}
	return []scheme{
		lb(neverFrozen).called(neverFrozen, "never frozen", plot.Black),
		as("reps-200us", "0.2 ms", plot.NthColor(0), reps.Config{FreezingTimeout: 200_000}),
		as("reps-1ms", "1 ms", plot.NthColor(1), reps.Config{FreezingTimeout: 1_000_000}),
		lb("reps").called("reps", "REPS, 10 ms", plot.Blue),
		as("reps-new", "10 ms, only new EVs", plot.NthColor(2), reps.Config{FrozenCache: reps.CacheNew}),
		lb("reps-probe").called("reps-probe", "until a probe returns", plot.NthColor(3)),
	}
}

// longRing returns the group of an all-reduce.
func longRing(mib int) string { return fmt.Sprintf("all-reduce of %d MiB", mib) }

// newLongRings returns the comparison of freezing times by the step of an all-reduce, not yet run; x is the time until
// the cable is back. The group [healthy] has the steps without a failure, x is their size in MiB.
func newLongRings() comparison {
	c := comparison{schemes: longFreezing()}
	for _, mib := range longRingMiB() {
		spec := evsSpec(topology.FatTree{Hosts: frozenHosts})
		transport.Change(&spec, func(o *transport.Options) { o.InheritConnections = true })
		add := func(group, label, failures string, x int, schemes []scheme) {
			c.points = append(c.points, &comparedPoint{group: group, x: x, label: label, place: longRing(mib) + ", " + label,
				workload: "ring-allreduce", hosts: frozenHosts, replicas: longRingRuns, metrics: []metric{byStep()}, schemes: schemes,
				network: failing(spec, failures, frozenJob(int64(mib)*mebi)),
				cells:   cells{{"workload", "ring-allreduce"}, {"failures", failures}, {"bytes", int64(mib) * mebi}}})
		}
		add(healthy, "healthy", "", mib, c.schemes[:1])
		for _, us := range longFailures() {
			failures, label := "cables=1,dir=both,place=aligned,at=100", "for good"
			if us > 0 {
				failures, label = fmt.Sprintf("%s,for=%d", failures, us), fmt.Sprintf("%g ms", float64(us)/1000)
			}
			add(longRing(mib), label, failures, us, nil)
		}
	}
	return c
}

// longMRCMiB lists the lengths of messages in the comparison with MRC.
func longMRCMiB() []int { return []int{16, 64, 128} }

// longCase is a failure and the time-out, in round trips, of a comparison with MRC.
type longCase struct {
	name, failures string
	trips          int
}

// String names the case; it is a group of points.
func (c longCase) String() string { return fmt.Sprintf("%s, %d round trips", c.name, c.trips) }

// longCases lists the cases of the comparison with MRC. The second has all schemes, the others have two.
func longCases() []longCase {
	const spine, dead = "silent spine", "1 % dead"
	const spineFails, cablesFail = "switches=1,plane=0", "cables=1%,plane=random"
	return []longCase{{spine, spineFails, 8}, {spine, spineFails, 16}, {spine, spineFails, 64}, {dead, cablesFail, 16}, {dead, cablesFail, 64}}
}

// mrcTrip is a round trip of the network that is compared with MRC, with its queues, in ps; without queues it is
// 4.7 us. MRC's time-out of 131 us is 16 of them.
const mrcTrip fattree.Picoseconds = 8_192_000

// longPlanes returns MRC and REPS for each plane, by its ring and its rule in freezing mode.
func longPlanes() []scheme {
	as := func(key, name string, color plot.Color, cfg reps.Config) scheme {
		return scheme{key: key, name: name, color: color, open: func(evs int) (transport.Balancer, error) {
			cfg.EVSSize = evs
			return balance.RecyclingConfig{REPS: cfg}.NewPerPlane()
		}}
	}
	return append(lbs("mrc", "reps-planes"), as("planes-ring-3", "rings of 3", plot.NthColor(0), reps.Config{BufferSize: 3}),
		as("planes-ring-32", "rings of 32", plot.NthColor(1), reps.Config{BufferSize: 32}),
		as("planes-new", "only new EVs while frozen", plot.NthColor(2), reps.Config{FrozenCache: reps.CacheNew}))
}

// newLongMRC returns the comparison of REPS for each plane with MRC, not yet run; x is the length of a message in MiB.
func newLongMRC() comparison {
	c := comparison{schemes: longPlanes()}
	for i, of := range longCases() {
		spec := exactMRC(mrcPlanes)
		spec.Horizon = 1_000_000 * microseconds
		transport.Change(&spec, func(o *transport.Options) { o.RTO = mrcTrip * fattree.Picoseconds(of.trips) })
		schemes := c.schemes[:2]
		if i == 1 {
			schemes = nil
		}
		for _, mib := range longMRCMiB() {
			p := c.addMRC(of.String(), fmt.Sprintf("%d MiB", mib), of.failures, int64(mib)*mebi, spec, drawPermutation(mrcHosts, int64(mib)*mebi), schemes...)
			p.x, p.replicas = mib, longMRCRuns
		}
	}
	return c
}

// long shows what freezing costs and saves by the lengths of messages, of failures and of freezing mode, and how REPS
// for each plane compares with MRC by the length of messages.
func long(ctx context.Context, s engine.Settings) (engine.Output, error) {
	rings, planes := newLongRings(), newLongMRC()
	return compared(ctx, s, func() engine.Output {
		steps := rings.rows("", "", func(p *comparedPoint, _ scheme, runs netRuns) cells {
			return cells{{"step_us", frame.WithEnds(runs.time(netRun.stepTime))}, {"lost", runs.count(netRun.lost).Value}, {"finished_runs", runs.finished()}}
		})
		flows := planes.rows("planes", "", func(p *comparedPoint, _ scheme, runs netRuns) cells {
			return cells{{"mean_fct_us", frame.WithEnds(runs.time(netRun.meanFCT))}, {"max_fct_us", frame.WithEnds(runs.maxFCT())},
				{"lost", runs.count(netRun.lost).Value}, {"finished_runs", runs.finished()}}
		})
		return engine.Output{
			Tables:   []frame.Table{steps, flows},
			Plot:     longPlot(&rings, &planes),
			Notes:    notes(facts{"hosts": frozenHosts, "rings": longRingRuns, "planes": longMRCRuns}, "long"),
			Findings: []claims.Finding{longRingsDo(&rings)},
		}
	}, &rings, &planes)
}

// longRingsDo grades freezing mode in all-reduces where a cable fails for good, against REPS that never freezes.
func longRingsDo(c *comparison) claims.Finding {
	over := func(mib int, key string) mc.Estimate {
		return c.at(longRing(mib), 0, key).ratio(c.at(longRing(mib), 0, neverFrozen), netRun.stepTime)
	}
	all, renewed, short := over(256, "reps"), over(256, "reps-new"), over(16, "reps")
	return claims.InParts("R2", []claims.Part{
		claims.Met("R2", "256 MiB", all), claims.Met("R2", "only new EVs", renewed), claims.Met("R2", "16 MiB", short),
	}, fmt.Sprintf("256 MiB: %s times, with only new EVs %s; 16 MiB: %s times",
		withBounds(all, "%.2f"), withBounds(renewed, "%.2f"), withBounds(short, "%.2f")),
		"a frozen ring loses entropy values while a step lasts")
}

// longPlot draws the steps of all-reduces over healthy ones, and REPS for each plane over MRC.
func longPlot(rings, planes *comparison) *plot.Plot {
	var rows [][]plot.Panel
	for i, mib := range longRingMiB() {
		base := rings.at(healthy, mib, neverFrozen)
		panel := plot.Panel{Title: fmt.Sprintf("(%c) All-reduce of %d MiB, a cable fails", 'a'+rune(i), mib), YLabel: "Step / healthy", Y: from(0.8), Origin: 1}
		rows = append(rows, []plot.Panel{wide(rings.bars(panel, longRing(mib), func(p *comparedPoint, key string) mc.Estimate {
			return p.of(key).ratio(base, netRun.stepTime)
		}))})
	}
	return stacked(append(rows, []plot.Panel{
		longerThanMRC(planes, "(d) Silent spine: REPS / MRC", longCases()[:3]),
		longerThanMRC(planes, "(e) 1 % dead: REPS / MRC", longCases()[3:]),
	})...)
}

// longerThanMRC draws the time of REPS for each plane over MRC, of the slowest flow, by the length of messages: a line
// for each time-out.
func longerThanMRC(c *comparison, title string, of []longCase) plot.Panel {
	colors := map[int]plot.Color{8: plot.NthColor(4), 16: plot.NthColor(5), 64: plot.NthColor(6)}
	panel := plot.Panel{Title: title, XLabel: "Message (MiB)", YLabel: "Max. FCT, ratio", Y: from(0.5), References: level(1, ""),
		X: ticked(onScale(plot.Log10), "%d", longMRCMiB()...)}
	for _, at := range of {
		line := plot.Series{Name: fmt.Sprintf("time-out %d round trips", at.trips), Color: colors[at.trips], Mark: plot.ErrorBars}
		panel.Series = append(panel.Series, over(line, longMRCMiB(), func(mib int) mc.Estimate {
			return c.at(at.String(), mib, "reps-planes").ratio(c.at(at.String(), mib, "mrc"), netRun.maxFCT)
		}))
	}
	return panel
}
