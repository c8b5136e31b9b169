package figures

import (
	"testing"

	"repslab/fattree/topology"
)

// TestFailureModes: every mode of the figure of failures can be placed.
func TestFailureModes(t *testing.T) {
	c := newFig08()
	if got := len(c.points); got != 6+4+6+6+2 {
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

// TestAuthorsFailures: the authors' failures take as many one-way links as their lists, a spine
// those to its 8 ToRs, and all but those of the most are up or of the spine.
func TestAuthorsFailures(t *testing.T) {
	tree := topology.FatTree{Hosts: fig08Hosts}.WithDefaults()
	want := map[string]int{fig08Link: 1, fig08Links: 4, fig08Switch: 8, fig08Most: 12}
	for _, mode := range authorsModes() {
		faults, _ := failedParts(tree, mode.parts)
		links := map[int]bool{}
		for _, f := range faults {
			for _, port := range f.Ports {
				links[port] = true
			}
		}
		if len(links) != want[mode.label] {
			t.Errorf("%s: %d links, want %d", mode.label, len(links), want[mode.label])
		}
		for _, p := range mode.parts {
			if down := p.Direction == topology.Down; !p.WholeSwitch && down != (mode.label == fig08Most) {
				t.Errorf("%s: a link down is %t", mode.label, down)
			}
		}
	}
}
