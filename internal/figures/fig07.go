package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/mc"
)

// fig07Setup is the set-up of the authors, or of the paper's text.
type fig07Setup struct {
	uplinkScene
	bytes   int64
	outages []outage
}

// newFig07 returns a set-up with schemes, the drawn ones first, not yet run. An RTO of 0 is the authors' formula.
// The second outage lasts until end, in us.
func newFig07(key string, bytes int64, rto fattree.Picoseconds, end float64,
	schemes ...scheme) fig07Setup {
	tree := topology.FatTree{Hosts: 128, Tiers: 3}
	spec := microSpec(tree)
	outages := []outage{{1, 100, 200}, {3, 350, end}}
	spec.Faults = outageFaults(tree, outages)
	transport.Change(&spec, func(o *transport.Options) { o.RTO = rto })
	scene := newUplinks(fixed(spec)(traffic.OneToR(tree, traffic.Message{Bytes: bytes})),
		keepUplinks(keepWhole, outages...), schemes...)
	scene.points[0].cells = cells{{"setup", key}}
	return fig07Setup{scene, bytes, outages}
}

// newFig07Words returns the set-up of the paper's text, not yet run.
func newFig07Words() fig07Setup {
	return newFig07("paper", 64*mebi, 70*microseconds, 550, lbs("ops", "reps-100us", "artifact-100us")...)
}

// fig07 reproduces two temporary failures of uplinks.
func fig07(ctx context.Context, s engine.Settings) (engine.Output, error) {
	authors := newFig07("authors", 32*mebi, 0, 600,
		lbs("ops", "reps-100us", "artifact-100us", "reps", "reps-unfrozen")...)
	words := newFig07Words()
	return compared(ctx, s, func() engine.Output {
		main, outages := authors.table(), authors.uplinkScene.outages(authors.outages)
		main.Rows = append(main.Rows, words.table().Rows...)
		outages.Rows = append(outages.Rows, words.uplinkScene.outages(words.outages).Rows...)
		drawn := authors.drawn()
		return engine.Output{
			Tables:   append(append([]frame.Table{main}, drawn.tables()[1:]...), outages),
			Plot:     drawn.plot(from(0), outageLines(authors.outages)...),
			Notes:    notes(facts{"replicas": authors.points[0].replicas}, "fig07"),
			Findings: fig07Findings(authors, words),
		}
	}, &authors.comparison, &words.comparison)
}

// table lists the runs of each scheme.
func (f fig07Setup) table() frame.Table {
	return f.rows("", "", func(p *comparedPoint, _ scheme, runs netRuns) cells {
		return slices.Concat(cells{{"message_bytes", f.bytes}, {"lost", frame.WithEnds(runs.count(netRun.lost))}},
			runs.cells(p.of("ops")))
	})
}

// compare returns OPS's time divided by REPS's time, and OPS's lost packets divided by REPS's.
func (f fig07Setup) compare() (longer, lost mc.Estimate) {
	sprayed, recycled := f.of("ops"), f.of("reps-100us")
	return sprayed.over(recycled), sprayed.lostOver(recycled)
}

// fig07Findings grades the claims by the set-up of the paper's text, and adds the results of the authors' set-up.
func fig07Findings(authors, words fig07Setup) []claims.Finding {
	second := authors.outages[1]
	stops := func(f fig07Setup, key string) mc.Estimate { return f.of(key).slowest(f.outages) }
	stop := stops(words, "reps-100us")
	longer, lost := words.compare()
	longerThere, lostThere := authors.compare()
	beside := func(e mc.Estimate, format string) string {
		return "; in the authors' set-up " + withBounds(e, format)
	}
	return []claims.Finding{
		claims.LeftOut("N049",
			fmt.Sprintf("the second failure lasts from %.0f to %.0f us", second.from, second.to),
			"the text ends it at 550 us and has 64 MiB messages, the authors' simulator 32"),
		claims.Estimated("N050", "stop", stop, "the slower of both times "+
			withBounds(stop, "%.0f")+" us after the failure"+beside(stops(authors, "reps-100us"), "%.0f"),
			fmt.Sprintf("under OPS %.0f us", stops(words, "ops").Value)).
			With(stops(words, "ops"), stops(authors, "reps-100us")),
		claims.InParts("N051", []claims.Part{
			claims.Met("N051", "35 % longer under OPS", longer), claims.Met("N051", "35 % less under REPS", longer),
		}, "OPS takes "+withBounds(longer, "%.2f")+" times as long"+beside(longerThere, "%.2f"),
			fmt.Sprintf("REPS saves %.0f %%", 100-100/longer.Value)).With(longerThere),
		claims.Sized("N052", lost, "OPS loses "+withBounds(lost, "%.2f")+" times the packets"+beside(lostThere, "%.2f"),
			"").With(lostThere),
		words.fewRoundTrips(stop),
		words.allPaths(),
		unfrozenCompetes(authors),
	}
}

// fewRoundTrips grades how many unloaded round trips pass until REPS stops sending into a failed uplink.
func (f fig07Setup) fewRoundTrips(stop mc.Estimate) claims.Finding {
	n, err := f.points[0].network(1, 0)
	if err != nil {
		panic(err) // the network has been built before
	}
	trips := listedAs(stop.Per(float64(n.BaseRTT(0))/microseconds), "round trips", stop.Basis.Quantity)
	return claims.Estimated("N098", "round trips", trips, withBounds(trips, "%.1f")+" unloaded round trips", "EVs of lost packets do not come back")
}

// allPaths grades in two readings that REPS uses repaired uplinks again, some time after the last repair: at all,
// and as much as the others.
func (f fig07Setup) allPaths() claims.Finding {
	least := f.of("reps-100us").mean(func(r netRun) float64 {
		return slices.Min(lists.Map(f.outages, func(o outage) float64 { return r.Numbers[shareOfUplink(o.uplink)] }))
	}, "", "packets of the repaired uplink with fewest over the mean of all")
	return claims.InParts("N104", []claims.Part{
		claims.Met("N104", "some packets", least), claims.Met("N104", "as many as through the others", least),
	}, "the repaired uplink with fewest packets carries "+withBounds(least, "%.2f")+" of the mean",
		"REPS leaves what causes no marks as it is")
}

// unfrozenCompetes grades REPS without freezing mode against OPS.
func unfrozenCompetes(authors fig07Setup) claims.Finding {
	longer := authors.of("ops").over(authors.of("reps-unfrozen"))
	return claims.Estimated("N108", "OPS over REPS", longer, "OPS takes "+withBounds(longer, "%.2f")+" times as long",
		"\"competitive\" is taken as faster than OPS")
}
