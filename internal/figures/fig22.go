package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/table"
	"repslab/mc"
)

// fig22Outages lists the failures.
func fig22Outages() []outage {
	return []outage{{0, 200, math.Inf(1)}, {1, 400, math.Inf(1)}, {2, 600, math.Inf(1)}}
}

// The workloads.
const (
	fig22OneToR      = "one ToR"
	fig22Permutation = "permutation"
)

// Horizons of the runs whose uplinks are sampled, and of those whose completion times
// are compared, in ps.
const (
	fig22Seen    = 1500 * microseconds
	fig22Horizon = 2e6 * microseconds
	fig22Cut     = 90_000 // us: where the authors' runs end
)

// fig22 reproduces permanent failures of all but one uplink of a ToR, one after the other.
func fig22(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.replicas(3, 20)
	topology, message := fattree.Topology{Hosts: 128, Tiers: 3}, traffic.Message{Bytes: 32 * mebi}
	spec := microSpec(topology)
	spec.Faults, spec.Horizon = outageFaults(fig22Outages()), fig22Seen
	compared := lbs("ops", "reps-100us", "artifact-100us", "reps")
	sampled := fixed(spec)(traffic.OneToR(topology, message))
	spec.Horizon = fig22Horizon
	oneToR, everywhere := fixed(spec)(traffic.OneToR(topology, message)), permuted(s.Seed, spec, message.Bytes)
	var g netGrid // the network is the workload
	for _, c := range compared {
		g.add(fig22OneToR, c.key, 0, c.setup(fullEVS, oneToR))
	}
	for _, c := range compared[:2] {
		g.add(fig22Permutation, c.key, 0, c.setup(fullEVS, everywhere))
	}
	var seen uplinkScene
	err := s.inTurn(ctx, func(ctx context.Context, s Settings) (err error) {
		seen, err = runUplinks(ctx, s, sampled, replicas, keepCutUplinks, compared...)
		return err
	}, func(ctx context.Context, s Settings) error { return g.run(ctx, s, replicas, keepWithIdeal) })
	if err != nil {
		return Output{}, err
	}
	main, outages := table.Table{}, table.Table{Name: "outages"}
	g.rows(&main, s.Seed, func(key netKey) cells {
		r := netRuns(g.runs.at(key))
		return cells{{"workload", key.network}, {"lb", key.scheme}, {"lost", r.count(netRun.lost).Value},
			{"reroute_us", r.reroute().Value}}
	})
	seen.addOutages(&outages, fig22OneToR, fig22Outages(), s.Seed)
	drawn := seen.drawn()
	return Output{
		Tables: append(append([]table.Table{main}, drawn.tables(s.Seed)[1:]...), outages),
		Plot:   drawn.plot(uplinkView{rates: from(0), times: outageLines(fig22Outages()), slow: -1}),
		Notes: []string{
			"The 4 hosts of ToR 0 of a tree of 3 tiers and 128 hosts send 32 MiB each to another pod. Its uplinks 0, 1 and 2 lose all data from 200, 400 and 600 us on (vertical lines) for good. Queue 100, ECN 20/80, trimming, DCTCP variant, RTO 45.7 us. The authors published no script; one of their disabled failures is of this kind, from 100, 300 and 500 us on. Rows \"permutation\" of the table: all 128 hosts send, so that ToR 0 also sends ACKs, three quarters of which are lost in the end.",
			"Freezing mode lasts for 100 us, as in the authors' figure of two failures: the paper shows that REPS leaves it and comes back. Tables also have REPS by the authors' rules, and frozen for 10 ms.",
			"Left: packets that arrive for an uplink, sent, lost or queued, in buckets of 20 us. Right: queues, every microsecond. One line per uplink, replica 0, the first 1.5 ms. stopped_after_us: from the failure of the uplink until nothing is sent into it for 20 us.",
			fmt.Sprintf("Means over %d replicas, which end after 2 s.", replicas),
		},
		Findings: fig22Findings(&g, seen),
	}, nil
}

// fig22Findings judges the claims.
func fig22Findings(g *netGrid, seen uplinkScene) []claims.Finding {
	stops := seen.of("reps-100us").slowest(fig22Outages())
	ratio := func(workload, key string) mc.Estimate { return g.of(workload, "ops", 0).over(g.of(workload, key, 0)) }
	thawing, artifact := ratio(fig22OneToR, "reps-100us"), ratio(fig22OneToR, "artifact-100us")
	frozen := ratio(fig22OneToR, "reps")
	everywhere := ratio(fig22Permutation, "reps-100us")
	cut := fig22Cut / g.of(fig22OneToR, "reps-100us", 0).maxFCT().Value
	return []claims.Finding{
		claims.Estimated("N001", stops, claims.LessThan(stops, 100),
			"slowest of three reroutes: "+withBounds(stops, "%.0f")+" us after the failure",
			"by the authors' rules "+
				withBounds(seen.of("artifact-100us").slowest(fig22Outages()), "%.0f")+" us, frozen for 10 ms "+withBounds(seen.of("reps").slowest(fig22Outages()), "%.0f")+" us; whenever freezing mode ends some packets try the failed uplinks once more, and flows that had no time-out yet may do so later: reroute_us of the tables here and of fig08 is until the last packet"),
		claims.Estimated("N089", thawing, claims.Near(thawing, 40),
			"OPS takes "+withBounds(thawing, "%.0f")+" times as long",
			fmt.Sprintf("by the authors' rules %s, frozen for 10 ms %s, in a permutation of all hosts %s; flows of OPS whose window is down to a packet wait for a time-out three times out of four. The authors' command lines end runs after 90 ms, which is %.0f times what REPS takes",
				withBounds(artifact, "%.0f"), withBounds(frozen, "%.0f"), withBounds(everywhere, "%.0f"), cut)),
	}
}
