package figures

import (
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/figures/engine"
)

// TestFailing: every replica has failures of its own, and nonsense is an error.
func TestFailing(t *testing.T) {
	s := engine.Settings{Seed: 1}
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 32}}
	draw := drawPermutation(32, 1)
	network := failing(spec, "cables=1,place=random;ber-cable=1%", draw)
	places := map[int]bool{}
	for replica := range uint64(20) {
		n, err := network(s.Seed, replica)
		if err != nil {
			t.Fatal(err)
		}
		of := n.Spec()
		if len(of.Faults) != 1 || len(of.Errors) != 1 || of.Errors[0].PerCable != 0.01 {
			t.Fatalf("replica %d: faults %v, errors %v", replica, of.Faults, of.Errors)
		}
		places[of.Faults[0].Ports[0]] = true
	}
	// 20 draws of 32 uplinks: fewer than 8 different ones have a probability of 2e-7.
	if len(places) < 8 {
		t.Errorf("only %d different places in 20 replicas", len(places))
	}
	for _, nonsense := range []string{"cables=200%", "cables=33,place=random", "hosts=1"} {
		if _, err := failing(spec, nonsense, draw)(s.Seed, 0); err == nil {
			t.Errorf("%q is accepted", nonsense)
		}
	}
}

// TestSlowUplinks: at full scale fig05 has four slow uplinks of 128 at every point, at random
// places or the authors', and cables that are slow both ways.
func TestSlowUplinks(t *testing.T) {
	c := newFig05()
	places := map[string]bool{}
	for _, p := range c.points {
		if p.hosts*p.hosts > 32*32 && p.workload == "websearch" {
			continue // drawn slowly
		}
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		slow, want := 0, 4
		if p.group == slowBothWays {
			want = 8
		}
		for _, f := range n.Spec().Faults {
			if f.Rate != 0.5 {
				t.Errorf("%s: rate %v", p.place, f.Rate)
			}
			slow += len(f.Ports)
		}
		if slow != want {
			t.Errorf("%s: %d slow ports, want %d", p.place, slow, want)
		}
		if places[p.place] {
			t.Errorf("two points are called %q", p.place)
		}
		places[p.place] = true
	}
}
