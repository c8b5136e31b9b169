package figures

import (
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// TestFailing: every replica has failures of its own, and nonsense is an error.
func TestFailing(t *testing.T) {
	s := Settings{Seed: 1}
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
