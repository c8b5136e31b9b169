package transport

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestRandomNetworks: whatever is built runs to its end without a panic and
// balances its books (an error otherwise), gives the same again, finishes its
// flows or reaches the horizon, and no flow is faster than light.
func TestRandomNetworks(t *testing.T) {
	built, finished := 0, 0
	for seed := range uint64(400) {
		possible, ended := checkRandomNetwork(t, seed)
		if possible {
			built++
		}
		if ended {
			finished++
		}
	}
	// Most are possible, and most of these end in time.
	if built < 200 || finished < built*3/4 {
		t.Errorf("%d of 400 networks were built and %d of them finished", built, finished)
	}
}

// checkRandomNetwork runs a random network twice and reports whether it was
// possible and whether all flows finished.
func checkRandomNetwork(t *testing.T, seed uint64) (possible, finished bool) {
	t.Helper()
	n, err := fattree.Build(nettest.RandomSpec(rand.New(rand.NewPCG(seed, 1))))
	if err != nil {
		return false, false
	}
	run := NewRun(n)
	first, err := run.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	again, err := run.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0))
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Fatalf("seed %d: a second run differs (error %v)", seed, err)
	}
	CheckResult(t, seed, n, first)
	return true, first.Finished() == n.Flows()
}

// CheckResult checks what must hold of every run.
func CheckResult(t *testing.T, seed uint64, n *fattree.Network, r *fattree.Result) {
	t.Helper()
	if r.Finished() < n.Flows() && r.Slots < int64(n.Spec().Horizon/n.SlotTime()) {
		t.Errorf("seed %d: the run ended at slot %d with %d of %d flows", seed, r.Slots, r.Finished(), n.Flows())
	}
	var packets, all int64
	for flow, f := range r.Flows {
		all += n.Spec().Packets(n.Spec().Workload.Flows[flow].Bytes)
		if f.End == fattree.Unfinished {
			continue
		}
		packets += n.Spec().Packets(n.Spec().Workload.Flows[flow].Bytes)
		// Latencies are whole slots, on each of at most six links there and back.
		if least := n.Unloaded(int32(flow)) - 12*n.SlotTime(); !n.HasSink() && f.FCT() < least {
			t.Errorf("seed %d: flow %d took %d ps, alone it needs %d", seed, flow, f.FCT(), least)
		}
	}
	if distinct := r.Delivered - r.Duplicates; distinct < packets || distinct > all {
		t.Errorf("seed %d: %d distinct packets delivered, want %d to %d", seed, distinct, packets, all)
	}
	if r.Sent-r.Retransmitted > all {
		t.Errorf("seed %d: %d packets sent for the first time, but there are only %d", seed, r.Sent-r.Retransmitted, all)
	}
}

// FuzzNetworks is TestRandomNetworks for any seed.
func FuzzNetworks(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandomNetwork(t, seed) })
}
