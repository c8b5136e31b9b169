package transport

import (
	"context"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// cutting cuts every flow into subflows with consecutive EVs, from the flow's number on.
type cutting struct {
	pinned
	parts int32
}

func (c *cutting) Subflows(int32) int32                 { return c.parts }
func (c *cutting) SubflowEV(flow, subflow int32) uint16 { return uint16(flow + subflow) }
func (c *cutting) Subflow(flow int32, ev uint16) int32  { return int32(ev) - flow }
func (c *cutting) Traits() Traits                       { return Traits{Splitter: c} }
func (c *cutting) NextEV(int32, fattree.Picoseconds) (uint16, bool) {
	panic("a flow that is cut was asked")
}

// forgetful is shrinking, which remembers nothing.
type forgetful struct{ shrinking }

func (forgetful) Traits() ControlTraits { return ControlTraits{Memoryless: true} }

// TestOneSubflow: a flow with one subflow behaves as the flow without, under congestion, with trimming,
// with drops and with coalesced ACKs. An ACK of a flow with subflows lists all packets received, so it
// retransmits none of them. In these runs with coalesced ACKs the flow without subflows retransmits none
// either.
func TestOneSubflow(t *testing.T) {
	for _, s := range []fattree.Spec{
		{Options: Options{AckRatio: 1}},
		{Options: Options{AckRatio: 1}, Queue: 20},
		{Options: Options{AckRatio: 1}, Queue: 20, DisableTrimming: true},
		{Options: Options{AckRatio: 5}},
		{Options: Options{AckRatio: 3}, Queue: 20},
		{Options: Options{AckRatio: 8}, Queue: 50},
	} {
		s.Topology = Tree{Hosts: 64}
		s.Workload = nettest.Tornado(64, 1<<20)
		for i := range 7 {
			s.Workload.Flows = append(s.Workload.Flows, nettest.Message(20+i, 3, 1<<19))
		}
		want := execute(t, s, new(pinned), shrinking{})
		got := execute(t, s, &cutting{parts: 1}, forgetful{})
		if !reflect.DeepEqual(got, want) || want.Trimmed+want.Dropped == 0 {
			t.Errorf("ratio %d, queue %d: cut into one piece ends after %d slots, uncut after %d", OptionsOf(nettest.Plan(s)).AckRatio, s.Queue, got.Slots, want.Slots)
		}
	}
}

// TestSubflowsAreApart: a flow with two subflows, one of them over a failed link, ends. The window of the
// other subflow is not cut for the losses. At every moment the packets in flight of the subflows add up
// to the sender's number.
func TestSubflowsAreApart(t *testing.T) {
	for _, ratio := range []int{1, 8} {
		n, err := fattree.Build(fattree.Spec{
			Topology: Tree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 15, 4<<20)}}, Options: Options{AckRatio: ratio},
			Faults: []fattree.Fault{{Ports: nettest.Uplink(Tree{Hosts: 16}, 0, 0)}}, DisableTrimming: true,
			Choose: func(_ int32, ev uint16, ports int) int { return int(ev) % ports },
		})
		if err != nil {
			t.Fatal(err)
		}
		r := NewRun(n)
		r.Begin(&cutting{parts: 2}, forgetful{}, fattree.NewStreams(1, 0))
		for r.Unfinished() > 0 {
			r.Step()
			inFlight := 0
			for _, word := range r.hosts.(*flows).split.out {
				inFlight += bits.OnesCount64(word)
			}
			if dead, live := r.hosts.(*flows).split.parts[0], r.hosts.(*flows).split.parts[1]; int32(inFlight) != dead.inFlight+live.inFlight || dead.inFlight < 0 || live.inFlight < 0 {
				t.Fatalf("slot %d: %d and %d packets in flight, but %d taken for that", r.Slot(), dead.inFlight, live.inFlight, inFlight)
			}
		}
		if dead, live := r.hosts.(*flows).split.parts[0].window.Packets, r.hosts.(*flows).split.parts[1].window.Packets; dead > 2 || live < 75 {
			t.Errorf("ratio %d: windows %.1f into the dead link and %.1f beside it, want at most 2 and no less than the 75.5 of the beginning", ratio, dead, live)
		}
		// After the first window one packet per RTO goes into the failed link, and some of the last
		// packets do so more than once.
		alone, first := fattree.Picoseconds(1027*83_000), int64(76)
		result, err := r.Result()
		if err != nil {
			t.Fatal(err)
		}
		if fct := result.Flows[0].FCT(); fct > 4*alone {
			t.Errorf("ratio %d: the flow took %d ps, more than four times what it takes alone", ratio, fct)
		}
		if most, now := first+int64(fattree.Picoseconds(r.Slot())*n.SlotTime()/OptionsOn(n).RTO)+2, result; now.Lost > most {
			t.Errorf("ratio %d: %d packets lost, want %d at most", ratio, now.Lost, most)
		}
	}
}

// TestSubflowsNeedWindowsOnly: a congestion control with a memory is refused.
func TestSubflowsNeedWindowsOnly(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1000)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewRun(n).Execute(context.Background(), &cutting{parts: 2}, steady{}, fattree.NewStreams(1, 0)); err == nil || !strings.Contains(err.Error(), "without memory") {
		t.Errorf("error %v", err)
	}
}
