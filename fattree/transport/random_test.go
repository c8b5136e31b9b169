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
