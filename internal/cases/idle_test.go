package cases

import (
	"testing"

	"repslab/fattree"
)

// TestIdleOfEveryBalancer: --idle-us is the pause of every balancer with a ring by the paper's rules, in us,
// and of no other.
func TestIdleOfEveryBalancer(t *testing.T) {
	for _, line := range []string{"lb=reps", "lb=reps-exclude", "lb=reps,ops", "profile=mrc lb=reps-planes", "lb=reps reps=paper,artifact"} {
		for i, p := range pointsOf(t, "hosts=8 idle-us=60 "+line) {
			want := 60 * fattree.Microsecond
			if i > 0 { // ops, artifact
				want = 0
			}
			if p.Recycling.Idle != want {
				t.Errorf("%s, point %d: a pause of %d ps, want %d", line, i, p.Recycling.Idle, want)
			}
		}
	}
	for _, p := range pointsOf(t, "hosts=8 lb=reps") {
		if p.Recycling.Idle != 0 {
			t.Errorf("a pause of %d ps by default", p.Recycling.Idle)
		}
	}
}
