package fattree

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestSameWithoutShortcuts: what makes runs fast does not show. A trace stops
// idle slots from being skipped, and rings with room for everything need not grow.
func TestSameWithoutShortcuts(t *testing.T) {
	compared := 0
	for seed := range uint64(80) {
		n, err := Build(RandomSpec(rand.New(rand.NewPCG(seed, 3))))
		if err != nil {
			continue
		}
		want, err := n.NewRun().Execute(context.Background(), new(uniform), shrinking{}, NewStreams(seed, 0))
		if err != nil {
			t.Fatal(err)
		}
		for name, prepare := range map[string]func(r *Run){
			"every slot": func(r *Run) { r.Trace(TraceConfig{Every: 1 << 40}) },
			"large rings": func(r *Run) {
				for i := range r.tiles {
					r.tiles[i].ringMask = 1<<9 - 1
					r.tiles[i].rings = make([]packet, r.tiles[i].nics<<9)
				}
			},
		} {
			r := n.NewRun()
			prepare(r)
			got, err := r.Execute(context.Background(), new(uniform), shrinking{}, NewStreams(seed, 0))
			if err != nil {
				t.Fatal(err)
			}
			if got.Slots = want.Slots; !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, %s: another result", seed, name)
			}
		}
		compared++
	}
	if compared < 40 {
		t.Errorf("only %d networks", compared)
	}
}

// TestShortAcknowledgements: where no ACK can be lost and none covers several
// packets, ACKs have no reports. With a dead link that nothing meets they have
// some, with the same results.
func TestShortAcknowledgements(t *testing.T) {
	dropped := int64(0)
	for _, topology := range []Tree{
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2},
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2, Access: Link{Gbps: 100}},
		{Hosts: 32, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 2, UplinksPerAgg: 2, CablesPerPair: 2},
	} {
		for _, queue := range []int{100, 5} {
			s := Spec{Topology: topology, Queue: queue, DisableTrimming: true, KMin: 2, KMax: 5}
			last := topology.Hosts - topology.HostsPerToR // the first host of the last ToR, where nobody is
			for i := range last {
				s.Workload.Flows = append(s.Workload.Flows, message(i, (i+1+i%3*3)%last, 200_000), message(i, (i+last/2)%last, 100_000))
			}
			for i := range s.Workload.Flows {
				if f := &s.Workload.Flows[i]; f.Source == f.Destination {
					f.Destination = (f.Source + 1) % Host(last)
				}
			}
			want := execute(t, s, new(uniform), shrinking{})
			s.Faults = []Fault{{Ports: uplink(topology, topology.Hosts/topology.HostsPerToR-1, 0)}}
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

// TestFlowsOfAHostTakeTurns: k flows of one host, alone in the network, take k
// slots a packet, and end one slot after the other.
func TestFlowsOfAHostTakeTurns(t *testing.T) {
	const packets, k = 50, 3
	s := Spec{Topology: Tree{Hosts: 128}}
	for i := range k {
		s.Workload.Flows = append(s.Workload.Flows, message(0, 64+8*i, packets*4086))
	}
	// ACKs take nothing of the host's own link, whose data they do not meet.
	for i, f := range execute(t, s, new(uniform), steady{}).Flows {
		if want := Picoseconds(8_337_120 + ((packets-1)*k+i)*83_000); f.FCT() != want {
			t.Errorf("flow %d took %d ps, want %d", i, f.FCT(), want)
		}
	}
}
