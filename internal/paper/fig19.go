package paper

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/traffic"
	"repslab/internal/report"
)

// forcedAt is when freezing mode is forced, in us.
const forcedAt = 50

// fig19 re-makes freezing mode forced without a failure.
func fig19() Figure {
	return Figure{
		ID:    "fig19",
		Title: "Rates and queues of the uplinks of a ToR, freezing mode forced at 50 us, 16 MiB messages",
		Rules: []Rule{
			{"N081", "the mean maximum FCT of REPS forced into freezing mode is within 5 % of that of REPS, that of OPS is longer than both, and between 100 us and a round trip before the first flow ends the packets arriving at an uplink in 20 us stay closer to 400 Gb/s than under OPS, at the farthest uplink in the mean over runs"},
		},
		build: buildFig19,
	}
}

// repsForced is REPS that takes a path for failed although none has.
func repsForced() contender {
	return repsAs("reps-forced", "REPS, frozen from 50 us on", 4, balance.RecyclingConfig{FreezeAt: forcedAt * microseconds})
}

func buildFig19(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.choose(3, 20)
	topology := fattree.Topology{Hosts: 128}
	spec := fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax}
	network := fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: 16 * mib}))
	scene, err := simulateUplinks(ctx, s, network, replicas, keepUplinks, ops(), repsPaper(), repsForced())
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  scene.tables(s.Seed),
		Formats: []report.Format{report.CSV},
		Plot: scene.plot(uplinkView{rates: report.Axis{Min: new(250.0), Max: new(520.0)}, queues: thresholds(),
			times: []report.Rule{{Vertical: true, At: forcedAt}}, slow: -1}),
		Notes: []string{
			"The 8 hosts of ToR 0 of a tree of 128 hosts send 16 MiB each to another ToR, as in fig02; from 50 us on (vertical line) every flow of the third REPS is in freezing mode, for 10 ms, that is for good. Queue 100, ECN 20/80, trimming, DCTCP variant. The authors published no script; a disabled line of theirs forces freezing mode at 150 us.",
			"Left: packets that arrive for an uplink, sent or queued, in buckets of 20 us. Right: queues, every microsecond. One line an uplink, replica 0.",
			fmt.Sprintf("Findings over %d replicas.", replicas),
		},
		Findings: fig19Findings(scene),
	}, nil
}

// fig19Findings judges the claim.
func fig19Findings(scene uplinkScene) []Finding {
	sprayed, recycled, forced := scene.runs[0], scene.runs[1], scene.runs[2]
	longer := percent(forced.networkRuns().over(recycled.networkRuns()))
	standard, frozen := sprayed.networkRuns().over(recycled.networkRuns()), sprayed.networkRuns().over(forced.networkRuns())
	wild, calm, shaken := sprayed.estimate(uplinkRun.farthest), recycled.estimate(uplinkRun.farthest), forced.estimate(uplinkRun.farthest)
	holds := longer.Value >= -5 && longer.Value <= 5 && standard.Value > 1 && frozen.Value > 1 && shaken.Value < wild.Value
	return []Finding{{"N081", judge(holds), "forced into freezing mode REPS takes " + interval(longer, "%.2f") + " % longer", longer.Lo, longer.Hi,
		fmt.Sprintf("OPS takes %s times as long as REPS and %s times as long as REPS frozen; farthest of an uplink from 400 Gb/s: OPS %s %%, REPS %s %%, frozen %s %%",
			interval(standard, "%.3f"), interval(frozen, "%.3f"), interval(wild, "%.1f"), interval(calm, "%.1f"), interval(shaken, "%.1f"))}}
}
