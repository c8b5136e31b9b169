package balance

import (
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

const (
	us  = fattree.Picoseconds(1_000_000)
	rtt = 8_337_120 * us / 1_000_000 // of a 2-tier tree
)

// pair returns a tree of 8 hosts in which host 0 sends two flows to host 7.
func pair(t testing.TB) *fattree.Network {
	t.Helper()
	flow := fattree.Flow{Source: 0, Destination: 7, Bytes: 1 << 20}
	n, err := fattree.Build(fattree.Spec{
		Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{flow, flow}}, Options: transport.Options{RTO: 40 * us},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n.BaseRTT(0) != rtt {
		t.Fatalf("unloaded RTT %d ps, want %d", n.BaseRTT(0), rtt)
	}
	return n
}

// prepared returns a balancer made without error and reset for pair's network.
func prepared[B transport.Balancer](t *testing.T, b B, err error) B {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
	return b
}

// back gives a balancer feedback about packets of flow 0.
func back(b transport.Balancer, now fattree.Picoseconds, kinds ...transport.Kind) {
	for _, kind := range kinds {
		b.Feedback(transport.Feedback{EV: 7, Kind: kind, Now: now, RTT: rtt})
	}
}

// moves reports whether the next packet of flow 0 gets another EV than ev, and sets ev to it.
func moves(b transport.Balancer, now fattree.Picoseconds, ev *uint16) bool {
	next, _ := b.NextEV(0, now)
	moved := next != *ev
	*ev = next
	return moved
}

// uplink returns the port of an uplink of a ToR.
func uplink(s fattree.Spec, tor, number int) []int {
	return s.Topology.(topology.FatTree).Ports(topology.Part{Switch: tor, Uplink: number})
}
