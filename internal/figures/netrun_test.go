package figures

import (
	"context"
	"fmt"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/figures/engine"
)

// panics says whether a function panics.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// TestTrials: trials that differ in replicas come back under their keys, replicas in
// order, whatever the number of workers; keys that are unknown or used twice are faults.
func TestTrials(t *testing.T) {
	keep := func(r experiment.Replica) (string, error) {
		spec := r.Network.Spec()
		return fmt.Sprint(len(spec.Workload.Flows), spec.Workload.Flows[0].Destination), nil
	}
	replicas := map[int]uint64{16: 3, 32: 1, 64: 2} // by hosts
	of := func(all ...int) (list engine.Trials[int, string]) {
		for _, hosts := range all {
			network := permuted(fattree.Spec{Topology: topology.FatTree{Hosts: hosts}}, 10_000)
			addNetwork(&list, hosts, replicas[hosts], lb("ops").setup(256, network), keep)
		}
		return list
	}
	for _, workers := range []int{1, 3} {
		got, err := of(16, 32, 64).Run(context.Background(), engine.Settings{Seed: 1, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for hosts, n := range replicas {
			if len(got.At(hosts)) != int(n) {
				t.Fatalf("%d hosts have %d replicas, want %d", hosts, len(got.At(hosts)), n)
			}
			for replica, kept := range got.At(hosts) {
				w, err := traffic.Permutation(hosts, traffic.Message{Bytes: 10_000}, workloadSource(1, uint64(replica)))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprint(hosts, w.Flows[0].Destination); kept != want {
					t.Errorf("%d hosts, replica %d: %s, want %s", hosts, replica, kept, want)
				}
			}
		}
		if !panics(func() { got.At(17) }) {
			t.Error("an unknown key has a result")
		}
	}
	if !panics(func() { of(16, 16).Run(context.Background(), engine.Settings{Seed: 1}) }) {
		t.Error("two trials of one key are accepted")
	}
}
