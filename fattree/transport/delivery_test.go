package transport_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
)

// TestFiresOnDeliveryByWorkers: with triggers fired by receivers the number of workers changes nothing, in random
// networks of any profile.
func TestFiresOnDeliveryByWorkers(t *testing.T) {
	compared, b := 0, soakBalancers(t)[0]
	for seed := range uint64(160) {
		spec := transport.RandomSpec(rand.New(rand.NewPCG(seed, 9)))
		firing := 0
		for i := range spec.Workload.Flows {
			f := &spec.Workload.Flows[i]
			if f.Fires != fattree.NoTrigger && i%3 > 0 {
				f.FiresOnDelivery = true
				firing++
			}
		}
		if firing == 0 {
			continue
		}
		n, err := fattree.Build(spec)
		if err != nil {
			continue
		}
		run := transport.NewRun(n)
		one, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(seed, 0))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		run.Workers(3)
		three, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(seed, 0))
		if err != nil || !reflect.DeepEqual(one, three) {
			t.Fatalf("seed %d: %+v, with 3 workers %+v (error %v)", seed, one, three, err)
		}
		compared++
	}
	t.Logf("%d networks compared", compared)
	if compared < 8 {
		t.Errorf("%d networks compared, want 8", compared)
	}
}
