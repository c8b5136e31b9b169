package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig22 re-makes failures for good of all but one uplink of a ToR, one after the
// other.
func fig22() Figure {
	return Figure{
		ID:    "fig22",
		Title: "Rates and queues of the uplinks of a ToR, three of four fail for good, 32 MiB messages",
		Rules: []claims.Rule{
			{Claim: "N001", Text: "under REPS, after the death of each of the three uplinks, nothing is sent into it for 20 us beginning less than 100 us after its death, in the mean over runs"},
			{Claim: "N089", Text: "the mean maximum FCT of OPS is 36 to 44 times that of REPS, replicas paired, or 40 is in the 95 % interval"},
		},
		Build: buildFig22,
	}
}

// fig22Outages returns when the uplinks die.
func fig22Outages() []Outage {
	return []Outage{{Uplink: 0, From: 200, To: math.Inf(1)}, {Uplink: 1, From: 400, To: math.Inf(1)}, {Uplink: 2, From: 600, To: math.Inf(1)}}
}

// The workloads.
const (
	fig22OneToR      = "one ToR"
	fig22Permutation = "permutation"
)

// Ends of runs, in ps: those of which the uplinks are looked at, and those of
// which the completion times are.
const (
	fig22Seen    = 1500 * Microseconds
	fig22Horizon = 2e6 * Microseconds
	fig22Cut     = 90_000 // us: where the authors' runs end
)

func buildFig22(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.Choose(3, 20)
	topology := fattree.Topology{Hosts: 128, Tiers: 3}
	spec := fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax, Faults: OutageFaults(fig22Outages()), Horizon: fig22Seen}
	message := traffic.Message{Bytes: 32 * MiB}
	compared := []Scheme{OPS(), REPSThawing(), ArtifactThawing(), REPS()}
	seen, err := SimulateUplinks(ctx, s.Part(0, 2), Fixed(spec)(traffic.OneToR(topology, message)), replicas, KeepCutUplinks, compared...)
	if err != nil {
		return Output{}, err
	}
	spec.Horizon = fig22Horizon
	network := Fixed(spec)(traffic.OneToR(topology, message))
	var all Batch[Run] // by workload and contender
	for _, c := range compared {
		all.Add(c.Setup(FullEVS, network), fig22OneToR, c.Key)
	}
	for _, c := range compared[:2] {
		all.Add(c.Setup(FullEVS, Permutation(s.Seed, spec, message.Bytes)), fig22Permutation, c.Key)
	}
	if err := all.Run(ctx, s.Part(1, 2), replicas, KeepWithIdeal); err != nil {
		return Output{}, err
	}
	drawn := UplinkScene{Compared: compared[:2], Runs: seen.Runs[:2]}
	return Output{
		Tables:  fig22Tables(s.Seed, compared, &all, drawn, seen.OutagesTable(fig22OneToR, fig22Outages(), s.Seed)),
		Formats: []table.Format{table.CSV},
		Plot:    drawn.Plot(UplinkView{Rates: plot.Axis{Min: new(0.0)}, Queues: thresholds(), Times: OutageLines(fig22Outages()), Slow: -1}),
		Notes: []string{
			"The 4 hosts of ToR 0 of a tree of 3 tiers and 128 hosts send 32 MiB each to another pod. Its uplinks 0, 1 and 2 lose all data from 200, 400 and 600 us on (vertical lines) for good. Queue 100, ECN 20/80, trimming, DCTCP variant, RTO 45.7 us. The authors published no script; one of their disabled failures is of this kind, from 100, 300 and 500 us on. Rows \"permutation\" of the table: all 128 hosts send, so that ToR 0 also sends ACKs, three quarters of which are lost in the end.",
			"Freezing mode lasts for 100 us, as in the authors' figure of two failures: the paper shows that REPS leaves it and comes back. Tables also have REPS by the authors' rules, and frozen for 10 ms.",
			"Left: packets that arrive for an uplink, sent, lost or queued, in buckets of 20 us. Right: queues, every microsecond. One line an uplink, replica 0, the first 1.5 ms. stopped_after_us: from the death of the uplink until nothing is sent into it for 20 us.",
			fmt.Sprintf("Means over %d replicas, which end after 2 s.", replicas),
		},
		Findings: fig22Findings(&all, seen),
	}, nil
}

// fig22Tables returns completion times, what the uplinks did, and outages.
func fig22Tables(seed uint64, compared []Scheme, all *Batch[Run], drawn UplinkScene, outages table.Table) []table.Table {
	main := table.Table{Columns: append([]table.Column{table.Text("workload"), table.Text("lb")}, append(table.Numbers("lost", "reroute_us"), RunColumns()...)...)}
	list := func(workload string, compared []Scheme) {
		for _, c := range compared {
			r := Runs(all.Of(workload, c.Key))
			row := []any{workload, c.Key, r.Count(LostPackets).Value, r.Reroute().Value}
			main.Rows = append(main.Rows, append(row, r.Cells(all.Of(workload, "ops"), seed)...))
		}
	}
	list(fig22OneToR, compared)
	list(fig22Permutation, compared[:2])
	return append(append([]table.Table{main}, drawn.Tables(seed)[1:]...), outages)
}

// fig22Findings judges the claims.
func fig22Findings(all *Batch[Run], seen UplinkScene) []claims.Finding {
	stops := seen.Of("reps-100us").Slowest(fig22Outages())
	ratio := func(workload, key string) mc.Estimate {
		return Runs(all.Of(workload, "ops")).Over(all.Of(workload, key))
	}
	thawing, artifact, frozen := ratio(fig22OneToR, "reps-100us"), ratio(fig22OneToR, "artifact-100us"), ratio(fig22OneToR, "reps")
	everywhere := ratio(fig22Permutation, "reps-100us")
	cut := fig22Cut / Runs(all.Of(fig22OneToR, "reps-100us")).MaxFCT().Value
	return []claims.Finding{
		claims.Estimated("N001", stops.Value < 100, stops, "the slowest of three times "+Interval(stops, "%.0f")+" us after the death", "by the authors' rules "+Interval(seen.Of("artifact-100us").Slowest(fig22Outages()), "%.0f")+" us, frozen for 10 ms "+Interval(seen.Of("reps").Slowest(fig22Outages()), "%.0f")+" us; whenever freezing mode ends some packets try the dead uplinks once more, and flows that had no time-out yet may do so later: reroute_us of the tables here and of fig08 is until the last packet").Resting(claims.AtMost(stops, 100)),
		claims.Estimated("N089", claims.Near(thawing, 40), thawing, "OPS takes "+Interval(thawing, "%.0f")+" times as long", fmt.Sprintf("by the authors' rules %s, frozen for 10 ms %s, in a permutation of all hosts %s; flows of OPS whose window is down to a packet wait for a time-out three times out of four. The authors' command lines end runs after 90 ms, which is %.0f times what REPS takes", Interval(artifact, "%.0f"), Interval(frozen, "%.0f"), Interval(everywhere, "%.0f"), cut)).Resting(claims.CloseTo(thawing, 40)),
	}
}
