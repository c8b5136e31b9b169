package figures

import (
	"testing"
)

// TestFailureModes: every mode of the figure of failures can be placed.
func TestFailureModes(t *testing.T) {
	c := newFig08(Settings{Seed: 1, Scale: Full})
	if got := len(c.Points); got != 7+4+7+7 {
		t.Errorf("%d points", got)
	}
	for _, p := range c.Points {
		for replica := range p.Replicas {
			if _, err := p.Network(1, replica); err != nil {
				t.Errorf("%s, replica %d: %v", p.Place, replica, err)
			}
		}
	}
}
