package transport

import (
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
	"repslab/mc"
)

// stopwatch is uniform and keeps the longest RTT in its feedback.
type stopwatch struct {
	uniform
	looks   bool
	longest fattree.Picoseconds
}

func (s *stopwatch) Traits() Traits { return Traits{IgnoresRTTs: !s.looks} }
func (s *stopwatch) Feedback(f Feedback) {
	s.longest = max(s.longest, f.RTT)
	s.uniform.Feedback(f)
}

// blind is a congestion control that does not look at RTTs.
type blind struct{ shrinking }

func (blind) Traits() ControlTraits { return ControlTraits{IgnoresRTTs: true} }

// TestMeasuring: RTTs are measured only if the balancer or the control looks at them, or does not say
// whether it does. The run is the same.
func TestMeasuring(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<18)}
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
		if least := 8 * fattree.Picoseconds(1_000_000); (b.longest >= least) != c.measured || !c.measured && b.longest != 0 {
			t.Errorf("%+v: the longest RTT was %d ps", c, b.longest)
		}
	}
}

// ranging keeps the RTTs in its feedback.
type ranging struct {
	uniform
	rtts map[fattree.Picoseconds]int
}

func (r *ranging) Reset(n *fattree.Network, random mc.Stream) {
	r.uniform.Reset(n, random)
	r.rtts = map[fattree.Picoseconds]int{}
}
func (r *ranging) Feedback(f Feedback) { r.rtts[f.RTT]++ }

// TestRTTOfALoneFlow: every packet of a flow alone measures the unloaded RTT, up to the rounding of its
// paths to whole slots.
func TestRTTOfALoneFlow(t *testing.T) {
	for destination, rtt := range map[int]fattree.Picoseconds{1: 4_168_560, 127: 8_337_120} {
		b := new(ranging)
		s := fattree.Spec{Topology: Tree{Hosts: 128}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, destination, 50*4086)}}}
		// Beyond 2^16 slots, modulo which packets note their sending time.
		s.Workload.Flows[0].Start = (1<<16 - 20) * 83_000
		execute(t, s, b, steady{})
		if len(b.rtts) != 1 {
			t.Errorf("to host %d: RTTs %v, want one", destination, b.rtts)
		}
		for got, count := range b.rtts {
			if diff := got - rtt; diff < -2*83_000 || diff > 2*83_000 || count != 50 {
				t.Errorf("to host %d: RTT %d of %d packets, want %d of 50", destination, got, count, rtt)
			}
		}
	}
}
