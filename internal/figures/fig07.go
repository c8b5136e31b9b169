package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig07 re-makes two failures of uplinks that pass.
func fig07() Figure {
	return Figure{
		ID:    "fig07",
		Title: "Rates and queues of the uplinks of a ToR, two of which fail for a time, 32 MiB messages",
		Rules: []claims.Rule{
			{Claim: "N049", Text: "in the authors' set-up, which is the figure's, one uplink fails from 100 to 200 us and another from 350 to 550 us"},
			{Claim: "N050", Text: "under REPS, at both failures, nothing is sent into the dead uplink for 20 us beginning less than 100 us after its death, in the mean over runs: one time-out is 46 us"},
			{Claim: "N051", Text: "the mean maximum FCT of OPS is at least 1.35 times that of REPS, replicas paired"},
			{Claim: "N052", Text: "OPS loses 2.25 to 2.75 times the packets that REPS loses on dead uplinks, replicas paired, or 2.5 is in the 95 % interval"},
		},
		Build: buildFig07,
	}
}

// fig07Setup is the authors' set-up, or the one of the paper's words.
type fig07Setup struct {
	key     string
	bytes   int64
	rto     fattree.Picoseconds // 0 is the authors' formula
	outages []Outage
	scene   UplinkScene
}

// fig07Setups returns both.
func fig07Setups() []fig07Setup {
	return []fig07Setup{
		{key: "authors", bytes: 32 * MiB, outages: []Outage{{Uplink: 1, From: 100, To: 200}, {Uplink: 3, From: 350, To: 600}}},
		{key: "paper", bytes: 64 * MiB, rto: 70 * Microseconds, outages: []Outage{{Uplink: 1, From: 100, To: 200}, {Uplink: 3, From: 350, To: 550}}},
	}
}

// run runs OPS, and REPS in its variants: first those that are drawn.
func (f *fig07Setup) run(ctx context.Context, s Settings, replicas uint64) error {
	topology := fattree.Topology{Hosts: 128, Tiers: 3}
	spec := fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax, RTO: f.rto, Faults: OutageFaults(f.outages)}
	network := Fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: f.bytes}))
	var err error
	f.scene, err = SimulateUplinks(ctx, s, network, replicas, KeepUplinks, OPS(), REPSThawing(), ArtifactThawing(), REPS(), REPSUnfrozen())
	return err
}

func buildFig07(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.Choose(3, 20)
	setups := fig07Setups()
	for i := range setups {
		if err := setups[i].run(ctx, s.Part(i, len(setups)), replicas); err != nil {
			return Output{}, err
		}
	}
	authors, words := setups[0], setups[1]
	drawn := UplinkScene{Compared: authors.scene.Compared[:2], Runs: authors.scene.Runs[:2]}
	tables := drawn.Tables(s.Seed)
	tables[0] = table.Table{Columns: append([]table.Column{table.Text("setup"), table.Text("lb")}, append(table.Numbers("message_bytes", "lost", "lost_lo", "lost_hi"), RunColumns()...)...)}
	outages := table.Table{Name: "outages"}
	for _, f := range setups {
		tables[0].Rows = append(tables[0].Rows, f.rows(s.Seed)...)
		part := f.scene.OutagesTable(f.key, f.outages, s.Seed)
		outages.Columns, outages.Rows = part.Columns, append(outages.Rows, part.Rows...)
	}
	return Output{
		Tables:  append(tables, outages),
		Formats: []table.Format{table.CSV},
		Plot:    drawn.Plot(UplinkView{Rates: plot.Axis{Min: new(0.0)}, Queues: thresholds(), Times: OutageLines(authors.outages), Slow: -1}),
		Notes: []string{
			"The 4 hosts of ToR 0 of a tree of 3 tiers and 128 hosts send 32 MiB each to another pod. Its uplink 1 loses all data from 100 to 200 us, its uplink 3 from 350 to 600 us (vertical lines). Queue 100, ECN 20/80, trimming, DCTCP variant, RTO 45.7 us, freezing mode for 100 us. So did the authors, but for a rule of congestion control that they switch on after 650 us; it is left out here.",
			"The paper says 64 MiB, the second failure 200 us long and an RTO of 70 us: rows \"paper\" of the tables.",
			"Left: packets that arrive for an uplink, sent, lost or queued, in buckets of 20 us. Right: queues, every microsecond. One line an uplink, replica 0. A dead uplink empties its queue into the void.",
			"Tables also have REPS by the authors' rules (ring erased when freezing mode ends, then a window of random EVs), frozen for 10 ms as in all other figures, and without freezing mode. stopped_after_us: from the death of the uplink until nothing is sent into it for 20 us.",
			fmt.Sprintf("Means over %d replicas. The authors' simulator, 5 seeds, with that rule of theirs: OPS 1,320.7 us, REPS 899.8 us; packets sent again in one of them 725 and 434; their list, which has no freezing mode, 1,048.9 us and 354.", replicas),
		},
		Findings: fig07Findings(authors, words),
	}, nil
}

// rows lists the contenders.
func (f fig07Setup) rows(seed uint64) [][]any {
	var rows [][]any
	sprayed := f.scene.Of("ops").NetworkRuns()
	for i, c := range f.scene.Compared {
		runs := f.scene.Runs[i].NetworkRuns()
		lost := runs.Count(LostPackets)
		rows = append(rows, append([]any{f.key, c.Key, f.bytes, lost.Value, lost.Lo, lost.Hi}, runs.Cells(sprayed, seed)...))
	}
	return rows
}

// compare returns how much longer OPS takes than REPS, and how many times its
// packets it loses.
func (f fig07Setup) compare() (longer, lost mc.Estimate) {
	sprayed, recycled := f.scene.Of("ops").NetworkRuns(), f.scene.Of("reps-100us").NetworkRuns()
	return sprayed.Over(recycled), sprayed.Lost(recycled)
}

// fig07Findings judges the claims.
func fig07Findings(authors, words fig07Setup) []claims.Finding {
	second := authors.outages[1]
	stops := authors.scene.Of("reps-100us").Slowest(authors.outages)
	artifact := authors.scene.Of("artifact-100us").Slowest(authors.outages)
	oblivious := authors.scene.Of("ops").Slowest(authors.outages)
	longer, lost := authors.compare()
	longerInWords, lostInWords := words.compare()
	return []claims.Finding{
		claims.Exactly("N049", second.From == 350 && second.To == 550, second.To-second.From, fmt.Sprintf("the second failure lasts from %.0f to %.0f us", second.From, second.To), "the authors' simulator ends it at 600 us; the paper's 550 us are in the rows \"paper\""),
		claims.Estimated("N050", stops.Value < 100, stops, "the slower of both times "+Interval(stops, "%.0f")+" us after the death", fmt.Sprintf("by the authors' rules %s us; under OPS %s us, of the 250 that the failure lasts", Interval(artifact, "%.0f"), Interval(oblivious, "%.0f"))).Resting(claims.AtMost(stops, 100)),
		claims.Estimated("N051", longer.Value >= 1.35, longer, "OPS takes "+Interval(longer, "%.2f")+" times as long", "set up in the paper's words "+Interval(longerInWords, "%.2f")+"; the authors' simulator over 5 seeds 1.47").Resting(claims.AtLeast(longer, 1.35)),
		claims.Estimated("N052", claims.Near(lost, 2.5), lost, "OPS loses "+Interval(lost, "%.2f")+" times the packets", "set up in the paper's words "+Interval(lostInWords, "%.2f")+"; the authors' simulator sends 1.67 times as many again (725 and 434, one seed)").Resting(claims.CloseTo(lost, 2.5)),
	}
}
