package fattree

import (
	"math"
	"testing"
)

// tilted is a tree with an oversubscription of its own.
type tilted struct {
	Tree
	oversubscription float64
}

func (t tilted) Outline() Outline {
	o := t.Tree.Outline()
	o.Oversubscription = t.oversubscription
	return o
}

// TestDefaultHorizon: a run may take 100 ms, or until its last start, a round trip for each flow that
// waits for another, and 100 times a round trip and what the busiest host's packets take on the slowest
// link, longer by the oversubscription, which slow uplinks are too.
func TestDefaultHorizon(t *testing.T) {
	const bytes, packets = 4086 << 20, 1 << 20
	rtt := 8_337_120.
	start := func(flow Flow, at Picoseconds) Flow {
		flow.Start = at
		return flow
	}
	after := func(flow Flow) Flow {
		flow.StartedBy = 1
		return flow
	}
	first := message(0, 15, bytes)
	first.Fires = 1
	for name, c := range map[string]struct {
		tree  Topology
		flows []Flow
		want  float64 // ps
	}{
		"short":            {Tree{Hosts: 16}, []Flow{message(0, 15, 1)}, 1e11},
		"one flow":         {Tree{Hosts: 16}, []Flow{message(0, 15, bytes)}, 100 * (rtt + packets*83_000)},
		"two of one host":  {Tree{Hosts: 16}, []Flow{message(0, 15, bytes), message(0, 14, bytes)}, 100 * (rtt + 2*packets*83_000)},
		"to one host":      {Tree{Hosts: 16}, []Flow{message(1, 15, bytes), message(0, 15, bytes)}, 100 * (rtt + 2*packets*83_000)},
		"there and back":   {Tree{Hosts: 16}, []Flow{message(0, 15, bytes), message(15, 0, bytes)}, 100 * (rtt + packets*83_000)},
		"late":             {Tree{Hosts: 16}, []Flow{start(message(0, 15, bytes), 5e11), message(1, 14, 1)}, 5e11 + 100*(rtt+packets*83_000)},
		"triggered":        {Tree{Hosts: 16}, []Flow{first, after(message(1, 14, 1)), after(message(2, 14, 1))}, 102*rtt + 100*packets*83_000},
		"slow fabric":      {Tree{Hosts: 16, Fabric: Link{Gbps: 200}}, []Flow{message(0, 1, bytes)}, 100 * (rtt + 2*(4214*8/200.-4214*8/400.)*1000 + 4*packets*83_000)},
		"four to one":      {tilted{Tree{Hosts: 16}, 4}, []Flow{message(0, 15, bytes)}, 100 * (rtt + 4*packets*83_000)},
		"end of all slots": {tilted{Tree{Hosts: 16}, 1e9}, []Flow{message(0, 15, bytes)}, MaxSlots * 83_000},
		"more uplinks":     {tilted{Tree{Hosts: 16}, 0.5}, []Flow{message(0, 15, bytes)}, 100 * (rtt + packets*83_000)},
		"hosts of one ToR": {Tree{Hosts: 16}, []Flow{message(0, 1, bytes)}, 100 * (rtt + packets*83_000)},
	} {
		s := planOf(Spec{Topology: c.tree, Workload: Workload{Flows: c.flows, Triggers: []Trigger{{}}}}).Spec()
		if got := float64(s.Horizon); math.Abs(got-c.want) > 2 {
			t.Errorf("%s: %.0f ps, want %.0f", name, got, c.want)
		}
	}
}

// TestLeastDefaults: queues and thresholds where the bandwidth-delay product is a few packets, by profile and
// without trimming, and at other products.
func TestLeastDefaults(t *testing.T) {
	slow, middle := Link{Gbps: 1, LatencyNs: 1}, Link{Gbps: 100} // products of 4.1 and 28.1 packets
	for _, c := range []struct {
		link              Link
		transport         Profile
		drops             bool
		queue, kmin, kmax int
	}{
		{slow, Artifact, false, 100, 2, 5},
		{slow, Artifact, true, 100, 2, 5},
		{slow, UltraEthernet, false, 25, 2, 6},
		{slow, UltraEthernet, true, 125, 2, 6},
		{slow, MRC, false, 25, 2, 6},
		{middle, Artifact, false, 100, 7, 21},
		{middle, UltraEthernet, false, 29, 6, 24},
		{middle, MRC, true, 145, 6, 24},
	} {
		s := planOf(Spec{Topology: Tree{Hosts: 16, Access: c.link, Fabric: c.link}, Profile: c.transport, DisableTrimming: c.drops, Workload: tornado(16, 1)}).Spec()
		if s.Queue != c.queue || s.KMin != c.kmin || s.KMax != c.kmax {
			t.Errorf("%+v: queue %d, Kmin %d, Kmax %d", c, s.Queue, s.KMin, s.KMax)
		}
	}
	s := planOf(Spec{Topology: Tree{Hosts: 16}, Queue: 50, Workload: tornado(16, 1)}).Spec()
	if s.KMin != 13 || s.KMax != 38 {
		t.Errorf("a queue of 50 has Kmin %d and Kmax %d, want a quarter and 76 %% of it, 13 and 38", s.KMin, s.KMax)
	}
}
