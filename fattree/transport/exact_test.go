package transport

import (
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/endpoint"
	"repslab/internal/nettest"
)

// TestTriggerOnASlot: if the delay of a flow after its trigger ends with a slot, the flow begins in that
// slot, and takes as long as the flow that fired the trigger.
func TestTriggerOnASlot(t *testing.T) {
	flows := []fattree.Flow{nettest.Message(0, 15, 4086), nettest.Message(0, 15, 4086)}
	flows[0].Fires, flows[1].StartedBy = 1, 1
	for _, delay := range []fattree.Picoseconds{83_000, 100 * 83_000} {
		flows[1].Start = delay
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: flows, Triggers: []fattree.Trigger{{Kind: fattree.OneShot}}}}
		got := execute(t, s, new(uniform), steady{}).Flows
		if got[0].FCT() != got[1].FCT() || got[1].Start%83_000 != 0 {
			t.Errorf("delay %d ps: the flows took %d and %d ps, want the same; the second began at %d", delay, got[0].FCT(), got[1].FCT(), got[1].Start)
		}
	}
}

// some cuts only the flows with odd numbers.
type some struct{ cutting }

func (s *some) Subflows(flow int32) int32 { return s.parts * (flow & 1) }
func (s *some) Traits() Traits            { return Traits{Splitter: s} }
func (s *some) NextEV(flow int32, now fattree.Picoseconds) (uint16, bool) {
	if flow&1 == 1 {
		panic("a flow that is cut was asked")
	}
	return s.pinned.NextEV(flow, now)
}

// TestSomeSubflows: a flow with one subflow has the same result as a flow without, also if only some
// flows have subflows.
func TestSomeSubflows(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<18), Queue: 20}
	want := execute(t, s, new(pinned), shrinking{})
	if got := execute(t, s, &some{cutting{parts: 1}}, forgetful{}); !reflect.DeepEqual(got, want) {
		t.Errorf("every second flow cut into one piece: another result than with none cut")
	}
}

// TestSubflowsKnowWhatSendersKnow: no packet that the sender knows to be acknowledged counts as in flight
// for a subflow. One subflow loses its packets. Another loses its ACKs, and its packets are known from
// reports in other ACKs.
func TestSubflowsKnowWhatSendersKnow(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{
		Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 1<<20)}}, Options: Options{AckRatio: 8},
		Faults: []fattree.Fault{{Ports: nettest.Uplink(Tree{Hosts: 16}, 0, 0), End: 60_000_000}, {Ports: nettest.Uplink(Tree{Hosts: 16}, 3, 1)}}, DisableTrimming: true,
		Choose: func(_ int32, ev uint16, ports int) int { return int(ev) % ports },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := NewRun(n)
	r.Begin(&cutting{parts: 4}, forgetful{}, fattree.NewStreams(1, 0))
	for r.Unfinished() > 0 {
		r.Step()
		for i, g := range r.hosts.(*flows).groups {
			if both := g.acked & r.hosts.(*flows).split.out[i]; both != 0 {
				t.Fatalf("slot %d: packets %x of group %d are acknowledged and in flight", r.Slot(), both, i)
			}
		}
	}
}

// TestErrorsToCome: bit errors that begin after the end of the run change nothing, not even the draws for
// marks and victims.
func TestErrorsToCome(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<18), Queue: 10}
	want := execute(t, s, new(uniform), shrinking{})
	s.Errors = []fattree.Corruption{{PerCable: 0.5, Start: 50_000_000_000}}
	if got := execute(t, s, new(uniform), shrinking{}); !reflect.DeepEqual(got, want) || want.Marked == 0 || want.Trimmed == 0 {
		t.Errorf("%d marked and %d trimmed, without the errors to come %d and %d", got.Marked, got.Trimmed, want.Marked, want.Trimmed)
	}
}

// TestReorderDepth: quantiles of depths by nearest rank. Depths beyond 4095 are not distinguished.
func TestReorderDepth(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 2, 1000, 50_000_000)}}})
	if err != nil {
		t.Fatal(err)
	}
	r := NewRun(n)
	r.Begin(new(uniform), steady{}, fattree.NewStreams(1, 0))
	r.Step()
	host, f := r.hosts.(*flows).tiles[0], endpoint.Receiver{}
	for _, psn := range []int32{0, 1, 10_000, 9_997, 5_906, 5_905, 5_904, 10_001, 10_002, 10_003} {
		f.CountReordering(host.Edge, psn)
	}
	result, err := r.Result()
	if err != nil {
		t.Fatal(err)
	}
	// Behind the highest so far: 0, 0, 0, 3, 4094, 4095, 4096, 0, 0, 0.
	for p, want := range map[float64]int{0.1: 0, 0.6: 0, 0.601: 3, 0.7: 3, 0.8: 4094, 0.9: 4095, 1: 4095} {
		if got := result.ReorderDepth(p); got != want {
			t.Errorf("the %v-quantile is %d, want %d", p, got, want)
		}
	}
}
