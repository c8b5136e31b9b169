package balance_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// TestSubflows: every subflow has its own EV, which identifies it.
func TestSubflows(t *testing.T) {
	for _, evs := range []int{8, 65535, 65536} {
		b, err := balance.NewSubflows(evs, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, flow := range []int32{0, 7, 65_534, 65_535, 65_536, 1_000_003} {
			seen := map[uint16]bool{}
			for i := range b.Subflows(flow) {
				ev := b.SubflowEV(flow, i)
				if back := b.Subflow(flow, ev); back != i || seen[ev] || int(ev) >= evs {
					t.Errorf("%d EVs, flow %d: subflow %d has EV %d, which is subflow %d's", evs, flow, i, ev, back)
				}
				seen[ev] = true
			}
		}
	}
	_, few := balance.NewSubflows(7, 8)
	_, none := balance.NewSubflows(8, 0)
	_, many := balance.NewSubflows(65536, 257)
	if few == nil || none == nil || many == nil {
		t.Errorf("not all refused: %v, %v, %v", few, none, many)
	}
}

// TestSubflowWindows: the initial window is divided among the subflows, and a continued connection keeps
// the windows of its subflows.
func TestSubflowWindows(t *testing.T) {
	b, err := balance.NewSubflows(65536, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, inherits := range []bool{false, true} {
		n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: sequels(), Options: transport.Options{InheritConnections: inherits}})
		if err != nil {
			t.Fatal(err)
		}
		control := &windows{first: map[int32]float64{}, last: map[int32]float64{}}
		if _, err := transport.NewRun(n).Execute(context.Background(), b, control, fattree.NewStreams(1, 0)); err != nil {
			t.Fatal(err)
		}
		const eighth = 151.0 / 8
		if first := control.first; first[0] != eighth || first[1] != eighth || (first[2] > eighth) != inherits {
			t.Errorf("inheriting %v: windows at the first ACK %v, want %g", inherits, first, eighth)
		}
	}
}

// TestMixedSubflows: either background traffic or the other traffic is cut into subflows.
func TestMixedSubflows(t *testing.T) {
	w := sequels()
	w.BackgroundEvery = 2
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	subflows, _ := balance.NewSubflows(65536, 8)
	ecmp, _ := balance.NewECMP(65536)
	control := &windows{first: map[int32]float64{}, last: map[int32]float64{}}
	result, err := transport.NewRun(n).Execute(context.Background(), balance.NewMixed(subflows, ecmp), control, fattree.NewStreams(1, 0))
	if err != nil || result.Finished() != 3 {
		t.Fatalf("%v, %d of 3 flows finished", err, result.Finished())
	}
	if first := control.first; first[0] != 151 || first[1] != 151.0/8 || first[2] != 151 {
		t.Errorf("windows at the first ACK %v, want 151 for the background and an eighth of that", first)
	}
}
