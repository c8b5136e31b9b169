package transport

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
	"repslab/internal/recordtest"
)

// TestRandomNetworks: every network that can be built runs to its end without a panic, conserves packets
// (an error otherwise), gives the same result again, and finishes its flows or reaches the horizon. No
// flow is faster than the propagation delay allows. Results are those that were recorded. 130 networks,
// 400 with REPSLAB_LONG=1.
func TestRandomNetworks(t *testing.T) {
	const recordedSeeds = 130
	seeds, built, finished := uint64(recordedSeeds), uint64(0), uint64(0)
	if os.Getenv("REPSLAB_LONG") != "" {
		seeds = 400
	}
	var lines []string
	for seed := range seeds {
		first, ended := checkRandomNetwork(t, seed)
		if first != nil {
			built++
			lines = append(lines, fmt.Sprintf("%d %s", seed, nettest.Record(first)))
		}
		if ended {
			finished++
		}
		if seed == recordedSeeds-1 {
			recordtest.Check(t, "random.txt", lines)
		}
	}
	// Most are possible, and most of these end in time.
	if built < seeds/2 || finished < built*3/4 {
		t.Errorf("%d of %d networks were built and %d of them finished", built, seeds, finished)
	}
}

// checkRandomNetwork runs a random network twice and returns the result, nil if the network was not
// possible, and whether all flows finished.
func checkRandomNetwork(t *testing.T, seed uint64) (first *fattree.Result, finished bool) {
	t.Helper()
	n, err := fattree.Build(RandomSpec(rand.New(rand.NewPCG(seed, 1))))
	if err != nil {
		return nil, false
	}
	run := NewRun(n)
	first, err = run.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	again, err := run.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0))
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Fatalf("seed %d: a second run differs (error %v)", seed, err)
	}
	nettest.CheckResult(t, seed, n, first)
	return first, first.Finished() == n.Flows()
}

// TestUnsentPacketsTakeNoMemory: packets that cannot be sent before the horizon have no place in memory. Flows of
// 20,000 and of 80,000 packets give the same result in as much memory, in random networks.
func TestUnsentPacketsTakeNoMemory(t *testing.T) {
	built := 0
	for seed := range uint64(40) {
		var groups []int
		var results []*fattree.Result
		for _, packets := range []int64{20_000, 80_000} {
			spec := RandomSpec(rand.New(rand.NewPCG(seed, 11)))
			spec.Horizon = 40 * fattree.Microsecond
			payload := nettest.Plan(fattree.Spec{Topology: spec.Topology, MTU: spec.MTU}).Spec().PayloadBytes()
			for i := range spec.Workload.Flows {
				spec.Workload.Flows[i].Bytes = packets * int64(payload)
			}
			n, err := fattree.Build(spec)
			if err != nil {
				continue
			}
			result, err := NewRun(n).Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			groups, results = append(groups, n.Groups()), append(results, result)
		}
		if len(results) < 2 {
			continue
		}
		built++
		if groups[0] != groups[1] || !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("seed %d: %d groups, with longer flows %d; %+v, with longer flows %+v", seed, groups[0], groups[1], results[0].Counts, results[1].Counts)
		}
	}
	if built < 10 {
		t.Errorf("only %d networks were built", built)
	}
}

// FuzzNetworks is TestRandomNetworks for any seed.
func FuzzNetworks(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandomNetwork(t, seed) })
}
