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

// TestTrimming: each point with trimming has the same point without, in the same order, and only switches that trim say
// so.
func TestTrimming(t *testing.T) {
	c := newTrimming(1)
	half := len(c.points) / 2
	for i, p := range c.points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		spec, other := n.Spec(), c.points[(i+half)%len(c.points)]
		if spec.DisableTrimming != (i >= half) || p.label != other.label || p.group == other.group {
			t.Errorf("point %d, %s: without trimming %t", i, p.place, spec.DisableTrimming)
		}
		for _, fault := range spec.Faults {
			if us := (fault.End - fault.Start) / microseconds; (us == 100) != (p.label == "failed for 100 µs") {
				t.Errorf("point %d, %s: a failure of %d µs", i, p.place, us)
			}
		}
		if failed := len(spec.Faults) > 0; failed != (p.label != "incast") {
			t.Errorf("point %d, %s: failures %v", i, p.place, spec.Faults)
		}
	}
}
