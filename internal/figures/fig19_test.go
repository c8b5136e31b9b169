package figures

import "testing"

// TestForcedPermutation: the permutation of fig19 is the paper's, 128 flows of 16 MiB between 128 hosts.
func TestForcedPermutation(t *testing.T) {
	c := newFig19(1)
	n, err := c.points[0].network(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	flows := n.Spec().Workload.Flows
	if len(flows) != 128 || len(c.points) != 1 {
		t.Errorf("%d flows, %d points, want 128 and 1", len(flows), len(c.points))
	}
	for i, f := range flows {
		if f.Bytes != 16<<20 {
			t.Errorf("flow %d has %d bytes, want 16 MiB", i, f.Bytes)
		}
	}
}
