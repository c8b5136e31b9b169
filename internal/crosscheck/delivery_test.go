package crosscheck

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/fluid"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// TestFiresOnDelivery: a flow that starts when another one has arrived does so half a round trip before the sender
// knows that, in the packet model as in the fluid one.
func TestFiresOnDelivery(t *testing.T) {
	for _, onDelivery := range []bool{false, true} {
		w := fattree.Workload{Triggers: make([]fattree.Trigger, 1)}
		w.Flows = append(w.Flows, fattree.NewFlow(5, 10, 4086, 0), fattree.NewFlow(2, 3, 4086, 0))
		w.Flows[0].Fires, w.Flows[0].FiresOnDelivery, w.Flows[1].StartedBy = 1, onDelivery, 1
		tree := topology.FatTree{Hosts: 16}
		n, err := fattree.Build(fattree.Spec{Topology: tree, Workload: w})
		if err != nil {
			t.Fatal(err)
		}
		got, err := transport.NewRun(n).Execute(context.Background(), sprayed(t, 1<<16), congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		ideal, err := fluid.Ideal(fluid.Config{Topology: tree, Workload: w})
		if err != nil {
			t.Fatal(err)
		}
		want := n.Unloaded(0)
		if onDelivery { // 4 links of 1000 ns and 64 bytes at 400 Gb/s earlier
			want -= 4*1_000_000 + 4*1280
		}
		if start := got.Flows[1].Start; ideal.Start[1] != want || start < want || start > want+2*n.SlotTime() {
			t.Errorf("on delivery %v: flow 1 starts at %d ps, the fluid one at %d, want %d", onDelivery, start, ideal.Start[1], want)
		}
	}
}
