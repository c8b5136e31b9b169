package figures

import (
	"context"
	"fmt"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
)

// fig02 reproduces the rates and queues of the uplinks of a ToR during a tornado.
func fig02(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.replicas(fewest, 20)
	tree := topology.FatTree{Hosts: 128}
	network := fixed(microSpec(tree))(traffic.OneToR(tree, traffic.Message{Bytes: 16 * mebi}))
	scene := newUplinks(network, replicas, keepUplinks, lbs("ops", "reps")...)
	if err := scene.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   scene.tables(),
		Plot:     scene.plot(from(250, 520)),
		Notes:    notes(facts{"replicas": replicas}, "fig02"),
		Findings: fig02Findings(scene.of("ops"), scene.of("reps")),
	}, nil
}

// fig02Findings judges the claims.
func fig02Findings(sprayed, recycled netRuns) []claims.Finding {
	swing, steady := meanOf(sprayed, netRun.farthest), meanOf(recycled, netRun.farthest)
	all := func(r netRun) float64 { return r.longestQueue(0) }
	late := func(r netRun) float64 { return r.longestQueue(settled) }
	high, low := meanOf(sprayed, all), meanOf(recycled, late)
	highest, lowest := sprayed.extreme(all), recycled.extreme(late)
	ratio := sprayed.over(recycled)
	within := claims.Between(ratio, 1.036, 1.044)
	busySprayed, busyRecycled := sprayed.extreme(netRun.busiest), recycled.extreme(netRun.busiest)
	return []claims.Finding{
		claims.Estimated("N027", swing, claims.Near(swing, 15),
			"farthest of an uplink from 400 Gb/s: "+withBounds(swing, "%.1f")+" %",
			"the largest of all buckets and uplinks of a run"),
		claims.Seen("N028", highest > microKMax, high,
			fmt.Sprintf("longest queue of a run %s packets, of all runs %.0f", withBounds(high, "%.0f"), highest), ""),
		claims.Seen("N029", lowest <= microKMin, low,
			fmt.Sprintf("longest queue of a run from 100 us on %s packets, of all runs "+
				"%.0f", withBounds(low, "%.1f"), lowest), "queues settle around Kmin rather than below: just above "+
				"it hardly a packet is marked, as marking rises slowly from there to Kmax"),
		claims.Estimated("N030", steady, claims.AtMost(steady, 5),
			"farthest of an uplink from 400 Gb/s: "+withBounds(steady, "%.1f")+" %", "a packet is 1 % of a bucket"),
		claims.Estimated("N031", ratio, within.When(within.Holds || ratio.Lo <= 1.04 && 1.04 <= ratio.Hi),
			"OPS takes "+withBounds(ratio, "%.3f")+" times as long", "the authors' simulator over 5 seeds: 1.052"),
		claims.InWords("N032", busySprayed <= 5 && busyRecycled <= 5,
			fmt.Sprintf("the busiest uplink carries up to %.1f %% more than the mean under OPS, %.1f %% under REPS",
				busySprayed, busyRecycled), ""),
	}
}
