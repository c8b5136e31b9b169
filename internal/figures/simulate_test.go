package figures

import (
	"context"
	"fmt"
	"testing"

	"repslab/fattree"
	"repslab/fattree/traffic"
)

// TestSimulateEach: replicas that differ in number come back under their
// experiment, in order, whatever the number of workers.
func TestSimulateEach(t *testing.T) {
	network := func(hosts int) fattree.Networks {
		return Permutation(1, fattree.Spec{Topology: fattree.Topology{Hosts: hosts}}, 10_000)
	}
	keep := func(r fattree.Replica) (string, error) {
		spec := r.Network.Spec()
		return fmt.Sprint(len(spec.Workload.Flows), spec.Workload.Flows[0].Destination), nil
	}
	list := []ReplicatedSetup[string]{{OPS().Setup(256, network(16)), 3, keep}, {OPS().Setup(256, network(32)), 1, keep}, {ECMP().Setup(256, network(64)), 2, keep}}
	for _, workers := range []int{1, 3} {
		got, err := SimulateEach(context.Background(), Settings{Seed: 1, Workers: workers}, list)
		if err != nil {
			t.Fatal(err)
		}
		for i, hosts := range []int{16, 32, 64} {
			if len(got[i]) != int(list[i].Replicas) {
				t.Fatalf("experiment %d has %d replicas, want %d", i, len(got[i]), list[i].Replicas)
			}
			for replica, kept := range got[i] {
				w, err := traffic.Permutation(hosts, traffic.Message{Bytes: 10_000}, WorkloadSource(1, uint64(replica)))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprint(hosts, w.Flows[0].Destination); kept != want {
					t.Errorf("experiment %d, replica %d: %s, want %s", i, replica, kept, want)
				}
			}
		}
	}
}
