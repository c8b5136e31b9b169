package paper

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// fig22 re-makes failures for good of all but one uplink of a ToR, one after the
// other.
func fig22() Figure {
	return Figure{
		ID:    "fig22",
		Title: "Rates and queues of the uplinks of a ToR, three of four fail for good, 32 MiB messages",
		Rules: []Rule{
			{"N001", "under REPS, after the death of each of the three uplinks, nothing is sent into it for 20 us beginning less than 100 us after its death, in the mean over runs"},
			{"N089", "the mean maximum FCT of OPS is 36 to 44 times that of REPS, replicas paired, or 40 is in the 95 % interval"},
		},
		build: buildFig22,
	}
}

// fig22Outages returns when the uplinks die.
func fig22Outages() []outage {
	return []outage{{0, 200, math.Inf(1)}, {1, 400, math.Inf(1)}, {2, 600, math.Inf(1)}}
}

// Ends of runs, in ps: those of which the uplinks are looked at, and those of
// which the completion times are.
const (
	fig22Seen    = 1500 * microseconds
	fig22Horizon = 2e6 * microseconds
	fig22Cut     = 90_000 // us: where the authors' runs end
)

func buildFig22(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.choose(3, 20)
	topology := fattree.Topology{Hosts: 128, Tiers: 3}
	spec := fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax, Faults: faultsOf(fig22Outages()), Horizon: fig22Seen}
	message := traffic.Message{Bytes: 32 * mib}
	compared := []contender{ops(), repsThawing(), artifactThawing(), repsPaper()}
	seen, err := simulateUplinks(ctx, s.part(0, 2), fixed(spec)(traffic.OneToR(topology, message)), replicas, keepCutUplinks, compared...)
	if err != nil {
		return Output{}, err
	}
	spec.Horizon = fig22Horizon
	network := fixed(spec)(traffic.OneToR(topology, message))
	var setups []fattree.Setup
	for _, c := range compared {
		setups = append(setups, c.setup(fullEVS, network))
	}
	for _, c := range compared[:2] {
		setups = append(setups, c.setup(fullEVS, s.permutation(spec, message.Bytes)))
	}
	all, err := simulate(ctx, s.part(1, 2), setups, replicas, keepRun)
	if err != nil {
		return Output{}, err
	}
	drawn := uplinkScene{compared[:2], seen.runs[:2]}
	return Output{
		Tables:  fig22Tables(s.Seed, compared, all, drawn, seen.outagesTable("one ToR", fig22Outages(), s.Seed)),
		Formats: []report.Format{report.CSV},
		Plot:    drawn.plot(uplinkView{rates: report.Axis{Min: new(0.0)}, queues: thresholds(), times: outageLines(fig22Outages()), slow: -1}),
		Notes: []string{
			"The 4 hosts of ToR 0 of a tree of 3 tiers and 128 hosts send 32 MiB each to another pod. Its uplinks 0, 1 and 2 lose all data from 200, 400 and 600 us on (vertical lines) for good. Queue 100, ECN 20/80, trimming, DCTCP variant, RTO 45.7 us. The authors published no script; one of their disabled failures is of this kind, from 100, 300 and 500 us on. Rows \"permutation\" of the table: all 128 hosts send, so that ToR 0 also sends ACKs, three quarters of which are lost in the end.",
			"Freezing mode lasts for 100 us, as in the authors' figure of two failures: the paper shows that REPS leaves it and comes back. Tables also have REPS by the authors' rules, and frozen for 10 ms.",
			"Left: packets that arrive for an uplink, sent, lost or queued, in buckets of 20 us. Right: queues, every microsecond. One line an uplink, replica 0, the first 1.5 ms. stopped_after_us: from the death of the uplink until nothing is sent into it for 20 us.",
			fmt.Sprintf("Means over %d replicas, which end after 2 s.", replicas),
		},
		Findings: fig22Findings(all, seen),
	}, nil
}

// fig22Tables returns completion times, what the uplinks did, and outages.
func fig22Tables(seed uint64, compared []contender, all [][]networkRun, drawn uplinkScene, outages Table) []Table {
	main := Table{Columns: append([]report.Column{text("workload"), text("lb")}, append(numbers("lost", "reroute_us"), networkColumns()...)...)}
	for i, runs := range all {
		first := i / len(compared) * len(compared) // OPS on the same workload
		r := networkRuns(runs)
		row := []any{[]string{"one ToR", "permutation"}[i/len(compared)], compared[i-first].key, r.count(lostPackets).Value, r.reroute().Value}
		main.Rows = append(main.Rows, append(row, r.cells(all[first], seed)...))
	}
	return append(append([]Table{main}, drawn.tables(seed)[1:]...), outages)
}

// fig22Findings judges the claims.
func fig22Findings(all [][]networkRun, seen uplinkScene) []Finding {
	stops := seen.runs[1].slowest(fig22Outages())
	ratio := func(first, of int) mc.Estimate { return networkRuns(all[first]).over(all[first+of]) }
	thawing, artifact, frozen, everywhere := ratio(0, 1), ratio(0, 2), ratio(0, 3), ratio(4, 1)
	cut := fig22Cut / networkRuns(all[1]).maxFCT().Value
	return []Finding{
		{"N001", judge(stops.Value < 100), "the slowest of three times " + interval(stops, "%.0f") + " us after the death", stops.Lo, stops.Hi,
			"by the authors' rules " + interval(seen.runs[2].slowest(fig22Outages()), "%.0f") + " us, frozen for 10 ms " + interval(seen.runs[3].slowest(fig22Outages()), "%.0f") + " us; whenever freezing mode ends some packets try the dead uplinks once more, and flows that had no time-out yet may do so later: reroute_us of the tables here and of fig08 is until the last packet"},
		{"N089", judge(near(thawing, 40)), "OPS takes " + interval(thawing, "%.0f") + " times as long", thawing.Lo, thawing.Hi,
			fmt.Sprintf("by the authors' rules %s, frozen for 10 ms %s, in a permutation of all hosts %s; flows of OPS whose window is down to a packet wait for a time-out three times out of four. The authors' command lines end runs after 90 ms, which is %.0f times what REPS takes", interval(artifact, "%.0f"), interval(frozen, "%.0f"), interval(everywhere, "%.0f"), cut)},
	}
}
