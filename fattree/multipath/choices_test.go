package multipath

import (
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
)

// TestRetransmissionsFirst: with the option, a retransmitted packet overtakes the others in the long
// queue of an uplink.
func TestRetransmissionsFirst(t *testing.T) {
	tree := topology.FatTree{Hosts: 8, HostsPerToR: 4, UplinksPerToR: 1}
	var flows []fattree.Flow
	for host := range 3 {
		flows = append(flows, nettest.Message(host, 4+host, 1<<22))
	}
	var took [2]int32
	for i, first := range []bool{false, true} {
		n := build(t, fattree.Spec{
			Topology: tree, Workload: fattree.Workload{Flows: flows}, Queue: 400, Options: transport.Options{InitialWindow: 150}, RetransmissionsFirst: first,
		})
		state := newFlows(n)
		run := transport.NewRunBy(n, state)
		run.Begin(newMRC(t), congestion.None{}, fattree.NewStreams(1, 0))
		h := state.tiles[0]
		for h.Slot < 400 {
			run.Step()
		}
		f, psn := &state.senders[0], state.Receivers[0].Complete-1 // has arrived, but its SACK has not
		if f.sent[psn].state == acked {
			t.Fatalf("packet %d is acknowledged", psn)
		}
		h.lose(0, psn, f, transport.Loss{Kind: transport.Nacked})
		for duplicates := int64(0); duplicates == 0 && took[i] < 1000; took[i]++ {
			run.Step()
			r, err := run.Result()
			if err != nil {
				t.Fatal(err)
			}
			duplicates = r.Duplicates
		}
	}
	if took[0] < 200 || took[1] > 60 {
		t.Errorf("a packet sent again takes %d slots in turn, and %d if it goes first, want 200 at least and 60 at most", took[0], took[1])
	}
}

// TestConnectionTimer: packets are lost in the middle of a message. With a timer for each packet, the
// first is retransmitted one time-out later. With one timer for the connection it is retransmitted half a
// time-out later still, when no gap has been filled for a whole time-out.
func TestConnectionTimer(t *testing.T) {
	const rto, dies = 50_000_000, 20_000_000
	tree := topology.FatTree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}
	for timer, want := range map[bool]float64{false: 1, true: 1.5} {
		n := build(t, fattree.Spec{
			Topology: tree, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 3, 1<<22)}},
			Options: transport.Options{RTO: rto, InitialWindow: 40, ConnectionTimer: timer},
			Faults:  []fattree.Fault{{Ports: nettest.Uplink(tree, 0, 0), Start: dies, End: 20 * rto}},
		})
		state := newFlows(n)
		run := transport.NewRunBy(n, state)
		run.Begin(newMRC(t), congestion.None{}, fattree.NewStreams(1, 0))
		for f := &state.senders[0]; f.next < 2 || f.sent[f.complete].timeouts == 0; {
			run.Step()
		}
		if after := (float64(run.Slot())*float64(n.SlotTime()) - dies) / rto; math.Abs(after-want) > 0.1 {
			t.Errorf("timer of the connection %v: the first packet times out %.2f time-outs after the failure, want %v", timer, after, want)
		}
	}
}

// TestLastHopQueue: ports to hosts hold up to LastHopQueue packets, other ports up to Queue.
func TestLastHopQueue(t *testing.T) {
	const bytes = 1 << 18
	oneUplink := []fattree.Flow{nettest.Message(0, 4, bytes), nettest.Message(1, 5, bytes), nettest.Message(2, 6, bytes)}
	oneHost := []fattree.Flow{nettest.Message(4, 0, bytes), nettest.Message(8, 0, bytes), nettest.Message(12, 0, bytes)}
	spec := fattree.Spec{
		Topology: topology.FatTree{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4}, Queue: 8, LastHopQueue: 12, KMin: 8, KMax: 8,
		Choose: topology.ExactPath,
	}
	for _, c := range []struct {
		flows []fattree.Flow
		want  int32
	}{{oneUplink, 8}, {oneHost, 12}} {
		spec.Workload.Flows = c.flows
		if r := execute(t, build(t, spec), &recorder{spread: c.want == 12}); r.MaxQueue != c.want || r.Trimmed == 0 {
			t.Errorf("the longest queue has %d packets, want %d; %d are trimmed", r.MaxQueue, c.want, r.Trimmed)
		}
	}
}
