package figures

import (
	"context"
	"fmt"

	"repslab/fattree/balance"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/plot"
	"repslab/reps"
)

// fig13 compares three designs of coalesced ACKs for REPS.
func fig13(ctx context.Context, s engine.Settings) (engine.Output, error) {
	g := newFig13()
	return g.figure(ctx, s, "fig13", func() []claims.Finding { return []claims.Finding{fig13Preferred(g)} })
}

// newFig13 returns the comparison, not yet run.
func newFig13() *ackGrid {
	carry := lb("reps").called("carry", "REPS, carry EVs", plot.Blue.Hollow())
	carry.carries = true
	return newAckGrid(ackRatios(), func(ratio int) []scheme {
		return []scheme{lb("reps").called("standard", "REPS, standard", plot.Blue), carry, reusing(ratio)}
	})
}

// reusing returns REPS that uses each cached EV a number of times.
func reusing(times int) scheme {
	return repsAs("reuse", "REPS, reuse EVs", plot.Blue.Hollow().Hollow(),
		balance.RecyclingConfig{REPS: reps.Config{ReuseCount: times}})
}

// fig13Preferred grades whether carry and reuse are better than standard.
func fig13Preferred(g *ackGrid) claims.Finding {
	var all rule
	for _, network := range []struct{ key, name string }{{ackHealthy, "on a healthy network"}, {ackFailing, "after an uplink failed"}} {
		for _, variant := range []struct{ key, name string }{{"carry", "Carry EVs"}, {"reuse", "Reuse EVs"}} {
			name := fmt.Sprintf("%s %s", variant.name, network.name)
			few, fewer := g.longer(network.key, "standard", variant.key, 8), g.longer(network.key, "standard", variant.key, 16)
			both := claims.All(claims.Met("N061", "each ratio", few).Condition, claims.Met("N061", "each ratio", fewer).Condition)
			all.part(name, both, "%s %.1f %%, %.1f %%", name, few.Value, fewer.Value)
		}
	}
	return all.inParts("N061", "at 8:1 and 16:1 standard REPS takes longer than ", "; ", "")
}
