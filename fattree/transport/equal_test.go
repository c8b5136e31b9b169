package transport

import (
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestShortAcknowledgements: if no ACK can be lost and none covers several packets, ACKs have no reports.
// With a failed link that no packet uses they have reports, with the same results.
func TestShortAcknowledgements(t *testing.T) {
	dropped := int64(0)
	for _, topology := range []Tree{
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2},
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2, Access: fattree.Link{Gbps: 100}},
		{Hosts: 32, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 2, UplinksPerAgg: 2, CablesPerPair: 2},
	} {
		for _, queue := range []int{100, 5} {
			s := fattree.Spec{Topology: topology, Queue: queue, DisableTrimming: true, KMin: 2, KMax: 5}
			last := topology.Hosts - topology.HostsPerToR // first host of the last ToR, which has no flows
			for i := range last {
				s.Workload.Flows = append(s.Workload.Flows, nettest.Message(i, (i+1+i%3*3)%last, 200_000), nettest.Message(i, (i+last/2)%last, 100_000))
			}
			for i := range s.Workload.Flows {
				if f := &s.Workload.Flows[i]; f.Source == f.Destination {
					f.Destination = (f.Source + 1) % fattree.Host(last)
				}
			}
			want := execute(t, s, new(uniform), shrinking{})
			s.Faults = []fattree.Fault{{Ports: nettest.Uplink(topology, topology.Hosts/topology.HostsPerToR-1, 0)}}
			got := execute(t, s, new(uniform), shrinking{})
			if !reflect.DeepEqual(got, want) || want.Marked == 0 {
				t.Errorf("%d hosts, queue %d: %d sent, %d slots, %d marked, %d dropped; without reports %d, %d, %d, %d",
					topology.Hosts, queue, got.Sent, got.Slots, got.Marked, got.Dropped, want.Sent, want.Slots, want.Marked, want.Dropped)
			}
			dropped += want.Dropped
		}
	}
	if dropped == 0 {
		t.Error("nothing was dropped")
	}
}

// TestFlowsOfAHostTakeTurns: k flows of one host, alone in the network, take k slots per packet, and end
// one slot after the other.
func TestFlowsOfAHostTakeTurns(t *testing.T) {
	const packets, k = 50, 3
	s := fattree.Spec{Topology: Tree{Hosts: 128}}
	for i := range k {
		s.Workload.Flows = append(s.Workload.Flows, nettest.Message(0, 64+8*i, packets*4086))
	}
	// ACKs take no time of the host's own link, since they do not meet data there.
	for i, f := range execute(t, s, new(uniform), steady{}).Flows {
		if want := fattree.Picoseconds(8_337_120 + ((packets-1)*k+i)*83_000); f.FCT() != want {
			t.Errorf("flow %d took %d ps, want %d", i, f.FCT(), want)
		}
	}
}
