package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig22Outages lists the failures.
func fig22Outages() []outage {
	return []outage{{0, 200, math.Inf(1)}, {1, 400, math.Inf(1)}, {2, 600, math.Inf(1)}}
}

// The groups of the comparison: a permutation, and the same permutation with the authors' requests for
// retransmission.
const (
	fig22Permutation = "permutation"
	fig22Requests    = "permutation, requests"
)

// fig22Message is the size of every message. Runs with drawn uplinks end at fig22Seen.
const (
	fig22Runs    = 20
	fig22Message = 32 * mebi
	fig22Seen    = 1500 * microseconds
)

// newFig22 returns the permutations, not yet run.
func newFig22() comparison {
	tree := topology.FatTree{Hosts: 32} // 4 uplinks per ToR
	spec := patternSpec(tree)
	spec.Faults, spec.Horizon = outageFaults(tree, fig22Outages()), 2e6*microseconds
	network := permuted(spec, fig22Message)
	c := comparison{schemes: lbs("ops", "reps-100us", "artifact-100us", "reps"), points: []*comparedPoint{
		{group: fig22Permutation, network: network},
		{group: fig22Requests,
			network: altered(network, changing(func(o *transport.Options) { o.RequestsForRetransmission = true }))},
	}}
	for _, p := range c.points {
		p.place, p.cells, p.replicas = p.group, cells{{"workload", p.group}}, fig22Runs
	}
	return c
}

// newFig22Uplinks returns the uplinks of the only ToR with senders, not yet run.
func newFig22Uplinks() uplinkScene {
	tree := topology.FatTree{Hosts: 128, Tiers: 3}
	spec := microSpec(tree)
	spec.Faults, spec.Horizon = outageFaults(tree, fig22Outages()), fig22Seen
	seen := newUplinks(fixed(spec)(traffic.OneToR(tree, traffic.Message{Bytes: fig22Message})), keepUplinks(keepTimes, fig22Outages()...),
		lbs("ops", "reps-100us", "artifact-100us", "reps")...)
	seen.points[0].cells = cells{{"setup", "one ToR"}}
	return seen
}

// fig22 reproduces permanent failures of all but one uplink of a ToR, one after the other.
func fig22(ctx context.Context, s engine.Settings) (engine.Output, error) {
	seen, c := newFig22Uplinks(), newFig22()
	return compared(ctx, s, func() engine.Output { return fig22Output(&c, seen) }, &seen.comparison, &c)
}

// fig22Output returns the figure from finished runs.
func fig22Output(c *comparison, seen uplinkScene) engine.Output {
	main := c.table(func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		return cells{{"lost", runs.count(netRun.lost).Value}, {"reroute_us", runs.reroute().Value}}
	})
	drawn := seen.drawn()
	figure := drawn.plot(from(0), outageLines(fig22Outages())...)
	ends := c.times(plot.Panel{Wide: true, YLabel: "Mean max. FCT (us)", Y: onScale(plot.Log10, 100, 1e6),
		Title: "(e) Permutation of 32 hosts, the same failures: until the last flow ends"},
		fig22Permutation, byMaxFCT())
	figure.Panels, figure.Height = append(figure.Panels, []plot.Panel{ends}), figure.Height+1.8
	figure.SharedLegend, figure.Panels[0][0].Legend = false, plot.Above
	for _, panel := range []*plot.Panel{&figure.Panels[0][1], &figure.Panels[1][0], &figure.Panels[1][1]} {
		panel.Legend = plot.None
	}
	return engine.Output{
		Tables:   append(append([]frame.Table{main}, drawn.tables()[1:]...), seen.outages(fig22Outages())),
		Plot:     figure,
		Notes:    notes(facts{"replicas": fig22Runs}, "fig22"),
		Findings: []claims.Finding{fig22Soon(c, seen), fig22Worse(c), fig22Early(c), fig22Spikes(seen), fig22AtOnce(seen)},
	}
}

// fig22Soon grades how soon REPS avoids a failed uplink, in two readings: for a time, and permanently.
func fig22Soon(c *comparison, seen uplinkScene) claims.Finding {
	const first = "the first 20 µs without a packet into the uplink"
	var soon rule
	thawing := seen.of("reps-100us")
	lost := listedAs(thawing.count(netRun.lost), "packets", "lost, "+thawing.by())
	for i, o := range fig22Outages() {
		after := thawing.stopping(o)
		soon.add(claims.Met("N001", first, after).Condition, "failure %d: %s", i+1, withBounds(after, "%.0f"))
	}
	last, there := thawing.reroute(), c.at(fig22Permutation, 0, "reps-100us").reroute()
	return claims.InParts("N001", []claims.Part{
		{Name: first, Condition: soon.holds()},
		claims.Met("N001", "the last packet into it", last),
	}, fmt.Sprintf("µs from a failure until 20 µs pass without a packet into the uplink: %s; until the last packet: %s, in the permutation %s",
		strings.Join(soon.words, "; "), withBounds(last, "%.0f"), withBounds(there, "%.0f")), fmt.Sprintf(
		"whenever freezing mode ends, after 100 µs, packets try all uplinks again, %.0f in all are lost", lost.Value)).With(lost, there)
}

// fig22Worse grades how much longer OPS takes.
func fig22Worse(c *comparison) claims.Finding {
	worse := c.at(fig22Permutation, 0, "ops").over(c.at(fig22Permutation, 0, "reps-100us"))
	measured := "OPS takes " + withBounds(worse, "%.0f") + " times as long"
	slips := lists.Map([]string{"reps-100us", "artifact-100us", "reps"}, func(key string) mc.Estimate {
		return c.at(fig22Requests, 0, "ops").over(c.at(fig22Requests, 0, key))
	})
	words := lists.Map(slips, func(e mc.Estimate) any { return withBounds(e, "%.1f") })
	return claims.Sized("N089", worse, measured, fmt.Sprintf(
		"after losses the authors' simulator lets OPS send more than its window, a slip (notes): with it OPS takes %s "+
			"times as long as this REPS, %s times as long as REPS that leaves freezing mode as their code does, and %s "+
			"times as long as REPS that stays frozen", words...)).With(slips...)
}

// fig22Early grades what it costs to leave freezing mode while failures last: packets lost, in percent of all sent, and
// the maximum FCT, against REPS that stays in freezing mode.
func fig22Early(c *comparison) claims.Finding {
	leaving, staying := c.at(fig22Permutation, 0, "reps-100us"), c.at(fig22Permutation, 0, "reps")
	extra := make([]float64, len(leaving))
	for i, r := range leaving {
		extra[i] = 100 * float64(r.lost()-staying[i].lost()) / float64(staying[i].Sent)
	}
	lost := listedAs(meanOf(extra, func(x float64) float64 { return x }), "%", "packets lost that freezing for longer saves, of all sent, "+leaving.by())
	longer := leaving.over(staying)
	all := lists.Map([]netRuns{leaving, staying}, func(runs netRuns) mc.Estimate {
		return listedAs(runs.count(netRun.lost), "packets", "lost, "+runs.by())
	})
	return claims.InParts("N107", []claims.Part{claims.Met("N107", "extra packets", lost), claims.Met("N107", "maximum FCT", longer)},
		fmt.Sprintf("%s %% more packets are lost, the maximum FCT is %s times as long", withBounds(lost, "%.3f"), withBounds(longer, "%.2f")),
		fmt.Sprintf("100 µs of freezing mode against 10 ms: %.0f and %.0f packets lost", all[0].Value, all[1].Value)).With(all...)
}

// fig22Spikes grades how much REPS sends into failed uplinks when freezing mode has ended: the largest of their mean
// rates from the failure until the run ends, in percent of an uplink's rate.
func fig22Spikes(seen uplinkScene) claims.Finding {
	into := func(key string) mc.Estimate {
		return seen.of(key).mean(func(r netRun) float64 {
			return slices.Max(lists.Map(fig22Outages(), func(o outage) float64 {
				ns := 1000 * (fig22Seen/microseconds - o.from)
				return 100 * r.Numbers[o.swallowed()] * uplinkMTU * 8 / (uplinkGbps * ns)
			}))
		}, "%", "largest rate into a failed uplink, of an uplink's")
	}
	leaving, staying := into("reps-100us"), into("reps")
	return claims.InParts("N109", []claims.Part{
		claims.Met("N109", "rate", leaving),
		{Name: "packets after freezing mode", Condition: claims.ClearlyBelow(staying, leaving)},
	}, fmt.Sprintf("at most %s %% of an uplink's rate goes into a failed one", withBounds(leaving, "%.2f")),
		fmt.Sprintf("%s %% if REPS stays in freezing mode", withBounds(staying, "%.2f"))).With(staying)
}

// fig22AtOnce grades that REPS freezes at once after the first failure: packets keep off the uplink.
func fig22AtOnce(seen uplinkScene) claims.Finding {
	first := seen.of("reps-100us").stopping(fig22Outages()[0])
	return claims.Estimated("N118", "first failure", first, withBounds(first, "%.0f")+" µs after the first failure REPS keeps off the uplink",
		"for 20 µs or longer, at first by recycling alone: nothing comes back from the uplink, and no connection freezes before a time-out; "+
			"when freezing mode ends, packets try it again")
}
