package figures

import (
	"context"
	"fmt"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig02 reproduces the rates and queues of the uplinks of a ToR during a tornado.
func fig02(ctx context.Context, s engine.Settings) (engine.Output, error) {
	tree := topology.FatTree{Hosts: 128}
	network := fixed(microSpec(tree))(traffic.OneToR(tree, traffic.Message{Bytes: 16 * mebi}))
	scene := newUplinks(network, keepUplinks(keepWhole), lbs("ops", "reps")...)
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   scene.tables(),
			Plot:     fig02Plot(scene),
			Notes:    notes(facts{"replicas": uplinkRuns}, "fig02"),
			Findings: fig02Findings(scene.of("ops"), scene.of("reps")),
		}
	}, &scene.comparison)
}

// fig02Plot draws rates and queues, and the range of rates that the paper's text names.
func fig02Plot(scene uplinkScene) *plot.Plot {
	figure := scene.plot(from(0, 560))
	for i := range figure.Panels {
		rates := &figure.Panels[i][0]
		rates.References = append(rates.References, plot.ReferenceLine{At: 1.15 * uplinkGbps, Label: "+15 %"},
			plot.ReferenceLine{At: 0.85 * uplinkGbps, Label: "-15 %"})
	}
	return figure
}

// fig02Findings grades the claims.
func fig02Findings(sprayed, recycled netRuns) []claims.Finding {
	sprays, spraysMeasured, spraysWhy := fig02Rates(sprayed)
	recycles, recyclesMeasured, recyclesWhy := fig02Rates(recycled)
	return []claims.Finding{
		claims.Sized("N027", sprays, spraysMeasured, spraysWhy).With(sprayed.wildest()),
		fig02Exceeds(sprayed),
		fig02Settles(sprayed, recycled),
		claims.Estimated("N030", "distance", recycles, recyclesMeasured, recyclesWhy).With(recycled.wildest()),
		fig02Gain(sprayed, recycled),
		fig02Selection(sprayed, recycled),
		fig02Slower(sprayed, recycled),
	}
}

// fig02Rates returns the usual deviation of the uplinks' rates, words about it, and words about the largest
// deviation.
func fig02Rates(runs netRuns) (usual mc.Estimate, measured, why string) {
	usual, most := runs.mean(kept(usualDeviation), "%", "deviation in 95 % of the buckets"), runs.wildest()
	return usual, fmt.Sprintf("95 %% of buckets of 20 us lie within %s %% of 400 Gb/s", withBounds(usual, "%.1f")),
		fmt.Sprintf("the farthest bucket of a run is off by %s %%", withBounds(most, "%.1f"))
}

// fig02Exceeds grades that queues under OPS may exceed Kmax. Runs in which no queue does cannot show that none
// may.
func fig02Exceeds(sprayed netRuns) claims.Finding {
	longest := kept(longestQueue)
	mean := sprayed.mean(longest, "packets", "longest queue")
	exceeding := len(lists.Where(sprayed, func(r netRun) bool {
		return claims.Within("N028", "longest queue", longest(r))
	}))
	f := claims.Seen("N028", exceeding > 0, mean, fmt.Sprintf(
		"longest queue of a run %s packets, of all runs %.0f; Kmax is %d",
		withBounds(mean, "%.0f"), sprayed.extreme(longest), microKMax),
		fmt.Sprintf("a queue exceeds Kmax in %d of %d runs", exceeding, len(sprayed)))
	if exceeding == 0 {
		return f.Undecided(fmt.Sprintf("no queue exceeds Kmax in %d runs", len(sprayed)))
	}
	return f
}

// fig02Settles grades that queues under REPS stay below Kmin. "Quickly" has no size, so the finding adds how long
// queues are much later.
func fig02Settles(sprayed, recycled netRuns) claims.Finding {
	late := kept(settledQueue)
	const name = "longest queue from 100 us on"
	recycles, sprays := recycled.mean(late, "packets", name), sprayed.mean(late, "packets", name)
	over := listedAs(inSupport(recycled, kept(aboveKMin), shareOf(100, 0)), "%",
		"samples above Kmin from 100 us on, "+recycled.by())
	end := recycled.mean(kept(laterQueue), "packets", "longest queue from 250 us on")
	return claims.Estimated("N029", "longest queue", recycles, fmt.Sprintf(
		"after the first 100 us the longest queue of a run has %s packets, that of all runs %.0f; Kmin is %d",
		withBounds(recycles, "%.1f"), recycled.extreme(late), microKMin),
		fmt.Sprintf("%.2g %% of queue samples are above Kmin; after the first %d us it still has %s; under OPS the longest queue has "+
			"%.0f packets", over.Value, later, withBounds(end, "%.1f"), sprays.Value)).With(over, end, sprays)
}

// fig02Gain grades REPS's lead over OPS.
func fig02Gain(sprayed, recycled netRuns) claims.Finding {
	longer := sprayed.over(recycled).Percent()
	return claims.Sized("N031", longer, "OPS takes "+withBounds(longer, "%.1f")+" % longer", "")
}

// fig02Selection grades that both schemes use all uplinks nearly equally over a whole run.
func fig02Selection(sprayed, recycled netRuns) claims.Finding {
	const name = "busiest uplink above the mean"
	sprays, recycles := sprayed.extreme(kept(busiestUplink)), recycled.extreme(kept(busiestUplink))
	return claims.InWords("N032", claims.Within("N032", "busiest uplink", max(sprays, recycles)), fmt.Sprintf(
		"the busiest uplink of all runs carries %.1f %% more than the mean under OPS, %.1f %% under REPS",
		sprays, recycles), fmt.Sprintf("in buckets of 20 us they are off by up to %.0f and %.0f %%",
		sprayed.extreme(kept(largestDeviation)), recycled.extreme(kept(largestDeviation)))).
		With(sprayed.mean(kept(busiestUplink), "%", name), recycled.mean(kept(busiestUplink), "%", name), sprayed.wildest(),
			recycled.wildest())
}

// fig02Slower grades that marks make senders slower under OPS, slightly. Messages are equal and start together, so
// rates are in inverse proportion to the completion times.
func fig02Slower(sprayed, recycled netRuns) claims.Finding {
	longer := sprayed.ratio(recycled, netRun.meanFCT).Percent()
	marks := listedAs(inSupport(sprayed, func(r netRun) float64 { return 100 * float64(r.Marked) / float64(r.PacketHops) }, shareOf(100, 0)),
		"%", "packets marked at a hop, "+sprayed.by())
	return claims.Estimated("N115", "slower", longer, "the mean FCT under OPS is "+withBounds(longer, "%.2f")+" % longer",
		fmt.Sprintf("a hop marks %s %% of the packets under OPS", withBounds(marks, "%.1f"))).With(marks)
}
