package balance

import (
	"context"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/reps"
)

// TestWrittenOut: REPS written out is Recycling, healthy and with a dead uplink,
// where switches trim and where they drop, and forced into freezing mode.
func TestWrittenOut(t *testing.T) {
	for _, dropping := range []bool{false, true} {
		spec := tornado32(t).Spec()
		spec.DisableTrimming, spec.KMin, spec.KMax = dropping, 1, 5
		spec.Faults = []fattree.Fault{{Ports: uplink(spec, 1, 2), Start: 10 * us, End: 300 * us}}
		n, err := fattree.Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []fattree.Picoseconds{0, 15 * us} {
			b, err := RecyclingConfig{REPS: reps.Config{FreezingTimeout: 50_000}, FreezeAt: at}.New()
			if err != nil {
				t.Fatal(err)
			}
			fast := b.(recyclingREPS)
			var results []*fattree.Result
			for _, b := range []transport.Balancer{fast, fast.recycling} {
				r, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, r)
			}
			if !reflect.DeepEqual(results[0], results[1]) || results[0].Lost == 0 || results[0].Marked == 0 {
				t.Errorf("dropping %v, frozen at %d ps: %+v, want %+v, and some packets lost and marked", dropping, at, results[0], results[1])
			}
		}
	}
}
