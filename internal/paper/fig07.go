package paper

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// fig07 re-makes two failures of uplinks that pass.
func fig07() Figure {
	return Figure{
		ID:    "fig07",
		Title: "Rates and queues of the uplinks of a ToR, two of which fail for a time, 32 MiB messages",
		Rules: []Rule{
			{"N049", "in the authors' set-up, which is the figure's, one uplink fails from 100 to 200 us and another from 350 to 550 us"},
			{"N050", "under REPS, at both failures, nothing is sent into the dead uplink for 20 us beginning less than 100 us after its death, in the mean over runs: one time-out is 46 us"},
			{"N051", "the mean maximum FCT of OPS is at least 1.35 times that of REPS, replicas paired"},
			{"N052", "OPS loses 2.25 to 2.75 times the packets that REPS loses on dead uplinks, replicas paired, or 2.5 is in the 95 % interval"},
		},
		build: buildFig07,
	}
}

// fig07Setup is the authors' set-up, or the one of the paper's words.
type fig07Setup struct {
	key     string
	bytes   int64
	rto     fattree.Picoseconds // 0 is the authors' formula
	outages []outage
	scene   uplinkScene
}

// fig07Setups returns both.
func fig07Setups() []fig07Setup {
	return []fig07Setup{
		{key: "authors", bytes: 32 * mib, outages: []outage{{1, 100, 200}, {3, 350, 600}}},
		{key: "paper", bytes: 64 * mib, rto: 70 * microseconds, outages: []outage{{1, 100, 200}, {3, 350, 550}}},
	}
}

// run runs OPS, and REPS in its variants: first those that are drawn.
func (f *fig07Setup) run(ctx context.Context, s Settings, replicas uint64) error {
	topology := fattree.Topology{Hosts: 128, Tiers: 3}
	spec := fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax, RTO: f.rto, Faults: faultsOf(f.outages)}
	network := fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: f.bytes}))
	var err error
	f.scene, err = simulateUplinks(ctx, s, network, replicas, keepUplinks, ops(), repsThawing(), artifactThawing(), repsPaper(), repsUnfrozen())
	return err
}

func buildFig07(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.choose(3, 20)
	setups := fig07Setups()
	for i := range setups {
		if err := setups[i].run(ctx, s.part(i, len(setups)), replicas); err != nil {
			return Output{}, err
		}
	}
	authors, words := setups[0], setups[1]
	drawn := uplinkScene{authors.scene.compared[:2], authors.scene.runs[:2]}
	tables := drawn.tables(s.Seed)
	tables[0] = Table{Columns: append([]report.Column{text("setup"), text("lb")}, append(numbers("message_bytes", "lost", "lost_lo", "lost_hi"), networkColumns()...)...)}
	outages := Table{Name: "outages"}
	for _, f := range setups {
		tables[0].Rows = append(tables[0].Rows, f.rows(s.Seed)...)
		part := f.scene.outagesTable(f.key, f.outages, s.Seed)
		outages.Columns, outages.Rows = part.Columns, append(outages.Rows, part.Rows...)
	}
	return Output{
		Tables:  append(tables, outages),
		Formats: []report.Format{report.CSV},
		Plot:    drawn.plot(uplinkView{rates: report.Axis{Min: new(0.0)}, queues: thresholds(), times: outageLines(authors.outages), slow: -1}),
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
	sprayed := f.scene.runs[0].networkRuns()
	for i, c := range f.scene.compared {
		runs := f.scene.runs[i].networkRuns()
		lost := runs.count(lostPackets)
		rows = append(rows, append([]any{f.key, c.key, f.bytes, lost.Value, lost.Lo, lost.Hi}, runs.cells(sprayed, seed)...))
	}
	return rows
}

// compare returns how much longer OPS takes than REPS, and how many times its
// packets it loses.
func (f fig07Setup) compare() (longer, lost mc.Estimate) {
	sprayed, recycled := f.scene.runs[0].networkRuns(), f.scene.runs[1].networkRuns()
	return sprayed.over(recycled), sprayed.lost(recycled)
}

// fig07Findings judges the claims.
func fig07Findings(authors, words fig07Setup) []Finding {
	second := authors.outages[1]
	stops := authors.scene.runs[1].slowest(authors.outages)
	artifact := authors.scene.runs[2].slowest(authors.outages)
	oblivious := authors.scene.runs[0].slowest(authors.outages)
	longer, lost := authors.compare()
	longerInWords, lostInWords := words.compare()
	return []Finding{
		exactly("N049", second.from == 350 && second.to == 550, second.to-second.from, fmt.Sprintf("the second failure lasts from %.0f to %.0f us", second.from, second.to), "the authors' simulator ends it at 600 us; the paper's 550 us are in the rows \"paper\""),
		{"N050", judge(stops.Value < 100), "the slower of both times " + interval(stops, "%.0f") + " us after the death", stops.Lo, stops.Hi,
			fmt.Sprintf("by the authors' rules %s us; under OPS %s us, of the 250 that the failure lasts", interval(artifact, "%.0f"), interval(oblivious, "%.0f"))},
		{"N051", judge(longer.Value >= 1.35), "OPS takes " + interval(longer, "%.2f") + " times as long", longer.Lo, longer.Hi,
			"set up in the paper's words " + interval(longerInWords, "%.2f") + "; the authors' simulator over 5 seeds 1.47"},
		{"N052", judge(near(lost, 2.5)), "OPS loses " + interval(lost, "%.2f") + " times the packets", lost.Lo, lost.Hi,
			"set up in the paper's words " + interval(lostInWords, "%.2f") + "; the authors' simulator sends 1.67 times as many again (725 and 434, one seed)"},
	}
}
