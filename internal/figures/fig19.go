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
	const replicas = 20
	tree := topology.FatTree{Hosts: 128}
	network := fixed(microSpec(tree))(traffic.OneToR(tree, traffic.Message{Bytes: 16 * mebi}))
	scene := newUplinks(network, replicas, keepUplinks(keepWhole), lbs("ops", "reps", "reps-forced")...)
	return s.compared(ctx, func() Output {
		drawn := scene.plot(from(250, 520))
		frozen := drawn.Panels[len(drawn.Panels)-1]
		for i := range frozen {
			frozen[i].References = append(frozen[i].References,
				plot.ReferenceLine{Vertical: true, At: forcedAt, Label: "frozen"})
		}
		return Output{
			Tables:   scene.tables(),
			Plot:     drawn,
			Notes:    notes(facts{"replicas": replicas}, "fig19"),
			Findings: fig19Findings(scene),
		}
	}, &scene.comparison)
}

// fig19Findings grades the claim.
func fig19Findings(scene uplinkScene) []claims.Finding {
	sprayed, recycled, forced := scene.of("ops"), scene.of("reps"), scene.of("reps-forced")
	longer := forced.over(recycled).Percent()
	standard, frozen := sprayed.over(recycled).Percent(), sprayed.over(forced).Percent()
	const slower = "OPS slower than both"
	wild, shaken := sprayed.wildest(), forced.wildest()
	return []claims.Finding{claims.InParts("N081", []claims.Part{
		claims.Met("N081", "a finishing time comparable to REPS's", longer),
		{Name: slower, Condition: claims.All(claims.Met("N081", slower, standard).Condition, claims.Met("N081", slower, frozen).Condition)},
		{Name: "more stable than OPS", Condition: claims.Below(shaken, wild)},
	}, "forced into freezing mode REPS takes "+withBounds(longer, "%.2f")+" % longer", fmt.Sprintf(
		"OPS takes %s %% longer than REPS frozen; farthest from 400 Gb/s: OPS %s %%, REPS frozen %s %%",
		withBounds(frozen, "%.1f"), withBounds(wild, "%.1f"), withBounds(shaken, "%.1f")))}
}
