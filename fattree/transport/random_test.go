package transport

import (
	"context"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestRandomNetworks: every network that can be built runs to its end without a panic, conserves packets
// (an error otherwise), gives the same result again, and finishes its flows or reaches the horizon. No
// flow is faster than the propagation delay allows. 130 networks, 400 with REPSLAB_LONG=1.
func TestRandomNetworks(t *testing.T) {
	seeds, built, finished := uint64(130), uint64(0), uint64(0)
	if os.Getenv("REPSLAB_LONG") != "" {
		seeds = 400
	}
	for seed := range seeds {
		possible, ended := checkRandomNetwork(t, seed)
		if possible {
			built++
		}
		if ended {
			finished++
		}
	}
	// Most are possible, and most of these end in time.
	if built < seeds/2 || finished < built*3/4 {
		t.Errorf("%d of %d networks were built and %d of them finished", built, seeds, finished)
	}
}

// checkRandomNetwork runs a random network twice and reports whether it was
// possible and whether all flows finished.
func checkRandomNetwork(t *testing.T, seed uint64) (possible, finished bool) {
	t.Helper()
	n, err := fattree.Build(RandomSpec(rand.New(rand.NewPCG(seed, 1))))
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
	nettest.CheckResult(t, seed, n, first)
	return true, first.Finished() == n.Flows()
}

// FuzzNetworks is TestRandomNetworks for any seed.
func FuzzNetworks(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandomNetwork(t, seed) })
}
