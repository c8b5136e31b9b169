package figures

import (
	"strings"
	"testing"

	"repslab/fattree"
)

// TestPassing: every failure of the figure is as long as its point says, begins when the notes say, and is of its
// group.
func TestPassing(t *testing.T) {
	c := newPassing()
	for _, p := range c.points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		faults := n.Spec().Faults
		if strings.HasPrefix(p.group, "An uplink") != (len(faults) == 1 && len(faults[0].Ports) == 1) {
			t.Errorf("%s: %v", p.group, faults)
		}
		for _, f := range faults {
			if f.Start != passingStart*microseconds || f.End-f.Start != microseconds*fattree.Picoseconds(p.x) {
				t.Errorf("%s, %d us: fails from %v to %v", p.group, p.x, f.Start, f.End)
			}
		}
	}
}
