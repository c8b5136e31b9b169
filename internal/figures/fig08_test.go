package figures

import (
	"testing"
)

// TestFailureModes: every mode of the figure of failures can be placed.
func TestFailureModes(t *testing.T) {
	c := newFig08(Settings{Seed: 1, Scale: Full}).drawn
	if got := len(c.points); got != 6+4+6+6 {
		t.Errorf("%d points", got)
	}
	for _, p := range c.points {
		for replica := range p.replicas {
			if _, err := p.network(1, replica); err != nil {
				t.Errorf("%s, replica %d: %v", p.place, replica, err)
			}
		}
	}
}
