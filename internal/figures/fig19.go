package figures

import (
	"context"
	"fmt"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
)

// forcedAt is when freezing mode is forced, in us.
const forcedAt = 50

// fig19 reproduces freezing mode forced without a failure.
func fig19(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.replicas(3, 20)
	tree := topology.FatTree{Hosts: 128}
	network := fixed(microSpec(tree))(traffic.OneToR(tree, traffic.Message{Bytes: 16 * mebi}))
	scene := newUplinks(network, replicas, keepUplinks, lbs("ops", "reps", "reps-forced")...)
	if err := scene.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   scene.tables(),
		Plot:     scene.plot(from(250, 520), plot.ReferenceLine{Vertical: true, At: forcedAt, Label: "50 us"}),
		Notes:    notes(facts{"replicas": replicas}, "fig19"),
		Findings: fig19Findings(scene),
	}, nil
}

// fig19Findings judges the claim.
func fig19Findings(scene uplinkScene) []claims.Finding {
	sprayed, recycled, forced := scene.of("ops"), scene.of("reps"), scene.of("reps-forced")
	longer := forced.over(recycled).Percent()
	standard, frozen := sprayed.over(recycled), sprayed.over(forced)
	wild, calm := meanOf(sprayed, netRun.farthest), meanOf(recycled, netRun.farthest)
	shaken := meanOf(forced, netRun.farthest)
	return []claims.Finding{claims.Estimated("N081", longer,
		claims.All(claims.Between(longer, -5, 5), claims.MoreThan(standard, 1), claims.MoreThan(frozen, 1),
			claims.Below(shaken, wild)),
		"forced into freezing mode REPS takes "+withBounds(longer, "%.2f")+" % longer",
		fmt.Sprintf("OPS takes %s times as long as REPS and %s times as long as REPS frozen; "+
			"farthest of an uplink from 400 Gb/s: OPS %s %%, REPS %s %%, frozen %s %%",
			withBounds(standard, "%.3f"), withBounds(frozen, "%.3f"),
			withBounds(wild, "%.1f"), withBounds(calm, "%.1f"), withBounds(shaken, "%.1f")))}
}
