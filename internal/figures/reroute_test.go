package figures

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestRerouteCosts: in the recorded runs the slowest flow of adaptive switches waits for routing, and REPS does not:
// its time changes by less than a hundredth. docs/guide.md has the times.
func TestRerouteCosts(t *testing.T) {
	c := recordedComparison(t, "reroute", newReroute())
	time := func(us int, key string) float64 { return c.at("", us, key).maxFCT().Value }
	const healthyUs = 1400 // of REPS, which the failure does not slow down
	for _, us := range rerouteTimes() {
		if reps := time(us, "reps"); reps < healthyUs || reps > 1.01*healthyUs {
			t.Errorf("%d us: REPS takes %.0f us", us, reps)
		}
		if adaptive := time(us, "switch-adaptive"); adaptive < float64(us)+0.3*healthyUs || adaptive > float64(us)+1.2*healthyUs {
			t.Errorf("%d us: adaptive switches take %.0f us", us, adaptive)
		}
	}
	guide, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, us := range []int{100, 1000, 10_000, 100_000} {
		row := "|"
		for _, b := range c.schemes {
			row += fmt.Sprintf(" %.3g |", time(us, b.key)/1000)
		}
		if row = strings.ReplaceAll(row, " 1.4 |", " 1.40 |"); !strings.Contains(string(guide), row) {
			t.Errorf("docs/guide.md has no row with %s", row)
		}
	}
}
