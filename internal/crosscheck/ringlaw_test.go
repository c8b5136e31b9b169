package crosscheck

import (
	"context"
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/recycled"
	"repslab/reps"
)

// TestRingLawInTheNetwork: the share of EVs that small rings keep is the law's with as many links as an ACK crosses.
// The law has no parameter of the network but its load. It leaves out that ACKs of one path keep their order, which is
// 0.018 at most in long runs of 128 hosts; 0.03 is allowed. Rings of 1, 2 and 3 entries differ by more.
func TestRingLawInTheNetwork(t *testing.T) {
	const load = 0.97
	tree := topology.FatTree{Hosts: 128}
	workload, err := traffic.Tornado(tree.Hosts, traffic.Message{Bytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	network, err := fattree.Build(fattree.Spec{Topology: tree, Workload: workload})
	if err != nil {
		t.Fatal(err)
	}
	late, err := recycled.LateAcks(4, load)
	if err != nil {
		t.Fatal(err)
	}
	all := recycledPackets(t, network, 32)
	for ring := 1; ring <= 4; ring++ {
		law, err := recycled.RingSender{Ring: ring, Delivered: load, Late: late}.Law()
		if err != nil {
			t.Fatal(err)
		}
		if kept := recycledPackets(t, network, ring) / all; math.Abs(kept-(1-law.Lost)) > 0.03 {
			t.Errorf("ring of %d: the network keeps %.3f of the EVs, the law %.3f", ring, kept, 1-law.Lost)
		}
	}
}

// recycledPackets returns the recycled packets of a run with rings of some size.
func recycledPackets(t *testing.T, n *fattree.Network, ring int) float64 {
	t.Helper()
	b, err := balance.NewRecycling(balance.Paper, reps.Config{BufferSize: ring})
	if err != nil {
		t.Fatal(err)
	}
	result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return float64(result.Recycled)
}
