package fattree

import (
	"reflect"
	"testing"
)

// stopwatch is uniform and keeps the longest RTT that it is told of.
type stopwatch struct {
	uniform
	looks   bool
	longest Picoseconds
}

func (s *stopwatch) Measures() bool { return s.looks }
func (s *stopwatch) Feedback(f Feedback) {
	s.longest = max(s.longest, f.RTT)
	s.uniform.Feedback(f)
}

// blind is a congestion control that does not look at RTTs.
type blind struct{ shrinking }

func (blind) Measures() bool { return false }

// TestMeasuring: RTTs are measured if the balancer or the control looks at them,
// or does not say, and then alone; the run is the same.
func TestMeasuring(t *testing.T) {
	s := Spec{Topology: Topology{Hosts: 16}, Workload: tornado(16, 1<<18)}
	want := execute(t, s, new(uniform), shrinking{})
	for _, c := range []struct {
		looks    bool
		control  Control
		measured bool
	}{{true, blind{}, true}, {false, shrinking{}, true}, {false, blind{}, false}} {
		b := &stopwatch{looks: c.looks}
		if got := execute(t, s, b, c.control); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: another result than without a word on RTTs", c)
		}
		if least := 8 * Picoseconds(1_000_000); (b.longest >= least) != c.measured || !c.measured && b.longest != 0 {
			t.Errorf("%+v: the longest RTT was %d ps", c, b.longest)
		}
	}
}
