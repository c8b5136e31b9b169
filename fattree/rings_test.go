package fattree_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
)

// TestSameWithoutShortcuts: optimizations do not change results. With a trace idle slots are not skipped,
// and rings with room for everything do not grow.
func TestSameWithoutShortcuts(t *testing.T) {
	ops, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for seed := range uint64(80) {
		spec, o := nettest.RandomSpec(rand.New(rand.NewPCG(seed, 3)))
		spec.Options = transport.Options{InitialWindow: o.InitialWindow, AckRatio: o.AckRatio,
			Slips: transport.Slips{RequestsForRetransmission: o.Requests, DoubleTurns: o.DoubleTurns}, Sleek: o.Sleek}
		n, err := fattree.Build(spec)
		if err != nil {
			continue
		}
		want, err := transport.NewRun(n).Execute(context.Background(), ops, congestion.DCTCP{}, fattree.NewStreams(seed, 0))
		if err != nil {
			t.Fatal(err)
		}
		for name, prepare := range map[string]func(r *fattree.Run){
			"every slot":  func(r *fattree.Run) { r.Trace(fattree.TraceConfig{Every: 1 << 40}) },
			"large rings": fattree.EnlargeRings,
		} {
			r := transport.NewRun(n)
			prepare(r.Run)
			got, err := r.Execute(context.Background(), ops, congestion.DCTCP{}, fattree.NewStreams(seed, 0))
			if err != nil {
				t.Fatal(err)
			}
			if got.Slots = want.Slots; !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, %s: another result", seed, name)
			}
		}
		compared++
	}
	if compared < 40 {
		t.Errorf("only %d networks", compared)
	}
}
