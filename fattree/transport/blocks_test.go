package transport_test

import (
	"context"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
)

// TestBlocksAndWorkers: results do not depend on the length of blocks or the number of goroutines, in
// random networks with every balancer and congestion control, with failures, bit errors and triggers: 10
// networks, 120 with REPSLAB_LONG=1.
func TestBlocksAndWorkers(t *testing.T) {
	s := &soak{
		balancers: soakBalancers(t),
		controls: []transport.Control{
			congestion.DCTCP{}, new(congestion.NSCC), &congestion.NSCC{Rules: fattree.UltraEthernet}, congestion.None{},
			new(congestion.EQDS), &congestion.EQDS{Oversubscription: 2}, &congestion.RCCC{Adaptive: true, LeastRate: 0.1},
			new(congestion.WindowedRCCC),
		},
	}
	seeds, compared := uint64(10), 0
	if os.Getenv("REPSLAB_LONG") != "" {
		seeds = 120
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 4))
		n, err := fattree.Build(s.spec(seed, rng))
		b, c := s.balancers[seed%uint64(len(s.balancers))], s.controls[rng.IntN(len(s.controls))]
		if err != nil || b.Traits().Splitter != nil && !c.Traits().Memoryless {
			continue
		}
		run, streams := transport.NewRun(n), fattree.NewStreams(seed, 0)
		want, err := run.Execute(context.Background(), b, c, streams)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, how := range []struct {
			block   int // slots of a block; 0: as long as possible, without a trace
			workers int
		}{{0, 8}, {1, 1}, {2, 3}, {5, 2}, {64, 8}} {
			run.Workers(how.workers)
			if how.block > 0 {
				run.Trace(fattree.TraceConfig{Every: fattree.Picoseconds(how.block) * n.SlotTime()}) // a block ends with a bucket
			}
			got, err := run.Execute(context.Background(), b, c, streams)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, %T, %T: blocks of %d slots and %d workers give another result (error %v)", seed, b, c, how.block, how.workers, err)
			}
		}
		compared++
	}
	if compared < int(seeds/2) {
		t.Errorf("only %d networks", compared)
	}
}
