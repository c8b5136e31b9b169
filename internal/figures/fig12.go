package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/internal/claims"
)

// fig12 reproduces completion times under ACK coalescing.
func fig12() Figure {
	return Figure{
		ID:    "fig12",
		Title: "OPS and REPS with one ACK for 1 to 16 packets, 8 MiB permutation",
		Rules: []claims.Rule{
			{Claim: "N059", Text: "healthy, replicas paired: with 2, 4 and 8 packets to an ACK the mean maximum FCT of OPS is more than 2 % longer than that of REPS, with a 95 % interval above 0, and with 16 it is at most 2 % longer"},
			{Claim: "N060", Text: "with one of eight uplinks dead and 16 packets to an ACK the mean maximum FCT of OPS is at least twice that of REPS, with a 95 % interval above that, replicas paired"},
			{Claim: "N062", Text: "the bytes of ACKs over those of data, one ACK for each packet, are 0.5 to 1.5 %: about 1"},
		},
		Build: buildFig12,
	}
}

func buildFig12(ctx context.Context, s Settings) (Output, error) {
	g, err := newAckGrid(ctx, s, s.Scale.Choose(3, 40), ackScheme{scheme: REPS()})
	if err != nil {
		return Output{}, err
	}
	return g.output(s.Seed,
		"The authors' simulator, one permutation, 3 seeds, maximum FCT with 1, 2, 4, 8 and 16 packets to an ACK, us. Healthy: OPS 194.3, 199.0, 202.5, 209.2, 255.1; REPS 184.9, 190.1, 198.1, 204.1, 254.9. Failure: OPS 3,027, 3,196, 3,477, 4,948, 6,193; REPS 225.6, 240.6, 279.6, 428.9, 995.9.",
		fig12Findings(g)...), nil
}

// fig12Findings judges the claims.
func fig12Findings(g *ackGrid) []claims.Finding {
	var better rule
	for _, ratio := range g.ratios {
		lead := g.longer(ackHealthy, "ops", "reps", ratio)
		better.words = append(better.words, fmt.Sprintf("%d:1 %s %%", ratio, Interval(lead, "%.1f")))
		switch ratio {
		case 1:
		case 16:
			better.add(lead.Value <= 2, claims.AtMost(lead, 2), "")
		default:
			better.add(lead.Value > 2 && lead.Lo > 0, claims.AtLeast(lead, 2), "")
		}
	}
	failed := g.of(ackFailing, "ops", 16).over(g.of(ackFailing, "reps", 16))
	spec := fattree.Spec{}.WithDefaults()
	overhead := 100 * float64(spec.HeaderBytes) / float64(spec.MTU)
	return []claims.Finding{
		better.all("N059", "OPS above REPS: ", "; ", ""),
		claims.Estimated("N060", failed.Value >= 2 && failed.Lo >= 2, failed, "OPS over REPS at 16:1 "+Interval(failed, "%.1f"), "").Resting(claims.AtLeast(failed, 2)),
		claims.Exactly("N062", overhead >= 0.5 && overhead <= 1.5, overhead, fmt.Sprintf("%.2f %%: %d of %d bytes", overhead, spec.HeaderBytes, spec.MTU), "with packets of 8 KiB it would be 0.8 %"),
	}
}
