package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/table"
	"repslab/mc"
)

// fig07Setup is the authors' set-up, or that of the paper's text.
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
		{key: "authors", bytes: 32 * mebi, outages: []outage{{1, 100, 200}, {3, 350, 600}}},
		{key: "paper", bytes: 64 * mebi, rto: 70 * microseconds, outages: []outage{{1, 100, 200}, {3, 350, 550}}},
	}
}

// fig07Replicas is the number of runs of a scheme.
func fig07Replicas(scale Scale) uint64 { return scale.replicas(3, 20) }

// run runs OPS and variants of REPS, the drawn ones first.
func (f *fig07Setup) run(ctx context.Context, s Settings) error {
	topology := fattree.Topology{Hosts: 128, Tiers: 3}
	spec := microSpec(topology)
	spec.RTO, spec.Faults = f.rto, outageFaults(f.outages)
	network := fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: f.bytes}))
	var err error
	f.scene, err = runUplinks(ctx, s, network, fig07Replicas(s.Scale), keepUplinks,
		lbs("ops", "reps-100us", "artifact-100us", "reps", "reps-unfrozen")...)
	return err
}

// fig07 reproduces two temporary failures of uplinks.
func fig07(ctx context.Context, s Settings) (Output, error) {
	setups := fig07Setups()
	main, outages := table.Table{}, table.Table{Name: "outages"}
	if err := s.inTurn(ctx, setups[0].run, setups[1].run); err != nil {
		return Output{}, err
	}
	for _, f := range setups {
		for _, c := range f.scene.schemes {
			runs := f.scene.of(c.key)
			addRow(&main, cells{{"setup", f.key}, {"lb", c.key}, {"message_bytes", f.bytes}},
				withEnds("lost", "lost", runs.count(netRun.lost)), runs.cells(f.scene.of("ops")),
				madeFrom(s.Seed, len(runs)))
		}
		f.scene.addOutages(&outages, f.key, f.outages)
	}
	authors, words := setups[0], setups[1]
	drawn := authors.scene.drawn()
	return Output{
		Tables:   append(append([]table.Table{main}, drawn.tables()[1:]...), outages),
		Plot:     drawn.plot(uplinkView{rates: from(0), times: outageLines(authors.outages), slow: -1}),
		Notes:    notes(facts{"replicas": fig07Replicas(s.Scale)}, "fig07"),
		Findings: fig07Findings(authors, words),
	}, nil
}

// compare returns OPS's time over that of REPS, and its lost packets over those of REPS.
func (f fig07Setup) compare() (longer, lost mc.Estimate) {
	sprayed, recycled := f.scene.of("ops"), f.scene.of("reps-100us")
	return sprayed.over(recycled), sprayed.lostOver(recycled)
}

// fig07Findings judges the claims.
func fig07Findings(authors, words fig07Setup) []claims.Finding {
	second := authors.outages[1]
	stops := authors.scene.of("reps-100us").slowest(authors.outages)
	artifact := authors.scene.of("artifact-100us").slowest(authors.outages)
	oblivious := authors.scene.of("ops").slowest(authors.outages)
	longer, lost := authors.compare()
	longerInWords, lostInWords := words.compare()
	return []claims.Finding{
		claims.Exactly("N049", second.from == 350 && second.to == 550, second.to-second.from,
			fmt.Sprintf("the second failure lasts from %.0f to %.0f us", second.from, second.to),
			"the authors' simulator ends it at 600 us; the paper's 550 us are in the rows \"paper\""),
		claims.Estimated("N050", stops, claims.LessThan(stops, 100),
			"the slower of both times "+withBounds(stops, "%.0f")+" us after the failure",
			fmt.Sprintf("by the authors' rules %s us; under OPS %s us, of the 250 that the failure lasts",
				withBounds(artifact, "%.0f"), withBounds(oblivious, "%.0f"))),
		claims.Estimated("N051", longer, claims.AtLeast(longer, 1.35),
			"OPS takes "+withBounds(longer, "%.2f")+" times as long",
			"set up in the paper's words "+
				withBounds(longerInWords, "%.2f")+"; the authors' simulator over 5 seeds 1.47"),
		claims.Estimated("N052", lost, claims.Near(lost, 2.5),
			"OPS loses "+withBounds(lost, "%.2f")+" times the packets",
			"set up in the paper's words "+
				withBounds(lostInWords, "%.2f")+"; the authors' simulator sends 1.67 times as many again (725 and 434, one seed)"),
	}
}
