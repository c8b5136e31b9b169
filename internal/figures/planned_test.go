package figures

import (
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/claims"
)

// TestPlanned: queues of one packet and times as REPS's hold in all parts; a longer queue in turn or a slower
// permutation breaks its part, and the part is named.
func TestPlanned(t *testing.T) {
	for _, c := range []struct {
		queue int
		us    float64
		grade claims.Grade
		why   string
	}{{1, 103, claims.Reproduced, ""}, {3, 103, claims.InPart, "not for one ToR in turn"}, {1, 110, claims.InPart, "not for permutation static"}} {
		all := newPlanned()
		for _, p := range all.points {
			p.runs = timed(map[string]float64{"path-static": c.us, "path-round-robin": 98, "reps": 100})
		}
		for key, packets := range map[string]int{"path-static": 1, "path-round-robin": c.queue} {
			runs := all.at(plannedToR, 0, key)
			for len(runs) < 20 { // as many as the figure has: 20 runs that are all alike tell
				runs = append(runs, runsOf(100)...)
			}
			for i := range runs {
				runs[i].MaxQueue = int32(packets)
			}
			all.in(plannedToR)[0].runs[key] = runs
		}
		if f := plannedPathsDo(&all); f.Grade != c.grade || !strings.Contains(f.Why, c.why) {
			t.Errorf("queue %d, %v us: %s, %s, %s", c.queue, c.us, f.Grade, f.Measured, f.Why)
		}
	}
}

// TestPlannedPaths: hosts of a ToR have paths of their own: the first packets of static paths and of paths in turn
// leave by different uplinks.
func TestPlannedPaths(t *testing.T) {
	c := newPlanned()
	for _, s := range c.schemes[1:3] {
		n, err := c.points[0].network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.open(plannedPaths)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset(n, fattree.NewStreams(1, 0).Balancer())
		seen := map[uint16]bool{}
		for flow := range n.Flows() {
			ev, _ := b.NextEV(int32(flow), 0)
			seen[ev] = true
		}
		if len(seen) != plannedPaths || n.Flows() != plannedPaths {
			t.Errorf("%s: %d flows begin on paths %v", s.key, n.Flows(), seen)
		}
	}
}
