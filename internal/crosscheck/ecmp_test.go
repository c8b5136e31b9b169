package crosscheck

import (
	"context"
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/fluid"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
)

// TestECMPTakesTheSamePaths: with the same salts, the fluid model and the packet model use
// the same links, so their last flows end at the same time. Queues hold all packets and
// windows are constant, so flows share links equally and the two agree within 1.4 %; 2 %
// are allowed. With the salts of the next replica, 6 of these 10 ends differ by over 22 %.
func TestECMPTakesTheSamePaths(t *testing.T) {
	tree := topology.FatTree{Hosts: 64}
	workload, err := traffic.Tornado(tree.Hosts, traffic.Message{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	network, err := fattree.Build(fattree.Spec{Topology: tree, Workload: workload, Queue: 8000, KMin: 7999, KMax: 8000})
	if err != nil {
		t.Fatal(err)
	}
	ecmp, err := balance.NewECMP(balance.MaxEVS)
	if err != nil {
		t.Fatal(err)
	}
	for replica := range uint64(10) {
		streams := fattree.NewStreams(1, replica)
		packets, err := transport.NewRun(network).Execute(context.Background(), ecmp, congestion.None{}, streams)
		if err != nil {
			t.Fatal(err)
		}
		fluids, err := fluid.ECMPReplica(fluid.Config{Topology: tree, Workload: workload}, streams.Salts.Source())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := packets.LastEnd()
		want, _ := fluids.LastEnd()
		if math.Abs(float64(got)/float64(want)-1) > 0.02 {
			t.Errorf("replica %d: the last packet flow ends at %d ps, the last fluid one at %d ps", replica, got, want)
		}
	}
}
