package figures

import (
	"context"
	"fmt"
	"strings"

	"repslab/fattree/balance"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/reps"
)

// fig13 compares three designs of coalesced ACKs for REPS.
func fig13(ctx context.Context, s Settings) (Output, error) {
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

// fig13Preferred judges whether carry and reuse are better than standard.
func fig13Preferred(g *ackGrid) claims.Finding {
	var parts []claims.Part
	var words []string
	for _, network := range []struct{ key, name string }{{ackHealthy, "on a healthy network"}, {ackFailing, "after an uplink failed"}} {
		for _, variant := range []struct{ key, name string }{{"carry", "Carry EVs"}, {"reuse", "Reuse EVs"}} {
			name := fmt.Sprintf("%s %s", variant.name, network.name)
			var better []claims.Condition
			var longer []string
			for _, ratio := range []int{8, 16} {
				e := g.longer(network.key, "standard", variant.key, ratio)
				better = append(better, claims.AtLeast(e, 0))
				longer = append(longer, fmt.Sprintf("%.1f %%", e.Value))
			}
			parts = append(parts, claims.Part{Name: name, Condition: claims.All(better...)})
			words = append(words, name+" "+strings.Join(longer, ", "))
		}
	}
	return claims.InParts("N061", parts, "at 8:1 and 16:1 standard REPS takes longer than "+strings.Join(words, "; "), "")
}
