package fattree_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
)

// TestPlainRuns: the loops of plain runs and those of runs with options give the same results, in random
// networks without options: with queues of one packet, without trimming, with triggers, several flows a
// host, three tiers and slower links. A trace is an option that changes no result.
func TestPlainRuns(t *testing.T) {
	balancers, controls := soakBalancers(t), []fattree.Control{congestion.DCTCP{}, new(congestion.NSCC), congestion.None{}}
	plain, unfinished, retransmitted := 0, 0, int64(0)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		spec := fattree.RandomSpec(rng)
		spec.Faults, spec.Errors, spec.AckRatio, spec.Choose, spec.Transport = nil, nil, 1, nil, fattree.Artifact
		spec.RequestsForRetransmission, spec.DoubleTurns, spec.Sleek, spec.CarryEVs = false, false, false, false
		spec.InheritConnections = rng.IntN(4) == 0
		if seed%2 == 0 {
			for i := range spec.Workload.Flows {
				spec.Workload.Flows[i].Connection = 0
			}
		}
		n, err := fattree.Build(spec)
		if err != nil {
			continue
		}
		b, c := balancers[rng.IntN(len(balancers))], controls[rng.IntN(len(controls))]
		run, streams := n.NewRun(), fattree.NewStreams(seed, 0)
		got, err := run.Execute(context.Background(), b, c, streams)
		if err != nil || !fattree.IsPlain(run) {
			continue
		}
		plain++
		unfinished += n.Flows() - got.Finished()
		retransmitted += got.Retransmitted
		run.Trace(fattree.TraceConfig{Every: 1_000_000_000_000})
		want, err := run.Execute(context.Background(), b, c, streams)
		if err != nil || fattree.IsPlain(run) || !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d, %T, %T: %+v, with options' loops %+v (error %v)", seed, b, c, got, want, err)
		}
	}
	t.Logf("%d plain runs, %d retransmissions, %d flows unfinished", plain, retransmitted, unfinished)
	if plain < 50 || retransmitted == 0 {
		t.Errorf("%d plain runs with %d retransmissions, want 50 or more, and some", plain, retransmitted)
	}
}
